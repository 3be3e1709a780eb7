"""Every world that can come of one: breadth first, each looked at once.

Each edge is one action with its details, chosen by an `Enumerator` as in every other run, so the
way to a world is a script that `klamm lab replay` repeats. Worlds are told apart by their
fingerprints; the first way found to one is the shortest.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from functools import partial

from klamm.tools.lab.actions import TURN
from klamm.tools.lab.choices import Action, Enumerator, Offers
from klamm.tools.lab.events import Violation
from klamm.tools.lab.explore.copying import Kept
from klamm.tools.lab.explore.fingerprint import Fingerprints
from klamm.tools.lab.explore.scopes import ENDS
from klamm.tools.lab.run import Opening, guarded, rest
from klamm.tools.lab.world import World


@unique
class Order(Enum):
    """Which orders of what happens are tried; each has those above it and more."""

    TURNS = "turns"
    """A broker's answer comes at once, and what has reached a node is a turn of its own."""
    BATCHES = "batches"
    """Answers and turns may be late, so that one turn takes in what has come together."""
    ALL = "all"
    """Brokers hear from ZooKeeper, and standbys from the controller, as late as they like."""


_OF_OTHERS = r"zk (connects|serves|tells) b\d+|n\d+ (serves|answers) n\d+"
#: What happens at once.
_AT_ONCE = {
    Order.TURNS: re.compile(rf"{_OF_OTHERS}|b\d+ answers n\d+"),
    Order.BATCHES: re.compile(_OF_OTHERS),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to go: how many worlds and steps, how many ends of processes and sessions."""

    states: int | None = None
    depth: int | None = None
    ends: int = 0
    order: Order = Order.TURNS


@dataclass(slots=True)
class Explored:
    """What was found.

    `states` are worlds that differ, `edges` steps between them, `revisits` those to one known
    before. `last` are worlds in which nothing happens any more unless somebody asks or fails; each
    was left to itself from there, with the passing of time, and has come to rest. `depth` is the
    length of the longest of the shortest ways. `waiting` worlds are known and not looked at yet.
    `whole` tells whether nothing was left out because of a bound.
    """

    states: int = 0
    edges: int = 0
    revisits: int = 0
    last: int = 0
    depth: int = 0
    waiting: int = 0
    whole: bool = True
    violation: Violation | None = None
    script: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Waiting:
    kept: Kept
    depth: int
    way: _Way | None


@dataclass(frozen=True, slots=True)
class _Way:
    """The last lines of a script, and the way to where they begin."""

    before: _Way | None
    lines: tuple[str, ...]


@dataclass(slots=True)
class Exploration:
    """One search. `goes_on` is asked now and then whether to go on."""

    opening: Opening
    bounds: Bounds
    goes_on: Callable[[Explored], bool] = lambda _: True
    found: Explored = field(default_factory=Explored)
    _fingerprints: Fingerprints = field(default_factory=Fingerprints)
    _known: set[bytes] = field(default_factory=set)
    _waiting: deque[_Waiting] = field(default_factory=deque)

    def run(self) -> Explored:
        """Go as far as the bounds allow, or until something is wrong."""
        found, bounds = self.found, self.bounds
        world = self.opening.world(Enumerator())
        for kind in ENDS:
            world.faults_left[kind] = bounds.ends
        self._arrive(world, 0, None)
        while self._waiting and found.violation is None:
            place = self._waiting.popleft()
            found.waiting = len(self._waiting)
            if bounds.depth is not None and place.depth >= bounds.depth:
                found.whole = False
                continue
            if (bounds.states is not None and found.states >= bounds.states) or not self.goes_on(
                found
            ):
                found.whole = False
                break
            self._expand(place)
        return found

    def _expand(self, place: _Waiting) -> None:
        found = self.found
        for world, violation in _steps(place.kept, self.bounds.order):
            found.edges += 1
            way = _Way(place.way, tuple(world.script))
            if violation is not None:
                found.violation, found.script = violation, _script(way)
                return
            self._arrive(world, place.depth + 1, way)
        world = place.kept.world()
        if not world.regular():
            found.last += 1
            found.violation = guarded(world, partial(rest, world))
            found.script = _script(place.way) if found.violation is not None else ()

    def _arrive(self, world: World, depth: int, way: _Way | None) -> None:
        found = self.found
        world.events.clear()
        world.script.clear()
        seen = self._fingerprints.of(world)
        if seen in self._known:
            found.revisits += 1
            return
        self._known.add(seen)
        found.states, found.depth = found.states + 1, max(found.depth, depth)
        self._waiting.append(_Waiting(Kept.of(world), depth, way))
        found.waiting = len(self._waiting)


class _Ordered(Enumerator):
    """Chooses among all that is possible, but turns go first: whole, or cut short by a crash.

    Those of two nodes do not touch each other, so it is enough to try one of them.
    """

    def next(self, offers: Offers) -> Action | None:
        """Return the action at the path's next place."""
        found = [*offers.regular(), *offers.asks(), *offers.faults()]
        turns = [action for action in found if action.name.endswith(TURN)]
        if turns:
            cut_short = f"crash {turns[0].name.removesuffix(TURN)} in its turn"
            found = [turns[0], *(action for action in found if action.name == cut_short)]
        return found[self._place(len(found))] if found else None


def _steps(kept: Kept, order: Order) -> Iterator[tuple[World, Violation | None]]:
    """Yield a world for each step that is possible, and what is wrong in it."""
    path: list[int] | None = [0]
    while path is not None:
        world = kept.world()
        choices = world.choices = _Ordered(path) if order is Order.TURNS else Enumerator(path)
        violation = guarded(world, partial(_step, world, order))
        if not choices.widths:
            return
        yield world, violation
        path = _next(path, choices.widths, world)


def _step(world: World, order: Order) -> Violation | None:
    if world.step() is not None:
        if world.happened.fault:
            _spend(world)
        at_once = _AT_ONCE.get(order)
        if at_once is not None:
            world.until(
                lambda: world.violation is not None,
                but=lambda name: at_once.fullmatch(name) is None,
            )
    return world.violation


def _spend(world: World) -> None:
    """Let kinds of faults that share a budget have the same left."""
    left = min(world.faults_left.get(kind, 0) for kind in ENDS)
    for kind in ENDS:
        world.faults_left[kind] = left


def _next(path: Sequence[int], widths: Sequence[int], world: World) -> list[int] | None:
    """Return the path after this one, None if it was the last.

    Of a turn that is cut short after so many effects, those with more than it has are one.
    """
    full = [*path, *[0] * (len(widths) - len(path))]
    while full:
        width = widths[len(full) - 1]
        if len(full) == 2 and len(world.happened.effects) < full[1]:
            width = 0
        full[-1] += 1
        if full[-1] < width:
            return full
        full.pop()
    return None


def _script(way: _Way | None) -> list[str]:
    found: list[tuple[str, ...]] = []
    while way is not None:
        found.append(way.lines)
        way = way.before
    return [line for lines in reversed(found) for line in lines]
