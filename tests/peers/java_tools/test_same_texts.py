"""klamm's tool and Java's of 3.9.1 and 4.1.1 side by side: the same words get the same answers.

Both run against one cluster: where they change nothing one after the other on the same topic,
otherwise each on a topic of its own in the same state.
"""

import json
from pathlib import Path

import pytest
from clients.cluster import BROKERS, CONTROLLER, config
from peers.java_tools.side_by_side import FILE, SideBySide
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import REASSIGN_PARTITIONS
from reassign.tool import plan
from reassign.tool import run as run_alone
from thin_line.world import World

pytestmark = pytest.mark.slow


@pytest.fixture
def tool(world: World, either_tools: JavaTools) -> SideBySide:
    """Both tools for the cluster, Java's of 3.9.1 and of 4.1.1."""
    return SideBySide(either_tools, world.local.bootstrap)


def test_list_and_verify(world: World, tool: SideBySide, tmp_path: Path) -> None:
    tool.both("--list")
    world.freeze(4)
    topic = world.topic(*[[1, 2, 3]] * 11)
    for number, target in {0: [4, 3, 2], 2: [1, 2, 3, 4], 10: [1, 4]}.items():
        assert world.alter(topic, target, number) == 0
    assert len(tool.both("--list")) == 4
    targets = {0: [4, 3, 2], 1: [1, 2, 3], 2: [4], 3: [3, 2, 1], 10: [1, 4]}
    moves = {(topic, number): ids for number, ids in targets.items()}
    moves["nowhere", 0] = [1]
    tool.both("--verify", FILE, plan(tmp_path, moves))
    tool.both("--verify", "--preserve-throttles", FILE, plan(tmp_path, moves))
    tool.both("--execute", FILE, plan(tmp_path, moves))


def test_the_life_of_a_plan(world: World, tool: SideBySide, tmp_path: Path) -> None:
    world.freeze(4)
    topics = [world.topic([1, 2, 3], [1, 2, 3]) for _ in range(2)]
    files = [plan(tmp_path, {(t, 1): [2, 1, 3], (t, 0): [4, 3, 2]}) for t in topics]
    tool.alike(topics, files, "--execute", "--additional", "--throttle", "5000")
    tool.alike(topics, files, "--execute", "--additional", "--throttle", "100000000")
    tool.alike(topics, files, "--verify")
    world.thaw(4)
    for topic in topics:
        world.await_replicas(topic, [4, 3, 2])
    assert len(tool.alike(topics, files, "--verify")) == 6
    for topic in topics:
        assert config(world, f"topics/{topic}") == {}
    for node in (*BROKERS, CONTROLLER):
        assert config(world, f"brokers/{node}") == {}


def test_cancel(world: World, tool: SideBySide, tmp_path: Path) -> None:
    world.freeze(4)
    topics = [world.topic([1, 2], [1, 2]) for _ in range(2)]
    for topic in topics:
        for number in range(2):
            assert world.alter(topic, [4, 2], number) == 0
    files = [plan(tmp_path, {(topic, 0): [4, 2], (topic, 1): [4, 2]}) for topic in topics]
    assert len(tool.alike(topics, files, "--cancel")) == 4
    tool.alike(topics, files, "--cancel", "--preserve-throttles")


def test_refused_partitions(world: World, tool: SideBySide, tmp_path: Path) -> None:
    topics = [world.topic([1, 2], [1, 2]) for _ in range(2)]
    files = [plan(tmp_path, {(topic, 0): [CONTROLLER, 2], (topic, 1): [2, 1]}) for topic in topics]
    assert "Error reassigning partition(s):" in tool.alike(topics, files, "--execute")


def test_generate(world: World, tool: SideBySide, tmp_path: Path) -> None:
    """The proposals are drawn; all else is the same."""
    topic = world.topic([1, 2], [1, 2])
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"version": 1, "topics": [{"topic": topic}]}))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "3,4,77")
    theirs, mine = tool.java(*words), tool.klamm(*words)
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
    world: World, tool: SideBySide, tmp_path: Path, entries: list[dict[str, object]]
) -> None:
    """Java's tool has a stack trace behind the line, and names of exceptions in some."""
    topic = world.topic([1, 2])
    text = json.dumps({"version": 1, "partitions": entries}).replace('"T"', f'"{topic}"')
    file = tmp_path / "plan.json"
    file.write_text(text)
    words = ("--execute", FILE, str(file))
    theirs, mine = tool.java(*words), tool.klamm(*words)
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
