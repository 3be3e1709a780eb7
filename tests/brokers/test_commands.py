"""`klamm brokers` as a process, and `klamm broker` that gives it orders."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import trio
from brokers.peers import SelfServing
from click.testing import CliRunner, Result
from kazoo.client import KazooClient
from processes import wait_until
from trio.testing import MockClock

from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.znodes import decode_broker
from klamm.tools.brokers.control_server import ACTIONS
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.cli import _ids, broker, brokers
from klamm.tools.cli._table import COLUMNS

KLAMM = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]
NOWHERE = "127.0.0.1:1"


@contextmanager
def klamm_brokers(connect: str, ready: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [*KLAMM, "brokers", "--zookeeper", connect, "--ready-file", str(ready), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            wait_until(lambda: ready.exists() or process.poll() is not None, "brokers to be ready")
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def ordered(*arguments: str) -> Result:
    return CliRunner().invoke(broker.command, arguments)


def test_brokers_join_a_zookeeper_take_orders_and_leave(
    tmp_path: Path, chroot: str, zookeeper_admin: KazooClient, zookeeper_chroot: str
) -> None:
    ready, ids = tmp_path / "ready.json", f"{zookeeper_chroot}/brokers/ids"
    options = ("--ids", "3-5", "--racks", "2", "--frozen", "5", "--log-dirs", "2", "--ibp", "3.9")
    with klamm_brokers(chroot, ready, *options) as process:
        found = json.loads(ready.read_text())
        control = found["control"]
        assert [(one["id"], one["rack"]) for one in found["brokers"]] == [
            (3, "r0"),
            (4, "r1"),
            (5, "r0"),
        ]
        assert (found["zookeeper"], found["pid"]) == (chroot, process.pid)
        path = f"{ids}/4"
        registered = decode_broker(zookeeper_admin.get(path)[0], path)
        assert (registered.version, registered.rack) == (5, "r1")

        shown = ordered("status", "--ready-file", str(ready))
        assert shown.exit_code == 0
        lines = shown.output.splitlines()
        assert [line.split()[:2] for line in lines[1:4]] == [
            ["3", "up"],
            ["4", "up"],
            ["5", "frozen"],
        ]
        assert max(map(len, lines)) <= 80
        assert ordered("status", "4", "--control", control).output.count("\n") == 2

        done = ordered("lag", "3,4", "--rate", "100KiB", "--control", control)
        assert done.output == "broker 3: lag done\nbroker 4: lag done\n"
        done = ordered("kill", "3", "--end-session", "--control", control)
        assert done.output == "broker 3: kill done; its registration is gone\n"
        assert sorted(zookeeper_admin.get_children(ids)) == ["4", "5"]
        done = ordered("fail-dir", "4", "--directory", "/data1", "--control", control)
        assert done.output == (
            "broker 4: fail-dir done; back with a new disk: kill 4, then return 4 --new-disks\n"
        )
        states = ordered("status", "--control", control).output
        assert re.search(r"^ +3  down +0 ", states, re.MULTILINE)
        assert re.search(r"^ +4  lags\+lost +0 ", states, re.MULTILINE)
        assert "  broker 4 lags: it fetches at most 100.0 KiB/s\n" in states
        assert "  broker 4 has lost /data1\n" in states
        assert ordered("return", "3", "--control", control).output == "broker 3: return done\n"
        assert sorted(zookeeper_admin.get_children(ids)) == ["3", "4", "5"]
        assert ordered("kill", "4", "--control", control).output == (
            "broker 4: kill done; its registration stays until its session ends, 18 s"
            " (--end-session: at once)\n"
        )
        ended = ordered("kill", "4", "--end-session", "--control", control)
        assert ended.output == "broker 4: kill done; its registration is gone\n"
        back = ordered("return", "4", "--new-disks", "--control", control)
        assert back.output == "broker 4: return done\n"
        assert "lost" not in ordered("status", "4", "--control", control).output
        written = ordered("produce", "--rate", "1KiB", "--control", control)
        where = "each partition without a rate of its own"
        assert written.output == f"producers write 1.0 KiB/s to {where}\n"
        of_one = ("--rate", "1", "--topic", "t", "--partition", "0")
        refused = ordered("produce", *of_one, "--control", control)
        assert refused.output == "Error: no broker here has a replica of a topic 't'\n"
        refused = ordered("status", "4,9", "--control", control)
        assert refused.output == "Error: there is no broker 9 here; there are: 3, 4, 5\n"
        refused = ordered("freeze", "9", "--control", control)
        assert refused.exit_code == 1
        assert refused.output == "Error: there is no broker 9 here; there are: 3, 4, 5\n"

        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=20)
        assert process.returncode == 0
        assert f"broker 3 on 127.0.0.1:{found['brokers'][0]['port']}, rack r0\n" in output
        assert f"klamm broker status --control {control}\n" in output
        assert output.endswith("klamm brokers stopped\n")
    assert not ready.exists()
    assert zookeeper_admin.get_children(ids) == []


def test_an_id_that_is_taken_is_said_plainly(
    tmp_path: Path, chroot: str, zookeeper_admin: KazooClient, zookeeper_chroot: str
) -> None:
    zookeeper_admin.create(f"{zookeeper_chroot}/brokers/ids/7", b"{}", makepath=True)
    with klamm_brokers(chroot, tmp_path / "ready.json", "--ids", "7") as process:
        output, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    taken = "Error: broker id 7 is taken: a broker of that id is registered in /brokers/ids/7"
    assert taken in output
    assert "Traceback" not in output


def test_the_id_of_a_klamm_node_is_refused(
    tmp_path: Path, chroot: str, zookeeper_admin: KazooClient, zookeeper_chroot: str
) -> None:
    zookeeper_admin.create(f"{zookeeper_chroot}/klamm/nodes/900", b"{}", makepath=True)
    with klamm_brokers(chroot, tmp_path / "ready.json", "--ids", "3,900") as process:
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    taken = "Error: broker id 900 is taken: a klamm node of that id is registered in"
    assert f"{taken} /klamm/nodes/900 by session 0x0; give another id" in output


async def test_a_zookeeper_that_is_away_is_said_once(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    nobody = MemoryZookeeper()  # which does nothing until it is told to
    with trio.move_on_after(60):
        async with brokers._entered(SimulatedBrokers(nobody.open, (1, 2)), "zk:2181"):
            raise AssertionError("brokers joined a ZooKeeper that does not answer")
    assert [record.getMessage() for record in caplog.records] == [
        "ZooKeeper on zk:2181 does not answer; still trying"
    ]


async def test_a_zookeeper_that_answers_needs_no_word(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    joined = SimulatedBrokers(partial(SelfServing, MemoryZookeeper()), (1, 2))
    async with brokers._entered(joined, "zk:2181"):
        await trio.sleep(60)
    assert caplog.records == []


def test_a_control_port_that_is_taken_is_named(tmp_path: Path, chroot: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        options = ("--ids", "3", "--control-port", str(port))
        with klamm_brokers(chroot, tmp_path / "ready.json", *options) as process:
            output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"Error: cannot listen on port {port} of 127.0.0.1: " in output


def test_every_action_is_a_command_that_says_in_a_line_what_it_does() -> None:
    shown = CliRunner().invoke(broker.command, ["--help"], terminal_width=80).output
    assert set(broker.command.commands) == set(ACTIONS)
    listed = shown.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == sorted(ACTIONS)
    columns = ordered("status", "--help").output.partition("Columns\n")[2]
    assert [line.strip().partition("  ")[0] for line in columns.splitlines()] == [*COLUMNS]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ((), "Missing option '--zookeeper'"),
        (("--zookeeper", NOWHERE, "--ids", "x"), "'x' is no broker id, nor a range as 0-4"),
        (("--zookeeper", NOWHERE, "--ids", ""), "--ids names no broker"),
        (("--zookeeper", NOWHERE, "--frozen", "8"), "broker 8 is not among --ids"),
        (("--zookeeper", NOWHERE, "--ibp", "1.0"), "unknown inter.broker.protocol.version '1.0'"),
        (("--zookeeper", NOWHERE, "--bandwidth", "0"), "at least 1 B"),
        (("--zookeeper", NOWHERE, "--partition-bytes", "many"), "'many' is no amount of data"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: tuple[str, ...], error: str) -> None:
    result = CliRunner().invoke(brokers.command, options)
    assert result.exit_code == 2
    assert error in result.output


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (("freeze", "--control", NOWHERE), 2, "Missing argument 'ID...'"),
        (("produce", "1", "--rate", "1", "--control", NOWHERE), 2, "unexpected extra argument (1)"),
        (("produce", "--topic", "t", "--control", NOWHERE), 2, "Missing option '--rate'"),
        (("produce", "--rate", "1", "--topic", "t"), 2, "produce needs both --topic and"),
        (("fail-dir", "1", "--control", NOWHERE), 2, "Missing option '--directory'"),
        (("kill", "1", "--rate", "1"), 2, "No such option '--rate'"),
        (("lag", "1", "--control", NOWHERE), 2, "lag needs either --rate or --seconds"),
        (("lag", "1", "--rate", "1", "--seconds", "1"), 2, "lag needs either --rate or --sec"),
        (("status",), 2, "give either --control or --ready-file"),
        (("status", "--control", NOWHERE, "--ready-file", "x"), 2, "give either --control or"),
        (("status", "--control", NOWHERE), 1, f"nobody takes orders at {NOWHERE}"),
        (("status", "--control", "nonsense"), 1, "'nonsense' is no address: write host:port"),
        (("lag", "1", "--rate", "fast", "--control", NOWHERE), 2, "'fast' is no amount of data"),
        (("freeze", "one", "--control", NOWHERE), 2, "'one' is no broker id"),
        (("explode", "1", "--control", NOWHERE), 2, "No such command 'explode'"),
    ],
)
def test_orders_that_make_no_sense_are_refused(
    arguments: tuple[str, ...], status: int, error: str
) -> None:
    result = ordered(*arguments)
    assert result.exit_code == status
    assert error in result.output


@pytest.mark.parametrize(
    ("text", "ids"), [("", ()), ("3", (3,)), ("0-2", (0, 1, 2)), (" 5 , 1-2", (5, 1, 2))]
)
def test_ids_are_read_as_people_write_them(text: str, ids: tuple[int, ...]) -> None:
    assert _ids.parse_ids(text) == ids


@pytest.mark.parametrize(
    ("text", "error"),
    [("1-", "'1-' is no"), ("2-1", "lowest first"), ("0-9999", "at most 1000"), ("1,0-1", "twice")],
)
def test_ids_that_cannot_be_are_refused(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        _ids.parse_ids(text)
