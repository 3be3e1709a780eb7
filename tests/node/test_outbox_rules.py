"""A property for each promise of an outbox, whatever is said, sent, answered and lost."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.clusters import broker, cluster, partition, topic
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from klamm.controller.brokers.outbox import InFlight, Kind, Outbox
from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetPartition, SetTopic
from klamm.controller.core.ibp import DEFAULT
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

#: One partition each of three topics.
NAMES = tuple(TopicPartition(topic, 0) for topic in "abc")
GONE = -2


@dataclass(frozen=True)
class Told:
    """What one request told of one partition: flag is is_new, delete, or gone."""

    kind: Kind
    flag: bool
    leader_epoch: int


@dataclass
class Slow:
    """The outbox of broker 2, the state, and a network that takes, answers or loses requests."""

    state: ClusterState = field(
        default_factory=lambda: cluster(
            (1, 2, 3), *(topic(name.topic, {0: partition((1, 2))}) for name in NAMES)
        )
    )
    outbox: Outbox = field(default_factory=lambda: Outbox(broker(2)))
    requests: list[dict[TopicPartition, Told]] = field(default_factory=list)
    epoch: int = 3

    # Each step is what the controller does at such a moment: the state first, then the order.

    def lead(self, name: TopicPartition, flag: bool) -> None:
        self._set(name, (1, 2))
        self.outbox.lead(name, flag)
        self.outbox.publish(name)

    def stop(self, name: TopicPartition, flag: bool) -> None:
        self._set(name, (1, 3))
        self.outbox.stop(name, flag)
        self.outbox.publish(name)

    def publish(self, name: TopicPartition, flag: bool) -> None:
        part = self.state.partition(name)
        self._set(name, part.assignment.replicas if part else (1, 3))
        self.outbox.publish(name)

    def remove(self, name: TopicPartition, flag: bool) -> None:
        self.state = apply(self.state, [SetTopic(name.topic, None)])
        self.outbox.withdraw(name)

    def take(self, name: TopicPartition, flag: bool) -> None:
        due = self.outbox.next_request(self.state, DEFAULT, len(self.requests) + 1)
        if due is not None:
            self.requests.append(dict(rows(due[0])))

    def answer(self, name: TopicPartition, flag: bool) -> None:
        self.outbox.in_flight = None

    def lose(self, name: TopicPartition, flag: bool) -> None:
        sent, self.outbox.in_flight = self.outbox.in_flight, None
        if sent is not None:
            self.outbox.put_back(sent, self.state)

    def drain(self) -> None:
        """Answer what is on its way, and take and answer the rest."""
        for _ in range(50):
            self.answer(NAMES[0], flag=False)
            self.take(NAMES[0], flag=False)
            if self.outbox.in_flight is None:
                return
        raise AssertionError("the outbox never empties")

    def _set(self, name: TopicPartition, replicas: tuple[int, ...]) -> None:
        self.epoch += 1
        if name.topic not in self.state.topics:
            self.state = apply(self.state, [SetTopic(name.topic, topic(name.topic, {}))])
        made = partition(replicas, leader_epoch=self.epoch)
        self.state = apply(self.state, [SetPartition(name, made)])


def rows(message: Message) -> Iterator[tuple[TopicPartition, Told]]:
    match message:
        case LeaderAndIsrRequest():
            for led in message.topic_states:
                for part in led.partition_states:
                    name = TopicPartition(led.topic_name, part.partition_index)
                    yield name, Told(Kind.LEADER_AND_ISR, part.is_new, part.leader_epoch)
        case UpdateMetadataRequest():
            for known in message.topic_states:
                for notice in known.partition_states:
                    name = TopicPartition(known.topic_name, notice.partition_index)
                    gone = notice.leader == GONE
                    yield name, Told(Kind.UPDATE_METADATA, gone, notice.leader_epoch)
        case StopReplicaRequest():
            for stopped in message.topics:
                for number in stopped.partition_indexes:
                    name = TopicPartition(stopped.name, number)
                    yield name, Told(Kind.STOP_REPLICA, message.delete_partitions, 0)
        case other:
            raise AssertionError(other)


WORDS = ("lead", "stop", "publish", "remove", "take", "answer", "lose")
STEPS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(NAMES), st.booleans()), max_size=30
)
Step = tuple[str, TopicPartition, bool]
whatever_happens = given(STEPS)
thoroughly = budget(max_examples=60, deadline=None)


def run(line: Slow, steps: list[Step], look: Callable[[str, TopicPartition, bool], Any]) -> None:
    """Take the steps; look at each when it is done. Only one request is ever on its way."""
    for what, name, flag in steps:
        if what == "take" and line.outbox.in_flight is not None:
            continue
        getattr(line, what)(name, flag)
        look(what, name, flag)


@thoroughly
@whatever_happens
def test_is_new_stays_true_until_it_was_sent_and_arrived(steps: list[Step]) -> None:
    line, new, flying = Slow(), set[TopicPartition](), set[TopicPartition]()

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        if what in ("stop", "remove"):
            new.discard(name)
            flying.discard(name)
        elif what == "lead" and flag:
            new.add(name)
        elif what == "take" and line.outbox.in_flight is not None:
            told = line.requests[-1]
            for each, said in told.items():
                if said.kind is Kind.LEADER_AND_ISR:
                    assert said.flag == (each in new), each
                    flying.update({each} & new)
                    new.discard(each)
        elif what == "answer":
            flying.clear()
        elif what == "lose":
            new.update(flying)
            flying.clear()

    run(line, steps, look)


@thoroughly
@whatever_happens
def test_every_request_tells_the_newest_epoch(steps: list[Step]) -> None:
    line = Slow()

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        if what != "take" or line.outbox.in_flight is None:
            return
        for each, said in line.requests[-1].items():
            part = line.state.partition(each)
            if said.kind is Kind.STOP_REPLICA or (said.flag and said.kind is Kind.UPDATE_METADATA):
                continue
            assert part is not None
            assert part.leadership is not None
            assert said.leader_epoch == part.leadership.leader_epoch

    run(line, steps, look)


@thoroughly
@whatever_happens
def test_what_is_gone_is_forgotten_before_its_name_is_told_again(steps: list[Step]) -> None:
    line, owed = Slow(), set[TopicPartition]()

    def hear() -> None:
        for each, said in line.requests[-1].items():
            if said.kind is Kind.UPDATE_METADATA:
                assert said.flag or each not in owed, "an old partition lives on"

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        sent = line.outbox.in_flight
        if what == "remove":
            owed.add(name)
        elif what == "take" and sent is not None:
            hear()
        elif what == "answer":
            owed.difference_update(heard)
        heard.clear()
        if line.outbox.in_flight is not None:
            newest = line.requests[-1]
            heard.update(n for n, told in newest.items() if told.flag and is_notice(told))
        if what == "remove":
            heard.discard(name)

    heard: set[TopicPartition] = set()
    run(line, steps, look)
    line.lose(NAMES[0], flag=False)
    before = len(line.requests)
    line.drain()
    told = {
        name
        for request in line.requests[before:]
        for name, said in request.items()
        if said.flag and is_notice(said)
    }
    assert owed <= told


def is_notice(told: Told) -> bool:
    return told.kind is Kind.UPDATE_METADATA


@thoroughly
@whatever_happens
def test_no_replica_is_told_to_stop(steps: list[Step]) -> None:
    line = Slow()

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        if what == "take" and line.outbox.in_flight is not None:
            for each, said in line.requests[-1].items():
                if said.kind is Kind.STOP_REPLICA:
                    assert not line.state.is_replica(each, 2)

    run(line, steps, look)


@thoroughly
@whatever_happens
def test_what_is_on_its_way_never_changes(steps: list[Step]) -> None:
    line, seen = Slow(), dict[int, InFlight]()

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        sent = line.outbox.in_flight
        if sent is not None:
            first = seen.setdefault(
                sent.number, replace(sent, flags=dict(sent.flags), epochs=dict(sent.epochs))
            )
            assert sent == first

    run(line, steps, look)


@thoroughly
@given(STEPS, st.booleans())
def test_a_new_epoch_begins_with_everything_and_nothing_else(
    steps: list[Step], restarted: bool
) -> None:
    line = Slow()
    run(line, steps, lambda what, name, flag: None)
    fresh = Slow(line.state, Outbox(line.outbox.broker))
    for each in (line, fresh):
        each.outbox.refill(line.state, restarted)
        each.requests.clear()
        each.drain()
    assert line.requests == fresh.requests
    everything = {name: kinds(fresh, name) for name, _ in line.state.partitions()}
    for name, told in everything.items():
        replica = line.state.is_replica(name, 2)
        assert told == ({Kind.UPDATE_METADATA} | ({Kind.LEADER_AND_ISR} if replica else set()))


def kinds(line: Slow, name: TopicPartition) -> set[Kind]:
    return {request[name].kind for request in line.requests if name in request}


@thoroughly
@whatever_happens
def test_a_slow_broker_costs_a_few_lines_for_each_partition(steps: list[Step]) -> None:
    line = Slow()

    def look(what: str, name: TopicPartition, flag: bool) -> None:
        box = line.outbox
        assert not box.leads.keys() & box.stops.keys()
        assert len(box.leads) + len(box.stops) <= len(NAMES)
        assert len(box.notices) <= len(NAMES)
        assert len(box.withdrawals) <= len(NAMES)

    run(line, steps, look)


@thoroughly
@whatever_happens
def test_in_the_end_the_broker_knows_what_is(steps: list[Step]) -> None:
    line = Slow()
    touched = {name for what, name, _ in steps if what in ("lead", "stop", "publish")}
    run(line, steps, lambda what, name, flag: None)
    line.lose(NAMES[0], flag=False)
    line.drain()
    for name in touched:
        newest = [request[name] for request in line.requests if name in request]
        notices = [told for told in newest if is_notice(told)]
        part = line.state.partition(name)
        if part is None:
            assert notices[-1].flag, "it was told that it is gone"
        else:
            assert part.leadership is not None
            assert notices[-1].leader_epoch == part.leadership.leader_epoch
