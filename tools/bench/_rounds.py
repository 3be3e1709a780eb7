"""Fair times on a machine that others use too: interleaved rounds, compared one by one."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeAlias

Timed: TypeAlias = Callable[[int], float]
"""Does its work that many times, and gives the seconds that took altogether."""


def timed(work: Callable[[], object]) -> Timed:
    """Time a callable by the wall clock, as those who wait for it do."""

    def run(times: int) -> float:
        started = time.perf_counter()
        for _ in range(times):
            work()
        return time.perf_counter() - started

    return run


def samples(
    contenders: Mapping[str, Timed], rounds: int, sample_s: float
) -> dict[str, list[float]]:
    """Return the seconds of one piece of work, once per round, by contender.

    Each round takes one sample of everybody, in changing order, so that a busy minute hits all
    alike. A sample repeats quick work for about `sample_s` seconds. The garbage collector stays
    on, as in the programs that use these codecs, but leaves alone what was there before.
    """
    names = list(contenders)
    times = {name: _times(contenders[name], sample_s) for name in names}
    found: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.freeze()
    try:
        for round_ in range(rounds):
            shift = round_ % len(names)
            for name in names[shift:] + names[:shift]:
                found[name].append(contenders[name](times[name]) / times[name])
    finally:
        gc.unfreeze()
    return found


def times_faster(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median, over the rounds, of how many times we were faster in the same round.

    What slows a machine down lasts longer than a round, so this holds stiller than the ratio of
    two medians.
    """
    return median(their / our for our, their in zip(ours, theirs, strict=True))


def _times(work: Timed, sample_s: float) -> int:
    """Return how often work fits into a sample, seen after it has warmed up."""
    work(1)
    return max(1, int(sample_s / max(work(1), 1e-9)))
