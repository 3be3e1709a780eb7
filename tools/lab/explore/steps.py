"""Steps of an exploration: which are told apart, and which one comes after another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, unique
from functools import partial

from klamm.tools.lab.actions import TURN
from klamm.tools.lab.choices import Action, Enumerator, Offers
from klamm.tools.lab.events import Violation
from klamm.tools.lab.explore.scopes import ENDS
from klamm.tools.lab.run import guarded
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


def take(world: World, path: Sequence[int], order: Order) -> tuple[Sequence[int], Violation | None]:
    """Take the step of these choices; return how many there were of each, and what is wrong.

    There are none if nothing is possible.
    """
    choices = world.choices = _choices(path, order)
    violation = guarded(world, partial(_step, world, order))
    return choices.widths, violation


class _Ordered(Enumerator):
    """Chooses among all that is possible, but turns go first: whole, or cut short by a crash.

    Those of two nodes do not touch each other, so it is enough to try one of them.
    """

    def possible(self, offers: Offers) -> Sequence[Action]:
        """Return what is tried."""
        found = super().possible(offers)
        turns = [action for action in found if action.name.endswith(TURN)]
        if turns:
            cut_short = f"crash {turns[0].name.removesuffix(TURN)} in its turn"
            found = [turns[0], *(action for action in found if action.name == cut_short)]
        return found


def possible(world: World, order: Order) -> int:
    """Count the actions that are tried next; each may leave something open."""
    return len(_choices((), order).possible(world))


def _choices(path: Sequence[int], order: Order) -> Enumerator:
    return _Ordered(path) if order is Order.TURNS else Enumerator(path)


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


def following(path: Sequence[int], widths: Sequence[int], world: World) -> list[int] | None:
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
