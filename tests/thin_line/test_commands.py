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

import pytest
from click.testing import CliRunner
from kafka import KafkaAdminClient
from processes import has_ended, parent_of, wait_until

from klamm.tools.cli import demo

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


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
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
