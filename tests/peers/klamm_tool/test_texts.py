"""klamm's tool and Java's on the same cluster of Kafka's own print the same lines."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from peers.java_tools.side_by_side import FILE, SideBySide, tidied
from peers.klamm_tool.stage import Stage
from reassign.tool import plan
from reassign.tool import run as run_alone

pytestmark = pytest.mark.slow

SLOWLY = ("--execute", "--additional", "--throttle", "1")
FAST = ("--execute", "--additional", "--throttle", "100000000")


def test_the_life_of_a_plan(stage: Stage, name: str, tmp_path: Path) -> None:
    """Started with next to no bandwidth, looked at, sped up and verified."""
    tool = stage.tool
    assert tool.both("--list") == ["No partition reassignments found."]
    topics = [
        stage.topic(name + kind, [1], [1], records=400, held=True) for kind in ("java", "klam")
    ]
    files = [plan(tmp_path, {(topic, 0): [2], (topic, 1): [3]}) for topic in topics]
    tool.alike(topics, files, *SLOWLY)
    assert len(tool.both("--list")) == 5
    tool.both("--execute", FILE, files[0])
    assert "still in progress" in tool.alike(topics, files, "--verify")[1]
    tool.alike(topics, files, *FAST)
    stage.await_placed({0: [2], 1: [3]}, *topics)
    assert tool.alike(topics, files, "--verify")[1:] == [
        f"Reassignment of partition {topics[0]}-0 is completed.",
        f"Reassignment of partition {topics[0]}-1 is completed.",
        "",
        "Clearing broker-level throttles on brokers 1,2,3",
        f"Clearing topic-level throttles on topic {topics[0]}",
    ]


def test_a_plan_is_cancelled(stage: Stage, name: str, tmp_path: Path) -> None:
    tool = stage.tool
    topics = [
        stage.topic(name + kind, [1, 2], [1, 2], records=400, held=True)
        for kind in ("java", "klam")
    ]
    files = [plan(tmp_path, {(topic, 0): [2, 3], (topic, 1): [3]}) for topic in topics]
    tool.alike(topics, files, *SLOWLY)
    said = tool.alike(topics, files, "--cancel")
    cancelled = ",".join(f"{topics[0]}-{number}" for number in range(2))
    assert said[0] == f"Successfully cancelled partition reassignments for: {cancelled}"
    stage.await_placed({0: [2, 1], 1: [1, 2]}, *topics)
    tool.alike(topics, files, "--cancel")
    tool.alike(topics, files, "--verify", "--preserve-throttles")


def test_controllers_are_asked_themselves(stage: Stage, name: str, tmp_path: Path) -> None:
    """Kafka 4 has --bootstrap-controller for --list and --cancel; with ZooKeeper there is none."""
    if not stage.cluster.is_kraft:
        words = ("--bootstrap-controller", stage.cluster.bootstrap, "--list")
        assert run_alone(*words).status == 1
        return
    tool = SideBySide(stage.tools, stage.cluster.controllers, "--bootstrap-controller")
    topics = [
        stage.topic(name + kind, [1], [1], records=400, held=True) for kind in ("java", "klam")
    ]
    files = [plan(tmp_path, {(topic, 0): [2], (topic, 1): [3]}) for topic in topics]
    stage.tool.alike(topics, files, *SLOWLY)
    assert len(tool.both("--list")) == 5
    assert len(tool.alike(topics, files, "--cancel", "--preserve-throttles")) == 2
    assert tool.both("--list") == ["No partition reassignments found."]
    stage.await_placed({0: [1], 1: [1]}, *topics)
    stage.tool.alike(topics, files, "--verify")


def test_log_directories(stage: Stage, name: str, tmp_path: Path) -> None:
    """A replica moves into a directory of another broker, and one within its broker."""
    topics = [stage.topic(name + kind, [1], [1], records=200) for kind in ("java", "klam")]
    files, there = [], {}
    for topic in topics:
        [here] = stage.log_dirs(1, topic, 1)
        [there[topic]] = {stage.cluster.log_dir(1, name) for name in "ab"} - {here}
        folders = {(topic, 0): [stage.cluster.log_dir(2, "b")], (topic, 1): [there[topic]]}
        files.append(plan(tmp_path, {(topic, 0): [2], (topic, 1): [1]}, folders))

    def said(*words: str) -> list[list[str]]:
        """Return what each tool says in words of the first topic; Java hashes the directories."""
        runs = stage.tool.java(*words, FILE, files[0]), stage.tool.klamm(*words, FILE, files[1])
        assert [run.status for run in runs] == [0, 0], runs
        return [
            sorted(line.replace(topic, topics[0]).replace(there[topic], "THERE") for line in lines)
            for topic, lines in zip(topics, [tidied(run.lines) for run in runs], strict=True)
        ]

    rates = ("--throttle", "100000000", "--replica-alter-log-dirs-throttle", "100000000")
    theirs, mine = said("--execute", "--additional", *rates)
    assert mine == theirs
    assert sum(line.startswith("Successfully started moving log dir") for line in mine) == 2
    stage.await_placed({0: [2], 1: [1]}, *topics)
    for topic in topics:
        places = {(1, 1): there[topic], (2, 0): stage.cluster.log_dir(2, "b")}
        for (broker, number), folder in places.items():
            stage.await_log_dir(broker, topic, number, folder)
    theirs, mine = said("--verify")
    assert mine == theirs
    assert f"Reassignment of replica {topics[0]}-1-1 completed successfully." in mine


def test_the_number_of_replicas_stays(stage: Stage, name: str, tmp_path: Path) -> None:
    """Kafka 4.1 can be told to refuse others; 3.9 cannot, and klamm's tool says so."""
    topics = [stage.topic(name + kind, [1]) for kind in ("java", "klam")]
    files = [plan(tmp_path, {(topic, 0): [2, 1]}) for topic in topics]
    words = ("--execute", "--disallow-replication-factor-change")
    if stage.cluster.is_kraft:
        refused = stage.tool.alike(topics, files, *words)
        expected = f"{topics[0]}-0: The replication factor is changed from 1 to 2"
        assert refused[-1] == expected
    else:
        mine = stage.tool.klamm(*words, FILE, files[1])
        assert mine.status == 1
        assert "does not support the AllowReplicationFactorChange option" in mine.lines[-1]
    assert stage.moving() == set()


def test_generate(stage: Stage, name: str, tmp_path: Path) -> None:
    """The proposals are drawn; all else is the same, and Java's tool verifies what klamm's did."""
    topic = stage.topic(name, [1, 2], [1, 2])
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"version": 1, "topics": [{"topic": topic}]}))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "2,3")
    theirs, mine = stage.tool.java(*words), stage.tool.klamm(*words)
    assert (mine.status, mine.lines[:-1]) == (theirs.status, theirs.lines[:-1])
    assert shape(mine.lines) == shape(theirs.lines)
    proposal = tmp_path / "proposal.json"
    proposal.write_text(mine.lines[-1])
    done = stage.tool.klamm("--execute", "--wait", FILE, str(proposal))
    assert done.status == 0, done
    entries = json.loads(mine.lines[-1])["partitions"]
    stage.await_placed({entry["partition"]: entry["replicas"] for entry in entries}, topic)
    assert stage.tool.both("--verify", FILE, str(proposal))[:3] == [
        "Status of partition reassignment:",
        f"Reassignment of partition {topic}-0 is completed.",
        f"Reassignment of partition {topic}-1 is completed.",
    ]


def shape(lines: Sequence[str]) -> list[object]:
    """Return of a proposal what is not drawn."""
    entries = json.loads(lines[-1])["partitions"]
    return [
        (entry["topic"], entry["partition"], sorted(entry["replicas"]), entry["log_dirs"])
        for entry in entries
    ]


@pytest.mark.parametrize(
    "entries",
    [
        [{"topic": "T", "partition": 0, "replicas": [1, 77]}],
        [{"topic": "T", "partition": 9, "replicas": [1]}],
        [{"topic": "nowhere", "partition": 0, "replicas": [1]}],
        [{"topic": "T", "partition": 0, "replicas": [1, 1]}],
    ],
    ids=["unknown broker", "unknown partition", "unknown topic", "broker twice"],
)
def test_plans_that_are_refused(
    stage: Stage, name: str, tmp_path: Path, entries: list[dict[str, object]]
) -> None:
    """Java's tool has a stack trace behind the line, and names of exceptions in some."""
    text = json.dumps({"version": 1, "partitions": entries})
    file = tmp_path / "plan.json"
    file.write_text(text.replace('"T"', f'"{stage.topic(name, [1])}"'))
    words = ("--execute", FILE, str(file))
    theirs, mine = stage.tool.java(*words), stage.tool.klamm(*words)
    assert (mine.status, theirs.status) == (1, 1)
    [line] = mine.lines
    assert theirs.lines[0].startswith("Error: ")
    assert theirs.lines[0].endswith(line.removeprefix("Error: "))
