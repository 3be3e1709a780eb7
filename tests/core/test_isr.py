"""AlterPartition: what a leader may do to its ISR, in order of the checks, and what follows."""

from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import EPOCH, Ledger, T, cluster, one, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CheckPartition,
    CreateTopic,
    DeleteTopic,
    Event,
    ShutDownBroker,
)
from klamm.controller.core.model import (
    Assignment,
    Deletion,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.plan import Publish, Stop
from klamm.controller.core.results import Done, Fault, IsrAltered, Refusal
from klamm.controller.znodes import paths

ID = UUID(int=7)
#: As `partition` makes it: leader 1 in leader epoch 3 and partition epoch 7.
PART = partition((1, 2, 3), isr=(1, 2))
WISH = AlterPartition(
    T, broker=1, broker_epoch=101, leader_epoch=3, partition_epoch=7, isr=(1, 2, 3)
)


def book(part: Partition = PART, online: tuple[int, ...] = (1, 2, 3, 4)) -> Ledger:
    return Ledger(cluster(online, replace(topic("t", {0: part}), topic_id=ID)))


def recovering(isr: tuple[int, ...] = (1,)) -> Partition:
    part = partition((1, 2, 3), isr=isr)
    assert part.leadership is not None
    return replace(part, leadership=replace(part.leadership, leader_recovery_state=1))


def test_a_leader_alters_its_isr_in_one_write_and_everybody_is_told() -> None:
    ledger = book()
    (commit,) = ledger.plan(WISH)
    ledger.carry_out(commit)
    assert [op.path for op in commit.ops] == [paths.state(*T)]
    after = Leadership(1, 3, (1, 2, 3), EPOCH, 8)
    assert ledger.t.leadership == after
    assert ledger.results == {1: [IsrAltered(after)]}
    # No leader epoch has begun, so only clients have something to learn.
    assert ledger.messages == [Publish(T)]
    assert commit.follow_ups == (CheckPartition(T),)


@pytest.mark.parametrize(
    ("part", "wish", "fault"),
    [
        # In order of the checks; each row is also wrong in the sense of those after it.
        (PART, replace(WISH, broker=9, leader_epoch=9), Fault.STALE_BROKER_EPOCH),
        (PART, replace(WISH, broker_epoch=100, leader_epoch=9), Fault.STALE_BROKER_EPOCH),
        (PART, replace(WISH, broker_epoch=102, leader_epoch=9), Fault.STALE_BROKER_EPOCH),
        (PART, replace(WISH, topic_id=UUID(int=8), leader_epoch=9), Fault.UNKNOWN_TOPIC_ID),
        (
            PART,
            replace(WISH, partition=TopicPartition("", 0), topic_id=ID, leader_epoch=9),
            Fault.UNKNOWN_TOPIC_ID,
        ),
        (
            PART,
            replace(WISH, partition=TopicPartition("t", 1), leader_epoch=9),
            Fault.UNKNOWN_TOPIC_OR_PARTITION,
        ),
        (
            Partition(Assignment((1, 2, 3))),
            replace(WISH, leader_epoch=9),
            Fault.UNKNOWN_TOPIC_OR_PARTITION,
        ),
        (PART, replace(WISH, leader_epoch=4, partition_epoch=6), Fault.NOT_CONTROLLER),
        (PART, replace(WISH, partition_epoch=8, leader_epoch=2), Fault.NOT_CONTROLLER),
        (PART, replace(WISH, leader_epoch=2, partition_epoch=6), Fault.FENCED_LEADER_EPOCH),
        # N6: Kafka makes any sender with the right epochs the leader.
        (
            PART,
            replace(WISH, broker=2, broker_epoch=102, partition_epoch=6),
            Fault.INVALID_REQUEST,
        ),
        (PART, replace(WISH, partition_epoch=6, isr=(1, 9)), Fault.INVALID_UPDATE_VERSION),
        (PART, replace(WISH, leader_recovery_state=2), Fault.INVALID_REQUEST),
        (recovering(), replace(WISH, leader_recovery_state=1, isr=(1, 9)), Fault.INVALID_REQUEST),
        (PART, replace(WISH, leader_recovery_state=1, isr=(1,)), Fault.INVALID_REQUEST),
        # N6: an ISR outside the replicas, or without its leader, or none at all.
        (PART, replace(WISH, isr=(1, 4)), Fault.INVALID_REQUEST),
        (PART, replace(WISH, isr=(2, 3)), Fault.INVALID_REQUEST),
        (PART, replace(WISH, isr=()), Fault.INVALID_REQUEST),
        (PART, replace(WISH, isr=(1, 2, 2)), Fault.INVALID_REQUEST),
        (partition((1, 2, 5), isr=(1, 2)), replace(WISH, isr=(1, 5)), Fault.INELIGIBLE_REPLICA),
    ],
)
def test_every_refusal_in_order(part: Partition, wish: AlterPartition, fault: Fault) -> None:
    ledger = book(part)
    before = dict(ledger.tree.nodes)
    answer = ledger.ask(wish)
    assert isinstance(answer, Refusal)
    assert answer.fault is fault
    assert answer.message
    assert ledger.t == part
    assert ledger.tree.nodes == before
    assert ledger.messages == []


@pytest.mark.parametrize("begins", ["check", "creation"])
def test_who_is_made_leader_in_the_same_turn_cannot_know_it(begins: str) -> None:
    wish = replace(WISH, leader_epoch=0, partition_epoch=0, isr=(1,))
    ledger = book(Partition(Assignment((1, 2, 3))))
    if begins == "check":
        first: Event = CheckPartition(T)
    else:
        first = CreateTopic("new", -1, -1, {0: (1, 2)}, {}, 0, 0)
        wish = replace(wish, partition=TopicPartition("new", 0))
    ledger.turn(first, wish)
    (refused,) = ledger.results[2]
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.UNKNOWN_TOPIC_OR_PARTITION
    led = ledger.state.partition(wish.partition)
    assert led is not None
    assert led.leadership is not None
    assert led.leadership.leader_epoch == 0


def test_a_topic_whose_deletion_has_started_has_no_leaders() -> None:
    ledger = book()
    ledger.state = replace(ledger.state, deleting={"t": Deletion(logs={})})
    refused = ledger.ask(WISH)
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.UNKNOWN_TOPIC_OR_PARTITION


def test_a_leader_asks_again_while_the_deletion_of_its_topic_is_not_written() -> None:
    ledger = book()
    ledger.turn(DeleteTopic("t"), WISH)
    assert ledger.results[1] == [Done()]
    (refusal,) = ledger.results[2]
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.OPERATION_NOT_ATTEMPTED


def test_what_cannot_be_read_is_not_attempted_so_that_the_leader_asks_again() -> None:
    ledger = book()
    ledger.state = replace(ledger.state, unreadable={paths.state(*T): "no JSON"})
    answer = ledger.ask(WISH)
    assert isinstance(answer, Refusal)
    assert answer.fault is Fault.OPERATION_NOT_ATTEMPTED
    assert "no JSON" in answer.message


@pytest.mark.parametrize("partition_epoch", [0, 6, 7])
def test_the_same_state_again_is_no_error_also_in_an_older_partition_epoch(
    partition_epoch: int,
) -> None:
    ledger = book()
    wish = replace(WISH, isr=(1, 2), partition_epoch=partition_epoch)
    assert ledger.ask(wish) == IsrAltered(Leadership(1, 3, (1, 2), EPOCH - 1, 7))
    assert ledger.messages == []


def test_the_same_members_in_another_order_are_another_state() -> None:
    ledger = book()
    answer = ledger.ask(replace(WISH, isr=(2, 1)))
    assert answer == IsrAltered(Leadership(1, 3, (2, 1), EPOCH, 8))


def test_a_topic_may_be_named_by_its_id_as_well() -> None:
    assert isinstance(book().ask(replace(WISH, topic_id=ID)), IsrAltered)


def test_a_leader_recovers_and_then_its_isr_grows() -> None:
    ledger = book(recovering())
    again = ledger.ask(replace(WISH, isr=(1,), leader_recovery_state=1))
    assert isinstance(again, IsrAltered)
    assert again.leadership.version == 7
    answer = ledger.ask(WISH)
    assert isinstance(answer, IsrAltered)
    assert answer.leadership.leader_recovery_state == 0
    assert answer.leadership.isr == (1, 2, 3)


def test_who_is_shutting_down_joins_no_isr_but_may_lead_one() -> None:
    ledger = book(partition((1, 2, 3), isr=(1,)))
    ledger.settle(ShutDownBroker(3, 103))
    refused = ledger.ask(WISH)
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INELIGIBLE_REPLICA
    ledger.settle(ShutDownBroker(1, 101))
    assert isinstance(ledger.ask(replace(WISH, isr=(1, 2))), IsrAltered)


def test_two_wishes_of_one_turn_are_one_write_for_the_first() -> None:
    ledger = book()
    first, second = replace(WISH, isr=(1,)), replace(WISH, isr=(1, 2, 3))
    (commit,) = ledger.plan(first, second, first)
    ledger.carry_out(commit)
    altered = IsrAltered(Leadership(1, 3, (1,), EPOCH, 8))
    (refused,) = ledger.results[2]
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INVALID_UPDATE_VERSION
    assert (ledger.results[1], ledger.results[3]) == ([altered], [altered])


def test_what_a_start_of_the_same_turn_overtakes_is_fenced_and_done_all_the_same() -> None:
    """The answer would otherwise say of an epoch that it is, when it has passed already."""
    for events in (
        (WISH, AlterReassignment(T, (4, 2, 3))),
        (AlterReassignment(T, (4, 2, 3)), WISH),
    ):
        ledger = book()
        (commit,) = ledger.plan(*events)
        ledger.carry_out(commit)
        ((fenced,),) = (ledger.results[1 + events.index(WISH)],)
        assert isinstance(fenced, Refusal)
        assert fenced.fault is Fault.FENCED_LEADER_EPOCH
        assert ledger.results[2 - events.index(WISH)] == [Done()]
        leadership = ledger.t.leadership
        assert leadership is not None
        joined = events[0] is WISH
        assert leadership == Leadership(1, 4, (1, 2, 3) if joined else (1, 2), EPOCH, 8)


def test_the_last_member_that_joins_ends_the_move_in_the_next_turn() -> None:
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=1, isr=(1, 2, 3))
    ledger = book(moving)
    following = ledger.turn(replace(WISH, isr=(1, 2, 3, 4)))
    assert ledger.t.assignment.moving
    messages = ledger.settle(*following)
    assert ledger.t.assignment == Assignment((4, 3, 2))
    assert Stop(T, 1, delete=False) in messages


@given(
    st.lists(st.integers(1, 5), max_size=4).map(tuple),
    st.integers(1, 5),
    st.integers(2, 4),
    st.integers(6, 8),
)
def test_whatever_is_asked_an_isr_has_its_leader_and_replicas_alone(
    isr: tuple[int, ...], sender: int, leader_epoch: int, partition_epoch: int
) -> None:
    ledger = Ledger(one((1, 2, 3, 4, 5), partition((1, 2, 3, 4), isr=(1, 2))))
    wish = AlterPartition(T, sender, sender + 100, leader_epoch, partition_epoch, isr)
    answer = ledger.ask(wish)
    leadership = ledger.t.leadership
    assert leadership is not None
    assert (leadership.leader, leadership.leader_epoch) == (1, 3)
    assert 1 in leadership.isr
    assert set(leadership.isr) <= {1, 2, 3, 4}
    if isinstance(answer, IsrAltered):
        assert (sender, leader_epoch) == (1, 3)
        assert answer.leadership == leadership
        assert leadership.isr == isr
    else:
        assert leadership.version == 7
