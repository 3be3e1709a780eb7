"""Makes a run that shows something wrong as short as it can be, so that a person can follow it.

The delta debugging of Zeller and Hildebrandt (ddmin, "Simplifying and Isolating Failure-Inducing
Input", 2002) over the actions of a script: parts are left out, and what is left is kept if the
same is wrong still (`kind`). What a shorter script no longer says happens in the regular
order. Faults are tried first, one by one: the fewer, the better the story.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from klamm.tools.lab.choices import DETAIL
from klamm.tools.lab.events import Violation
from klamm.tools.lab.run import Finished, Opening, again

#: An action with its details.
Unit = tuple[str, ...]
#: Words that are no name, number or list, and how many of them tell complaints apart.
_PLAIN_WORD = re.compile(r"(?<!\S)[a-z]+(?=[,;:]?(?:\s|$))")
_WORDS = 6


@dataclass(slots=True)
class Shrunk:
    """The shortest script found, the run that it makes, and how many runs it took.

    `interrupted`: Ctrl-C came first, and more might be left out.
    """

    finished: Finished
    script: Sequence[str]
    runs: int
    interrupted: bool = False


def shrink(opening: Opening, script: Sequence[str], most_runs: int = 2_000) -> Shrunk:
    """Shorten a script that shows something wrong. Raises ValueError if it shows nothing.

    Ctrl-C ends the search, and what is left so far is returned.
    """
    search = _Search(opening, most_runs)
    first = again(opening, script)
    if first.violation is None:
        raise ValueError("the script shows nothing wrong, so there is nothing to keep")
    search.kind = kind(first.violation)
    search.best = first
    wilful = {it.action for it in first.world.events if it.fault or it.asked}
    search.units, interrupted = _units(first.script), False
    try:
        search.reduce(wilful)
    except KeyboardInterrupt:
        interrupted = True
    return Shrunk(search.best, _lines(search.units), search.runs, interrupted)


def kind(violation: Violation) -> tuple[str, ...]:
    """Return what a shorter run must have in common with this one: the invariant.

    Many things are called liveness, and any error is a fault. So what was missing first must be
    the same with other names and numbers, and an error of the same type.
    """
    match violation.invariant:
        case "liveness":
            missing = next(iter(violation.evidence), violation.text)
            return ("liveness", *_PLAIN_WORD.findall(missing)[:_WORDS])
        case "fault":
            return "fault", violation.text.partition(":")[0]
    return (violation.invariant,)


class _Search:
    """`units` is the shortest script so far, and `best` the run that it makes."""

    def __init__(self, opening: Opening, most_runs: int) -> None:
        self._opening = opening
        self._most_runs = most_runs
        self.runs = 1
        self.kind: tuple[str, ...] = ()
        self.units: list[Unit] = []
        self.best: Finished

    def reduce(self, wilful: Container[str]) -> None:
        """Leave out what can be: first faults and requests, which are `wilful`, then the rest."""
        self._without_each(wilful)
        self._ddmin()
        self._without_each({unit[0] for unit in self.units})

    def _without_each(self, wanted: Container[str]) -> None:
        """Try without each action of these names, the last one first."""
        for place in reversed(range(len(self.units))):
            if self.units[place][0] in wanted:
                self._leave_out(place, place + 1)

    def _ddmin(self) -> None:
        parts = 2
        while len(self.units) >= 2:
            size = -(-len(self.units) // parts)
            for begin in range(0, len(self.units), size):
                if self._leave_out(begin, begin + size):
                    parts = max(parts - 1, 2)
                    break
            else:
                if size == 1:
                    break
                parts = min(len(self.units), parts * 2)

    def _leave_out(self, begin: int, end: int) -> bool:
        """Leave units out, if the same is wrong without them; tell whether it is."""
        if self.runs >= self._most_runs:
            return False
        shorter = self.units[:begin] + self.units[end:]
        self.runs += 1
        finished = again(self._opening, _lines(shorter))
        if finished.violation is None or kind(finished.violation) != self.kind:
            return False
        self.units, self.best = shorter, finished
        return True


def _units(script: Sequence[str]) -> list[Unit]:
    units: list[list[str]] = []
    for line in script:
        if line.startswith(DETAIL) and units:
            units[-1].append(line)
        else:
            units.append([line])
    return [tuple(unit) for unit in units]


def _lines(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(line for unit in units for line in unit)
