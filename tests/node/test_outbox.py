"""What a broker must still be told: one property per rule of merging, and all of them at random."""

from dataclasses import dataclass, field, replace

import pytest
from core.clusters import T, broker, brokers, cluster, one, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.brokers.outbox import (
    NEW_REPLICAS_PER_REQUEST,
    NOTICES_PER_REQUEST,
    REPLICAS_PER_REQUEST,
    Kind,
    Outbox,
)
from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetPartition, SetTopic
from klamm.controller.core.ibp import DEFAULT
from klamm.controller.core.model import (
    Assignment,
    Awaiting,
    ClusterState,
    Partition,
    TopicPartition,
)
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

NAMES = [TopicPartition("t", n) for n in range(3)]
#: The broker of a `Line` is no replica here, so that a stop is as true as any order can be.
STATE = cluster((1, 2, 3), topic("t", {n: partition((1, 3)) for n in range(3)}))
REPLICA = cluster((1, 2, 3), topic("t", {n: partition((1, 2)) for n in range(3)}))


@dataclass
class Line:
    """An outbox and the end of its link: what was handed out, by kind and partition."""

    state: ClusterState = STATE
    outbox: Outbox = field(default_factory=lambda: Outbox(broker(2)))
    number: int = 0

    def take(self) -> Message | None:
        self.number += 1
        due = self.outbox.next_request(self.state, DEFAULT, self.number)
        return due[0] if due else None

    def answer(self) -> None:
        self.outbox.in_flight = None

    def lead(self, name: TopicPartition, is_new: bool) -> None:
        """Make the broker a replica, and tell it the leadership."""
        self.state = apply(self.state, [SetPartition(name, partition((1, 2)))])
        self.outbox.lead(name, is_new)

    def stop(self, name: TopicPartition, delete: bool) -> None:
        """Make the broker none, and tell it to stop."""
        self.state = apply(self.state, [SetPartition(name, partition((1, 3)))])
        self.outbox.stop(name, delete)

    def put_back(self) -> None:
        """Lose what is in flight, if something is."""
        sent, self.outbox.in_flight = self.outbox.in_flight, None
        if sent is not None:
            self.outbox.put_back(sent, self.state)

    def drain(self) -> list[tuple[str, TopicPartition | None, bool]]:
        """Answer everything; one row per partition told, with is_new or delete."""
        rows: list[tuple[str, TopicPartition | None, bool]] = []
        for _ in range(100):
            message = self.take()
            if message is None:
                assert self.outbox.in_flight is None
                return rows
            rows.extend(told(message))
            self.answer()
        raise AssertionError("the outbox never empties")


def told(message: Message) -> list[tuple[str, TopicPartition | None, bool]]:
    match message:
        case LeaderAndIsrRequest():
            return [
                ("lead", TopicPartition(t.topic_name, p.partition_index), p.is_new)
                for t in message.topic_states
                for p in t.partition_states
            ]
        case UpdateMetadataRequest(topic_states=()):
            return [("announce", None, False)]
        case UpdateMetadataRequest():
            return [
                ("publish", TopicPartition(t.topic_name, p.partition_index), False)
                for t in message.topic_states
                for p in t.partition_states
            ]
        case StopReplicaRequest():
            return [
                ("stop", TopicPartition(t.name, n), message.delete_partitions)
                for t in message.topics
                for n in t.partition_indexes
            ]
    raise AssertionError(message)


def test_nothing_to_say() -> None:
    line = Line()
    assert line.take() is None
    assert line.outbox.in_flight is None


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
def test_rule_1_new_stays_new_until_it_is_sent(flags: tuple[bool, bool]) -> None:
    line = Line()
    for flag in flags:
        line.lead(T, flag)
    assert line.drain() == [("lead", T, True)]
    line.lead(T, False)
    assert line.drain() == [("lead", T, False)]


@pytest.mark.parametrize("delete", [False, True])
def test_rule_2_a_later_lead_takes_back_an_unsent_stop(delete: bool) -> None:
    line = Line()
    line.stop(T, delete)
    line.lead(T, True)
    assert line.drain() == [("lead", T, True)]


def test_rule_2_a_later_stop_takes_back_an_unsent_lead() -> None:
    line = Line()
    line.lead(T, True)
    line.stop(T, False)
    assert line.drain() == [("stop", T, False)]


@pytest.mark.parametrize("flags", [(True, False), (False, True)])
def test_rule_3_of_two_unsent_stops_the_one_that_deletes_stays(flags: tuple[bool, bool]) -> None:
    line = Line()
    for flag in flags:
        line.stop(T, flag)
    assert line.drain() == [("stop", T, True)]


def test_rule_4_what_is_in_flight_is_not_changed_and_nothing_follows_it() -> None:
    line = Line()
    line.lead(T, False)
    assert line.take() is not None
    sent = line.outbox.in_flight
    line.lead(T, True)
    line.stop(T, True)
    assert line.take() is None
    assert line.outbox.in_flight is sent
    line.answer()
    assert line.drain() == [("stop", T, True)]


def test_rule_4_a_broken_link_puts_a_lead_back_and_new_stays_new() -> None:
    line = Line()
    line.lead(T, True)
    line.take()
    line.lead(T, False)
    line.put_back()
    assert line.drain() == [("lead", T, True)]


def test_rule_4_what_came_since_counts_more_than_what_is_put_back() -> None:
    line = Line()
    line.lead(T, True)
    line.take()
    line.stop(T, True)
    line.put_back()
    assert line.drain() == [("stop", T, True)]
    line.stop(T, True)
    line.take()
    line.lead(T, False)
    line.put_back()
    assert line.drain() == [("lead", T, False)]


def test_rule_4_notices_and_announcements_are_put_back_too() -> None:
    line = Line()
    line.outbox.publish(NAMES[1])
    line.take()
    line.outbox.publish(NAMES[0])
    line.put_back()
    assert line.drain() == [("publish", NAMES[1], False), ("publish", NAMES[0], False)]
    line.outbox.announce = True
    line.take()
    assert not line.outbox.announce
    line.put_back()
    assert line.drain() == [("announce", None, False)]


def test_a_delete_that_is_put_back_still_deletes() -> None:
    line = Line()
    line.stop(T, True)
    line.take()
    line.put_back()
    assert line.drain() == [("stop", T, True)]


def test_a_delete_that_is_put_back_does_not_hurry_one_that_has_to_wait() -> None:
    """The replica was wanted again and is dropped again: its leader must know that first."""
    line = Line()
    line.stop(T, True)
    line.take()
    line.lead(T, True)
    line.stop(T, False)
    line.state = replace(line.state, awaiting={T: Awaiting(1, 9, (2,))})
    line.put_back()
    assert line.drain() == [("stop", T, False)]


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True), (False, False)])
def test_rule_3_holds_between_a_stop_that_is_put_back_and_one_that_came_since(
    flags: tuple[bool, bool],
) -> None:
    line = Line()
    line.stop(T, flags[0])
    line.take()
    line.stop(T, flags[1])
    line.put_back()
    assert line.drain() == [("stop", T, any(flags))]


def test_putting_back_without_a_request_is_nothing() -> None:
    line = Line()
    line.put_back()
    assert line.take() is None


@pytest.mark.parametrize("delete", [False, True])
def test_rule_5_a_stop_of_a_former_life_is_dropped(delete: bool) -> None:
    """The topic went and came back, and with it the replica."""
    line = Line()
    line.stop(T, delete)
    line.state = REPLICA
    assert line.take() is None
    line.state = STATE
    assert line.take() is None


def test_rule_5_holds_for_what_is_put_back_too() -> None:
    line = Line()
    line.stop(T, True)
    assert line.take() is not None
    line.state = REPLICA
    line.put_back()
    assert line.take() is None


def test_rule_5_what_is_gone_is_stopped_all_the_same() -> None:
    line = Line()
    line.stop(T, True)
    line.state = apply(STATE, [SetTopic("t", None)])
    assert line.drain() == [("stop", T, True)]


def test_rule_6_the_order_of_sending() -> None:
    line = Line()
    line.stop(NAMES[0], True)
    line.stop(NAMES[1], False)
    line.outbox.publish(NAMES[2])
    line.lead(NAMES[2], False)
    line.outbox.announce = True
    assert line.drain() == [
        ("announce", None, False),
        ("lead", NAMES[2], False),
        ("publish", NAMES[2], False),
        ("stop", NAMES[1], False),
        ("stop", NAMES[0], True),
    ]


def test_requests_are_made_of_the_state_when_they_are_sent() -> None:
    line = Line()
    line.lead(T, False)
    line.state = apply(STATE, [SetPartition(T, partition((2, 3), leader_epoch=9))])
    message = line.take()
    assert isinstance(message, LeaderAndIsrRequest)
    (state,) = message.topic_states[0].partition_states
    assert (state.leader, state.leader_epoch, state.replicas) == (2, 9, (2, 3))
    assert line.outbox.in_flight is not None
    assert line.outbox.in_flight.epochs == {T: 9}
    assert line.outbox.in_flight.kind is Kind.LEADER_AND_ISR


def test_what_is_gone_meanwhile_is_not_told() -> None:
    line = Line()
    line.lead(T, False)
    line.state = apply(STATE, [SetTopic("t", None)])
    assert line.take() is None
    line.state = STATE
    assert line.take() is None


# --- sizes -----------------------------------------------------------------------------------


def sizes(line: Line) -> list[int]:
    found = []
    while message := line.take():
        found.append(len(told(message)))
        line.answer()
    return found


def test_requests_have_a_largest_size() -> None:
    count = NOTICES_PER_REQUEST + 1
    state = cluster((1, 2), topic("t", dict.fromkeys(range(count), partition((1, 3)))))
    names = [TopicPartition("t", n) for n in range(count)]
    line = Line(state)
    for name in names:
        line.outbox.lead(name, is_new=False)
        line.outbox.publish(name)
    rest = count - 2 * REPLICAS_PER_REQUEST
    assert sizes(line) == [REPLICAS_PER_REQUEST, REPLICAS_PER_REQUEST, rest, NOTICES_PER_REQUEST, 1]
    for name in names[: REPLICAS_PER_REQUEST + 1]:
        line.outbox.stop(name, delete=True)
    assert sizes(line) == [REPLICAS_PER_REQUEST, 1]
    for n, name in enumerate(names[: 2 * NEW_REPLICAS_PER_REQUEST + 2]):
        line.outbox.lead(name, is_new=n % 2 == 0)
    assert sizes(line) == [2 * NEW_REPLICAS_PER_REQUEST - 1, 3]


def test_a_replica_that_was_stopped_in_between_is_not_new_again() -> None:
    """Rules 1 and 4: what was lost on its way was of a former life."""
    line = Line()
    line.lead(T, is_new=True)
    line.take()
    line.stop(T, delete=False)
    line.lead(T, is_new=False)
    line.put_back()
    assert [row for row in line.drain() if row[0] == "lead"] == [("lead", T, False)]


# --- refill ----------------------------------------------------------------------------------


def test_a_new_broker_is_told_everything_from_the_state() -> None:
    parts = {
        0: partition((1, 2)),
        1: partition((3, 1)),
        2: partition((2, 3, 1), (2,), (1,), leader=1, isr=(1, 3)),
        3: partition((2, 1), (2,), (), leader=1, isr=(1, 2)),
        4: Partition(Assignment((2, 9))),
    }
    line = Line(cluster((1, 2, 3), topic("t", parts)))
    line.outbox.stop(T, True)
    line.outbox.lead(TopicPartition("t", 1), True)
    line.take()
    line.outbox.refill(line.state)
    rows = line.drain()
    assert rows[0] == ("announce", None, False)
    leads = [(name.partition, new) for kind, name, new in rows if kind == "lead" and name]
    # New is only what may have no log: an addition that is not in sync.
    assert sorted(leads) == [(0, False), (2, True), (3, False)]
    notices = [name.partition for kind, name, _ in rows if kind == "publish" and name]
    assert notices == [0, 1, 2, 3]
    assert not [kind for kind, _, _ in rows if kind == "stop"]


def test_rule_6_a_node_hears_of_the_live_brokers_alone_when_it_has_heard_everything() -> None:
    line = Line(replace(STATE, nodes={901: broker(901)}), Outbox(broker(901)))
    line.outbox.refill(line.state)
    message = line.take()
    assert message is not None
    assert [name for _, name, _ in told(message)] == NAMES
    line.outbox.announce = True  # somebody has come meanwhile
    line.outbox.withdraw(T)
    line.put_back()
    rows = line.drain()
    assert rows[-1] == ("announce", None, False)
    assert [kind for kind, *_ in rows].count("announce") == 1
    assert {name for _, name, _ in rows[:-1]} == set(NAMES)


def test_a_broker_that_restarted_is_not_told_to_lead_on() -> None:
    parts = {0: partition((2, 1)), 1: partition((1, 2))}
    line = Line(cluster((1, 2), topic("t", parts)))
    line.outbox.refill(line.state, restarted=True)
    leads = [name for kind, name, _ in line.drain() if kind == "lead"]
    assert leads == [TopicPartition("t", 1)]


# --- anything --------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["lead", "stop", "publish", "announce", "take", "answer", "break"]),
        st.sampled_from(NAMES),
        st.booleans(),
    ),
    max_size=40,
)


@given(STEPS)
def test_whatever_was_said_in_whatever_order_the_newest_arrives(
    steps: list[tuple[str, TopicPartition, bool]],
) -> None:
    line = Line()
    newest: dict[TopicPartition | None, tuple[str, bool, int]] = {}
    flying: dict[TopicPartition | None, tuple[str, bool, int]] = {}

    def fly(message: Message) -> None:
        """What is told of a partition is the newest order, with every flag that it asked for."""
        for kind, name, flag in told(message):
            if kind in ("lead", "stop") and name in newest:
                assert (kind, flag or not newest[name][1]) == (newest[name][0], True)
                flying[name] = newest[name]

    def arrive() -> None:
        for name, order in flying.items():
            if newest[name] == order:
                del newest[name]
        flying.clear()
        line.answer()

    for moment, (what, name, flag) in enumerate(steps):
        match what:
            case "lead":
                line.lead(name, flag)
                newest[name] = ("lead", flag, moment)
            case "stop":
                line.stop(name, flag)
                newest[name] = ("stop", flag, moment)
            case "publish":
                line.outbox.publish(name)
            case "announce":
                line.outbox.announce = True
            case "take" if line.outbox.in_flight is None:
                message = line.take()
                if message is not None:
                    fly(message)
            case "answer":
                arrive()
            case "break":
                line.put_back()
                flying.clear()
    line.put_back()
    flying.clear()
    while message := line.take():
        fly(message)
        arrive()
    assert newest == {}


@given(STEPS)
def test_every_notice_arrives(steps: list[tuple[str, TopicPartition, bool]]) -> None:
    line = Line()
    owed: set[TopicPartition | None] = set()
    flying: set[TopicPartition | None] = set()
    for what, name, _ in steps:
        match what:
            case "publish":
                line.outbox.publish(name)
                owed.add(name)
                flying.discard(name)
            case "announce":
                line.outbox.announce = True
                owed.add(None)
                flying.discard(None)
            case "take" if line.outbox.in_flight is None:
                message = line.take()
                flying = {told_of for _, told_of, _ in told(message)} if message else set()
            case "answer":
                owed -= flying
                flying = set()
                line.answer()
            case "break":
                line.put_back()
                flying = set()
    line.put_back()
    rows = line.drain()
    assert owed <= {name for kind, name, _ in rows if kind in ("publish", "announce")}


def test_a_state_without_the_broker_itself_does_no_harm() -> None:
    line = Line(replace(one((1,), partition((1, 2))), brokers=brokers(1)))
    line.lead(T, False)
    assert line.drain() == [("lead", T, False)]
