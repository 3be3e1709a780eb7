"""Requests are decided on what the facts of the same turn make of their partitions."""

import pytest
from core.clusters import Ledger, T, broker, brokers, one, partition

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    BrokersRead,
    ElectPreferred,
    RequestEvent,
)
from klamm.controller.core.model import NO_LEADER, Partition
from klamm.controller.core.results import Done, Fault, Refusal, Result

#: Broker 1 was gone for a moment, and is back with another registration.
BOUNCED = BrokersRead({**brokers(2, 3), 1: broker(1, epoch=900)})
GONE = BrokersRead(brokers(2, 3))


def after(part: Partition, fact: BrokersRead, event: RequestEvent) -> tuple[Ledger, Result]:
    book = Ledger(one((1, 2, 3), part))
    book.turn(fact, event)
    ((answer,),) = (book.results[2],)
    return book, answer


def led(book: Ledger) -> tuple[int, tuple[int, ...]]:
    assert book.t.leadership is not None
    return book.t.leader, book.t.leadership.isr


@pytest.mark.parametrize("fact", [BOUNCED, GONE])
def test_a_move_that_starts_does_not_keep_a_leader_that_was_gone(fact: BrokersRead) -> None:
    target = (1, 3) if fact is BOUNCED else (2, 3)
    book, answer = after(partition((1, 2)), fact, AlterReassignment(T, target))
    assert answer == Done()
    assert led(book) == (2, (2,))


@pytest.mark.parametrize("fact", [BOUNCED, GONE])
def test_a_cancel_never_leaves_the_data_to_who_was_gone(fact: BrokersRead) -> None:
    moving = partition((2, 1), (2,), (1,), leader=1, isr=(1, 2))
    book, answer = after(moving, fact, AlterReassignment(T, None))
    assert isinstance(answer, Refusal)
    assert "unclean" in answer.message
    assert led(book) == (2, (2,))
    assert book.t.assignment.moving


def test_who_was_gone_is_not_preferred() -> None:
    book, answer = after(partition((1, 2, 3), leader=2), BOUNCED, ElectPreferred(T))
    assert isinstance(answer, Refusal)
    assert answer.fault is Fault.PREFERRED_LEADER_NOT_AVAILABLE
    assert led(book) == (2, (2, 3))


@pytest.mark.parametrize("sender", [1, 2])
def test_a_leader_that_speaks_of_what_was_is_fenced(sender: int) -> None:
    epoch = {1: 900, 2: 102}[sender]
    wish = AlterPartition(T, sender, epoch, 3, 7, (sender,))
    part = partition((1, 2, 3), leader=sender)
    book, answer = after(part, BOUNCED, wish)
    assert isinstance(answer, Refusal)
    assert answer.fault is Fault.FENCED_LEADER_EPOCH
    assert led(book) == (2, (2, 3))


def test_where_nothing_has_changed_a_request_writes_nothing_more() -> None:
    book, answer = after(partition((2, 3)), BOUNCED, AlterReassignment(T, (2, 3)))
    assert answer == Done()
    assert book.t == partition((2, 3))


def test_a_leader_and_members_of_the_isr_that_are_no_replicas_are_replaced() -> None:
    """As after a cancel of which a stock controller wrote the topic's znode alone."""
    stray = partition((2, 3), leader=1, isr=(1, 2, 3))
    book, answer = after(stray, BrokersRead(brokers(1, 2, 3)), AlterReassignment(T, (3, 2)))
    assert answer == Done()
    assert led(book) == (2, (2, 3))
    lost = partition((2, 3), leader=1, isr=(1,))
    book, answer = after(lost, BrokersRead(brokers(1, 2, 3)), AlterReassignment(T, (2, 3)))
    # Who has the data is no replica any more: nobody leads until somebody says who shall.
    assert led(book) == (NO_LEADER, (1,))
