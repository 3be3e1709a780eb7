"""Where everything that could have gone otherwise is decided: which action is next, and how.

A world has no other source of chance. What was chosen is written down by name (`World.script`), so
a run can be done again from its script, also from a shorter one: an action that is not possible at
its place is passed over, a detail that is not there becomes the first option.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, Protocol

#: A line of a script with a detail of the action above it begins like this.
DETAIL = "  "


class Action(NamedTuple):
    """Something that can happen now. Names say what, and are the same in every run."""

    name: str
    weight: int
    call: Callable[..., None]
    args: tuple[Any, ...] = ()


class Offers(Protocol):
    """What can happen in a world at this moment, each list in a fixed order."""

    def regular(self) -> Sequence[Action]:
        """What would happen by itself, sooner or later."""

    def asks(self) -> Sequence[Action]:
        """What clients may ask for."""

    def faults(self) -> Sequence[Action]:
        """What may go wrong, as far as the scope still allows it."""

    def clock(self) -> Sequence[Action]:
        """Time passing until something is due; empty if nothing is."""


class Choices(Protocol):
    """Decides. `next` is asked for actions, `choose` for details of the one that is being done."""

    def next(self, offers: Offers) -> Action | None:
        """Return one of the actions on offer, or None if the run is over."""

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Return one of the options, of which there is at least one."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How often something else than the regular happens, each a share of all steps."""

    faults: float = 0.04
    asks: float = 0.04
    clock: float = 0.02


#: The chance that something fails when all is quiet, before the run ends there.
_FAULT_AT_REST = 0.5


class Seeded:
    """Chooses by a pseudorandom sequence: the same seed makes the same run on every machine."""

    def __init__(self, seed: int, rates: Rates) -> None:
        # Cryptography has nothing to do with it: a seed must give the same run again.
        self._random = Random(seed).random  # noqa: S311
        self._faults = rates.faults
        self._asks = self._faults + rates.asks
        self._clock = self._asks + rates.clock

    def next(self, offers: Offers) -> Action | None:
        """Draw the kind of step, then the action by its weight."""
        draw = self._random()
        found: Sequence[Action] = ()
        if draw < self._faults:
            found = offers.faults()
        elif draw < self._asks:
            found = offers.asks()
        elif draw < self._clock:
            found = offers.clock()
        found = found or offers.regular() or offers.asks()
        if not found:
            # All is quiet and nobody wants anything: either something fails, or the run is over.
            found = offers.faults() if self._random() < _FAULT_AT_REST else ()
        return self._weighted(found) if found else None

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Draw one, all with the same chance."""
        return options[int(self._random() * len(options))]

    def _weighted(self, actions: Sequence[Action]) -> Action:
        rest = self._random() * sum([action.weight for action in actions])
        for action in actions:
            rest -= action.weight
            if rest < 0:
                return action
        return actions[-1]


class PassedOver(NamedTuple):
    """A line of a script that was not possible at its place: before which step of the run."""

    step: int
    line: str


class Recorded:
    """Does again what a script says, as far as it can be done; `passed_over` is what cannot."""

    def __init__(self, script: Sequence[str]) -> None:
        self._script = script
        self._place = 0
        self._steps = 0
        self.passed_over: list[PassedOver] = []

    def next(self, offers: Offers) -> Action | None:
        """Return the next action of the script that is possible now."""
        possible: dict[str, Action] | None = None
        while self._place < len(self._script):
            name = self._script[self._place]
            self._place += 1
            if name.startswith(DETAIL):
                self._pass_over(name)
                continue
            if possible is None:
                lists = (offers.regular(), offers.asks(), offers.faults(), offers.clock())
                possible = {action.name: action for actions in lists for action in actions}
            if name in possible:
                self._steps += 1
                return possible[name]
            self._pass_over(name)
        return None

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Return what the script says of this detail, or else the first option."""
        begin = f"{DETAIL}{label}: "
        if self._place < len(self._script) and self._script[self._place].startswith(begin):
            line = self._script[self._place]
            self._place += 1
            option = line.removeprefix(begin)
            if option in options:
                return option
            self._pass_over(line)
        return options[0]

    def _pass_over(self, line: str) -> None:
        self.passed_over.append(PassedOver(self._steps + 1, line))


@dataclass
class Enumerator:
    """Walks one path through the tree of all choices: `path` first, then always the first option.

    `widths` tells afterwards how many options there were at each place, so that whoever explores
    can go back to the last place with another one. Time passes only if `with_clock`.
    """

    path: Sequence[int] = ()
    with_clock: bool = False
    widths: list[int] = field(default_factory=list)

    def possible(self, offers: Offers) -> Sequence[Action]:
        """Return all that is possible."""
        clock = offers.clock() if self.with_clock else ()
        return [*offers.regular(), *offers.asks(), *offers.faults(), *clock]

    def next(self, offers: Offers) -> Action | None:
        """Return the action at the path's next place among all that are possible."""
        found = self.possible(offers)
        return found[self._place(len(found))] if found else None

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Return the option at the path's next place."""
        return options[self._place(len(options))]

    def _place(self, width: int) -> int:
        place = len(self.widths)
        self.widths.append(width)
        return self.path[place] if place < len(self.path) else 0
