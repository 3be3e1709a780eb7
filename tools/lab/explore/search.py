"""Every world that can come of one, each looked at once.

Each edge is one action with its details, chosen by an `Enumerator` as in every other run, so the
way to a world is a script that `klamm lab replay` repeats. Worlds are told apart by their
fingerprints. `First` says in which order: the fewest steps first, or the fewest deviations from what
is usual. A world is left with the choices of its next step, so only what is looked at is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, unique
from functools import partial
from heapq import heappop, heappush

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


@unique
class First(Enum):
    """Which worlds are looked at first. Without a bound it makes no difference what is found."""

    SHORT = "short"
    """Those of the fewest steps: what is found first has the shortest way."""
    USUAL = "usual"
    """Those of the fewest deviations, and among them the deepest.

    It deviates from the usual if anything is done but the first that is possible, whatever fails
    or is asked for included, unless nothing else is left. The usual run is walked to its end,
    then all with one deviation, with two, and so on: most bugs take few (Emmi, Qadeer, Rakamaric:
    Delay-bounded scheduling, POPL 2011).
    """


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to go: how many worlds, steps, deviations, ends of processes and sessions.

    `depth` goes with `First.SHORT`, `deviations` with `First.USUAL`: each world is met first with
    the least of what is bounded, so that all within the bound are seen. Raises ValueError.
    """

    states: int | None = None
    depth: int | None = None
    ends: int = 0
    order: Order = Order.TURNS
    first: First = First.SHORT
    deviations: int | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that would not be exact."""
        if self.depth is not None and self.first is not First.SHORT:
            raise ValueError("a bound on depth needs the order of fewest steps first")
        if self.deviations is not None and self.first is not First.USUAL:
            raise ValueError("a bound on deviations needs the order of fewest deviations first")


@dataclass(slots=True)
class Explored:
    """What was found.

    `states` are worlds that differ, `edges` steps between them, `revisits` those to one known
    before. `last` are worlds in which nothing happens any more unless somebody asks or fails; each
    was left to itself from there, with the passing of time, and has come to rest. `depth` is the
    length of the longest of the ways found, `deviations` the most in one of them. `waiting` worlds
    are known and not all that comes of them. `cut_by` names the bound because of which something
    was left out, None if nothing was.
    """

    states: int = 0
    edges: int = 0
    revisits: int = 0
    last: int = 0
    depth: int = 0
    deviations: int = 0
    waiting: int = 0
    cut_by: str | None = None
    violation: Violation | None = None
    script: Sequence[str] = ()

    @property
    def whole(self) -> bool:
        """Tell whether nothing was left out because of a bound."""
        return self.cut_by is None


@dataclass(slots=True, eq=False)
class _Place:
    """A world and the choices of the next step to try from it; `still` if none happens by itself."""

    kept: Kept
    still: bool
    depth: int
    deviations: int
    way: _Way | None
    path: list[int] = field(default_factory=lambda: [0])


@dataclass(frozen=True, slots=True)
class _Way:
    """The last lines of a script, and the way to where they begin."""

    before: _Way | None
    lines: tuple[str, ...]


#: What comes first: deviations and depth, in the order's sense, then who came first, or last.
_Rank = tuple[int, int, int]


@dataclass(slots=True)
class Exploration:
    """One search. `goes_on` is asked now and then whether to go on."""

    opening: Opening
    bounds: Bounds
    goes_on: Callable[[Explored], bool] = lambda _: True
    found: Explored = field(default_factory=Explored)
    _fingerprints: Fingerprints = field(default_factory=Fingerprints)
    _known: set[bytes] = field(default_factory=set)
    _waiting: list[tuple[_Rank, _Place]] = field(default_factory=list)
    #: The place that was found last, and its world, to spare a copy if it is the next.
    _latest: tuple[_Place, World] | None = None

    def run(self) -> Explored:
        """Go as far as the bounds allow, or until something is wrong."""
        found, bounds = self.found, self.bounds
        world = self.opening.world(Enumerator())
        for kind in ENDS:
            world.faults_left[kind] = bounds.ends
        self._arrive(world, 0, 0, None)
        while self._waiting and found.violation is None:
            rank, place = heappop(self._waiting)
            if bounds.depth is not None and place.depth >= bounds.depth:
                found.cut_by = "depth"
                continue
            if bounds.deviations is not None and place.deviations > bounds.deviations:
                found.cut_by = "deviations"
                break
            if bounds.states is not None and found.states >= bounds.states:
                found.cut_by = "states"
                break
            if not self.goes_on(found):
                found.cut_by = "time"
                break
            self._go_on(rank, place)
            found.waiting = len(self._waiting)
        return found

    def _go_on(self, rank: _Rank, place: _Place) -> None:
        """Take the next step from a place."""
        found, begins = self.found, place.path == [0]
        if begins and place.still:
            found.last += 1
            world = place.kept.world()
            found.violation = guarded(world, partial(rest, world))
            if found.violation is not None:
                found.script = _script(place.way)
                return
        world = self._world(place)
        path, deviations = place.path, place.deviations
        turns_first = self.bounds.order is Order.TURNS
        choices = world.choices = _Ordered(path) if turns_first else Enumerator(path)
        violation = guarded(world, partial(_step, world, self.bounds.order))
        if not choices.widths:
            return
        found.edges += 1
        way = _Way(place.way, tuple(world.script))
        if violation is not None:
            found.violation, found.script = violation, _script(way)
            return
        following = _next(path, choices.widths, world)
        if following is not None:
            place.path = following
            if begins:
                place.deviations += 1
            heappush(self._waiting, (self._rank(place, rank[-1]), place))
        self._arrive(world, place.depth + 1, deviations, way)

    def _world(self, place: _Place) -> World:
        latest, self._latest = self._latest, None
        return latest[1] if latest is not None and latest[0] is place else place.kept.world()

    def _rank(self, place: _Place, number: int) -> _Rank:
        if self.bounds.first is First.SHORT:
            return place.depth, 0, number
        return place.deviations, -place.depth, number

    def _arrive(self, world: World, depth: int, deviations: int, way: _Way | None) -> None:
        found = self.found
        world.events.clear()
        world.script.clear()
        seen = self._fingerprints.of(world)
        if seen in self._known:
            found.revisits += 1
            return
        self._known.add(seen)
        found.states += 1
        found.depth = max(found.depth, depth)
        found.deviations = max(found.deviations, deviations)
        place = _Place(Kept.of(world), not world.regular(), depth, deviations, way)
        self._latest = place, world
        number = found.states if self.bounds.first is First.SHORT else -found.states
        heappush(self._waiting, (self._rank(place, number), place))


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
