"""Targets that must not change how many replicas a partition has (KIP-860)."""

import pytest
from core.clusters import Ledger, T, one, partition

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.validation import NOT_MOVING

ONLINE = (1, 2, 3, 4)


def ask(book: Ledger, *target: int) -> object:
    return book.ask(AlterReassignment(T, target, keeps_factor=True))


def test_targets_of_the_same_size_are_taken() -> None:
    book = Ledger(one(ONLINE, partition((1, 2))))
    assert ask(book, 3, 4) == Done()
    assert book.t.assignment.target == (3, 4)


@pytest.mark.parametrize("target", [(3,), (1, 2, 3)])
def test_others_are_refused(target: tuple[int, ...]) -> None:
    book = Ledger(one(ONLINE, partition((1, 2))))
    text = f"The replication factor is changed from 2 to {len(target)}"
    assert ask(book, *target) == Refusal(Fault.INVALID_REPLICATION_FACTOR, text)
    assert book.t == partition((1, 2))


def test_during_a_move_the_size_of_its_target_counts() -> None:
    book = Ledger(one(ONLINE, partition((1, 2))))
    assert book.ask(AlterReassignment(T, (2, 3, 4))) == Done()
    assert ask(book, 1, 2) == Refusal(
        Fault.INVALID_REPLICATION_FACTOR, "The replication factor is changed from 3 to 2"
    )
    assert ask(book, 1, 3, 4) == Done()


def test_what_is_wrong_with_the_target_itself_is_said_first() -> None:
    book = Ledger(one(ONLINE, partition((1, 2))))
    for target in ((), (3, 3, 4), (1, 2, 9)):
        answer = ask(book, *target)
        assert isinstance(answer, Refusal)
        assert answer.fault is Fault.INVALID_REPLICA_ASSIGNMENT


def test_a_cancel_has_no_size() -> None:
    book = Ledger(one(ONLINE, partition((1, 2))))
    cancel = AlterReassignment(T, None, keeps_factor=True)
    assert book.ask(cancel) == NOT_MOVING
    assert book.ask(AlterReassignment(T, (2, 3, 4))) == Done()
    assert book.ask(cancel) == Done()
    assert not book.t.assignment.moving
