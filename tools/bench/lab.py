"""How many runs and events a second the lab does on one core.

`python -m klamm.tools.bench.lab` measures two worlds: the smallest, in which a controller fails in
the middle of one move, and one of 3 nodes, 5 brokers and 20 partitions in which everything may
fail. A run is whole: opening, faults, healing, rest, with all invariants after every event. What
counts is the process's own time, so that others on the machine matter little; `--profile` shows
what it is spent on.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import time
from dataclasses import dataclass, replace

from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import cancel, list_moves, move
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.scopes import ALL, FAILOVER

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


@dataclass(frozen=True, slots=True)
class Result:
    """What was done in how many seconds of the process's time."""

    scope: str
    runs: int
    events: int
    seconds: float
    violations: int

    def __str__(self) -> str:
        return (
            f"{self.scope}: {self.runs / self.seconds:.0f} runs/s,"
            f" {self.events / self.seconds:,.0f} events/s"
            f" ({self.runs} runs of {self.events / self.runs:.0f} events in {self.seconds:.1f} s,"
            f" {self.violations or 'no'} violations)"
        )


def measure(scope: Scope, runs: int) -> Result:
    """Do so many runs, of the seeds from 0 on."""
    opening = Opening(scope)
    run(opening, 0)
    gc.collect()
    gc.freeze()
    started = time.process_time()
    events = violations = 0
    try:
        for seed in range(runs):
            finished = run(opening, seed)
            events += len(finished.world.events)
            violations += finished.violation is not None
        seconds = time.process_time() - started
    finally:
        gc.unfreeze()
    return Result(scope.name, runs, events, seconds, violations)


def main() -> None:
    """Measure both worlds and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.lab")
    parser.add_argument("--runs", type=int, default=1_000, help="of the smallest world")
    parser.add_argument("--profile", action="store_true", help="show what the time is spent on")
    parser.add_argument("--smoke", action="store_true", help="20 runs")
    chosen = parser.parse_args()
    runs = 20 if chosen.smoke else chosen.runs
    for scope, times in ((SMALLEST, runs), (TWENTY, max(runs // 20, 1))):
        print(measure(scope, times))
    if chosen.profile:
        with cProfile.Profile() as profile:
            measure(SMALLEST, runs)
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
