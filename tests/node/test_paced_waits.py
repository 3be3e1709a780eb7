"""Moves in steps that wait: whatever lets them go on wakes them."""

import pytest
from node.paced import Paced
from node.takeover import take_over

from klamm.controller.core.events import ShutDownBroker
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX

A, B, C = (TopicPartition(topic, 0) for topic in "abc")


def two_moves(**limits: int) -> Paced:
    """Two moves that each bring another leader; the first one's never comes in sync."""
    paced = Paced({"a": {0: (4, 5)}, "b": {0: (1, 2)}})
    paced.limit(**limits)
    paced.brokers.held.add(6)
    paced.move((6, 7), A)
    paced.move((3, 1), B)
    assert paced.running() == {A: ("leader", (6,) if "replicas" in limits else (6, 7))}
    return paced


@pytest.mark.req("R435-9", "R435-37")
def test_a_next_step_that_brings_no_leader_any_more_needs_no_slot_of_a_leader() -> None:
    paced = two_moves(replicas=1, partitions=2, leaders=1)
    # In one step the whole move would leave the lead to 1, which stays a replica.
    paced.limit(partitions=2, leaders=1)
    assert paced.running() == {A: ("leader", (6,)), B: ("swap", (3,))}


@pytest.mark.req("R435-9", "R435-38")
def test_a_next_step_that_brings_a_leader_now_comes_before_others() -> None:
    paced = Paced({"a": {0: (4, 5)}, "b": {0: (1, 2)}, "c": {0: (8, 9)}}, partitions=1)
    paced.brokers.held.add(0)
    paced.move((0, 5), C)
    paced.move((4, 6), A)
    paced.move((3, 1), B)
    paced.limit(partitions=2, replicas=1)
    assert paced.running().keys() == {C, B}


@pytest.mark.req("R435-25")
def test_a_target_that_is_shutting_down_leaves_its_slot_at_once() -> None:
    paced = two_moves(replicas=1, partitions=1)
    paced.world.ask(ShutDownBroker(6, -1))
    assert paced.running() == {B: ("leader", (3,))}
    paced.lose(6)
    paced.brokers.held.clear()
    paced.restore(6)
    paced.catch_up()
    assert paced.lists(A) == ([6, 7], [], [])
    assert paced.lists(B) == ([3, 1], [], [])


@pytest.mark.parametrize(
    ("limits", "rounds"),
    [
        ({"replicas": 1, "partitions": 1}, 0),
        ({"replicas": 1, "partitions": 1}, 1),
        ({"partitions": 1}, 0),
    ],
)
def test_a_topic_whose_debts_cannot_be_read_keeps_no_slot(
    limits: dict[str, int], rounds: int
) -> None:
    """Nobody may be dropped of whom nobody could write that a delete is owed."""
    paced = Paced({"a": {0: (4, 5)}, "b": {0: (1, 2)}})
    paced.limit(**limits)
    paced.move((6, 5), A)
    paced.move((3, 2), B)
    for _ in range(rounds):
        paced.catch_up_once()
    path, content = paths.replica_deletions("a"), b'{"version":1,"partitions":{}}'
    if not paced.world.exists(path):
        paced.world.write(Create(path, content))
    paced.world.zookeeper.tree.nodes[path].closed = True
    take_over(paced.world)
    paced.catch_up()
    assert paced.running() == {}
    assert paced.lists(B) == ([3, 2], [], [])

    paced.world.zookeeper.tree.nodes[path].closed = False
    paced.world.write(SetData(path, paced.world.zookeeper.tree.nodes[path].data, ANY_VERSION))
    paced.world.settle()
    paced.catch_up()
    assert paced.lists(A) == ([6, 5], [], [])


@pytest.mark.parametrize("limits", [{"replicas": 1, "partitions": 1}, {"partitions": 1}])
def test_a_partition_without_another_leader_epoch_keeps_no_slot(limits: dict[str, int]) -> None:
    paced = two_moves(**limits)
    path = paths.state(*A)
    paced.put(path, {**paced.world.data(path), "leader_epoch": INT32_MAX, "isr": [4, 5, 6, 7]})
    paced.world.settle()
    assert paced.running() == {B: ("leader" if "replicas" in limits else "swap", (3,))}
    assert paced.lists(A) == ([6, 7, 4, 5], [6, 7], [4, 5])
