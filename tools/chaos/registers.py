"""Whether what was accepted for one partition explains what was seen of it: linearizability.

A partition is a register that holds an assignment. Alter and cancel change it, and a move may end
at any time after it was started. Each request that was accepted took effect at one moment between
its sending and its answer; one whose outcome nobody knows did at one moment after its sending, or
never; a reading of the znode shows what held at one moment. The question is whether there is an
order of these moments that gives every reading (Herlihy, Wing: Linearizability, 1990). It is
answered as Wing and Gong do, for all orders at once: a set of ways in which things may stand is
carried through time, and must never become empty.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from klamm.tools.chaos.history import Replicas


@dataclass(frozen=True, slots=True)
class Op:
    """A request or a reading; effective between `begin` and `end`, both in seconds.

    `target` is that of an alter, None of a cancel; a reading has `seen` instead. One that need not
    have happened is `optional`. `what` names it for people.
    """

    begin: float
    end: float
    what: str
    target: tuple[int, ...] | None = None
    seen: Replicas | None = None
    optional: bool = False


#: Of the ways in which things may stand, in a text.
_SHOWN = 5


class _Way(NamedTuple):
    """One way in which things may stand: the register, and which of the open ops have happened.

    `done` are those that must, `spent` those that are optional.
    """

    held: Replicas
    done: frozenset[int] = frozenset()
    spent: frozenset[int] = frozenset()


def after(op: Op, held: Replicas) -> Replicas | None:
    """Return what the register holds after an op, None if the op cannot happen here (KIP-455)."""
    if op.seen is not None:
        return held if held == op.seen else None
    origin = tuple(broker for broker in held.replicas if broker not in held.adding)
    if op.target is None:
        return Replicas(origin) if held.moving else None
    leaving = tuple(broker for broker in origin if broker not in op.target)
    replicas = (*op.target, *leaving)
    return Replicas(replicas, tuple(b for b in replicas if b not in origin), leaving)


def ended(held: Replicas) -> Replicas:
    """Return what the register holds once its move has ended."""
    return Replicas(tuple(broker for broker in held.replicas if broker not in held.removing))


#: How many optional ops may have happened among those whose time has not run out; tried in turn,
#: for few are ever needed, and all of them together could have led nearly everywhere.
_LIMITS = (1, 2, 4)


def unexplained(first: Replicas, ops: Sequence[Op]) -> str | None:
    """Say what no order of the ops explains, None if there is one that explains all.

    `first` is what the register held before any of them. An order that needs more than four
    optional ops whose time has not run out is not looked for.
    """
    found = None
    for limit in _LIMITS:
        found = _unexplained(first, ops, limit)
        if found is None:
            return None
    return found


def _unexplained(first: Replicas, ops: Sequence[Op], limit: int) -> str | None:
    open_: dict[int, Op] = {}
    ways = {_Way(first)}
    for _, is_end, number in sorted(_moments(ops)):
        op = ops[number]
        if not is_end:
            open_[number] = op
            continue
        reached = _reached(ways, open_, limit)
        if op.optional:
            ways = {way._replace(spent=way.spent - {number}) for way in reached}
        else:
            ways = {way._replace(done=way.done - {number}) for way in reached if number in way.done}
        if not ways:
            held = sorted({way.held for way in reached})
            return f"{op.what} fits none of {[_text(each) for each in held[:_SHOWN]]}"
        del open_[number]
    return None


def _moments(ops: Sequence[Op]) -> Iterator[tuple[float, bool, int]]:
    """Tell when ops begin and end; what begins at the same time as another ends overlaps it."""
    for number, op in enumerate(ops):
        yield op.begin, False, number
        if op.end < math.inf:
            yield op.end, True, number


def _reached(ways: Iterable[_Way], open_: Mapping[int, Op], limit: int) -> set[_Way]:
    """Return all ways in which things may stand after any of the open ops and ends of moves.

    A way is left out if another leads to the same and has spent only some of the optional ops that
    this one has: what else can follow, can follow there as well. So the frugal ways come first.
    """
    known: dict[tuple[Replicas, frozenset[int]], list[frozenset[int]]] = {}
    ahead: dict[int, list[_Way]] = defaultdict(list)
    for way in ways:
        ahead[len(way.spent)].append(way)
    found = set()
    while ahead:
        spent = min(ahead)
        way = ahead[spent].pop()
        if not ahead[spent]:
            del ahead[spent]
        kept = known.setdefault((way.held, way.done), [])
        if any(less <= way.spent for less in kept):
            continue
        kept.append(way.spent)
        found.add(way)
        for next_ in _following(way, open_):
            if len(next_.spent) <= limit:
                ahead[len(next_.spent)].append(next_)
    return found


def _following(way: _Way, open_: Mapping[int, Op]) -> Iterator[_Way]:
    """Return what one op, or the end of a move, makes of a way."""
    if way.held.moving:
        yield way._replace(held=ended(way.held))
    for number, op in open_.items():
        if number not in way.done and number not in way.spent:
            held = after(op, way.held)
            if held is not None and op.optional and held != way.held:
                yield _Way(held, way.done, way.spent | {number})
            elif held is not None and not op.optional:
                yield _Way(held, way.done | {number}, way.spent)


def _text(held: Replicas) -> str:
    text = str(list(held.replicas))
    return (
        f"{text} adding {list(held.adding)} removing {list(held.removing)}" if held.moving else text
    )
