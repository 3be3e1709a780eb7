"""`klamm serve` as a process that joins a real ZooKeeper."""

import json
import re
import signal
import socket
from functools import partial
from pathlib import Path

import pytest
from cli.commands import left_in, run, running
from click.testing import CliRunner
from kafka import KafkaAdminClient
from kazoo.client import KazooClient
from processes import wait_until

from klamm.controller.znodes import paths
from klamm.tools.cli import serve

LISTEN = ["--override", "listeners=PLAINTEXT://127.0.0.1:0"]


def overrides(node: int, connect: str) -> list[str]:
    return [*LISTEN, "--override", f"node.id={node}", "--override", f"zookeeper.connect={connect}"]


@pytest.fixture
def client(zookeeper_admin: KazooClient) -> KazooClient:
    """A plain client at the root; the paths of a test begin with its chroot."""
    return zookeeper_admin


def exists(client: KazooClient, path: str) -> bool:
    return client.exists(path) is not None


def test_a_node_serves_by_a_file_until_a_signal(
    tmp_path: Path, chroot: str, client: KazooClient, zookeeper_chroot: str
) -> None:
    file = tmp_path / "server.properties"
    file.write_text(
        "# as for a broker\n"
        "node.id = 900\n"
        f"zookeeper.connect: {chroot}\n"
        "listeners=PLAINTEXT://127.0.0.1:0\n"
        "num.partitions = 3\n"
        "log.dirs=/nowhere, \\\n"
        "    /else\n"
        f"klamm.journal.file={tmp_path}/journal.jsonl\n"
    )
    words = ["serve", "--config", str(file), "--override", "broker.rack=r7"]
    with running(tmp_path, *words) as command:
        ready = command.ready
        [node] = ready["nodes"]
        assert node == {
            "id": 900,
            "host": "127.0.0.1",
            "port": node["port"],
            "pid": command.process.pid,
        }
        assert ready["bootstrap"] == f"127.0.0.1:{node['port']}"
        assert (ready["zookeeper"], ready["brokers"], ready["control"]) == (chroot, [], None)
        registration = f"{zookeeper_chroot}{paths.klamm_node(900)}"
        wait_until(lambda: client.exists(registration) is not None, "its registration")
        assert json.loads(client.get(registration)[0])["rack"] == "r7"
        controller = f"{zookeeper_chroot}{paths.CONTROLLER}"
        wait_until(lambda: client.exists(controller) is not None, "its election")
        with KafkaAdminClient(bootstrap_servers=ready["bootstrap"]) as admin:
            # It says so of itself only when it has learned that its write was done.
            wait_until(lambda: admin.describe_cluster()["controller_id"] == 900, "its word on it")
        output = command.end(signal.SIGHUP)
    assert output.endswith("klamm node 900 stopped\n")
    assert client.exists(registration) is None
    assert client.exists(controller) is None
    assert left_in(tmp_path) == ["journal.jsonl", "server.properties"]


def test_it_makes_what_brokers_need_with_null_data(
    tmp_path: Path, chroot: str, client: KazooClient, zookeeper_chroot: str
) -> None:
    """Brokers below 3.0 die of a /latest_producer_id_block that is empty and not null."""
    with running(tmp_path, "serve", *overrides(900, chroot)) as command:
        for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
            full = zookeeper_chroot + path
            wait_until(partial(exists, client, full), full)
            data, stat = client.get(full)
            assert (data, stat.ephemeralOwner) == (None, 0), full
        command.end(signal.SIGINT)


def test_an_id_that_is_taken_is_refused_at_once(
    tmp_path: Path, chroot: str, client: KazooClient, zookeeper_chroot: str
) -> None:
    with running(tmp_path, "serve", *overrides(900, chroot)) as command:
        node = f"{zookeeper_chroot}{paths.klamm_node(900)}"
        wait_until(lambda: client.exists(node) is not None, "the registration of 900")
        status, output = run(tmp_path, "serve", *overrides(900, chroot))
        assert status == 1
        taken = "Error: node.id 900 is taken: a klamm node is registered in /klamm/nodes/900; "
        assert output.startswith(taken)
        client.create(f"{zookeeper_chroot}{paths.broker(3)}", b"{}")
        status, output = run(tmp_path, "serve", *overrides(3, chroot))
        assert status == 1
        taken = "Error: node.id 3 is taken: a broker of that id is registered in /brokers/ids/3; "
        assert output.startswith(taken)
        assert "Traceback" not in output
        command.end(signal.SIGTERM)


def test_whoever_listens_everywhere_is_told_what_that_means(tmp_path: Path, chroot: str) -> None:
    port = free_port()
    listen = ["--override", f"listeners=PLAINTEXT://:{port}"]
    with running(tmp_path, "serve", *overrides(900, chroot), *listen) as command:
        output = command.end(signal.SIGTERM)
    assert re.search(rf"^klamm node 900 serves on \S+:{port}, ZooKeeper ", output, re.MULTILINE)
    assert (
        "  it listens on all interfaces, and whoever reaches it may do anything; to keep it to this"
        f" machine: --override listeners=PLAINTEXT://127.0.0.1:{port}\n"
    ) in output
    with running(tmp_path, "serve", *overrides(900, chroot)) as command:
        output = command.end(signal.SIGTERM)
    assert "serves on 127.0.0.1:" in output
    assert "may do anything" not in output


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_without_zookeeper_it_ends_when_the_configured_time_is_over(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    limit = ["--override", "zookeeper.connection.timeout.ms=300"]
    status, output = run(tmp_path, "serve", *overrides(900, nobody), *limit)
    assert status == 1
    assert output == (
        f"Error: ZooKeeper on {nobody} did not answer within 0.3 s; start it, or leave"
        " zookeeper.connection.timeout.ms out to wait for it\n"
    )


def test_a_taken_port_is_named(tmp_path: Path, chroot: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        listeners = ["--override", f"listeners=PLAINTEXT://127.0.0.1:{port}"]
        status, output = run(tmp_path, "serve", *overrides(900, chroot), *listeners)
    assert status == 1
    assert output.startswith(f"Error: cannot listen on port {port} of 127.0.0.1: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "node.id is missing: a klamm node needs an id of its own"),
        ([], "zookeeper.connect is missing: a klamm node joins the ZooKeeper of a cluster"),
        (["--override", "broker.id=3"], "; broker.id=3 is the id of a broker and is not taken"),
        (["--override", "process.roles=broker"], "process.roles is for clusters in KRaft mode"),
        (["--override", "node.id=x"], "node.id='x': a whole number from 0 to 2147483647"),
        (["--override", "nonsense"], "'nonsense' is not KEY=VALUE"),
        (["--config", "/nowhere"], "File '/nowhere' does not exist"),
    ],
)
def test_what_no_node_can_run_by_is_said_with_the_way_out(
    options: list[str], complaint: str
) -> None:
    result = CliRunner().invoke(serve.command, options)
    assert result.exit_code != 0
    assert complaint in " ".join(result.output.split())


def test_a_file_of_another_syntax_is_named(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("node.id=\\u00zz\n")
    result = CliRunner().invoke(serve.command, ["--config", str(file)])
    assert result.exit_code == 1
    assert f"Error: {file} is no properties file: " in result.output
    assert "four hex digits" in result.output


def test_unknown_keys_are_warned_of_and_those_that_kafka_knows_are_not(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    more = ["--override", "klamm.jornal.file=x", "--override", "log.dirs=/data"]
    more += ["--override", "brokr.rack=r1"]
    more += ["--override", "zookeeper.connection.timeout.ms=1"]
    _, output = run(tmp_path, "serve", *overrides(900, nobody), *more)
    assert output.count("Warning: ") == 1
    unknown = "neither klamm nor Kafka 3.9 knows klamm.jornal.file, brokr.rack; ignored\n"
    assert f"Warning: {unknown}" in output
    assert "log.dirs" not in output
