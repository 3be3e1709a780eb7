"""Orders as large as ZooKeeper takes them, and larger: 0.9, 1.1 and 4.1 MB."""

import pytest
from admin.world import (
    PATH,
    A,
    B,
    C,
    copy,
    create_order,
    entries,
    moving,
    overwrite,
    remove,
    replicas,
    target,
    tick,
    told,
    with_topics,
    writes,
)
from node_world import ENDPOINT, World

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import SetData
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.core.takeovers import FRAME_BYTES
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Severity
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.port import StoreEvent

MB = 1_000_000
FILLER = 10_000


class WideWorld(World):
    """A ZooKeeper whose jute.maxbuffer is 8 MB, at the servers and here."""

    limit = 8 * MB

    def open(self) -> None:
        def post(event: StoreEvent) -> None:
            if store is self.store:
                self.post(event)

        if not hasattr(self, "store"):
            self.zookeeper = MemoryZookeeper(self.limit)
        self.store = store = self.zookeeper.open(post, packet_limit=self.limit)


def filled(size: int) -> dict[TopicPartition, list[int]]:
    """Orders that take so many bytes, all of them for topics that nobody has."""
    names = (TopicPartition(f"{number}-{'x' * FILLER}", 0) for number in range(size // FILLER))
    return {name: [1] for name in names}


def in_wide_office() -> World:
    world = WideWorld(NodeConfig(900, (ENDPOINT,), packet_limit=WideWorld.limit))
    world.settle()
    return with_topics(world=world)


def under_way(world: World, size: int) -> World:
    """A and B are under way, and as much again waits that the znode has this size."""
    create_order(world, {A: [4, 2, 3], B: [1, 2, 5]})
    overwrite(world, {A: [4, 2, 3], B: [1, 2, 5], **filled(size)})
    node = world.zookeeper.tree.nodes[PATH]
    assert node.data is not None
    assert size * 0.95 < len(node.data) < size * 1.05
    world.effects.clear()
    return world


@pytest.mark.parametrize("size", [900_000, 1_100_000, 4_100_000])
def test_a_large_znode_is_read_and_written_where_zookeeper_takes_it(size: int) -> None:
    world = under_way(in_wide_office(), size)
    copy(world, A)
    tick(world)
    (commit,) = writes(world)
    (op,) = commit.ops
    assert isinstance(op, SetData), "alone in its multi, whatever its size"
    assert op.data is not None
    assert len(op.data) > size * 0.95
    assert A not in (entries(world) or {})
    assert moving(world) == [B]
    copy(world, B)
    tick(world)  # what waited is taken
    tick(world)  # and refused, each for itself
    assert entries(world) is None
    assert len(told(world, "entry-refused")) == size // FILLER


def test_0_9_mb_need_no_larger_buffer() -> None:
    world = under_way(with_topics(), 900_000)
    copy(world, A)
    tick(world)
    assert A not in (entries(world) or {A})
    assert not told(world, "admin-too-large")


@pytest.mark.parametrize("size", [1_100_000, 4_100_000])
def test_what_cannot_be_written_back_is_told_and_blocks_nothing_for_ever(size: int) -> None:
    world = under_way(with_topics(), size)
    copy(world, A)
    for _ in range(3):
        tick(world)
    assert not writes(world), "nothing is asked of ZooKeeper that it would close us out for"
    (entry,) = told(world, "admin-too-large")
    assert entry.severity is Severity.WARNING
    assert (replicas(world, A), moving(world)) == ([4, 2, 3], [B])
    copy(world, B)
    for _ in range(3):
        if "admin entries" in world.timers:
            tick(world)
    assert entries(world) is None
    assert len(told(world, "entry-refused")) == size // FILLER


def test_entries_that_could_not_be_taken_out_one_by_one_go_together_at_the_end() -> None:
    """Even if each of them is too large: what is finished is no order for another set."""
    world = with_topics(config=NodeConfig(900, (ENDPOINT,), packet_limit=FRAME_BYTES + 50))
    create_order(world, {A: [4, 2, 3], B: [1, 2, 5], C: [4, 5]})
    for name in (A, B):
        copy(world, name)
        tick(world)
        assert len(entries(world) or {}) == 3
    assert len(told(world, "admin-too-large")) == 1, "it is told once"
    copy(world, C)
    tick(world)
    assert entries(world) is None


def test_a_request_that_could_not_take_its_entry_out_is_refused_with_a_way_out() -> None:
    world = under_way(with_topics(), 1_100_000)
    (result,) = world.ask(AlterReassignment(A, (5, 2, 3)))
    assert isinstance(result, Refusal)
    assert result.fault is Fault.INVALID_REQUEST
    assert PATH in result.message
    assert f"{PACKET_LIMIT:,}" in result.message
    assert target(world, A) == (4, 2, 3), "or the old target would return at a failover"
    remove(world)
    assert moving(world) == [A, B]
    assert world.ask(AlterReassignment(A, (5, 2, 3))) == (Done(),)


def test_a_request_that_the_entry_would_not_undo_needs_no_room() -> None:
    world = under_way(with_topics(), 1_100_000)
    assert world.ask(AlterReassignment(A, (4, 2, 3))) == (Done(),), "that is under way"
    copy(world, A)
    tick(world)
    assert A in (entries(world) or {}), "it is finished, but cannot be taken out"
    (cancelled,) = world.ask(AlterReassignment(A, None))
    assert isinstance(cancelled, Refusal)
    assert cancelled.fault is Fault.NO_REASSIGNMENT_IN_PROGRESS
    assert world.ask(AlterReassignment(A, (4, 2, 3))) == (Done(),), "that is so"
    assert not writes(world)
    (moved,) = world.ask(AlterReassignment(A, (5, 2, 3)))
    assert isinstance(moved, Refusal)
    assert moved.fault is Fault.INVALID_REQUEST
    assert "goes by itself" in moved.message
    copy(world, B)
    for _ in range(3):
        if "admin entries" in world.timers:
            tick(world)
    assert entries(world) is None
    assert world.ask(AlterReassignment(A, (5, 2, 3))) == (Done(),)


def test_what_was_refused_needs_room_for_the_next_controller_may_carry_it_out() -> None:
    world = with_topics(config=NodeConfig(900, (ENDPOINT,), packet_limit=FRAME_BYTES + 50))
    create_order(world, {A: [1, 9], B: [1, 2, 5]})
    (moved,) = world.ask(AlterReassignment(A, (5, 2, 3)))
    assert isinstance(moved, Refusal)
    assert moved.fault is Fault.INVALID_REQUEST
    (cancelled,) = world.ask(AlterReassignment(A, None))
    assert isinstance(cancelled, Refusal)
    assert cancelled.fault is Fault.NO_REASSIGNMENT_IN_PROGRESS
