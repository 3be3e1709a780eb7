"""klamm's tool and Java's of 3.9.1 side by side: the same words, files and exit codes get the same.

Both run against one cluster: where they change nothing one after the other on the same topic,
otherwise each on a topic of its own in the same state.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from clients.cluster import BROKERS, CONTROLLER, config
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import REASSIGN_PARTITIONS
from reassign.tool import Tool, plan
from reassign.tool import run as run_alone
from thin_line.world import World

from klamm.tools.reassign.texts import NO_MOVES_ACTIVE

pytestmark = pytest.mark.slow

FILE = "--reassignment-json-file"

Both = Callable[..., list[str]]
Alike = Callable[..., list[str]]


@pytest.fixture
def both(world: World, tools: JavaTools) -> Both:
    """Run both tools with the same words; return what both print, after comparing it."""
    ours = Tool(world.local.bootstrap)
    server = ("--bootstrap-server", world.local.bootstrap)

    def compare(*words: str) -> list[str]:
        theirs, mine = tools.run(REASSIGN_PARTITIONS, *server, *words), ours(*words)
        assert mine.status == theirs.status
        assert mine.lines == tidied(theirs.lines)
        return mine.lines

    return compare


@pytest.fixture
def alike(world: World, tools: JavaTools) -> Alike:
    """Run Java's tool on one topic and klamm's on another; compare what they print of them."""
    ours = Tool(world.local.bootstrap)
    server = ("--bootstrap-server", world.local.bootstrap)

    def compare(topics: Sequence[str], files: Sequence[str], *words: str) -> list[str]:
        theirs = tools.run(REASSIGN_PARTITIONS, *server, *words, FILE, files[0])
        mine = ours(*words, FILE, files[1])
        assert mine.status == theirs.status, (mine, theirs)
        lines = [line.replace(topics[1], topics[0]) for line in mine.lines]
        assert lines == tidied(theirs.lines)
        return lines

    return compare


def tidied(lines: Sequence[str]) -> list[str]:
    """Put brokers in order, which Java prints as they are hashed, and mend a lost line end."""
    found = []
    for line in lines:
        if line.startswith(NO_MOVES_ACTIVE) and line != NO_MOVES_ACTIVE:
            found.append(NO_MOVES_ACTIVE)
            line = line.removeprefix(NO_MOVES_ACTIVE)
        head, said, brokers = line.partition(" on brokers ")
        ids = ",".join(sorted(brokers.split(","), key=int)) if said else ""
        found.append(head + said + ids)
    return found


def test_list_and_verify(world: World, both: Both, tmp_path: Path) -> None:
    both("--list")
    world.freeze(4)
    topic = world.topic(*[[1, 2, 3]] * 11)
    for number, target in {0: [4, 3, 2], 2: [1, 2, 3, 4], 10: [1, 4]}.items():
        assert world.alter(topic, target, number) == 0
    assert len(both("--list")) == 4
    targets = {0: [4, 3, 2], 1: [1, 2, 3], 2: [4], 3: [3, 2, 1], 10: [1, 4]}
    moves = {(topic, number): ids for number, ids in targets.items()}
    moves["nowhere", 0] = [1]
    both("--verify", FILE, plan(tmp_path, moves))
    both("--verify", "--preserve-throttles", FILE, plan(tmp_path, moves))
    both("--execute", FILE, plan(tmp_path, moves))


def test_the_life_of_a_plan(world: World, alike: Alike, tmp_path: Path) -> None:
    world.freeze(4)
    topics = [world.topic([1, 2, 3], [1, 2, 3]) for _ in range(2)]
    files = [plan(tmp_path, {(t, 1): [2, 1, 3], (t, 0): [4, 3, 2]}) for t in topics]
    alike(topics, files, "--execute", "--additional", "--throttle", "5000")
    alike(topics, files, "--execute", "--additional", "--throttle", "100000000")
    alike(topics, files, "--verify")
    world.thaw(4)
    for topic in topics:
        world.await_replicas(topic, [4, 3, 2])
    assert len(alike(topics, files, "--verify")) == 6
    for topic in topics:
        assert config(world, f"topics/{topic}") == {}
    for node in (*BROKERS, CONTROLLER):
        assert config(world, f"brokers/{node}") == {}


def test_cancel(world: World, alike: Alike, tmp_path: Path) -> None:
    world.freeze(4)
    topics = [world.topic([1, 2], [1, 2]) for _ in range(2)]
    for topic in topics:
        for number in range(2):
            assert world.alter(topic, [4, 2], number) == 0
    files = [plan(tmp_path, {(topic, 0): [4, 2], (topic, 1): [4, 2]}) for topic in topics]
    assert len(alike(topics, files, "--cancel")) == 4
    alike(topics, files, "--cancel", "--preserve-throttles")


def test_refused_partitions(world: World, alike: Alike, tmp_path: Path) -> None:
    topics = [world.topic([1, 2], [1, 2]) for _ in range(2)]
    files = [plan(tmp_path, {(topic, 0): [CONTROLLER, 2], (topic, 1): [2, 1]}) for topic in topics]
    assert "Error reassigning partition(s):" in alike(topics, files, "--execute")


def test_generate(world: World, tools: JavaTools, tmp_path: Path) -> None:
    """The proposals are drawn; all else is the same."""
    topic = world.topic([1, 2], [1, 2])
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"version": 1, "topics": [{"topic": topic}]}))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "3,4,77")
    server = ("--bootstrap-server", world.local.bootstrap)
    theirs = tools.run(REASSIGN_PARTITIONS, *server, *words)
    mine = Tool(world.local.bootstrap)(*words)
    assert (mine.status, mine.lines[:-1]) == (theirs.status, theirs.lines[:-1])
    shapes = [
        [(entry["partition"], sorted(entry["replicas"]), entry["log_dirs"]) for entry in entries]
        for entries in (json.loads(run.lines[-1])["partitions"] for run in (mine, theirs))
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [{"topic": "T", "partition": 0, "replicas": []}],
        [{"topic": "T", "partition": 0, "replicas": [1, 1]}],
        [{"topic": "T", "partition": 0, "replicas": [1]}] * 2,
        [{"topic": "T", "partition": 0, "replicas": [1, 77]}],
        [{"topic": "T", "partition": 9, "replicas": [1]}],
        [{"topic": "nowhere", "partition": 0, "replicas": [1]}],
        [{"topic": "T", "partition": 0, "replicas": [1, 2], "log_dirs": ["any"]}],
    ],
    ids=str,
)
def test_plans_that_are_refused(
    world: World, tools: JavaTools, tmp_path: Path, entries: list[dict[str, object]]
) -> None:
    """Java's tool has a stack trace behind the line, and names of exceptions in some."""
    topic = world.topic([1, 2])
    text = json.dumps({"version": 1, "partitions": entries}).replace('"T"', f'"{topic}"')
    file = tmp_path / "plan.json"
    file.write_text(text)
    words = ("--bootstrap-server", world.local.bootstrap, "--execute", FILE, str(file))
    theirs, mine = tools.run(REASSIGN_PARTITIONS, *words), Tool(world.local.bootstrap)(*words[2:])
    assert (mine.status, theirs.status) == (1, 1)
    [line] = mine.lines
    assert theirs.lines[0].startswith("Error: ")
    assert theirs.lines[0].endswith(line.removeprefix("Error: "))


@pytest.mark.parametrize(
    "words",
    [
        ["--bootstrap-server", "h:1"],
        ["--list", "--verify", "--bootstrap-server", "h:1"],
        ["--list"],
        ["--execute", "--bootstrap-server", "h:1"],
        ["--generate", "--bootstrap-server", "h:1", "--broker-list", "1"],
        ["--verify", "--bootstrap-server", "h:1", FILE, "f", "--throttle", "1"],
        ["--list", "--bootstrap-server", "h:1", "--timeout", "1", "--additional"],
        ["--list", "--bootstrap-server", "h:1", "--preserve-throttles"],
    ],
    ids=" ".join,
)
def test_wrong_usage(tools: JavaTools, words: list[str]) -> None:
    theirs, mine = tools.run(REASSIGN_PARTITIONS, *words), run_alone(*words)
    assert (mine.status, mine.out, theirs.status, theirs.out) == (1, "", 1, "")
    assert mine.err.splitlines()[0] == theirs.err.splitlines()[0]
