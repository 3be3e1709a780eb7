"""`klamm up` and `klamm demo` as processes: what they say, and that nothing of them stays."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kafka import KafkaAdminClient
from processes import has_ended, parent_of, wait_until

from klamm.tools.cli import _cluster, demo, up

KLAMM = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]


def children_of(pid: int) -> list[int]:
    """Every process below this one, however deep."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parent_of(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we looked
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def java_of(pid: int) -> int:
    """The ZooKeeper below this process."""
    [java] = [
        child for child in children_of(pid) if Path(f"/proc/{child}/comm").read_text() == "java\n"
    ]
    return java


@contextmanager
def klamm_up(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    ready = folder / "ready.json"
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [*KLAMM, "up", "--ready-file", str(ready), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        try:
            wait_until(lambda: ready.exists() or process.poll() is not None, "klamm up to be ready")
            yield process, ready
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_up_serves_until_a_signal_and_leaves_nothing(
    tmp_path: Path, ending: signal.Signals
) -> None:
    with klamm_up(tmp_path, "--brokers", "2") as (process, ready):
        found = json.loads(ready.read_text())
        assert [item["id"] for item in found["nodes"]] == [900]
        assert found["nodes"][0]["pid"] == process.pid
        assert [item["id"] for item in found["brokers"]] == [0, 1]
        for item in [*found["nodes"], *found["brokers"]]:
            socket.create_connection((item["host"], item["port"]), timeout=5).close()
        admin = KafkaAdminClient(bootstrap_servers=found["bootstrap"])
        assert admin.list_partition_reassignments() == {}
        admin.close()
        family = children_of(process.pid)
        assert family, "a real ZooKeeper is a process of its own"
        process.send_signal(ending)
        process.send_signal(ending)  # whoever is impatient
        output, _ = process.communicate(timeout=20)
    assert process.returncode == 0, output
    assert found["bootstrap"] in output
    assert found["zookeeper"] in output
    assert output.rstrip().endswith("klamm stopped")
    wait_until(lambda: all(has_ended(pid) for pid in family), f"processes {family} to end")
    assert list(tmp_path.iterdir()) == []


def test_up_says_which_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with klamm_up(tmp_path, "--port", str(port)) as (process, _):
            output, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"Error: cannot listen on port {port} of 127.0.0.1: " in output
    assert "Traceback" not in output
    assert list(tmp_path.iterdir()) == []


def test_a_taken_port_is_said_before_zookeeper_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_cluster, "EmbeddedZookeeper", None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(up.command, ["--port", str(port)])
    assert result.exit_code == 1
    assert f"Error: cannot listen on port {port} of 127.0.0.1: " in result.output


def test_up_ends_with_one_sentence_when_its_zookeeper_dies(tmp_path: Path) -> None:
    with klamm_up(tmp_path, "--brokers", "2") as (process, ready):
        found = json.loads(ready.read_text())
        family = children_of(process.pid)
        os.kill(java_of(process.pid), signal.SIGKILL)
        output, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    _, _, last = output.partition("leaves nothing behind.\n")
    assert last == (
        f"Error: ZooKeeper on {found['zookeeper']} has ended by itself;"
        " klamm cannot go on without it\n"
    )
    wait_until(lambda: all(has_ended(pid) for pid in family), f"processes {family} to end")
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_quiet_and_klamm_is_heard() -> None:
    script = (
        "import logging; from klamm.tools.cli._cluster import set_up_logging; set_up_logging();"
        "logging.getLogger('kazoo.client').warning('Connection dropped');"
        "logging.getLogger('klamm.controller.store.zookeeper').warning('Connection dropped');"
        "logging.getLogger('klamm.node').warning('node 900: out of office')"
    )
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert done.stderr == "WARNING klamm.node: node 900: out of office\n"


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("--bandwidth-mib", "nan", "nan is not a finite number"),
        ("--bandwidth-mib", "inf", "inf is not a finite number"),
        ("--partition-mib", "nan", "nan is not a finite number"),
        ("--partition-mib", "inf", "inf is not a finite number"),
        ("--ready-file", "/nowhere/at/all", "there is no folder /nowhere/at"),
    ],
)
def test_up_refuses_values_of_no_use_before_it_starts(
    option: str, value: str, complaint: str
) -> None:
    result = CliRunner().invoke(up.command, [option, value])
    assert result.exit_code == 2
    assert result.output.endswith(f"Error: Invalid value for '{option}': {complaint}\n")
    assert "starting" not in result.output


def test_a_move_takes_ten_seconds_unless_told_otherwise() -> None:
    defaults = up.command.make_context("up", []).params
    assert defaults["partition_mib"] / defaults["bandwidth_mib"] == 10


@pytest.mark.parametrize("brokers", [1, 2, 3, 5])
def test_what_up_tells_to_paste_works(tmp_path: Path, brokers: int) -> None:
    """Line by line as a reader would, with moves that no test machine is too slow to see."""
    options = ["--brokers", str(brokers), "--bandwidth-mib", "0.05"]
    with klamm_up(tmp_path, *options) as (process, _):
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        python = [line.strip() for line in lines if re.match("  (from|admin)", line)]
        shell = [line.split()[2:] for line in lines if line.startswith("  kafka-python")]
        names: dict[str, Any] = {}
        for line in python:
            exec(line, names)
        admin = names["admin"]
        answers = [kafka_python(*words) for words in shell]
        moving = admin.list_partition_reassignments()
        admin.close()
        process.terminate()
        process.communicate(timeout=20)
    assert len(answers) == (1 if brokers == 1 else 4)
    assert "A move needs two" in "".join(lines) or brokers > 1
    if brokers > 1:
        _, altered, listed, cancelled = answers
        assert altered == cancelled == "{'orders:0': None}\n"
        assert "'orders:0'" in listed
        assert "'orders:1'" in listed
        [(left, _)] = moving.items()
        assert left.partition == 1


def kafka_python(*words: str) -> str:
    """What kafka-python's command says; fails when it fails."""
    command = [sys.executable, "-P", "-m", "kafka.admin", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout


def test_the_demo_tells_its_story_and_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "80"}
    done = subprocess.run(
        [*KLAMM, "demo"], capture_output=True, text=True, timeout=60, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    idle = '"adding_replicas":{},"removing_replicas":{}}'
    story = [
        "kafka-python creates orders",
        f'{{"version":2,"partitions":{{"0":[1,2,3],"1":[1,2,3]}},{idle}',
        "refused: InvalidReplicationAssignmentError",
        "replicas [4, 3, 2, 1], adding [4], removing [1]",
        '"0":[4,3,2,1],"1":[1,2,3]},"adding_replicas":{"0":[4]},"removing_replicas":{"0":[1]}}',
        "24.0 of 24.0 MiB",
        "replicas [4, 3, 2], leader 4, in sync [2, 3, 4]",
        f'"0":[4,3,2],"1":[1,2,3]}},{idle}',
        "broker 1 has deleted its replica",
        "replicas [3, 4, 2, 1], adding [4], removing [1]",
        "cancel: accepted",
        f'"0":[4,3,2],"1":[3,2,1]}},{idle}',
        "broker 4 has deleted what it had copied",
        "a second cancel: NoReassignmentInProgressError",
        "All of it is gone.",
        "python3 tools/dev.py up",
    ]
    places = [done.stdout.find(line) for line in story]
    missing = [line for line, place in zip(story, places, strict=True) if place < 0]
    assert not missing, done.stdout
    assert places == sorted(places)
    [seconds] = re.findall(r"([\d.]+) s of demo", done.stdout)
    assert float(seconds) < 15
    assert list(tmp_path.iterdir()) == []


def test_the_demo_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda _: None)
    result = CliRunner().invoke(demo.command)
    assert result.exit_code == 1
    assert result.output.endswith("not installed: pip install kafka-python\n")


@pytest.mark.parametrize(("ending", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_demo_cut_short_leaves_nothing(
    tmp_path: Path, ending: signal.Signals, status: int
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*KLAMM, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "adding [4]" in line:
                break
        family = children_of(process.pid)
        process.send_signal(ending)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == status
    assert "Traceback" not in output + errors
    wait_until(lambda: all(has_ended(pid) for pid in family), f"processes {family} to end")
    assert list(tmp_path.iterdir()) == []


def test_a_demo_whose_zookeeper_dies_says_so(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*KLAMM, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "adding [4]" in line:
                break
        os.kill(java_of(process.pid), signal.SIGKILL)
        _, errors = process.communicate(timeout=40)
    assert process.returncode == 1
    assert re.fullmatch(r"Error: ZooKeeper on [\d.:]+ has ended by itself; klamm [\w ]+\n", errors)
    assert list(tmp_path.iterdir()) == []
