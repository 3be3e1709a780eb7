"""Every world that can come of one, each looked at once.

Each edge is one action with its details, chosen by an `Enumerator` as in every other run, so the
way to a world is a script that `klamm lab replay` repeats. Worlds are told apart by their
fingerprints. `First` says in which order: the fewest steps first, or the fewest deviations from
what is usual. Steps are taken one by one, so a world is made only when it is its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from heapq import heappop, heappush

from klamm.tools.lab.accepted import meddled_with
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.events import Violation
from klamm.tools.lab.explore.copying import copied
from klamm.tools.lab.explore.fingerprint import Fingerprints
from klamm.tools.lab.explore.scopes import ENDS
from klamm.tools.lab.explore.steps import Order, following, possible, take
from klamm.tools.lab.run import Opening, guarded, rest
from klamm.tools.lab.world import World


@unique
class First(Enum):
    """Which worlds are looked at first. Without a bound it makes no difference what is found."""

    SHORT = "short"
    """Those of the fewest steps: what is found first has the shortest way."""
    USUAL = "usual"
    """Those of the fewest deviations from the usual run.

    A deviation is whatever is not the first that is possible, and each fault. The usual run is
    walked to its end, then each with one deviation, the earliest first, then those with two, and
    so on: most bugs take few (Emmi, Qadeer, Rakamaric: Delay-bounded scheduling, POPL 2011).
    """
    DEEP = "deep"
    """Those that were found last: no more worlds are kept than the longest way has steps."""


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
        """Tell whether all was seen: no bound was reached, and nothing wrong ended the search."""
        return self.cut_by is None and self.violation is None


@dataclass(slots=True, eq=False)
class _Place:
    """A world, and the choices of the next step to try from it, of so many `actions`.

    `since` is the depth of the last deviation; `deviations` counts the next step. `fails`: all
    that can happen is that something fails.
    """

    world: World
    actions: int
    depth: int
    deviations: int
    since: int
    way: _Way | None
    fails: bool = False
    path: list[int] = field(default_factory=lambda: [0])


@dataclass(frozen=True, slots=True)
class _Way:
    """The last lines of a script, and the way to where they begin."""

    before: _Way | None
    lines: tuple[str, ...]


#: What comes first: by the order of a search, and then by the numbers of the world and the place.
_Rank = tuple[int, int, int, int, int]


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
    _pushed: int = 0
    #: Places of which something is left out because of a bound.
    _left_out: int = 0

    def run(self) -> Explored:
        """Go as far as the bounds allow, or until something is wrong."""
        found, bounds = self.found, self.bounds
        world = self.opening.world(Enumerator())
        for kind in ENDS:
            world.faults_left[kind] = bounds.ends
        self._arrive(world, None, None)
        while self._waiting and found.violation is None:
            rank, place = heappop(self._waiting)
            if bounds.states is not None and found.states >= bounds.states:
                found.cut_by = "states"
                break
            if not self.goes_on(found):
                found.cut_by = "time"
                break
            self._go_on(place, rank[-2])
            found.waiting = len(self._waiting) + self._left_out
        return found

    def _go_on(self, place: _Place, number: int) -> None:
        """Take the next step from a place, in its own world if it is the only one from there."""
        found, path, before = self.found, place.path, replace(place)
        first = path == [0] and not place.fails
        only = place.actions == 1 or (first and self._beyond(place.depth, place.deviations + 1))
        world = place.world if only else copied(place.world)
        widths, violation = take(world, path, self.bounds.order)
        found.edges += 1
        way = _Way(place.way, tuple(world.script))
        if violation is not None:
            found.violation, found.script = violation, _script(way)
            return
        other = following(path, widths, world)
        if other is not None:
            place.path = other
            if first:
                place.deviations, place.since = place.deviations + 1, place.depth
            self._push(place, number)
        self._arrive(world, before, way)

    def _beyond(self, depth: int, deviations: int) -> bool:
        """Tell whether a next step from there is out of bounds."""
        bounds = self.bounds
        too_deep = bounds.depth is not None and depth >= bounds.depth
        return too_deep or (bounds.deviations is not None and deviations > bounds.deviations)

    def _push(self, place: _Place, number: int) -> None:
        """Let a place wait for its turn, unless a bound leaves out all that comes of it."""
        bounds = self.bounds
        if self._beyond(place.depth, place.deviations):
            self.found.cut_by = "depth" if bounds.deviations is None else "deviations"
            self._left_out += 1
            return
        self._pushed += 1
        match bounds.first:
            case First.SHORT:
                rank = (place.depth, 0, 0)
            case First.USUAL:
                rank = (place.deviations, place.since, -place.depth)
            case First.DEEP:
                rank = (-place.depth, 0, 0)
        heappush(self._waiting, ((*rank, number, self._pushed), place))

    def _arrive(self, world: World, before: _Place | None, way: _Way | None) -> None:
        found = self.found
        world.events[:] = [it for it in world.events if it.replied or meddled_with((it,))]
        world.script.clear()
        seen = self._fingerprints.of(world)
        if seen in self._known:
            found.revisits += 1
            return
        self._known.add(seen)
        depth, deviations, since = 0, 0, 0
        if before is not None:
            depth, deviations, since = before.depth + 1, before.deviations, before.since
        found.states += 1
        found.depth = max(found.depth, depth)
        found.deviations = max(found.deviations, deviations)
        regular = len(world.regular())
        actions = possible(world, self.bounds.order)
        place = _Place(world, actions, depth, deviations, since, way)
        if not regular:
            self._rest(place)
            if not world.asks():
                place.fails, place.deviations, place.since = True, deviations + 1, depth
        if actions:
            self._push(place, found.states)

    def _rest(self, place: _Place) -> None:
        """Leave a world alone, in a copy, and see whether it comes to rest."""
        found, world = self.found, copied(place.world)
        found.last += 1
        found.violation = guarded(world, lambda: rest(world))
        if found.violation is not None:
            found.script = _script(place.way)


def _script(way: _Way | None) -> list[str]:
    found: list[tuple[str, ...]] = []
    while way is not None:
        found.append(way.lines)
        way = way.before
    return [line for lines in reversed(found) for line in lines]
