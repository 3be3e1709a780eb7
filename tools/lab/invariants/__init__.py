"""The invariants I1 to I14, and V1 to V8: what must hold after every step, whatever happens.

Each is one function that looks at what a step has changed (`klamm.tools.lab.written.Digest`), by
what is known of all before (`klamm.tools.lab.observe.Observed`). I10, and what I8 and I12 say of
the end, hold when everything is quiet: see `klamm.tools.lab.liveness`.

Sources: catalogue 3.7; comments in KafkaController; the properties of Vanlightly/kafka-tlaplus
(v3.5) and hachikuji/kafka-specification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from klamm.tools.lab.events import Happened, Violation
from klamm.tools.lab.invariants.assignments import (
    moves_add_up,
    moves_end_at_their_target,
    topic_ids_stay,
)
from klamm.tools.lab.invariants.data import enough_remain, nothing_is_lost
from klamm.tools.lab.invariants.leaders import epochs_rise, leaders_are_in_sync
from klamm.tools.lab.invariants.memory import caps_hold, lists_are_true, memory_is_durable
from klamm.tools.lab.invariants.offices import one_controller_per_epoch
from klamm.tools.lab.invariants.orders import orders_are_kept
from klamm.tools.lab.invariants.replies import one_reply
from klamm.tools.lab.invariants.steps import STEPS
from klamm.tools.lab.invariants.wrong import Check
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest

INVARIANTS: Final[Mapping[str, Check]] = MappingProxyType(
    {
        "I1": one_controller_per_epoch,
        "I2": moves_add_up,
        "I3": moves_end_at_their_target,
        "I4": leaders_are_in_sync,
        "I5": enough_remain,
        "I6": nothing_is_lost,
        "I7": epochs_rise,
        "I8": one_reply,
        "I9": memory_is_durable,
        "I11": topic_ids_stay,
        "I12": orders_are_kept,
        "I13": lists_are_true,
        "I14": caps_hold,
        **STEPS,
    }
)


def rule(name: str) -> str:
    """Return in words what an invariant, or "liveness", demands; "" if it is neither."""
    if name == "liveness":
        return "once nothing fails any more, all comes to rest, and every request has its answer"
    check = INVARIANTS.get(name)
    line = (check.__doc__ or "").partition("\n")[0] if check is not None else ""
    return line.partition(": ")[2].rstrip(".")


_ALL = tuple(INVARIANTS.items())


def _these(*names: str) -> tuple[tuple[str, Check], ...]:
    return tuple((name, INVARIANTS[name]) for name in names)


#: What can be wrong without a write: if a node was given something, and asked for something or
#: not, and if no node was given anything.
_OF_ACTS = _these("I4", "I5", "I7", "I8", "I9", "I13", "I14", *STEPS)
_OF_INPUTS = _these("I4", "I9", "I13", "I14", *STEPS)
_OF_BROKERS = _these("I5", "I6", "I8", "I13")


class Watched(Seen, Protocol):
    """A world with somebody who watches it."""

    @property
    def observed(self) -> Observed:
        """What was seen of it until now."""


def check(world: Watched, happened: Happened) -> Violation | None:
    """Look at one step, which is to be shown once and in order; return what is wrong, if anything.

    Of several invariants that do not hold it is the first by number.
    """
    seen = world.observed
    if seen.passes_by(happened):
        return None
    digest = seen.digest(world, happened)
    found = _first(world, seen, digest)
    seen.fold(world, digest)
    return found


def _first(world: Watched, seen: Observed, digest: Digest) -> Violation | None:
    for name, invariant in _concerned(seen, digest):
        for wrong in invariant(world, seen, digest):
            return Violation(name, digest.happened.step, wrong.text, wrong.evidence)
    return None


def _concerned(seen: Observed, digest: Digest) -> Sequence[tuple[str, Check]]:
    """Return the invariants that look at anything that this step has changed."""
    happened = digest.happened
    if digest.writes:
        return _ALL
    if seen.actor:
        return _OF_ACTS if happened.effects or happened.replied else _OF_INPUTS
    return _OF_BROKERS
