"""Runs: one seed, one world, first with faults and then without.

In safety mode everything may fail and the invariants must hold. In liveness mode the faults are
over, everything that failed has come back, and the world must come to rest: every request has its
answer, every move has ended, some node is controller. Two modes as in TigerBeetle's VOPR.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from klamm.tools.lab.choices import (
    DETAIL,
    Choices,
    Enumerator,
    PassedOver,
    Recorded,
    Seeded,
)
from klamm.tools.lab.copies import Packed, packed
from klamm.tools.lab.events import Violation
from klamm.tools.lab.film import Film
from klamm.tools.lab.liveness import quiet
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.unheard import unheard
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.world import World


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over: its world as it was left, and what was wrong, if anything."""

    world: World
    violation: Violation | None

    @property
    def script(self) -> Sequence[str]:
        """The names of all actions, and details, that were chosen."""
        return self.world.script

    @property
    def passed_over(self) -> Sequence[PassedOver]:
        """The lines of the script that it was done from which were not possible, in order."""
        choices = self.world.choices
        return choices.passed_over if isinstance(choices, Recorded) else ()


@dataclass(slots=True)
class Opening:
    """A scope's world in its beginning, made once and copied for each run."""

    scope: Scope
    variant: Variant | None = None
    _kept: Packed = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Open a world."""
        self._kept = packed(World(self.scope, Enumerator(), self.variant))

    def world(self, choices: Choices) -> World:
        """Return a world of its own that is in its beginning."""
        world: World = self._kept.unpacked()
        world.choices = choices
        return world


def run(opening: Opening, seed: int, *, film: bool = False) -> Finished:
    """Do one run of this seed; with a `film` it can be shown as a page."""
    return finish(filmed(opening.world(Seeded(seed, opening.scope.rates)), film))


def again(opening: Opening, script: Sequence[str], *, film: bool = False) -> Finished:
    """Do again what a script says, as far as it can be done, and then let everything heal."""
    world = filmed(opening.world(Recorded(script)), film)
    steps = sum(not line.startswith(DETAIL) for line in script)
    return finish(world, steps)


def filmed(world: World, film: bool) -> World:
    """Return a world that is filmed from now on, if it is to be."""
    if film:
        world.observed.film = Film.of(world)
    return world


def finish(world: World, steps: int | None = None) -> Finished:
    """Take up to `steps` steps, by default as many as the scope allows, then heal, then rest."""
    limits = world.scope.limits
    most = limits.steps if steps is None else steps
    return Finished(world, guarded(world, lambda: _live(world, most)))


def _live(world: World, steps: int) -> Violation | None:
    for _ in range(steps):
        if world.step() is None:
            break
        if world.violation is not None:
            return world.violation
    chosen = len(world.script)
    found = rest(world)
    del world.script[chosen:]
    return found


def rest(world: World) -> Violation | None:
    """Let everything heal, and wait until all is quiet; return what is wrong, if anything.

    A request that only its time-out would answer is wrong as well: to wait for that would hide
    who has forgotten it.
    """
    limits = world.scope.limits
    world.heal()
    end, last = world.now + limits.rest_seconds, len(world.events) + limits.rest_steps
    while True:
        if not world.until(lambda: _over(world, last), turns_last=True):
            forgotten = [*unheard(world)]
            if forgotten:
                text = f"all is still, but {forgotten[0]}"
                return Violation("liveness", len(world.events), text, tuple(forgotten))
            missing = quiet(world)
            if not missing:
                return None
            if world.now < end:
                world.pass_time()
                continue
            text = f"no rest within {limits.rest_seconds:g} s after all faults: {missing[0]}"
            return Violation("liveness", len(world.events), text, tuple(missing))
        if world.violation is not None:
            return world.violation
        missing = quiet(world)
        text = f"no rest after {limits.rest_steps} steps without a fault"
        if missing:
            text += f": {missing[0]}"
        return Violation("liveness", len(world.events), text, tuple(missing))


def _over(world: World, last: int) -> bool:
    return world.violation is not None or len(world.events) > last


def guarded(world: World, live: Callable[[], Violation | None]) -> Violation | None:
    """Take an error of the code that runs in the world for what it is: a fault found."""
    try:
        return live()
    except Exception as error:
        lines = traceback.format_exception(error)
        text = f"{type(error).__name__}: {error}"
        return Violation("fault", len(world.events), text, tuple("".join(lines).splitlines()[-12:]))
