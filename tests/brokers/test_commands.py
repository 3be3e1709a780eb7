"""`klamm brokers` as a process, and `klamm broker` that gives it orders."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from kazoo.client import KazooClient
from processes import wait_until

from klamm.controller.znodes import decode_broker
from klamm.tools.cli import _ids, broker, brokers

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
        assert ordered("status", "4", "--control", control).output.count("\n") == 2

        done = ordered("lag", "3,4", "--rate", "100KiB", "--control", control)
        assert done.output == "broker 3: lag done\nbroker 4: lag done\n"
        done = ordered("kill", "3", "--end-session", "--control", control)
        assert done.output == "broker 3: kill done\n"
        assert sorted(zookeeper_admin.get_children(ids)) == ["4", "5"]
        done = ordered("fail-dir", "4", "--directory", "/data1", "--control", control)
        assert done.exit_code == 0
        states = ordered("status", "--control", control).output
        assert "down" in states
        assert "lags at 100.0 KiB/s; lost /data1" in states
        assert ordered("return", "3", "--control", control).output == "broker 3: return done\n"
        assert sorted(zookeeper_admin.get_children(ids)) == ["3", "4", "5"]
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
    assert "Error: broker id 7 is registered by session 0x0;" in output
    assert "Traceback" not in output


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
        (("freeze", "--control", NOWHERE), 2, "freeze needs the ids of brokers"),
        (("produce", "1", "--rate", "1", "--control", NOWHERE), 2, "produce takes no brokers"),
        (("status",), 2, "give either --control or --ready-file"),
        (("status", "--control", NOWHERE, "--ready-file", "x"), 2, "give either --control or"),
        (("status", "--control", NOWHERE), 1, f"nobody takes orders at {NOWHERE}"),
        (("status", "--control", "nonsense"), 1, "'nonsense' is no address: write host:port"),
        (("lag", "1", "--rate", "fast", "--control", NOWHERE), 2, "'fast' is no amount of data"),
        (("freeze", "one", "--control", NOWHERE), 2, "'one' is no broker id"),
        (("explode", "1", "--control", NOWHERE), 2, "'explode' is not one of"),
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
