"""kafka-reassign-partitions of 3.9.1 and 4.1.1: what it prints line by line, and what it does."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from clients.cluster import config, set_throttles
from clients.java_scripts import LISTS, RATES
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import REASSIGN_PARTITIONS
from reassign.tool import CLEARING, CURRENT, STATUS, Moves, plan, shown, started
from thin_line.world import World, eventually

pytestmark = pytest.mark.slow

NOTHING_MOVES = "No partition reassignments found."
EXISTING = (
    "Cannot execute because there is an existing partition assignment.  Use --additional to"
    " override this and create a new partition assignment in addition to the existing one. The"
    " --additional flag can also be used to change the throttle by resubmitting the current"
    " reassignment."
)
RUN_VERIFY = (
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the"
    " throttle is removed."
)
NOT_ACTIVE = (
    "There is no active reassignment of partition {}, but replica set is {} rather than {}."
)
NO_MOVES = "None of the specified partition moves are active."
NONE_ACTIVE = "None of the specified partition reassignments are active."

Tool = Callable[..., Run]


@pytest.fixture
def tool(world: World, either_tools: JavaTools) -> Tool:
    """Run the tool against the cluster."""
    return lambda *words: either_tools.run(
        REASSIGN_PARTITIONS, "--bootstrap-server", world.local.bootstrap, *words
    )


def sorted_brokers(lines: Sequence[str]) -> list[str]:
    """Put the brokers of CLEARING in order: the tool prints them as Java's hash set has them."""
    found = []
    for line in lines:
        head, said, brokers = line.partition(" on brokers ")
        ids = ",".join(sorted(brokers.split(","), key=int)) if said else ""
        found.append(head + said + ids)
    return found


def test_list(world: World, tool: Tool) -> None:
    world.freeze(4)
    assert tool("--list") == Run(0, NOTHING_MOVES + "\n", "")
    topic = world.topic([1, 2, 3], [1, 2, 3], [1, 2, 3])
    assert world.alter(topic, [4, 3, 2], 0) == 0
    assert world.alter(topic, [1, 2, 3, 4], 1) == 0
    assert tool("--list").lines == [
        "Current partition reassignments:",
        f"{topic}-0: replicas: 4,3,2,1. adding: 4. removing: 1.",
        f"{topic}-1: replicas: 1,2,3,4. adding: 4.",
    ]


def test_execute_and_verify_to_the_end(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3], [1, 2, 3])
    file = plan(tmp_path, {(topic, 0): [4, 3, 2], (topic, 1): [2, 1, 3]})
    before = {(topic, 0): [1, 2, 3], (topic, 1): [1, 2, 3]}
    said = f"Successfully started partition reassignments for {topic}-0,{topic}-1"
    run = tool("--execute", "--reassignment-json-file", file)
    assert (run.status, run.lines, run.err) == (0, started(before, said), "")
    run = tool("--verify", "--reassignment-json-file", file)
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
    world.thaw(4)
    world.await_replicas(topic, [4, 3, 2])
    run = tool("--verify", "--preserve-throttles", "--reassignment-json-file", file)
    assert (run.status, run.lines) == (
        0,
        [
            STATUS,
            f"Reassignment of partition {topic}-0 is completed.",
            f"Reassignment of partition {topic}-1 is completed.",
            "",
        ],
    )


def test_verify_of_what_is_not_moving(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [2, 3]})
    run = tool("--verify", "--preserve-throttles", "--reassignment-json-file", file)
    assert (run.status, run.lines) == (
        0,
        [
            STATUS,
            NOT_ACTIVE.format(f"{topic}-0", "1,2", "2,3"),
            "",
        ],
    )


def test_execute_while_something_moves(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    assert world.alter(topic, [4, 2], 0) == 0
    file = plan(tmp_path, {(topic, 1): [2, 4]})
    run = tool("--execute", "--reassignment-json-file", file)
    assert (run.status, run.lines) == (1, [EXISTING])
    assert set(world.listed(topic)) == {0}
    run = tool("--execute", "--additional", "--reassignment-json-file", file)
    assert run.status == 0
    assert run.lines == started(
        {(topic, 1): [1, 2]}, f"Successfully started partition reassignment for {topic}-1"
    )
    assert world.listed(topic) == {0: ([4, 2, 1], [4], [1]), 1: ([2, 4, 1], [4], [1])}


def test_the_additional_plan_may_replace_a_target(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    world.freeze(5)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    file = plan(tmp_path, {(topic, 0): [5, 2]})
    run = tool("--execute", "--additional", "--reassignment-json-file", file)
    assert (run.status, run.lines[-1]) == (
        0,
        f"Successfully started partition reassignment for {topic}-0",
    )
    assert world.listed(topic) == {0: ([5, 2, 1], [5], [1])}


def test_a_target_that_the_controller_refuses(world: World, tool: Tool, tmp_path: Path) -> None:
    """The controller is listed among the brokers, so that the tool lets its id pass."""
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    file = plan(tmp_path, {(topic, 0): [900, 2], (topic, 1): [4, 2]})
    run = tool("--execute", "--reassignment-json-file", file)
    assert run.status == 1
    *_, headline, line = run.lines
    assert headline == "Error reassigning partition(s):"
    assert line.startswith(
        f"{topic}-0: Replica assignment has brokers that are not alive. Replica list:"
    )
    assert set(world.listed(topic)) == {1}, "the other one was accepted all the same"


@pytest.mark.parametrize(
    ("moves", "complaint"),
    [
        ({}, "Partition reassignment list cannot be empty"),
        ({("T", 0): []}, "Partition replica list cannot be empty"),
        ({("T", 0): [1, 1]}, "Partition replica lists may not contain duplicate entries"),
        ({("T", 0): [1, 77]}, "Unknown broker id 77"),
        ({("T", 9): [1, 2]}, "Unable to find partition: T-9"),
    ],
)
def test_plans_that_the_tool_refuses(
    world: World, tool: Tool, tmp_path: Path, moves: Moves, complaint: str
) -> None:
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, number): found for (_, number), found in moves.items()})
    run = tool("--execute", "--reassignment-json-file", file)
    assert run.status == 1
    assert complaint.replace("T-", f"{topic}-") in run.out + run.err
    assert world.topic_znode(topic)[1] == 0


def test_cancel(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [3, 4, 2]) == 0
    file = plan(tmp_path, {(topic, 0): [3, 4, 2]})
    words = ("--cancel", "--preserve-throttles", "--reassignment-json-file", file)
    run = tool(*words)
    assert (run.status, run.lines, run.err) == (
        0,
        [f"Successfully cancelled partition reassignment for: {topic}-0", NO_MOVES],
        "",
    )
    assert world.listed(topic) == {}
    assert world.topic_znode(topic)[0]["partitions"] == {"0": [3, 2, 1]}
    again = tool(*words)
    assert (again.status, again.lines) == (0, [NONE_ACTIVE, NO_MOVES])


def test_pure_additions_are_cancelled_by_the_newer_tool_alone(
    world: World, tool: Tool, either_tools: JavaTools, tmp_path: Path
) -> None:
    """A defect of the tool from 3.7.0 to 3.9.x, mended in 4.0.1: the move goes on."""
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [1, 2, 4]) == 0
    file = plan(tmp_path, {(topic, 0): [1, 2, 4]})
    run = tool("--cancel", "--preserve-throttles", "--reassignment-json-file", file)
    if either_tools.is_4:
        cancelled = f"Successfully cancelled partition reassignment for: {topic}-0"
        assert (run.status, run.lines) == (0, [cancelled, NO_MOVES])
        assert world.listed(topic) == {}
    else:
        assert (run.status, run.lines) == (0, [NONE_ACTIVE, NO_MOVES])
        assert world.listed(topic) == {0: ([1, 2, 4], [4], [])}


def test_generate_and_execute_its_proposal(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2], [1, 2])
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": topic}]}))
    run = tool(
        "--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "3,4"
    )  # fmt: skip
    assert run.status == 0, run
    headline, current, empty, proposed, proposal = run.lines
    assert (headline, empty) == (CURRENT, "")
    assert proposed == "Proposed partition reassignment configuration"
    assert current == shown({(topic, 0): [1, 2], (topic, 1): [1, 2]})
    targets = {item["partition"]: item["replicas"] for item in json.loads(proposal)["partitions"]}
    assert {number: sorted(found) for number, found in targets.items()} == {0: [3, 4], 1: [3, 4]}
    file = tmp_path / "proposal.json"
    file.write_text(proposal)
    assert tool("--execute", "--reassignment-json-file", str(file)).status == 0
    for number, target in targets.items():
        world.await_replicas(topic, target, number)


def test_generate_for_a_topic_that_is_not_there(tool: Tool, tmp_path: Path) -> None:
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": "nowhere"}]}))
    run = tool(
        "--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "3,4"
    )  # fmt: skip
    assert run.status == 1
    assert "Topic nowhere not found." in run.out + run.err


def test_a_throttle_is_set_changed_and_cleared(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    file = plan(tmp_path, {(topic, 0): [4, 3, 2]})
    run = tool("--execute", "--throttle", "5000000", "--reassignment-json-file", file)
    limit = "The inter-broker throttle limit was set to {} B/s"
    said = f"Successfully started partition reassignment for {topic}-0"
    assert (run.status, run.lines, run.err) == (
        0,
        started({(topic, 0): [1, 2, 3]}, RUN_VERIFY, limit.format(5000000), said),
        "",
    )
    lists = dict(zip(LISTS, ("0:1,0:2,0:3", "0:4"), strict=True))
    assert config(world, f"topics/{topic}") == lists
    for broker in (1, 2, 3, 4):
        assert config(world, f"brokers/{broker}") == dict.fromkeys(RATES[:2], "5000000")
    assert config(world, "brokers/0") == {}

    run = tool(
        "--execute", "--additional", "--throttle", "700", "--reassignment-json-file", file
    )  # fmt: skip
    assert (run.status, run.lines[5:]) == (0, [RUN_VERIFY, limit.format(700), said])
    assert config(world, "brokers/4") == dict.fromkeys(RATES[:2], "700")

    run = tool("--verify", "--reassignment-json-file", file)
    assert run.lines[-1] == "", "nothing is cleared while it moves"
    assert config(world, f"topics/{topic}") == lists

    # 700 B/s are too little for a move that is to end within this test.
    for broker in (1, 2, 3, 4):
        set_throttles(world, broker, 100_000_000)
    world.thaw(4)
    world.await_replicas(topic, [4, 3, 2])
    run = tool("--verify", "--reassignment-json-file", file)
    assert (run.status, sorted_brokers(run.lines), run.err) == (
        0,
        [
            STATUS,
            f"Reassignment of partition {topic}-0 is completed.",
            "",
            CLEARING,
            f"Clearing topic-level throttles on topic {topic}",
        ],
        "",
    )
    assert config(world, f"topics/{topic}") == {}
    for broker in (*range(6), 900):
        assert config(world, f"brokers/{broker}") == {}


def test_a_throttle_of_next_to_nothing_holds_a_move(
    world: World, tool: Tool, tmp_path: Path
) -> None:
    world.freeze(3)
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [3, 2]})
    run = tool("--execute", "--throttle", "1", "--reassignment-json-file", file)
    assert run.status == 0, run

    def follower_knows() -> bool:
        status = world.local.call(world.local.cluster.brokers.status)
        [found] = [item.throttles for item in status if item.id == 3]
        return (found.follower_rate, found.follower_partitions) == (1, 1)

    # A broker reads of throttles when it hears of them, and copies until then.
    eventually(follower_knows, "broker 3 to know its throttle")
    world.thaw(3)
    free = world.topic([1, 2])
    assert world.alter(free, [3, 2]) == 0
    world.await_replicas(free, [3, 2])
    assert world.listed(topic) == {0: ([3, 2, 1], [3], [1])}
    run = tool("--cancel", "--reassignment-json-file", file)
    assert (run.status, sorted_brokers(run.lines), run.err) == (
        0,
        [
            f"Successfully cancelled partition reassignment for: {topic}-0",
            NO_MOVES + CLEARING,  # the tool ends the first line nowhere
            f"Clearing topic-level throttles on topic {topic}",
        ],
        "",
    )
    assert config(world, f"topics/{topic}") == {}
    assert config(world, "brokers/3") == {}


def test_a_dead_broker(world: World, tool: Tool, tmp_path: Path) -> None:
    """It is no target, and the tool waits for it in vain to clear its throttle, as with Kafka."""
    topic = world.topic([1, 2])
    gone = plan(tmp_path, {(topic, 0): [1, 2], ("nowhere", 0): [77]})
    short = tmp_path / "short.properties"
    short.write_text("default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n")
    run = tool("--execute", "--reassignment-json-file", plan(tmp_path, {(topic, 0): [1, 77]}))
    assert run.status == 1
    assert "Unknown broker id 77" in run.out + run.err
    run = tool("--verify", "--command-config", str(short), "--reassignment-json-file", gone)
    assert run.status == 1
    assert f"Reassignment of partition {topic}-0 is completed." in run.lines
    assert "Timed out waiting for a node assignment. Call: incrementalAlterConfigs" in run.out
