"""How many runs and events a second the lab does on one core.

`python -m klamm.tools.bench.lab` measures two worlds: the smallest, in which a controller fails in
the middle of one move, and one of 3 nodes, 5 brokers and 20 partitions in which everything may
fail. A run is whole: opening, faults, healing, rest, with all invariants after every event. What
counts is the process's own time, so that others on the machine matter little. Beside it stands the
part that the controller's own code takes, which no lab can do without: the rest is the lab's.
`--profile` shows what the time is spent on.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import time
from dataclasses import dataclass, replace
from typing import ClassVar

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import cancel, list_moves, move
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.scopes import ALL, FAILOVER
from klamm.tools.lab.variant import Variant

SMALLEST = replace(
    FAILOVER,
    name="smallest",
    faults={"crash-in-turn": 1},
    rates=Rates(faults=0.2, asks=0.0, clock=0.0),
    limits=Limits(steps=40),
)
TWENTY = replace(
    ALL,
    name="3 nodes, 5 brokers, 20 partitions",
    topics={"t": {n: (n % 5 + 1, (n + 1) % 5 + 1) for n in range(20)}},
    asks=(
        *(move("t", n, (n + 2) % 5 + 1, (n + 3) % 5 + 1) for n in range(20)),
        *(cancel("t", n) for n in range(20)),
        list_moves(),
    ),
    asks_most=10,
)

_AIM = 200


class _Timed(Node):
    """The controller, with a watch for what it takes itself."""

    seconds: ClassVar[float] = 0.0

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Do what every node does."""
        begun = time.process_time()
        effects = super().handle(now, event)
        _Timed.seconds += time.process_time() - begun
        return effects


TIMED = Variant("timed", "No bug at all.", "none", "", node_factory=_Timed)


@dataclass(frozen=True, slots=True)
class Result:
    """What was done in how many seconds of the process's time.

    `share` is the part of it that the controller's own code takes, of 1; it is measured by itself.
    """

    scope: str
    runs: int
    events: int
    seconds: float
    violations: int
    share: float

    @property
    def rate(self) -> float:
        """Runs a second."""
        return self.runs / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.scope}: {self.rate:.0f} runs/s, {self.events / self.seconds:,.0f} events/s"
            f" ({self.runs} runs of {self.events / self.runs:.0f} events in {self.seconds:.1f} s,"
            f" {self.violations or 'no'} violations)\n"
            f"  the controller itself {self.share:.0%}: the lab takes {1 / self.share:.1f} times"
            " what the code under study does"
        )


def measure(scope: Scope, runs: int) -> Result:
    """Do so many runs, of the seeds from 0 on, and again with a watch at the controller."""
    opening = Opening(scope)
    run(opening, 0)
    seconds, finished = _timed(opening, runs)
    watched = Opening(scope, TIMED)
    _Timed.seconds = 0.0
    whole, _ = _timed(watched, runs)
    events = sum(count for count, _ in finished)
    wrong = sum(violated for _, violated in finished)
    return Result(scope.name, runs, events, seconds, wrong, _Timed.seconds / whole)


def _timed(opening: Opening, runs: int) -> tuple[float, list[tuple[int, bool]]]:
    """Return the seconds, and of each run its events and whether something was wrong.

    As `klamm lab run` does it, garbage is looked for after each run, and not in it.
    """
    found: list[tuple[int, bool]] = []
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        for seed in range(runs):
            finished = run(opening, seed)
            found.append((len(finished.world.events), finished.violation is not None))
            del finished
            gc.collect(0)
        return time.process_time() - started, found
    finally:
        gc.enable()


def main() -> None:
    """Measure both worlds and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.lab")
    parser.add_argument("--runs", type=int, default=1_000, help="of the smallest world")
    parser.add_argument("--profile", action="store_true", help="show what the time is spent on")
    parser.add_argument("--smoke", action="store_true", help="20 runs")
    chosen = parser.parse_args()
    runs = 20 if chosen.smoke else chosen.runs
    smallest, twenty = measure(SMALLEST, runs), measure(TWENTY, max(runs // 20, 1))
    missed = "" if smallest.rate >= _AIM else ", missed"
    print(f"{smallest}\n  aim at least {_AIM} runs/s{missed}\n{twenty}")
    if chosen.profile:
        opening = Opening(SMALLEST)
        with cProfile.Profile() as profile:
            _timed(opening, runs)
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
