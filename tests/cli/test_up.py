"""`klamm up` as a process: what it says and writes, and that nothing of it stays."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cli.commands import Command, java_of, left_in, run, running
from click.testing import CliRunner
from kafka import KafkaAdminClient, TopicPartition
from processes import has_ended, wait_until
from wire import Wire

from klamm.controller.configs.cluster_wide import PARTITION_MOVEMENTS
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.cli import _zookeepers, broker, up

MODES = [pytest.param(["--memory"], id="memory"), pytest.param([], id="zookeeper")]


@pytest.mark.parametrize(
    "ending", [signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_up_serves_until_a_signal_and_leaves_nothing(
    tmp_path: Path, ending: signal.Signals
) -> None:
    with running(tmp_path, "up", "--brokers", "2") as command:
        found = command.ready
        assert [item["id"] for item in found["nodes"]] == [900]
        assert found["nodes"][0]["pid"] in command.family, "a node is a process of its own"
        assert java_of(command.process.pid), "and so is a real ZooKeeper"
        for item in [*found["nodes"], *found["brokers"]]:
            socket.create_connection((item["host"], item["port"]), timeout=5).close()
        command.process.send_signal(ending)
        output = command.end(ending)  # whoever is impatient
    assert found["bootstrap"] in output
    assert f"{found['zookeeper']}   a real one" in output
    assert output.rstrip().endswith("klamm stopped")
    assert left_in(tmp_path) == []


def test_in_memory_there_is_one_process_alone(tmp_path: Path) -> None:
    with running(tmp_path, "up", "--memory", "--nodes", "2") as command:
        assert command.family == []
        assert command.ready["zookeeper"] is None
        assert {node["pid"] for node in command.ready["nodes"]} == {command.process.pid}
        output = command.end(signal.SIGINT)
    assert "in memory" in output
    assert left_in(tmp_path) == []


def seen_by_kafka_python(bootstrap: str) -> Mapping[str, Any]:
    """Move, cancel, be refused, and describe with kafka-python, in a cluster with frozen broker 2.

    What differs from run to run is left out.
    """
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    first, second = TopicPartition("given", 0), TopicPartition("given", 1)
    seen: dict[str, Any] = {
        "controller": admin.describe_cluster()["controller_id"],
        "brokers": sorted(
            (found["broker_id"], found["rack"]) for found in admin.describe_cluster()["brokers"]
        ),
        "topics": sorted(admin.list_topics()),
        "unknown": admin.alter_partition_reassignments({TopicPartition("no", 0): [0, 1]}),
        "dead": admin.alter_partition_reassignments({first: [0, 9]}),
        "idle": admin.alter_partition_reassignments({first: None}),
        "frozen": admin.alter_partition_reassignments({first: [2, 1], second: [1, 3]}),
    }
    done = {first: None}
    end = time.monotonic() + 30
    while admin.list_partition_reassignments().keys() != done.keys():
        assert time.monotonic() < end, "a move to a broker that is alive did not end"
    seen["listed"] = admin.list_partition_reassignments()
    seen["cancel"] = admin.alter_partition_reassignments(done)
    seen["after"] = admin.list_partition_reassignments()
    while (described := replicas_and_isr(admin))[0] != (0, [1, 0], [0, 1]):
        assert time.monotonic() < end, f"a cancelled move is described as {described}"
    seen["described"] = described
    admin.close()
    return seen


def replicas_and_isr(admin: KafkaAdminClient) -> list[tuple[int, list[int], list[int]]]:
    """Whichever broker is asked."""
    return [
        (found["partition_index"], found["replica_nodes"], sorted(found["isr_nodes"]))
        for topic in admin.describe_topics(["given"])
        for found in topic["partitions"]
    ]


def test_with_and_without_zookeeper_a_client_sees_the_same(tmp_path: Path) -> None:
    plan = {
        "version": 1,
        "partitions": [
            {"topic": "given", "partition": 1, "replicas": [0, 1], "log_dirs": ["any", "any"]},
            {"topic": "given", "partition": 0, "replicas": [0, 1]},
        ],
    }
    file = tmp_path / "topics.json"
    file.write_text(json.dumps(plan))
    options = ["--brokers", "4", "--racks", "2", "--frozen", "2", "--topics-file", str(file)]
    options += ["--partition-bytes", "10KB", "--bandwidth", "1MB"]
    seen = []
    for mode in (["--memory"], []):
        with running(tmp_path, "up", *mode, *options) as command:
            assert [found["rack"] for found in command.ready["brokers"]] == ["r0", "r1"] * 2
            seen.append(seen_by_kafka_python(command.ready["bootstrap"]))
            command.end(signal.SIGTERM)
    memory, zookeeper = seen
    assert memory == zookeeper
    assert memory["brokers"] == [(0, "r0"), (1, "r1"), (2, "r0"), (3, "r1"), (900, "r0")]
    assert memory["listed"][TopicPartition("given", 0)]["replicas"] == [2, 1, 0]
    assert memory["described"] == [(0, [1, 0], [0, 1]), (1, [1, 3], [1, 3])]
    assert left_in(tmp_path) == ["topics.json"]


@pytest.mark.parametrize("mode", MODES)
def test_ready_means_that_everybody_knows_everything(tmp_path: Path, mode: list[str]) -> None:
    options = ["--nodes", "2", "--brokers", "3", "--topic", "a:40:3", "--topic", "b:1:2"]
    with running(tmp_path, "up", *mode, *options) as command:
        ready = command.ready
        assert list(ready) == ["bootstrap", "zookeeper", "nodes", "brokers", "control"]
        addresses = [f"{node['host']}:{node['port']}" for node in ready["nodes"]]
        assert ready["bootstrap"] == ",".join(addresses)
        assert [set(node) for node in ready["nodes"]] == [{"id", "host", "port", "pid"}] * 2
        assert [node["id"] for node in ready["nodes"]] == [900, 901]
        assert [set(found) for found in ready["brokers"]] == [{"id", "host", "port", "rack"}] * 3
        host, _, port = ready["control"].rpartition(":")
        socket.create_connection((host, int(port)), timeout=5).close()
        for found in ready["brokers"]:
            admin = KafkaAdminClient(bootstrap_servers=f"{found['host']}:{found['port']}")
            topics = {topic["name"]: topic for topic in admin.describe_topics(["a", "b"])}
            assert [len(topics[name]["partitions"]) for name in "ab"] == [40, 1]
            leaders = [part["leader_id"] for name in "ab" for part in topics[name]["partitions"]]
            assert set(leaders) <= {0, 1, 2}
            assert admin.describe_cluster()["controller_id"] in (900, 901)
            admin.close()
        command.end(signal.SIGINT)


def controller_by(node: Mapping[str, Any]) -> int:
    """Who is controller, as a node tells clients."""
    with Wire(node["port"]) as wire:
        answer = wire.ask(MetadataRequest(topics=()), 7)
    assert isinstance(answer, MetadataResponse)
    return answer.controller_id


@pytest.mark.slow  # as the demo on ZooKeeper is; ha/test_real.py has takeovers without processes
def test_when_the_active_node_is_killed_another_one_goes_on(tmp_path: Path) -> None:
    topics = tmp_path / "topics.json"
    topics.write_text('{"partitions": [{"topic": "t", "partition": 0, "replicas": [0]}]}')
    options = ["--nodes", "3", "--brokers", "3", "--frozen", "2", "--topics-file", str(topics)]
    options += ["--override", "zookeeper.session.timeout.ms=2000", "--journal", str(tmp_path)]
    with running(tmp_path, "up", *options) as command:
        bootstrap, nodes = command.ready["bootstrap"], command.ready["nodes"]
        told = {controller_by(node) for node in nodes}
        [active] = [node for node in nodes if {node["id"]} == told]
        others = [node for node in nodes if node is not active]
        name = TopicPartition("t", 0)
        with KafkaAdminClient(bootstrap_servers=bootstrap) as admin:
            assert admin.alter_partition_reassignments({name: [2]}) == {name: None}
        os.kill(active["pid"], signal.SIGKILL)

        def taken_over() -> bool:
            told = {controller_by(node) for node in others}
            return len(told) == 1 and told < {node["id"] for node in others}

        wait_until(taken_over, "another node to take over, and both to know", 60)
        # As processes: the client drops sockets that were refused without closing them.
        asked = ("-b", bootstrap, "partitions")
        assert "'t:0'" in kafka_python(*asked, "list-reassignments")
        cancelled = kafka_python(*asked, "alter-reassignments", "-r", "t:0=cancel")
        assert cancelled == "{'t:0': None}\n"
        assert "'t:0'" not in kafka_python(*asked, "list-reassignments")
        output = command.end(signal.SIGTERM)
    left = ", ".join(str(node["id"]) for node in others)
    text = f"node {active['id']} (process {active['pid']}) was ended by SIGKILL"
    assert f"{text}; nodes {left} go on\n" in output
    journals = [f"node-{number}.jsonl" for number in (900, 901, 902)]
    assert left_in(tmp_path) == [*journals, "topics.json"]


def test_when_the_last_node_is_killed_up_says_so_and_ends(tmp_path: Path) -> None:
    with running(tmp_path, "up", "--brokers", "1") as command:
        pid = command.ready["nodes"][0]["pid"]
        os.kill(pid, signal.SIGKILL)
        output, _ = command.process.communicate(timeout=60)
    assert command.process.returncode == 1
    ending = f"Error: node 900 (process {pid}) was ended by SIGKILL; there is no node left\n"
    assert output.endswith(ending)
    assert "Traceback" not in output
    assert left_in(tmp_path) == []


def test_a_killed_up_takes_its_nodes_and_its_zookeeper_along(tmp_path: Path) -> None:
    with running(tmp_path, "up", "--brokers", "1") as command:
        command.process.kill()
        command.process.communicate(timeout=60)
        wait_until(lambda: all(map(has_ended, command.family)), "its processes to end", 60)
    assert left_in(tmp_path) == ["ready.json"], "which nobody was left to remove"


def test_up_ends_with_one_sentence_when_its_zookeeper_dies(tmp_path: Path) -> None:
    with running(tmp_path, "up", "--brokers", "2") as command:
        os.kill(java_of(command.process.pid), signal.SIGKILL)
        output, _ = command.process.communicate(timeout=60)
    assert command.process.returncode == 1
    assert output.endswith(
        f"Error: ZooKeeper on {command.ready['zookeeper']} has ended by itself;"
        " klamm cannot go on without it\n"
    )
    assert "Traceback" not in output
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("mode", MODES)
def test_up_says_which_port_is_taken(tmp_path: Path, mode: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, output = run(tmp_path, "up", *mode, "--port", str(port))
    assert status == 1
    assert f"Error: cannot listen on port {port} of 127.0.0.1: " in output
    assert "Traceback" not in output
    assert left_in(tmp_path) == []


def test_a_taken_port_is_said_before_zookeeper_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_zookeepers, "_embedded", None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(up.command, ["--port", str(port)])
    assert result.exit_code == 1
    assert f"Error: cannot listen on port {port} of 127.0.0.1: " in result.output


def test_the_chosen_port_is_the_first_node_s(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--memory", "--nodes", "2", "--port", str(port)]
    with running(tmp_path, "up", *options) as command:
        assert command.ready["nodes"][0]["port"] == port
        assert command.ready["nodes"][1]["port"] != port
        command.end(signal.SIGINT)


def test_a_topic_that_cannot_be_is_named_with_the_controller_s_reason(tmp_path: Path) -> None:
    status, output = run(tmp_path, "up", "--memory", "--topic", "a.b:1:1", "--topic", "a_b:1:1")
    assert status == 1
    assert "Error: topic a_b cannot be created: " in output
    assert "Traceback" not in output


def test_the_inter_broker_protocol_is_everybody_s(tmp_path: Path) -> None:
    options = ["--memory", "--brokers", "2", "--ibp", "3.9", "--topic", "t:1:1"]
    options += ["--partition-bytes", "1KB"]
    with running(tmp_path, "up", *options) as command:
        admin = KafkaAdminClient(bootstrap_servers=command.ready["bootstrap"])
        name = TopicPartition("t", 0)
        [topic] = admin.describe_topics(["t"])
        [replica] = topic["partitions"][0]["replica_nodes"]
        assert admin.alter_partition_reassignments({name: [1 - replica]}) == {name: None}
        wait_until(lambda: not admin.list_partition_reassignments(), "an ISR by AlterPartition", 60)
        admin.close()
        command.end(signal.SIGINT)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--bandwidth", "0"], "'--bandwidth': 0 is too little: at least 1 B"),
        (["--bandwidth", "fast"], "'--bandwidth': 'fast' is no amount of data;"),
        (["--partition-bytes", "nan"], "'--partition-bytes': 'nan' is no amount of data;"),
        (["--partition-bytes", "-1"], "'--partition-bytes': '-1' is less than nothing"),
        (["--partition-bytes", "9e9TB"], "'--partition-bytes': '9e9TB' is no amount of data;"),
        (["--partition-bytes", "99999999999GiB"], "is more than any broker could count"),
        (["--ready-file", "/nowhere/at/all"], "'--ready-file': there is no folder /nowhere/at"),
        (["--brokers", "0"], "0 is not in the range 1<=x<=900"),
        (["--brokers", "901"], "901 is not in the range 1<=x<=900"),
        (["--nodes", "0"], "0 is not in the range 1<=x<=100"),
        (["--topic", "t"], "'--topic': 't' is not NAME:PARTITIONS:REPLICATION-FACTOR"),
        (["--topic", "t:0:1"], "'--topic': 't:0:1' has 0 partitions: a topic has 1 or more"),
        (["--topic", "t:1:0"], "'--topic': 't:1:0' has 0 replicas: a partition has 1 or more"),
        (["--topic", "t:-1:1"], "'t:-1:1' is not NAME:PARTITIONS:REPLICATION-FACTOR"),
        (["--topic", "a b:1:1"], "no topic can have that name: 'a b' contains one or more"),
        (["--topic", "t:1:6"], "topic t is to have 6 replicas; there are only 5 brokers"),
        (["--topic", "t:1:1", "--topic", "t:2:1"], "topic t is named twice"),
        (["--frozen", "5"], "--frozen: there is no broker 5 among 0-4"),
        (["--frozen", "x"], "'--frozen': 'x' is no broker id, nor a range as 0-4"),
        (["--ibp", "1.1"], "inter.broker.protocol.version='1.1': unknown"),
        (["--override", "num.partitions"], "'num.partitions' is not KEY=VALUE"),
        (["--override", "=1"], "'=1' is not KEY=VALUE"),
        (["--override", "num.partitions=no"], "num.partitions='no': a whole number from 1 to"),
        (["--override", "node.id=7"], "--override node.id: nodes are 900, 901, ...: --nodes"),
        (["--override", "listeners=PLAINTEXT://:1"], "--override listeners: nodes listen on"),
        (["--override", "zookeeper.connect=x"], "to join one: klamm serve"),
        (["--override", "klamm.jornal.file=x"], "klamm.jornal.file: neither klamm nor Kafka 3.9"),
        (["--override", "process.roles=broker"], "no ZooKeeper and no place for klamm"),
        (["--override", "klamm.kip435.list.v1.enable=on"], "'on': true or false is needed"),
        (
            ["--override", f"{PARTITION_MOVEMENTS}=0"],
            f"{PARTITION_MOVEMENTS}='0': Invalid value 0 for configuration",
        ),
        (
            [
                *("--override", f"{PARTITION_MOVEMENTS}=2"),
                *("--override", "reassignment.parallel.partition.count=3"),
            ],
            f"reassignment.parallel.partition.count='3' contradicts {PARTITION_MOVEMENTS}='2'",
        ),
        (["--authorizer"], "--authorizer needs --sasl: without a login everybody is the same"),
        (["--journal", "/nowhere"], "'--journal': Directory '/nowhere' does not exist"),
        (["--topics-file", "/nowhere"], "'--topics-file': File '/nowhere' does not exist"),
    ],
)
def test_up_refuses_values_of_no_use_before_it_starts(options: list[str], complaint: str) -> None:
    result = CliRunner().invoke(up.command, options)
    assert result.exit_code == 2
    assert complaint in " ".join(result.output.split())
    assert "starting" not in result.output


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no assignments: Input data was truncated"),
        ("{}", "Object missing required field `partitions`"),
        ('{"partitions":[{"topic":"t","partition":0}]}', "missing required field `replicas`"),
        ('{"partitions":[{"topic":"t","partition":"0","replicas":[1]}]}', "Expected `int`"),
        ('{"partitions":[{"topic":"t","partition":1,"replicas":[1]}]}', "t-0 lacks"),
        (
            '{"partitions":[%s,%s]}' % (2 * ('{"topic":"t","partition":0,"replicas":[1]}',)),
            "t-0 is named twice",
        ),
        ('{"partitions":[{"topic":"t","partition":0,"replicas":[8]}]}', "a replica on broker 8;"),
        ('{"partitions":[{"topic":"..","partition":0,"replicas":[1]}]}', "'..' is not allowed"),
    ],
)
def test_a_file_of_assignments_that_is_none(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    result = CliRunner().invoke(up.command, ["--topics-file", str(file)])
    assert result.exit_code == 2
    assert complaint in result.output
    assert "starting" not in result.output


def test_up_says_who_is_controller_and_what_its_journal_goes_on_after(tmp_path: Path) -> None:
    (tmp_path / "node-901.jsonl").touch()
    topics = [word for number in range(7) for word in ("--topic", f"t{number}:{number + 1}:1")]
    options = ["--memory", "--nodes", "2", "--brokers", "1", "--journal", str(tmp_path), *topics]
    options += ["--partition-bytes", "1KB"]
    with running(tmp_path, "up", *options) as command:
        text = "".join(welcome_of(command))
        office = controller_by(command.ready["nodes"][0])
        ready = tmp_path / "ready.json"
        shown = CliRunner().invoke(broker.command, ["status", "--ready-file", str(ready)])
        assert shown.output.splitlines()[1].split()[:3] == ["0", "up", "28"]
        command.end(signal.SIGTERM)
    assert f"   nodes 900-901; the controller is {office}\n" in text
    assert f"  journal    {tmp_path}/node-{office}.jsonl   the controller's; " in text
    assert "kill -9" not in text, "both are in this one process"
    assert "             node-901.jsonl goes on after lines of an earlier cluster\n" in text
    assert re.search(r"^  brokers    0 on port \d+   simulated$", text, re.MULTILINE)
    assert "  topics     t0 (1 partition), t1 (2 partitions), t2 (3 partitions), " in text
    assert "t4 (5 partitions), 2 more\n" in text
    assert f"  klamm broker freeze 0 --ready-file {ready}\n" in text
    assert "leaves nothing behind, but the journals.\n" in text


def test_a_killed_broker_is_missed_after_the_time_of_the_nodes(tmp_path: Path) -> None:
    for mode in (["--memory"], []):
        with running(tmp_path, "up", "--brokers", "2", *mode) as command:
            words = ["kill", "1", "--control", command.ready["control"]]
            killed = CliRunner().invoke(broker.command, words)
            assert "until its session ends, 6 s (--end-session: at once)\n" in killed.output
            command.end(signal.SIGTERM)


def test_two_clusters_have_no_ready_file_together(tmp_path: Path) -> None:
    with running(tmp_path, "up", "--memory", "--brokers", "1") as command:
        ready = tmp_path / "ready.json"
        status, output = run(tmp_path, "up", "--memory", "--ready-file", str(ready))
        assert status == 2
        assert "belongs to a klamm that runs" in " ".join(output.split())
        assert json.loads(ready.read_text()) == command.ready
        command.end(signal.SIGTERM)
    assert left_in(tmp_path) == []


def test_a_move_takes_ten_seconds_unless_told_otherwise() -> None:
    defaults = up.command.make_context("up", []).params
    assert defaults["partition_bytes"] / defaults["bandwidth"] == 10


@pytest.mark.parametrize(
    ("brokers", "topics", "name"),
    [
        pytest.param(1, [], "orders", marks=pytest.mark.slow),
        pytest.param(2, [], "orders", marks=pytest.mark.slow),
        (5, [], "orders"),
        (1, ["mine:1:1"], "mine"),
        pytest.param(4, ["full:1:4", "orders:2:3"], "orders", marks=pytest.mark.slow),
        (2, ["orders:2:2"], "orders-to-move"),
        (3, ["single:1:2"], "single"),
    ],
)
def test_what_up_tells_to_paste_works(
    tmp_path: Path, brokers: int, topics: list[str], name: str
) -> None:
    """Line by line as a reader would, with moves that no test machine is too slow to see."""
    options = ["--memory", "--brokers", str(brokers), "--bandwidth", "50KB"]
    options += [word for topic in topics for word in ("--topic", topic)]
    with running(tmp_path, "up", *options) as command:
        lines = welcome_of(command)
        python = [line.strip() for line in lines if re.match("  (from|admin)", line)]
        shell = [line.split()[2:] for line in lines if line.startswith("  kafka-python")]
        names: dict[str, Any] = {}
        for line in python:
            exec(line, names)
        admin = names["admin"]
        answers = [kafka_python(*words) for words in shell]
        moving = admin.list_partition_reassignments()
        admin.close()
        command.end(signal.SIGTERM)
    assert len(answers) == (1 if brokers == 1 else 4)
    assert "A move needs two" in "".join(lines) or brokers > 1
    if brokers > 1:
        _, altered, found, cancelled = answers
        assert altered == cancelled == f"{{'{name}:0': None}}\n"
        assert f"'{name}:0'" in found
        assert (f"'{name}:1'" in found) == (name != "single")
        assert [*moving] == ([] if name == "single" else [TopicPartition(name, 1)])
    assert f"topics describe -t {name}\n" in "".join(lines)


def welcome_of(command: Command) -> list[str]:
    """The lines that a command greets with."""
    assert command.process.stdout is not None
    lines = []
    for line in command.process.stdout:
        lines.append(line)
        if line.startswith("Ctrl-C"):
            break
    return lines


def kafka_python(*words: str) -> str:
    """What kafka-python's command says; fails when it fails."""
    command = [sys.executable, "-P", "-m", "kafka.admin", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
