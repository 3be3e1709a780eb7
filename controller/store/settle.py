"""What to do with a commit that met a conflict: read again, decide again, then halve.

Pure and generic: a cause is whatever the caller decides on. After a batch's first conflict all of
it is tried again, on what was read anew; from its second on it is halved, so that a cause which
keeps losing its race is soon alone and the others go through. A cause that has failed five times,
alone at the end, is given up.
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
    half = (len(causes) + 1) // 2
    return Next((Batch(causes[:half], conflicts), Batch(causes[half:], conflicts)))
