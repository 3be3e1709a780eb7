"""`klamm demo` as a process: its story, and that nothing of it stays."""

import os
import re
import signal
from pathlib import Path

import pytest
from cli.commands import SECONDS, children_of, java_of, left_in, run, start
from click.testing import CliRunner
from processes import has_ended, wait_until

from klamm.controller.core.model import TopicPartition
from klamm.tools.cli import _moves, _stage, demo


def assert_told(output: str, story: list[str]) -> None:
    """Fail unless the output matches these patterns in this order."""
    place = 0
    for pattern in story:
        found = re.compile(pattern, re.MULTILINE).search(output, place)
        assert found, f"{pattern!r} is not told where it should be:\n{output}"
        place = found.end()


STORY = [
    r"brokers 0 to 3 hold \d+ partitions of 5 topics",
    r'\{"version":2,"partitions":\{"0":\[0,1,2\]\},"adding_replicas":\{\},$',
    r'^     "removing_replicas":\{\}\}$',
    r"InvalidReplicationAssignmentError",
    r"replicas \[4, 2, 1, 0\], adding \[4\], removing \[0\]",
    r'"0":\[4,2,1,0\]\},"adding_replicas":\{"0":\[4\]\},\n +"removing_replicas":\{"0":\[0\]\}',
    r'"0":\[4,2,1\]\},"adding_replicas":\{\},\n +"removing_replicas":\{\}',
    r"broker 0 has deleted its replica",
    r"asked for all in one request, durable after",
    r"%  .* of .* partitions .*B/s",
    r"broker 5 hangs",
    r"cancels \d+ of those that hang",
    r"100%  .* (\d+)/\1 partitions",
    r"(\d+) moved and in sync, (\d+) cancelled and back where they were, none listed",
    r"a cancel may give replicas back in another order",
    r"before +after",
    r"All of it is gone\.",
    r"python3 tools/dev.py up",
]


def test_the_demo_tells_its_story_in_memory_and_ends(tmp_path: Path) -> None:
    status, output = run(tmp_path, "demo", "--memory", "--partitions", "40")
    assert status == 0, output
    assert_told(output, STORY)
    assert "Traceback" not in output
    assert not re.search(r" $", output, re.MULTILINE)
    for done, partitions in re.findall(r"100%  .*  (\d+)/(\d+) partitions", output):
        assert done == partitions
    assert left_in(tmp_path) == []


def test_the_order_after_a_cancel_is_told_by_a_partition_that_shows_it() -> None:
    same, other = ((1, 2, 3), (1, 3, 2)), ((1, 2, 3), (2, 3, 1))
    x, y = TopicPartition("t", 0), TopicPartition("t", 1)
    text = "a cancel may give replicas back in another order"
    assert _stage.order_after_cancel({x: same}).startswith(f"{text}, the first of them too")
    assert _stage.order_after_cancel({x: same, y: other}) == (
        f"{text}: t-1 was on [1, 2, 3],\n  is on [2, 3, 1], and its preferred leader is 2 now, no"
        " longer 1"
    )


@pytest.mark.slow
def test_the_demo_on_zookeeper_goes_on_when_its_controller_is_killed(tmp_path: Path) -> None:
    status, output = run(tmp_path, "demo", "--partitions", "60")
    assert status == 0, output
    assert_told(output, STORY)
    assert_told(output, [r"controller (\d+) is killed", r"was ended by SIGKILL; node \d+ goes on"])
    assert "Traceback" not in output
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("partitions", [20, 300, 301, 5000])
def test_what_moves(partitions: int) -> None:
    created = _moves.topics(partitions)
    moves = _moves.targets(created)
    assert len(moves) == partitions
    for name, target in moves.items():
        replicas = created[name.topic].assignments[name.partition]
        assert len(set(target)) == len(target) == 3
        [new] = set(target) - set(replicas)
        assert new in _moves.NEW
        assert set(replicas) <= set(_moves.OLD)
    assert _moves.topics(partitions) == created, "always alike"


def test_the_demo_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda _: None)
    result = CliRunner().invoke(demo.command)
    assert result.exit_code == 1
    assert result.output.endswith("not installed: pip install kafka-python\n")


@pytest.mark.parametrize(
    ("words", "ending", "status"),
    [
        (["--memory"], signal.SIGINT, 130),
        pytest.param([], signal.SIGTERM, 143, marks=pytest.mark.slow),
    ],
)
def test_a_demo_cut_short_leaves_nothing(
    tmp_path: Path, words: list[str], ending: signal.Signals, status: int
) -> None:
    with start(tmp_path, "demo", *words) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "in one request" in line:
                break
        family = children_of(process.pid)
        process.send_signal(ending)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == status
    assert "Traceback" not in output
    wait_until(lambda: all(map(has_ended, family)), f"processes {family} to end", SECONDS)
    assert left_in(tmp_path) == []


@pytest.mark.slow
def test_a_demo_whose_zookeeper_dies_says_so(tmp_path: Path) -> None:
    with start(tmp_path, "demo") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "in one request" in line:
                break
        os.kill(java_of(process.pid), signal.SIGKILL)
        output, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert re.search(r"Error: ZooKeeper on [\d.:]+ has ended by itself; klamm [\w ]+\n$", output)
    assert left_in(tmp_path) == []
