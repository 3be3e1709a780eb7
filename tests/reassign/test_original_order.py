"""--cancel --restore-order: replicas are as before the move, or somebody is told why not."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from clients.cluster import BROKERS, running
from reassign.tool import Tool, plan
from thin_line.world import World, eventually

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.tools.admin import Admin, ReassignmentDetails, TopicPartition, errors
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.reassign.exits import Exit

FILE = "--reassignment-json-file"
RESTORE = ("--cancel", "--restore-order", "--preserve-throttles", FILE)
ALTER, LIST, DESCRIBE = 45, 46, 17904
HINT = "If there is a rollback file of --execute, --execute it to put them in order.\n"
NOT_KNOWN = "the controller has not begun the move itself, or the move has just ended"


@pytest.fixture(scope="module")
def telling_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """Brokers 0 to 5, and a controller that tells of its moves."""
    connect = f"{zookeeper.connect_string}/original-order"
    with running(connect, klamm_describe_reassignments_enable="true") as world:
        yield world


@pytest.fixture
def telling(telling_cluster: World) -> Iterator[World]:
    """The cluster with broker 4 frozen, so that no move to it ends; nothing moves afterwards."""
    telling_cluster.freeze(4)
    yield telling_cluster
    for broker in BROKERS:
        telling_cluster.thaw(broker)
    eventually(lambda: not telling_cluster.admin.list_partition_reassignments(), "all moves to end")


def replicas(world: World, topic: str, number: int = 0) -> list[int]:
    """Return a partition's replicas as its topic znode has them."""
    found: list[int] = world.topic_znode(topic)[0]["partitions"][str(number)]
    return found


def start(world: World, topic: str, target: list[int], number: int = 0) -> None:
    assert world.alter(topic, target, number) == 0


def test_the_order_of_before_is_restored(telling: World, tmp_path: Path) -> None:
    tool = Tool(telling.local.bootstrap)
    topic = telling.topic([1, 2, 3], [1, 2, 3], [1, 2, 3])
    start(telling, topic, [3, 4, 2])
    start(telling, topic, [1, 2, 4], 1)  # a cancel alone brings its order back
    file = plan(tmp_path, {(topic, number): [3, 4, 2] for number in range(3)})
    run = tool("--cancel", FILE, file)
    assert (run.status, run.err, run.keys(DESCRIBE)) == (0, "", [DESCRIBE])
    assert replicas(telling, topic) == [3, 2, 1], "which is why there is more to do"

    start(telling, topic, [1, 2, 3])
    start(telling, topic, [3, 4, 2])
    start(telling, topic, [2, 4, 5])  # another target, and yet the order before both
    start(telling, topic, [1, 2, 4], 1)
    run = tool(*RESTORE, file)
    assert run.status == 0
    assert run.lines[0] == (
        f"Successfully cancelled partition reassignments for: {topic}-0,{topic}-1"
    )
    assert run.err == f"Restored the order before the move of {topic}-0: 1,2,3.\n"
    assert run.keys(ALTER, LIST, DESCRIBE) == [LIST, DESCRIBE, ALTER, LIST, ALTER]
    [part] = run.bodies(AlterPartitionReassignmentsRequest)[-1].topics[0].partitions
    assert (part.partition_index, part.replicas) == (0, (1, 2, 3))
    assert [replicas(telling, topic, number) for number in range(3)] == [[1, 2, 3]] * 3
    assert telling.listed(topic) == {}

    run = tool("--json", *RESTORE, file)
    assert (run.status, run.err) == (0, ""), "nothing moves, and nothing is out of order"


def test_a_controller_that_has_not_begun_the_move_does_not_know(
    telling: World, tmp_path: Path
) -> None:
    tool = Tool(telling.local.bootstrap)
    topic = telling.topic([1, 2, 3], [1, 2, 3])
    start(telling, topic, [3, 4, 2])
    epoch = telling.zookeeper.get("/controller_epoch")[0]
    telling.zookeeper.delete("/controller")
    eventually(lambda: telling.zookeeper.get("/controller_epoch")[0] != epoch, "the next in office")
    with Admin.connect(tool.bootstrap) as admin:  # which waits for the next to serve
        admin.alter_partition_reassignments({TopicPartition(topic, 1): (3, 4, 2)}).result()
    run = tool("--json", *RESTORE, plan(tmp_path, {(topic, 0): [3, 4, 2], (topic, 1): [3, 4, 2]}))
    assert run.err == (
        f"Restored the order before the move of {topic}-1: 1,2,3.\n"
        f"Cannot restore the order before the move of {topic}-0: {NOT_KNOWN}\n{HINT}"
    )
    assert run.status == Exit.FAILED
    found = json.loads(run.out)
    assert found["cancelled"] == [f"{topic}-0", f"{topic}-1"]
    assert found["restored"] == {f"{topic}-1": [1, 2, 3]}
    assert found["not_restored"] == {f"{topic}-0": NOT_KNOWN}
    assert (replicas(telling, topic, 0), replicas(telling, topic, 1)) == ([3, 2, 1], [1, 2, 3])
    assert telling.listed(topic) == {}


def test_another_controller_does_not_tell(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    start(world, topic, [2, 4])
    run = tool(*RESTORE, plan(tmp_path, {(topic, 0): [2, 4]}))
    assert (run.status, run.keys(ALTER)) == (Exit.FAILED, [ALTER])
    assert run.lines[0] == f"Successfully cancelled partition reassignment for: {topic}-0"
    assert run.err == (
        f"Cannot restore the order before the move of {topic}-0: the cluster's controller does not"
        " tell it; only klamm's does, with klamm.describe.reassignments.enable set\n" + HINT
    )
    assert replicas(world, topic) == [2, 1]


def at(key: int, count: int, act: Callable[[], None]) -> Callable[[int], None]:
    """Return a hook that acts right before the nth request of a kind is sent; `count` is n."""
    left = [count]

    def before(sent: int) -> None:
        if sent == key:
            left[0] -= 1
            if not left[0]:
                act()

    return before


def test_a_move_that_has_begun_since_goes_on(telling: World, tmp_path: Path) -> None:
    topic = telling.topic([1, 2], [1, 2])
    start(telling, topic, [2, 4])
    start(telling, topic, [2, 4], 1)
    file = plan(tmp_path, {(topic, 0): [2, 4], (topic, 1): [2, 4]})
    begin = at(LIST, 2, lambda: start(telling, topic, [4, 5]))
    run = Tool(telling.local.bootstrap)(*RESTORE, file, before=begin)
    assert run.status == Exit.FAILED
    assert run.err == (
        f"Restored the order before the move of {topic}-1: 1,2.\n"
        f"Cannot restore the order before the move of {topic}-0: another move of it has begun"
        f" since\n{HINT}"
    )
    assert list(telling.listed(topic)) == [0]
    assert replicas(telling, topic, 1) == [1, 2]


def test_what_is_cancelled_is_restored_though_something_is_refused(
    telling: World, tmp_path: Path
) -> None:
    topic = telling.topic([1, 2], [1, 2])
    start(telling, topic, [2, 4])
    start(telling, topic, [2, 4], 1)

    def overtake() -> None:
        assert telling.alter(topic, None, 0) == 0

    file = plan(tmp_path, {(topic, 0): [2, 4], (topic, 1): [2, 4]})
    run = Tool(telling.local.bootstrap)(*RESTORE, file, before=at(ALTER, 1, overtake))
    assert (run.status, run.lines) == (
        Exit.FAILED,
        [
            "Error cancelling partition reassignment for:",
            f"{topic}-0: No partition reassignment is in progress.",
        ],
    )
    assert run.err == f"Restored the order before the move of {topic}-1: 1,2.\n"
    assert (replicas(telling, topic, 0), replicas(telling, topic, 1)) == ([2, 1], [1, 2])


def test_an_order_that_is_refused_is_told_of(telling: World, tmp_path: Path) -> None:
    topic = telling.topic([1, 2])
    start(telling, topic, [2, 4])

    def delete() -> None:
        telling.admin.delete_topics([topic])

    file = plan(tmp_path, {(topic, 0): [2, 4]})
    run = Tool(telling.local.bootstrap)(*RESTORE, file, before=at(ALTER, 2, delete))
    assert run.status == Exit.FAILED
    assert run.err == (
        f"Cannot restore the order before the move of {topic}-0: The partition does not"
        f" exist.\n{HINT}"
    )


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (errors.ClusterAuthorizationFailedError(), "Cluster authorization failed."),
        (ReassignmentDetails((1, 5), None, None, ()), NOT_KNOWN),
    ],
    ids=["nothing", "other replicas"],
)
def test_what_is_told_may_be_of_no_use(
    telling: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: errors.AdminError | ReassignmentDetails,
    why: str,
) -> None:
    topic = telling.topic([1, 2])
    start(telling, topic, [2, 4])

    def describe(*_: object) -> Future[dict[TopicPartition, ReassignmentDetails]]:
        answer = Future[dict[TopicPartition, ReassignmentDetails]]()
        if isinstance(told, ReassignmentDetails):
            answer.set_result({TopicPartition(topic, 0): told})
        else:
            answer.set_exception(told)
        return answer

    monkeypatch.setattr(Admin, "describe_reassignments", describe)
    run = Tool(telling.local.bootstrap)(*RESTORE, plan(tmp_path, {(topic, 0): [2, 4]}))
    assert (run.status, run.keys(ALTER)) == (Exit.FAILED, [ALTER])
    assert run.err == (f"Cannot restore the order before the move of {topic}-0: {why}\n{HINT}")
    assert telling.listed(topic) == {}


@pytest.mark.parametrize("action", ["--execute", "--verify"])
def test_only_a_cancel_restores(tool: Tool, tmp_path: Path, action: str) -> None:
    run = tool(action, "--restore-order", FILE, plan(tmp_path, {}))
    assert run.status == 1
    assert 'Option "[restore-order]" can\'t be used with action' in run.err
    run = tool("--cancel", "--restore-order", "--write-plan", str(tmp_path / "new"))
    assert 'Option "[write-plan]" can\'t be used with option "[restore-order]"' in run.err
