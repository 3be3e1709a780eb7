"""Rogue tools write anything under /admin while requests, failovers and lost answers happen."""

from collections.abc import Sequence

import pytest
import slow
from admin.world import A, B, C, kip, order, with_topics
from core.clusters import read_partition
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from klamm.controller.core.events import (
    AdminReassignmentsRead,
    AlterReassignment,
    ElectPreferred,
)
from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.node.effects import Journal
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import encode_partitions

IDS = (1, 2, 3, 4, 5)
NAMES = (A, B, C)
NOBODY = TopicPartition("zz", 0)
MOVES = paths.REASSIGN_PARTITIONS
ELECTION = paths.PREFERRED_REPLICA_ELECTION
LISTS = st.lists(st.sampled_from((*IDS, 9)), max_size=3).map(tuple)
GOOD = st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True).map(tuple)
ORDERS = st.dictionaries(st.sampled_from((*NAMES, NOBODY)), st.one_of(GOOD, LISTS), max_size=3)
GARBAGE = st.sampled_from(
    [b"", b"x", b"{}", b'{"partitions":null}', b'{"partitions":[7,{"topic":"a"}]}']
)
#: What becomes of an entry, in words of the journal.
FATES = {
    "accept",
    "supersede",
    "entry-resumed",
    "entry-done",
    "entry-refused",
    "entry-superseded",
    "entry-discarded",
}


class Rogues(RuleBasedStateMachine):
    """Five brokers, three partitions, and tools that ask nobody."""

    @initialize(apache=st.booleans())
    def start(self, *, apache: bool) -> None:
        self.world = with_topics(config=None if apache else kip())
        self.asked: list[int] = []

    # --- tools -------------------------------------------------------------------------------

    def put(self, path: str, data: bytes) -> None:
        op = SetData(path, data, ANY_VERSION) if self.world.exists(path) else Create(path, data)
        self.world.write(op)

    @rule(moves=ORDERS, rest=st.booleans())
    def order(self, moves: dict[TopicPartition, Sequence[int]], *, rest: bool) -> None:
        self.put(MOVES, order(moves))
        if rest:
            self.world.settle()

    @rule(path=st.sampled_from([MOVES, ELECTION]), data=GARBAGE)
    def spoil(self, path: str, data: bytes) -> None:
        self.put(path, data)

    @rule(names=st.lists(st.sampled_from((*NAMES, NOBODY)), max_size=3))
    def order_election(self, names: list[TopicPartition]) -> None:
        self.put(ELECTION, encode_partitions(names))

    @rule(path=st.sampled_from([MOVES, ELECTION]), again=st.booleans(), moves=ORDERS)
    def remove(self, path: str, moves: dict[TopicPartition, Sequence[int]], *, again: bool) -> None:
        if not self.world.exists(path) or self.world.zookeeper.tree.nodes[path].children:
            return
        self.world.write(Delete(path, ANY_VERSION))
        if again:
            self.put(path, order(moves))

    @rule(path=st.sampled_from([MOVES, ELECTION]))
    def add_a_child(self, path: str) -> None:
        if self.world.exists(path) and not self.world.exists(f"{path}/odd"):
            self.world.write(Create(f"{path}/odd", None))

    @rule(name=st.sampled_from(NAMES))
    def touch_a_topic(self, name: TopicPartition) -> None:
        path = paths.topic(name.topic)
        self.put(path, self.world.zookeeper.tree.nodes[path].data or b"")

    # --- clients and brokers -----------------------------------------------------------------

    @rule(wanted=st.dictionaries(st.sampled_from(NAMES), st.one_of(st.none(), GOOD), min_size=1))
    def alter(self, wanted: dict[TopicPartition, tuple[int, ...] | None]) -> None:
        events = (AlterReassignment(name, target) for name, target in wanted.items())
        self.asked.append(self.world.request(*events))

    @rule(name=st.sampled_from(NAMES))
    def prefer(self, name: TopicPartition) -> None:
        self.asked.append(self.world.request(ElectPreferred(name)))

    @rule(name=st.sampled_from(NAMES))
    def copy(self, name: TopicPartition) -> None:
        """All replicas that are online come in sync, if there is a leader to say so."""
        part = read_partition(self.world.zookeeper.tree, name)
        online = self.world.zookeeper.tree.nodes[paths.BROKER_IDS].children
        in_sync = [id_ for id_ in part.assignment.replicas if str(id_) in online]
        if part.leader != NO_LEADER and part.leader in in_sync:
            self.world.leader_writes_isr(name, in_sync)

    @rule(broker=st.sampled_from(IDS))
    def stop_or_start(self, broker: int) -> None:
        if self.world.exists(paths.broker(broker)):
            self.world.unregister(broker)
        else:
            self.world.register(broker)

    # --- the node ----------------------------------------------------------------------------

    @rule()
    def a_second_passes(self) -> None:
        if TIDY_TIMER in self.world.timers:
            self.world.run_timer(TIDY_TIMER)

    @rule(steps=st.integers(1, 4))
    def steps(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()

    @rule()
    def rest(self) -> None:
        self.world.settle()

    @rule(late=st.booleans(), served=st.integers(0, 3), after=st.integers(0, 3))
    def lose_connection(self, *, late: bool, served: int, after: int) -> None:
        store, zookeeper = self.world.store, self.world.zookeeper
        if not store.connected:
            return
        self.world.feed()
        for _ in range(min(served, len(store.outgoing))):
            zookeeper.serve(store)
        left = len(store.outgoing) if late else 0
        zookeeper.disconnect(store, late=late)
        for _ in range(min(after, left)):
            zookeeper.serve_late(store)

    @rule()
    def fail_over(self) -> None:
        if self.world.store.connected:
            self.world.zookeeper.expire(self.world.store)

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def assignments_make_sense(self) -> None:
        """I2, I4: in ZooKeeper, whatever is under way."""
        for name in NAMES:
            part = read_partition(self.world.zookeeper.tree, name)
            assignment, held = part.assignment, part.leadership
            assert assignment.replicas
            assert set(assignment.replicas) == {*assignment.origin, *assignment.target}
            assert not set(assignment.adding) & set(assignment.removing)
            assert len(set(assignment.replicas)) == len(assignment.replicas)
            assert held is None or held.isr

    @invariant()
    def moves_end_at_their_target(self) -> None:
        """I3: by the journal, in order."""
        for entry in self.world.journal:
            if entry.kind == "end":
                assert entry.before is not None
                assert entry.after is not None
                assert entry.after.assignment.replicas == entry.before.assignment.target
                assert not entry.after.assignment.moving

    @invariant()
    def memory_is_zookeeper(self) -> None:
        """I13: at rest what is listed is what ZooKeeper holds, the znode of orders included."""
        world = self.world
        state, turns = world.node.state, world.node.turns
        if state is None or turns is None or turns.busy or turns.stale or not world.idle:
            return
        for name in NAMES:
            known = state.partition(name)
            assert known is not None
            assert known.assignment == read_partition(world.zookeeper.tree, name).assignment
        node = world.zookeeper.tree.nodes.get(MOVES)
        if not turns.queue and not turns.retries and not turns.given_up:
            assert state.admin.version == (node.version if node else None)

    @invariant()
    def every_request_has_at_most_one_reply(self) -> None:
        assert all(len(replies) == 1 for replies in self.world.replies.values())

    # --- the end -----------------------------------------------------------------------------

    def teardown(self) -> None:
        """Everybody lives, copies and waits long enough: then nothing is left to do."""
        if not hasattr(self, "world"):
            return
        world = self.world
        for broker in IDS:
            if not world.exists(paths.broker(broker)):
                world.register(broker)
        for _ in range(12):
            world.settle()
            for name in NAMES:
                self.copy(name)
            world.settle()
            for timer in (TIDY_TIMER, RETRY_TIMER):
                if timer in world.timers:
                    world.run_timer(timer)
        world.settle()
        assert not world.exists(MOVES)
        assert not world.exists(ELECTION)
        state = world.node.state
        assert state is not None
        assert list(state.moving()) == []
        assert all(len(world.replies[request]) == 1 for request in self.asked)
        assert not lost(world.journal)


def lost(journal: Sequence[Journal]) -> dict[TopicPartition, tuple[int, ...]]:
    """The entries that were read and of which the journal says nothing more.

    One that its writer has taken back before it was judged is told by the reading without it; and
    a new controller reads everything anew.
    """
    unjudged: dict[TopicPartition, tuple[int, ...]] = {}
    judged: dict[TopicPartition, tuple[int, ...]] = {}
    czxid = 0
    for entry in journal:
        event = entry.cause.event if entry.cause else None
        if isinstance(event, AdminReassignmentsRead):
            if event.czxid != czxid:
                judged, czxid = {}, event.czxid
            listed = {TopicPartition(e.topic, e.partition): e.replicas for e in event.entries}
            unjudged = {name: to for name, to in listed.items() if judged.get(name) != to}
        elif entry.kind == "elected":
            unjudged, judged, czxid = {}, {}, 0
        elif entry.kind in FATES and entry.name in unjudged:
            judged[entry.name] = unjudged.pop(entry.name)
    return unjudged


TestRogues = Rogues.TestCase
TestRogues.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


@pytest.mark.slow
def test_rogues_for_longer() -> None:
    slow.run_for_longer(Rogues)
