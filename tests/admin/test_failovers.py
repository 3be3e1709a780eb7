"""What a new controller makes of /admin/reassign_partitions."""

import json

import pytest
from admin.world import (
    PATH,
    A,
    B,
    C,
    copy,
    create_order,
    entries,
    fail_over,
    moving,
    order,
    replicas,
    target,
    tick,
    told,
    with_topics,
)
from node.moving import create, leads, stops
from node_world import World

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.node.effects import ReadZnodes
from klamm.controller.znodes import paths


@pytest.mark.req("R455-83")
@pytest.mark.parametrize("joined", [False, True], ids=["4 copies", "4 is in sync"])
def test_at_a_start_the_znode_wins_over_the_topic(world: World, joined: bool) -> None:
    world.ask(AlterReassignment(A, (4,)), AlterReassignment(C, (5,)))
    world.zookeeper.expire(world.store)
    world.write(Create(PATH, order({A: [5]})))
    if joined:
        world.leader_writes_isr(A, [1, 2, 3, 4])
    world.settle()
    assert (target(world, A), target(world, C)) == ((5,), (5,))
    copy(world, A)
    tick(world)
    assert replicas(world, A) == [5]
    assert entries(world) is None


@pytest.mark.req("R455-101")
def test_a_target_that_restarts_with_the_controller_ends_no_move(world: World) -> None:
    """What the topic shows as under way was accepted: its brokers are not checked again (F05)."""
    create_order(world, {A: [4, 2, 3]})
    world.unregister(4)
    fail_over(world)
    assert moving(world) == [A]
    assert not told(world, "entry-refused")
    tick(world)
    assert entries(world) == {A: [4, 2, 3]}
    world.register(4)
    world.settle()
    assert leads(world, 4)
    copy(world, A)
    tick(world)
    assert (replicas(world, A), entries(world)) == ([4, 2, 3], None)


def test_finished_entries_do_not_take_the_others_along_at_a_failover(world: World) -> None:
    """The first is done, the second runs, the third has not begun (F03)."""
    world.ask(AlterReassignment(B, (1, 2, 5)))
    world.zookeeper.expire(world.store)
    world.write(Create(PATH, order({A: [1, 2, 3], B: [1, 2, 5], C: [4, 5]})))
    world.settle()
    tick(world)
    assert entries(world) == {B: [1, 2, 5], C: [4, 5]}
    assert moving(world) == [B, C]
    kinds = {entry.kind for entry in world.journal if entry.name == A}
    assert "entry-done" in kinds


def test_a_start_reads_the_znode_once_and_nothing_else_for_what_it_orders() -> None:
    counts = []
    for ordered in (False, True):
        world = with_topics(names=("a", "b"))
        world.ask(AlterReassignment(A, (4, 2, 3)), AlterReassignment(B, (1, 2, 5)))
        create_order(world, {A: [4, 2, 3], B: [1, 2, 5]} if ordered else {})
        world.effects.clear()
        fail_over(world)
        reads = [read for e in world.effects if isinstance(e, ReadZnodes) for read in e.reads]
        assert [read.path for read in reads].count(PATH) == 1
        counts.append(sorted(read.path for read in reads))
    assert counts[0] == counts[1]


@pytest.mark.req("R455-102")
def test_a_controller_that_knows_no_adding_replicas_loses_none(world: World) -> None:
    """It goes on with all of RS, and writes the topic without AR and RR; then klamm is back."""
    create_order(world, {A: [4, 2, 3]})
    everybody = replicas(world, A)
    assert set(everybody) == {1, 2, 3, 4}
    world.sent.clear()
    world.zookeeper.expire(world.store)
    # As Kafka 2.3 writes the znode: version 1, and nothing that it does not know.
    old = json.dumps({"version": 1, "partitions": {"0": everybody}}).encode()
    world.write(SetData(paths.topic("a"), old, ANY_VERSION), Delete(PATH, ANY_VERSION))
    world.settle()
    assert replicas(world, A) == everybody
    assert moving(world) == []
    assert (1, True) not in stops(world)
    copy(world, A)
    assert replicas(world, A) == everybody
    # Downgraded controllers move by the znode alone, and so the move can be taken up again.
    create_order(world, {A: [4, 2, 3]})
    copy(world, A)
    assert replicas(world, A) == [4, 2, 3]


def test_who_undoes_a_move_in_the_topic_while_its_entry_stands_gets_it_again(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    plain = json.dumps({"version": 2, "partitions": {"0": [1, 2, 3]}}).encode()
    world.write(SetData(paths.topic("a"), plain, ANY_VERSION))
    world.settle()
    assert moving(world) == []
    tick(world)
    assert target(world, A) == (4, 2, 3)


def test_a_new_partition_without_a_leader_can_be_moved(world: World) -> None:
    world.unregister(1)
    world.unregister(2)
    world.unregister(3)
    world.settle()
    world.ask(create((4, 5), "d"))
    create_order(world, {TopicPartition("d", 0): [5]})
    assert target(world, TopicPartition("d", 0)) == (5,)
