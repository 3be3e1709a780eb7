"""`klamm lab`: the real controller in a world where everything fails, and every failure repeats."""

from __future__ import annotations

import gc
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import click

from klamm.tools.cli._crash_points import crash_points
from klamm.tools.cli._exhibits import exhibits
from klamm.tools.cli._explore import explore
from klamm.tools.cli._matrix import matrix
from klamm.tools.lab import registry, replaying
from klamm.tools.lab.faults import FAULTS
from klamm.tools.lab.invariants import INVARIANTS
from klamm.tools.lab.page import render_page
from klamm.tools.lab.rogue import RECIPES
from klamm.tools.lab.run import Finished, Opening, again, run
from klamm.tools.lab.shrink import shrink
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.trace import Header, render

#: Seeds that a process tries before it reports.
_BATCH = 50

_scope_option = click.option(
    "--scope",
    type=click.Choice(list(ALL_SCOPES)),
    default="failover",
    show_default=True,
    help="What the world contains and what may fail.",
)
_variant_option = click.option(
    "--variant", metavar="ID", default="", help="Put a historical bug in, such as F33."
)


@click.group()
def command() -> None:
    """Break controllers on purpose, and repeat, shrink and read what happened.

    \b
      klamm lab run --seconds 60            try seeds, stop at the first one that fails
      klamm lab replay 17                   show what happened in a run
      klamm lab shrink 17 --to found.txt    leave out what it does not need
      klamm lab list                        scopes, faults, invariants, exhibits, variants
    """


@dataclass(frozen=True, slots=True)
class _Batch:
    """What came of some seeds: the first that failed, with what was wrong."""

    runs: int
    steps: int
    seed: int = -1
    found: str = ""


@command.command("run")
@_scope_option
@_variant_option
@click.option("--seeds", type=click.IntRange(1), help="How many seeds; without, no limit.")
@click.option("--first", type=int, default=0, show_default=True, help="The first seed.")
@click.option("--seconds", type=click.FloatRange(0), help="Begin nothing new after this time.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--keep-going", is_flag=True, help="Go on after a seed that fails.")
def run_(
    scope: str,
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
    _known(variant)
    if seeds is None and seconds is None:
        seeds = 1_000
    begun = time.monotonic()
    runs = steps = failed = 0
    for batch in _batches(scope, variant, _seeds(first, seeds), seconds, jobs, not keep_going):
        runs, steps = runs + batch.runs, steps + batch.steps
        if batch.found:
            failed += 1
            _tell_failure(scope, variant, batch)
            if not keep_going:
                break
    took = max(time.monotonic() - begun, 1e-9)
    click.echo(f"{runs} runs, {steps} events in {took:.1f} s: {runs / took:.0f} runs/s, ", nl=False)
    click.echo(f"{steps / took:.0f} events/s; {failed or 'none'} failed")
    if failed:
        raise SystemExit(1)


def _seeds(first: int, count: int | None) -> Iterator[tuple[int, int]]:
    """Yield the batches of seeds as (first, count)."""
    at = first
    while count is None or at < first + count:
        size = _BATCH if count is None else min(_BATCH, first + count - at)
        yield at, size
        at += size


def _batches(
    scope: str,
    variant: str,
    seeds: Iterator[tuple[int, int]],
    seconds: float | None,
    jobs: int,
    stops: bool,
) -> Iterator[_Batch]:
    end = None if seconds is None else time.monotonic() + seconds
    if jobs == 1:
        for at, count in seeds:
            if end is not None and time.monotonic() >= end:
                return
            yield from _try(scope, variant, at, count, stops, end)
        return
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: set[Future[list[_Batch]]] = set()
        try:
            for at, count in seeds:
                if end is not None and time.monotonic() >= end:
                    break
                waiting.add(pool.submit(_try, scope, variant, at, count, stops, None))
                if len(waiting) >= 2 * jobs:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for each in done:
                        yield from each.result()
            for each in waiting:
                yield from each.result()
        finally:
            pool.shutdown(cancel_futures=True)


#: One world per process and kind, opened when the first seed needs it.
_OPENINGS: dict[tuple[str, str], Opening] = {}


def _opening(scope: str, variant: str) -> Opening:
    found = _OPENINGS.get((scope, variant))
    if found is None:
        chosen = registry.variant(variant) if variant else None
        found = _OPENINGS[scope, variant] = Opening(ALL_SCOPES[scope], chosen)
    return found


def _try(
    scope: str, variant: str, first: int, count: int, stops: bool, end: float | None
) -> list[_Batch]:
    """Run seeds, and return a batch for each that fails and one for those behind the last.

    A world is garbage as a whole when its run is over; to look through it meanwhile is in vain.
    """
    opening = _opening(scope, variant)
    found: list[_Batch] = []
    runs = steps = 0
    gc.collect()
    gc.disable()
    try:
        for seed in range(first, first + count):
            finished = run(opening, seed)
            runs, steps = runs + 1, steps + len(finished.world.events)
            if finished.violation is not None:
                found.append(_Batch(runs, steps, seed, _said(finished)))
                runs = steps = 0
                if stops:
                    return found
            if end is not None and time.monotonic() >= end:
                break
    finally:
        gc.enable()
    return [*found, _Batch(runs, steps)]


def _said(finished: Finished) -> str:
    violation = finished.violation
    if violation is None:
        return ""
    return f"{violation.invariant} at step {violation.step}: {violation.text}"


def _tell_failure(scope: str, variant: str, batch: _Batch) -> None:
    options = f" --scope {scope}" + (f" --variant {variant}" if variant else "")
    click.secho(f"seed {batch.seed}: {batch.found}", fg="red")
    click.echo(f"  klamm lab replay {batch.seed}{options}")
    click.echo(f"  klamm lab shrink {batch.seed}{options} --to {scope}-{batch.seed}.txt")


@command.command()
@click.argument("what", metavar="SEED|FILE")
@_scope_option
@_variant_option
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page too.")
def replay(what: str, scope: str, variant: str, html: Path | None) -> None:
    """Do a run again and print its trace. Exit code 1 if something was wrong in it."""
    script, opening = _named(what, scope, variant)
    finished = _finished(opening, script, film=html is not None)
    options = f" --scope {scope}" + (f" --variant {variant}" if variant else "")
    command = f"klamm lab replay {what}" + ("" if script.lines else options)
    _show(finished, Header(script.scope, script.variant, script.seed, command), html)
    if finished.violation is not None:
        raise SystemExit(1)


@command.command("shrink")
@click.argument("what", metavar="SEED|FILE")
@_scope_option
@_variant_option
@click.option("--to", type=click.Path(dir_okay=False, path_type=Path), help="Write it there.")
@click.option("--runs", type=click.IntRange(1), default=2_000, show_default=True)
def shrink_(what: str, scope: str, variant: str, to: Path | None, runs: int) -> None:
    """Shorten a run that fails: print the script that is left, or write it to a file."""
    script, opening = _named(what, scope, variant)
    finished = _finished(opening, script)
    if finished.violation is None:
        raise click.ClickException(f"{what} shows nothing wrong, so there is nothing to shrink")
    shrunk = shrink(opening, finished.script, runs)
    lines, found = tuple(shrunk.script), _said(shrunk.finished)
    text = replaying.written(
        replaying.Script(script.scope, lines, script.variant, script.seed, found)
    )
    if to is None:
        click.echo(text, nl=False)
        return
    to.write_text(text)
    faults = sum(happened.fault for happened in shrunk.finished.world.events)
    click.echo(f"{found}\n{faults} faults left, after {shrunk.runs} runs: klamm lab replay {to}")


@command.command("list")
def list_() -> None:
    """List scopes, faults, tools, invariants, exhibits and variants."""
    _table("Scopes", {scope.name: scope.story for scope in ALL_SCOPES.values()})
    _table("Faults", {fault.id: fault.story for fault in FAULTS.values()})
    _table("Rogue tools", {recipe.id: recipe.story for recipe in RECIPES.values()})
    _table("Invariants", {id_: _first_line(holds.__doc__) for id_, holds in INVARIANTS.items()})
    _table("Exhibits", {id_: registry.exhibit(id_).title for id_ in registry.exhibit_ids()})
    variants = (registry.variant(id_) for id_ in registry.variant_ids())
    _table("Variants", {each.id: each.story.partition(". ")[0] for each in variants})


def _first_line(text: str | None) -> str:
    line = (text or "").strip().partition("\n")[0]
    return line.partition(": ")[2] or line


def _table(title: str, rows: dict[str, str]) -> None:
    click.secho(title, bold=True)
    width = max(map(len, rows), default=0)
    for id_, story in rows.items():
        click.echo(f"  {id_:{width}}  {story}".rstrip())
    click.echo("")


command.add_command(crash_points)
command.add_command(exhibits)
command.add_command(explore)
command.add_command(matrix)


# --- what a run is called ------------------------------------------------------------------------


def _known(variant: str) -> None:
    """Refuse a variant that does not exist."""
    if variant:
        try:
            registry.variant(variant)
        except registry.UnknownNameError as error:
            raise click.BadParameter(str(error), param_hint="--variant") from error


def _named(what: str, scope: str, variant: str) -> tuple[replaying.Script, Opening]:
    """Return what a seed or a file names; a seed has no lines yet."""
    if what.lstrip("-").isdigit():
        script = replaying.Script(scope, (), variant, what)
    else:
        try:
            script = replaying.read(Path(what).read_text(), what)
        except (OSError, UnicodeDecodeError, replaying.ScriptError) as error:
            raise click.ClickException(f"neither a seed nor a script: {error}") from error
    _known(script.variant)
    if script.scope not in ALL_SCOPES:
        known = ", ".join(ALL_SCOPES)
        raise click.ClickException(f"there is no scope {script.scope!r}; there are: {known}")
    return script, _opening(script.scope, script.variant)


def _finished(opening: Opening, script: replaying.Script, *, film: bool = False) -> Finished:
    if script.lines:
        return again(opening, script.lines, film=film)
    return run(opening, int(script.seed), film=film)


def _show(finished: Finished, header: Header, html: Path | None) -> None:
    """Print the trace, and write the page."""
    world, violation = finished.world, finished.violation
    click.echo(render(world.events, header, violation), nl=False)
    film = world.observed.film
    if html is not None and film is not None:
        html.write_text(render_page(world.events, film, header, violation), encoding="utf-8")
        click.echo(f"page     {html}")
