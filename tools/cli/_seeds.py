"""`klamm lab run`: seed after seed, in one process or several, until one fails."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import cycle

import click

from klamm.tools.cli import _worlds
from klamm.tools.lab import registry
from klamm.tools.lab.run import run
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.studies import ALL_SCOPES

#: Seeds that a process tries before it reports, and that a scope has before it is another's turn.
BATCH = 20
#: Seconds between two states of the line that tells how far it is.
_BEAT = 0.2


@dataclass(frozen=True, slots=True)
class Batch:
    """Seeds of a scope to be tried: `count` of them, from `first`."""

    scope: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of seeds of a scope: if one failed it is the last of them, with what was wrong."""

    scope: str
    runs: int
    steps: int
    seed: int = -1
    found: str = ""


@dataclass(slots=True)
class Count:
    """How many runs there were, of how many events, and how many of them failed."""

    runs: int = 0
    steps: int = 0
    failed: int = 0

    def add(self, tried: Tried) -> None:
        """Count in what came of seeds."""
        self.runs += tried.runs
        self.steps += tried.steps
        self.failed += bool(tried.found)


@dataclass(slots=True)
class Counts:
    """All of them, and those of each scope."""

    total: Count = field(default_factory=Count)
    scopes: dict[str, Count] = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)

    def add(self, tried: Tried) -> None:
        """Count in what came of seeds."""
        self.total.add(tried)
        self.scopes.setdefault(tried.scope, Count()).add(tried)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return max(time.monotonic() - self.begun, 1e-9)


@click.command("run", short_help="Try seeds; stop at the first that fails.")
@_worlds.scope_option(
    f"What the world contains and what may fail. Without, {', '.join(SCOPES)} have {BATCH} seeds "
    "each in turn; with a variant, the one that shows it, if one does."
)
@_worlds.variant_option
@click.option("--seeds", type=click.IntRange(1), help="How many seeds; without, no limit.")
@click.option(
    "--first", type=click.IntRange(0), default=0, show_default=True, help="The first seed."
)
@click.option("--seconds", type=click.FloatRange(0), help="Begin nothing new after this time.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--keep-going", is_flag=True, help="Go on after a seed that fails.")
def run_(
    scope: str | None,
    variant: str,
    seeds: int | None,
    first: int,
    seconds: float | None,
    jobs: int,
    keep_going: bool,
) -> None:
    """Try seed after seed: faults and invariants first, then healing and rest.

    Exit code 1 if a seed failed. With neither --seeds nor --seconds it tries 1,000 seeds.
    """
    variant = _worlds.known(variant)
    if seeds is None and seconds is None:
        seeds = 1_000
    counts, line, interrupted = Counts(), Line(sys.stderr.isatty()), False
    planned = plan([scope] if scope else _scopes(variant), first, seeds)
    try:
        for tried in _tries(planned, variant, seconds, jobs, not keep_going):
            counts.add(tried)
            if tried.found:
                line.clear()
                _tell_failure(variant, tried)
                if not keep_going:
                    break
            line.show(f"{tried.scope}: {_so_far(counts)}")
    except KeyboardInterrupt:
        interrupted = True
    line.clear()
    _tell(counts, variant)
    if interrupted or counts.total.failed:
        raise SystemExit(_worlds.INTERRUPTED if interrupted else 1)


def _scopes(variant: str) -> Sequence[str]:
    """Return the scopes to try: the one that a variant says it shows in, or the general ones."""
    shown_in = registry.variant(variant).exposed_by if variant else ""
    return [shown_in] if shown_in in ALL_SCOPES else list(SCOPES)


def plan(scopes: Sequence[str], first: int, count: int | None) -> Iterator[Batch]:
    """Yield seeds from `first` on, scope by scope in turn; each seed has one scope."""
    at = first
    for scope in cycle(scopes):
        size = BATCH if count is None else min(BATCH, first + count - at)
        if size <= 0:
            return
        yield Batch(scope, at, size)
        at += size


def _tries(
    planned: Iterator[Batch], variant: str, seconds: float | None, jobs: int, stops: bool
) -> Iterator[Tried]:
    end = None if seconds is None else time.monotonic() + seconds
    if jobs == 1:
        for batch in planned:
            if _is_over(end):
                return
            yield from _try(batch, variant, stops, end)
        return
    context = multiprocessing.get_context("forkserver")
    # Ctrl-C is for this process, which ends the others.
    with ProcessPoolExecutor(jobs, context, _ignore_ctrl_c) as pool:
        waiting: set[Future[list[Tried]]] = set()
        try:
            for batch in planned:
                if _is_over(end):
                    break
                waiting.add(pool.submit(_try, batch, variant, stops, None))
                if len(waiting) >= 2 * jobs:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for each in done:
                        yield from each.result()
            for each in waiting:
                yield from each.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _is_over(end: float | None) -> bool:
    return end is not None and time.monotonic() >= end


def _try(batch: Batch, variant: str, stops: bool, end: float | None) -> list[Tried]:
    """Run seeds, and return an entry for each that fails and one for those behind the last.

    A world is garbage as a whole when its run is over: then, while it is still in the processor's
    cache, it is looked through, and nothing that was there before it.
    """
    opening = _worlds.opening(batch.scope, variant)
    found: list[Tried] = []
    runs = steps = 0
    gc.disable()
    try:
        for seed in range(batch.first, batch.first + batch.count):
            finished = run(opening, seed)
            runs, steps = runs + 1, steps + len(finished.world.events)
            if finished.violation is not None:
                found.append(Tried(batch.scope, runs, steps, seed, _worlds.said(finished)))
                runs = steps = 0
                if stops:
                    return found
            del finished
            gc.collect(0)
            if _is_over(end):
                break
    finally:
        gc.enable()
    return [*found, Tried(batch.scope, runs, steps)]


# --- what is told --------------------------------------------------------------------------------


class Line:
    """A line on a terminal that is written anew again and again; nothing elsewhere."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal
        self._shown_at = 0.0

    def show(self, text: str) -> None:
        """Show a text in place of the one before, unless that has only just come."""
        now = time.monotonic()
        if self._terminal and now - self._shown_at >= _BEAT:
            click.echo(f"\r{text}\x1b[K", nl=False, err=True, color=True)
            self._shown_at = now

    def clear(self) -> None:
        """Take it away."""
        if self._terminal and self._shown_at:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
            self._shown_at = 0.0


def _so_far(counts: Counts) -> str:
    total = counts.total
    return f"{total.runs} runs in {counts.seconds:.0f} s, {total.failed or 'none'} failed"


def _tell(counts: Counts, variant: str) -> None:
    """Say how much was tried, and what came of it."""
    total, took = counts.total, counts.seconds
    if len(counts.scopes) > 1:
        width = max(map(len, counts.scopes))
        for scope, count in counts.scopes.items():
            of_it = f"{count.runs:>7} runs, {count.steps:>9} events"
            click.echo(f"  {scope:{width}} {of_it}; {count.failed or 'none'} failed")
    rate = f"{total.runs / took:.0f} runs/s, {total.steps / took:.0f} events/s"
    click.echo(
        f"{total.runs} runs, {total.steps} events in {took:.1f} s: "
        f"{rate}; {total.failed or 'none'} failed"
    )
    if variant and not total.failed:
        click.echo(f"  klamm lab matrix {variant}    puts it where it shows")


def _tell_failure(variant: str, tried: Tried) -> None:
    seed, scope = tried.seed, tried.scope
    options = _worlds.options(scope, variant)
    click.secho(f"seed {seed}: {tried.found}", fg="red")
    click.echo(f"  klamm lab replay {seed}{options}")
    click.echo(f"  klamm lab shrink {seed}{options} --to {scope}-{seed}.txt")
