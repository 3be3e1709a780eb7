"""The last leader epoch that an int32 can hold: no election follows it, and nothing breaks."""

import pytest
from core.clusters import Ledger, T, brokers, one, partition

from klamm.controller.core.events import AlterReassignment, BrokersRead, CheckPartition, Event
from klamm.controller.core.model import Assignment, Partition
from klamm.controller.core.results import Fault, Refusal

LAST = 2**31 - 1


def last(adding: tuple[int, ...] = (), leader_epoch: int = LAST) -> Partition:
    return partition((1, 2, 3, *adding), adding, leader=1, isr=(1, 2, 3), leader_epoch=leader_epoch)


@pytest.mark.parametrize(
    "event",
    [
        BrokersRead(brokers(2, 3, 4)),
        CheckPartition(T, restarted=frozenset({1})),
        CheckPartition(T, reassigned=True),
    ],
)
def test_no_leader_is_elected_after_it(event: Event) -> None:
    book = Ledger(one((1, 2, 3, 4), last()))
    book.settle(event)
    assert book.t == last()
    assert any(entry.kind == "stuck" for entry in book.entries)
    assert "t-0: leader epoch 2147483647 is the last" in book.entries[-1].text


@pytest.mark.parametrize("target", [(2, 3, 4), None])
def test_a_move_is_neither_started_nor_cancelled(target: tuple[int, ...] | None) -> None:
    before = last() if target else last(adding=(4,))
    book = Ledger(one((1, 2, 3, 4), before))
    result = book.ask(AlterReassignment(T, target))
    assert isinstance(result, Refusal)
    assert result.fault is Fault.UNKNOWN_SERVER_ERROR
    assert "t-0 cannot be moved: leader epoch 2147483647" in result.message
    assert book.t == before


def test_a_move_that_could_end_stays() -> None:
    moving = partition((4, 1), (4,), (1,), leader=1, isr=(1, 4), leader_epoch=LAST)
    book = Ledger(one((1, 4), moving))
    book.settle(CheckPartition(T))
    assert book.t == moving


def test_the_epoch_before_it_still_elects() -> None:
    book = Ledger(one((1, 2, 3), last(leader_epoch=LAST - 1)))
    book.settle(BrokersRead(brokers(2, 3)))
    assert book.t.leadership is not None
    assert (book.t.leader, book.t.leadership.leader_epoch) == (2, LAST)
    assert book.t.assignment == Assignment((1, 2, 3))
