"""Transactions on their way through the door, and the requests that they were part of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from klamm.controller.core.origins import Origin
from klamm.controller.node.effects import Journal, Severity
from klamm.controller.store.port import ReadResult
from klamm.controller.store.transaction import Decision, Transaction
from klamm.controller.store.witness import Inquiry


@dataclass(slots=True, eq=False)
class Visit:
    """One transaction on its way: what was read so far, and the decision being written."""

    request: int
    place: int
    transaction: Transaction[Any]
    found: list[ReadResult] = field(default_factory=list)
    decision: Decision[Any] | None = None
    inquiry: Inquiry | None = None
    conflicts: int = 0
    #: The znodes that it writes, or waits to write.
    wants: frozenset[str] = frozenset()


@dataclass(slots=True)
class Owed:
    """A request's results, by place, how many there will be, and who asked."""

    count: int
    origin: Origin | None
    results: dict[int, Any] = field(default_factory=dict)


def written(visit: Visit, origin: Origin | None) -> tuple[Journal, ...]:
    """What the journal says of a decision that was written, if it is to be told of."""
    decision = visit.decision
    if decision is None or decision.note is None:
        return ()
    note, told = decision.note, decision.written
    ops = tuple(op for op in decision.ops if op.path in told)
    return (Journal(Severity.INFO, note.kind, note.text, topic=note.topic, ops=ops, origin=origin),)


def doubted(visit: Visit, origin: Origin | None, text: str) -> tuple[Journal, ...]:
    """What the journal says of one of which nobody knows whether it was written; why is `text`."""
    decision = visit.decision
    if decision is None or decision.note is None:
        return ()
    note = decision.note
    told = f"{note.text}: perhaps. {text}"
    return (Journal(Severity.WARNING, note.kind, told, topic=note.topic, origin=origin),)
