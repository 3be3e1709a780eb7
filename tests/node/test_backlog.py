"""A new broker is told everything: held by topic, it comes to what it would be held by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import mock
from uuid import UUID

from core.clusters import broker, cluster, partition, topic
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st
from node.test_outbox_rules import Slow, Told, rows

from klamm.controller.brokers import outbox as limits
from klamm.controller.brokers.backlog import Backlog
from klamm.controller.brokers.outbox import Kind, Outbox
from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetPartition, SetTopic
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import ClusterState, Partition, Topic, TopicPartition

TOPICS = "abc"
DRAWN = UUID(int=7)
NAMES = tuple(TopicPartition(name, number) for name in TOPICS for number in (0, 1))
ALL = cluster((1, 2, 3), *(topic(t, {n: partition((1, 2)) for n in (0, 1)}) for t in TOPICS))


class ByName(Outbox):
    """The plain form of a refill: a line for each partition, from the state of that moment."""

    def refill(self, state: ClusterState, restarted: bool = False) -> None:
        super().refill(state, restarted)
        self.unled, self.unpublished = Backlog(), Backlog()
        for name, part in state.partitions():
            if part.leadership is None:
                continue
            self.notices[name] = None
            led_before = restarted and part.leader == self.broker.id
            if self.broker.id in part.assignment.replicas and not led_before:
                self.leads[name] = self.broker.id in part.additions_to_make


@dataclass
class Line(Slow):
    """An outbox of broker 2, and everything that can happen to the cluster meanwhile."""

    state: ClusterState = field(default_factory=lambda: ALL)

    def add(self, name: TopicPartition, flag: bool) -> None:
        """Begin a move to broker 2; the leader is another."""
        self._put(name, partition((2, 1), (2,), (), leader=1, isr=(1,), leader_epoch=self.epoch))
        self.outbox.lead(name, is_new=True)
        self.outbox.publish(name)

    def elect(self, name: TopicPartition, flag: bool) -> None:
        """Give broker 2 the lead."""
        self._put(name, partition((1, 2), leader=2, leader_epoch=self.epoch))
        self.outbox.lead(name, is_new=False)
        self.outbox.publish(name)

    def publish(self, name: TopicPartition, flag: bool) -> None:
        """Change what only clients are told; a new epoch would have to be told to replicas."""
        if self.state.partition(name) is None:
            self._put(name, partition((1, 3), leader_epoch=self.epoch))
        self.outbox.publish(name)

    def remove(self, name: TopicPartition, flag: bool) -> None:
        known = self.state.topics.get(name.topic)
        self.state = apply(self.state, [SetTopic(name.topic, None)])
        for number in known.partitions if known else ():
            self.outbox.withdraw(TopicPartition(name.topic, number))

    def refill(self, name: TopicPartition, flag: bool) -> None:
        """Begin anew: what the broker was told in its life before counts no more."""
        self.requests.clear()
        self.outbox.refill(self.state, restarted=flag)

    def _put(self, name: TopicPartition, part: Partition) -> None:
        self.epoch += 1
        if name.topic not in self.state.topics:
            self.state = apply(self.state, [SetTopic(name.topic, topic(name.topic, {}))])
        self.state = apply(self.state, [SetPartition(name, part)])


@contextmanager
def small_requests() -> Iterator[None]:
    """Let a request carry so little that changes fall between two of a refill."""
    with (
        mock.patch.object(limits, "REPLICAS_PER_REQUEST", 2),
        mock.patch.object(limits, "NOTICES_PER_REQUEST", 3),
    ):
        yield


CHANGES = ("lead", "add", "elect", "stop", "publish", "remove")
Step = tuple[str, TopicPartition, bool]


def steps(*words: str, most: int = 25) -> st.SearchStrategy[list[Step]]:
    step = st.tuples(st.sampled_from(words), st.sampled_from(NAMES), st.booleans())
    return st.lists(step, max_size=most)


def pair(*told: list[Step]) -> tuple[Line, Line]:
    """Two lines to which the same happened, one with each kind of refill."""
    lines = Line(), Line(outbox=ByName(broker(2)))
    for line in lines:
        for part in told:
            for what, name, flag in part:
                if what != "take" or line.outbox.in_flight is None:
                    getattr(line, what)(name, flag)
    return lines


def all_told(line: Line) -> list[tuple[TopicPartition, Told]]:
    return sorted(
        ((name, told) for request in line.requests for name, told in request.items()),
        key=lambda row: (row[0], row[1].kind.name, row[1].flag),
    )


@budget(max_examples=200, deadline=None)
@given(steps(*CHANGES, most=8), st.booleans(), steps(*CHANGES))
def test_what_changes_before_anything_is_sent_is_told_as_if_held_by_name(
    before: list[Step], restarted: bool, after: list[Step]
) -> None:
    refill: list[Step] = [("refill", NAMES[0], restarted)]
    with small_requests():
        lazy, eager = pair(before, refill, after)
        for line in (lazy, eager):
            line.drain()
    assert all_told(lazy) == all_told(eager)


@budget(max_examples=200, deadline=None)
@given(steps(*CHANGES, "refill", "take", "take", "answer", "answer", "lose", most=60))
def test_whatever_happens_meanwhile_the_broker_ends_up_knowing_the_same(told: list[Step]) -> None:
    with small_requests():
        lazy, eager = pair([("refill", NAMES[0], False)], told)
        for line in (lazy, eager):
            line.lose(NAMES[0], flag=False)
            line.drain()
    assert knowledge(lazy) == knowledge(eager)


def knowledge(line: Line) -> dict[TopicPartition, tuple[object, object]]:
    """By partition: the last order to the replica, and the last notice, as far as they stand."""
    orders: dict[TopicPartition, object] = {}
    notices: dict[TopicPartition, object] = {}
    for request in line.requests:
        for name, told in request.items():
            match told.kind:
                case Kind.UPDATE_METADATA:
                    notices[name] = (told.flag, told.leader_epoch)
                case Kind.LEADER_AND_ISR:
                    orders[name] = ("lead", told.leader_epoch)
                case Kind.STOP_REPLICA:
                    orders[name] = ("stop", told.flag)
    # Of what is no replica any more, and was not told to stop, nothing is promised: whether it
    # was led in between depends on which request was on its way.
    stands = {
        name: orders[name]
        for name in orders
        if line.state.is_replica(name, 2) or orders[name] == ("stop", True)
    }
    return {name: (stands.get(name), notices.get(name)) for name in NAMES}


def test_a_refill_holds_no_line_for_a_partition() -> None:
    line = Line()
    line.outbox.refill(line.state)
    for name in NAMES:
        line.outbox.lead(name, is_new=False)
        line.outbox.publish(name)
    assert not line.outbox.leads
    assert not line.outbox.notices
    line.drain()
    assert [kinds_of(line, name) for name in NAMES] == [
        [Kind.LEADER_AND_ISR, Kind.UPDATE_METADATA]
    ] * len(NAMES)


def kinds_of(line: Line, name: TopicPartition) -> list[Kind]:
    return [request[name].kind for request in line.requests if name in request]


def test_a_topic_without_an_id_waits_and_holds_up_no_other() -> None:
    protocol = by_name("2.8-IV0")
    assert protocol.topic_ids
    line = Line()
    for name in TOPICS[1:]:
        line.state = apply(line.state, [SetTopic(name, with_id(line.state.topics[name]))])
    line.outbox.refill(line.state)
    told: list[str] = []

    def drain() -> None:
        while due := line.outbox.next_request(line.state, protocol, 1):
            led = [n.topic for n, row in rows(due[0]) if row.kind is Kind.LEADER_AND_ISR]
            told.extend(led)
            line.outbox.in_flight = None

    drain()
    assert told == ["b", "b", "c", "c"]
    line.state = apply(line.state, [SetTopic("a", with_id(line.state.topics["a"]))])
    drain()
    assert told[4:] == ["a", "a"]


def with_id(bare: Topic) -> Topic:
    return Topic(bare.name, bare.version, bare.partitions, DRAWN, bare.bare)
