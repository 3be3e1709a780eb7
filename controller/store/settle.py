"""What to do with a commit that met a conflict, or that was refused.

After a conflict: read again, decide again, then halve.

Pure and generic: a cause is whatever the caller decides on. After a batch's first conflict all of
it is tried again, on what was read anew; from its second on it is halved, so that a cause which
keeps losing its race is soon alone and the others go through. A cause that has failed five times,
alone at the end, is given up. What is refused would be refused again, so it is halved at once, and
given up as soon as it is alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

MOST_CONFLICTS = 5

Cause = TypeVar("Cause")


@dataclass(frozen=True, slots=True)
class Batch(Generic[Cause]):
    """Causes that are to go into one commit, and how often they have met a conflict."""

    causes: tuple[Cause, ...]
    conflicts: int = 0


@dataclass(frozen=True, slots=True)
class Next(Generic[Cause]):
    """What follows a conflict: batches to try again, in order, and causes to give up."""

    batches: tuple[Batch[Cause], ...] = ()
    given_up: tuple[Cause, ...] = ()


def after_conflict(batch: Batch[Cause]) -> Next[Cause]:
    """Return what follows one more conflict of a batch."""
    conflicts = batch.conflicts + 1
    causes = batch.causes
    if len(causes) == 1 and conflicts >= MOST_CONFLICTS:
        return Next(given_up=causes)
    if conflicts == 1 or len(causes) == 1:
        return Next((Batch(causes, conflicts),))
    return Next(_halves(causes, conflicts))


def after_refusal(batch: Batch[Cause]) -> Next[Cause]:
    """Return what follows a refusal of a batch; it counts as no conflict but as the first."""
    if len(batch.causes) <= 1:
        return Next(given_up=batch.causes)
    return Next(_halves(batch.causes, max(1, batch.conflicts)))


def _halves(causes: tuple[Cause, ...], conflicts: int) -> tuple[Batch[Cause], ...]:
    half = (len(causes) + 1) // 2
    return Batch(causes[:half], conflicts), Batch(causes[half:], conflicts)
