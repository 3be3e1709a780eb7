"""The stock actions on a cluster: their texts, exit codes and requests."""

import json
from pathlib import Path

import pytest
from reassign.tool import CLEARING, STATUS, Tool, plan, shown, started
from reassign.tool import run as run_tool
from thin_line.world import World

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign.texts import EXISTING, NO_MOVES_ACTIVE, NO_REASSIGNMENTS, NONE_ACTIVE

ALTER, CONFIGS, LIST = 45, 44, 46
FILE = "--reassignment-json-file"
OTHER_SET = "There is no active reassignment of partition {}, but replica set is {} rather than {}."


@pytest.mark.req("R455-60")
def test_list_with_nothing_moving(tool: Tool) -> None:
    run = tool("--list")
    assert (run.status, run.out, run.err) == (0, NO_REASSIGNMENTS + "\n", "")


@pytest.mark.req("R455-59")
def test_list(world: World, tool: Tool) -> None:
    world.freeze(4)
    topic = world.topic(*[[1, 2, 3]] * 11)
    assert world.alter(topic, [4, 3, 2], 0) == 0
    assert world.alter(topic, [1, 2, 3, 4], 10) == 0
    assert world.alter(topic, [1, 4, 2], 2) == 0
    run = tool("--list")
    assert (run.status, run.lines) == (
        0,
        [
            "Current partition reassignments:",
            f"{topic}-0: replicas: 4,3,2,1. adding: 4. removing: 1.",
            f"{topic}-2: replicas: 1,4,2,3. adding: 4. removing: 3.",
            f"{topic}-10: replicas: 1,2,3,4. adding: 4.",
        ],
    )
    assert run.bodies(ListPartitionReassignmentsRequest)[0].topics is None
    facts = json.loads(tool("--list", "--json").out)
    assert (facts["action"], facts["exit"]) == ("list", 0)
    assert facts["reassignments"][2] == {
        "topic": topic,
        "partition": 10,
        "replicas": [1, 2, 3, 4],
        "adding": [4],
        "removing": [],
    }


@pytest.mark.req("R455-71", "R455-72")
def test_execute_and_verify_to_the_end(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3], [1, 2, 3])
    file = plan(tmp_path, {(topic, 1): [2, 1, 3], (topic, 0): [4, 3, 2]})
    before = {(topic, 0): [1, 2, 3], (topic, 1): [1, 2, 3]}
    run = tool("--execute", FILE, file)
    said = f"Successfully started partition reassignments for {topic}-0,{topic}-1"
    assert (run.status, run.lines, run.err) == (0, started(before, said), "")
    assert run.keys(LIST, CONFIGS, ALTER) == [LIST, ALTER]

    run = tool("--verify", FILE, file)
    assert (run.status, run.lines, run.err) == (
        0,
        [
            STATUS,
            f"Reassignment of partition {topic}-0 is still in progress.",
            f"Reassignment of partition {topic}-1 is completed.",
            "",
        ],
        "",
    )
    assert not run.keys(CONFIGS, ALTER)

    world.thaw(4)
    world.await_replicas(topic, [4, 3, 2])
    other = plan(tmp_path, {(topic, 0): [4, 3, 2], (topic, 1): [2, 3], ("nowhere", 0): [1]})
    lines = [
        STATUS,
        OTHER_SET.format("nowhere-0", "", "1"),
        f"Reassignment of partition {topic}-0 is completed.",
        OTHER_SET.format(f"{topic}-1", "2,1,3", "2,3"),
        "",
    ]
    run = tool("--verify", "--preserve-throttles", FILE, other)
    assert (run.status, run.lines) == (0, lines)
    assert not run.keys(CONFIGS)

    run = tool("--verify", FILE, file)
    assert run.lines[-2:] == [CLEARING, f"Clearing topic-level throttles on topic {topic}"]
    assert set(run.keys(CONFIGS)) == {CONFIGS}


@pytest.mark.req("R455-71")
def test_accepted_partitions_stay_started(world: World, tool: Tool, tmp_path: Path) -> None:
    """The controller is listed among the brokers, so that the tool lets its id pass."""
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    run = tool("--execute", FILE, plan(tmp_path, {(topic, 0): [900, 2], (topic, 1): [4, 2]}))
    *_, headline, line = run.lines
    assert (run.status, headline) == (1, "Error reassigning partition(s):")
    assert line.startswith(f"{topic}-0: Replica assignment has brokers that are not alive.")
    assert set(world.listed(topic)) == {1}


@pytest.mark.req("R455-61", "R455-62", "R455-63")
def test_execute_while_something_moves(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    world.freeze(5)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    assert world.alter(topic, [4, 2], 0) == 0
    assert world.alter(topic, [4, 2], 2) == 0
    file = plan(tmp_path, {(topic, 1): [2, 4], (topic, 2): [5, 2]})
    run = tool("--execute", FILE, file, "--throttle", "5000")
    assert (run.status, run.lines) == (1, [EXISTING])
    assert run.keys(ALTER, CONFIGS) == []
    assert set(world.listed(topic)) == {0, 2}

    run = tool("--execute", "--additional", FILE, file)
    assert run.status == 0
    assert run.lines[-1] == (
        f"Successfully started partition reassignments for {topic}-1,{topic}-2"
    )
    assert world.listed(topic) == {
        0: ([4, 2, 1], [4], [1]),
        1: ([2, 4, 1], [4], [1]),
        2: ([5, 2, 1], [5], [1]),
    }


@pytest.mark.parametrize(
    ("moves", "complaint", "hint"),
    [
        ({("T", 0): [1, 9]}, "Unknown broker id 9", "Broker 9 is a target of T-0\n"),
        (
            {("T", 0): [99, 77], ("T", 1): [1, 77], ("T", 2): [1, 99]},
            "Unknown broker id 77",
            "Broker 77 is a target of T-0,T-1\n",
        ),
        ({("T", 0): []}, "Partition replica list cannot be empty", "Without replicas: T-0\n"),
        ({("T", 1): [1]}, "Unable to find partition: T-1", ""),
        ({("nowhere", 0): [1]}, "Topic nowhere not found.", ""),
    ],
)
def test_plans_that_do_not_fit_the_cluster(
    world: World,
    tool: Tool,
    tmp_path: Path,
    moves: dict[tuple[str, int], list[int]],
    complaint: str,
    hint: str,
) -> None:
    """Where a text of Kafka's does not say which partition, standard error does."""
    topic = world.topic([1, 2])
    named = {(topic if name == "T" else name, n): ids for (name, n), ids in moves.items()}
    run = tool("--execute", FILE, plan(tmp_path, named))
    assert (run.status, run.lines) == (1, [f"Error: {complaint.replace('T-', f'{topic}-')}"])
    assert run.err == hint.replace("T-", f"{topic}-")
    assert run.keys(ALTER) == []


@pytest.mark.req("R455-65", "R455-68")
def test_cancel(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1], [1], [1])
    for number in range(2):  # the first only adds
        assert world.alter(topic, [[1, 4], [4]][number], number) == 0
    file = plan(tmp_path, {(topic, number): [4] for number in range(3)})
    run = tool("--cancel", FILE, file)
    assert (run.status, run.lines) == (
        0,
        [
            f"Successfully cancelled partition reassignments for: {topic}-0,{topic}-1",
            NO_MOVES_ACTIVE,
            CLEARING,
            f"Clearing topic-level throttles on topic {topic}",
        ],
    )
    assert world.listed(topic) == {}
    [asked] = run.bodies(ListPartitionReassignmentsRequest)
    assert asked.topics is not None
    assert [(one.name, sorted(one.partition_indexes)) for one in asked.topics] == [
        (topic, [0, 1, 2])
    ]
    [sent] = run.bodies(AlterPartitionReassignmentsRequest)
    assert [part.replicas for part in sent.topics[0].partitions] == [None, None]

    run = tool("--cancel", "--preserve-throttles", FILE, file)
    assert (run.status, run.lines) == (0, [NONE_ACTIVE, NO_MOVES_ACTIVE])
    assert world.alter(topic, [4], 1) == 0
    run = tool("--cancel", "--preserve-throttles", FILE, file)
    assert run.lines[0] == f"Successfully cancelled partition reassignment for: {topic}-1"


@pytest.mark.req("R455-69")
@pytest.mark.parametrize("refused", [1, 2])
def test_cancel_of_what_has_just_ended(
    world: World, tool: Tool, tmp_path: Path, refused: int
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    for number in range(3):
        assert world.alter(topic, [4, 2], number) == 0

    def overtake(key: int) -> None:
        if key == ALTER:
            for number in range(refused):
                assert world.alter(topic, None, number) == 0

    file = plan(tmp_path, {(topic, number): [4, 2] for number in range(3)})
    run = tool("--cancel", FILE, file, before=overtake)
    plural = "s" if refused > 1 else ""
    assert (run.status, run.lines) == (
        1,
        [
            f"Error cancelling partition reassignment{plural} for:",
            *(
                f"{topic}-{number}: No partition reassignment is in progress."
                for number in range(refused)
            ),
        ],
    )
    assert run.keys(CONFIGS) == []
    assert world.listed(topic) == {}, "the others are cancelled all the same"


@pytest.mark.req("R455-66", "R455-67")
def test_a_plan_of_what_moves_is_cancelled_later(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    assert world.alter(topic, [4, 2], 0) == 0
    assert world.alter(topic, [1, 2, 4], 1) == 0
    file = tmp_path / "moving.json"
    run = tool("--cancel", "--write-plan", str(file))
    assert run.status == 0
    assert run.keys(ALTER, CONFIGS) == []
    assert file.read_text() == shown({(topic, 0): [4, 2], (topic, 1): [1, 2, 4]}) + "\n"

    assert world.alter(topic, [4, 1], 2) == 0
    run = tool("--cancel", FILE, str(file))
    assert run.lines[0] == (
        f"Successfully cancelled partition reassignments for: {topic}-0,{topic}-1"
    )
    assert set(world.listed(topic)) == {2}

    run = tool("--cancel", "--write-plan", str(file))
    assert (run.status, run.lines) == (
        1,
        [f"Error: {file} is there already; name another file"],
    )


def test_generate(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2], [2, 1])
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"topics": [{"topic": topic}]}))
    run = tool("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "3,4,9")
    head, current, blank, middle, proposed = run.lines
    assert (run.status, head, blank) == (0, "Current partition replica assignment", "")
    assert current == shown({(topic, 0): [1, 2], (topic, 1): [2, 1]})
    assert middle == "Proposed partition reassignment configuration"
    replicas = [entry["replicas"] for entry in json.loads(proposed)["partitions"]]
    assert [set(ids) for ids in replicas] == [{3, 4}, {3, 4}]
    assert replicas[0] != replicas[1]
    assert run.keys(ALTER, LIST) == []


def test_a_change_of_the_factor_can_be_ruled_out_from_4_1_on(
    world: World, tool: Tool, tmp_path: Path
) -> None:
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [1, 2, 3]})
    run = tool("--execute", "--disallow-replication-factor-change", FILE, file)
    assert run.status == 1
    assert run.lines[-2:] == [
        "Error reassigning partition(s):",
        (
            f"{topic}-0: The broker does not support the AllowReplicationFactorChange option for"
            " the AlterPartitionReassignments API. Consider re-sending the request without the"
            " option or updating the server version"
        ),
    ]
    assert run.keys(ALTER) == []
    assert world.listed(topic) == {}


def test_controllers_can_be_asked_themselves(world: World, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    server = ("--bootstrap-controller", world.local.bootstrap)
    assert run_tool(*server, "--list").lines[1:] == [
        f"{topic}-0: replicas: 4,2,1. adding: 4. removing: 1."
    ]
    file = plan(tmp_path, {(topic, 0): [4, 2]})
    found = run_tool(*server, "--cancel", FILE, file)
    assert found.lines[0] == f"Successfully cancelled partition reassignment for: {topic}-0"
    # Controllers are listed then, not brokers, and may be told of any broker's throttles.
    assert found.lines[2] == "Clearing broker-level throttles on brokers 2,4,900"
    assert "Passing over" not in found.err


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "short.properties"
    file.write_text("default.api.timeout.ms=300\nrequest.timeout.ms=200\n")
    words = ("--bootstrap-server", "127.0.0.1:1", "--command-config", str(file))
    found = run_tool(*words, "--list")
    assert (found.status, len(found.lines)) == (1, 1)
    assert found.lines[0].startswith("Error: Timed out waiting for a node assignment.")
    facts = json.loads(run_tool(*words, "--list", "--json").out)
    assert (facts["exit"], facts["error"]) == (1, found.lines[0].removeprefix("Error: "))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--verify", FILE, "nowhere.json"), "Unable to read file nowhere.json: "),
        (("--list", "--command-config", "nowhere"), "Unable to read file nowhere: "),
    ],
)
def test_files_that_are_not_there(tool: Tool, words: tuple[str, ...], complaint: str) -> None:
    found = tool(*words)
    assert found.status == 1
    assert found.out.startswith(f"Error: {complaint}")


def test_words_beside_the_options_are_told_of(tool: Tool) -> None:
    found = tool("--list", "word")
    assert (found.status, found.out) == (0, NO_REASSIGNMENTS + "\n")
    assert found.err == "Passing over 'word', which is no option.\n"


def test_generate_with_and_without_racks(tmp_path: Path) -> None:
    """Only broker 1 has the other rack; without racks some partition is on 0 and 2 as well."""
    options = ClusterOptions(range(3), zookeeper=MEMORY, racks=2, topics={"t": NewTopic("t", 6, 2)})
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"topics": [{"topic": "t"}]}))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "0,1,2")
    with LocalCluster(options) as local:
        tool = Tool(local.bootstrap)
        proposed = [
            json.loads(tool(*words, *more).lines[-1])["partitions"]
            for more in ((), ("--disable-rack-aware",))
        ]
    assert [all(1 in one["replicas"] for one in found) for found in proposed] == [True, False]
