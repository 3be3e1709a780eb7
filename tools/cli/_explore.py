"""`klamm lab explore`: not some runs of a small world, but all of them."""

import gc
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from klamm.tools.cli._worlds import INTERRUPTED, file_option, known, variant_option
from klamm.tools.lab import registry, replaying
from klamm.tools.lab.explore.finds import FINDS, NOT_FOUND
from klamm.tools.lab.explore.scopes import SMALL
from klamm.tools.lab.explore.search import Bounds, Exploration, Explored, First
from klamm.tools.lab.explore.steps import Order
from klamm.tools.lab.run import Opening

#: The exit code of an exploration that has seen nothing wrong, and not everything.
CUT_OFF = 3
#: The options that say how far to go, by what `Explored.cut_by` calls them, and what was tried.
_BOUNDS = {
    "depth": ("--bound", "every run of so many steps was tried, and none that is longer"),
    "deviations": ("--deviations", "every run that deviates so little was tried, and no other"),
    "states": ("--max-states", ""),
    "time": ("--max-minutes", ""),
    "Ctrl-C": ("Ctrl-C", ""),
}
#: How many worlds there are between two lines about how far it is.
_STATES_PER_LINE = 5_000
_FIND = "{:<5} {:<20} {:>4} {:>7} {:>7} {:>6} {:>6}  {}"


@click.command("explore", short_help="Try every run of a small world.")
@click.option(
    "--scope",
    type=click.Choice(list(SMALL)),
    default="explore-pair",
    show_default=True,
    help="What the world contains.",
)
@variant_option
@click.option(
    "--crashes",
    type=click.IntRange(0, 2),
    default=1,
    show_default=True,
    help="How often a controller's process or session ends.",
)
@click.option(
    "--order",
    type=click.Choice([each.value for each in Order]),
    default=Order.TURNS.value,
    show_default=True,
    help="Which orders are tried: turns one by one, also batches of them, or all.",
)
@click.option(
    "--first",
    type=click.Choice([each.value for each in First]),
    default=First.SHORT.value,
    show_default=True,
    help="First short ways, or what deviates least from the usual, or deep ways: for a whole.",
)
@click.option("--bound", type=click.IntRange(1), help="Go no deeper than this (--first short).")
@click.option("--deviations", type=click.IntRange(0), help="Deviate no more (--first usual).")
@click.option("--max-states", type=click.IntRange(1), help="Begin nothing new after so many.")
@click.option("--max-minutes", type=click.FloatRange(0), default=30.0, show_default=True)
@click.option("--variants", is_flag=True, help="Instead, print which bugs are found, and how soon.")
@file_option("--to", "Write what fails.")
def explore(
    scope: str,
    variant: str,
    crashes: int,
    order: str,
    first: str,
    bound: int | None,
    deviations: int | None,
    max_states: int | None,
    max_minutes: float,
    variants: bool,
    to: Path | None,
) -> None:
    """Try every order of everything that can happen in a small world.

    Worlds that have the same future are looked at once. Exit code 1 if something is wrong; then
    the way to it is printed, or written to a file for `klamm lab replay`. It is the shortest that
    there is, unless the usual comes first. Exit code 0 only if nothing is wrong and everything was
    tried, 3 if a bound was reached before: the last line says which, and what was tried.

    \b
      states    worlds that differ in what can still happen
      edges     steps tried; revisits, those that led to a world known before
      ends      worlds in which nothing happens unless time passes, somebody asks or fails
      depth     steps of the longest way; deviations, the most in one, from the usual order
      waiting   worlds known, of which not every next step was tried
    """
    if variants:
        _print_finds(max_states, max_minutes)
        return
    try:
        bounds = Bounds(max_states, bound, crashes, Order(order), First(first), deviations)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    variant = known(variant)
    chosen = registry.variant(variant) if variant else None
    begun = time.monotonic()

    def goes_on(so_far: Explored) -> bool:
        took = time.monotonic() - begun
        if so_far.states - told[0] >= _STATES_PER_LINE:
            told[0] = so_far.states
            click.echo(_counts(so_far, took), err=True)
        return took < max_minutes * 60

    told = [0]
    exploration = Exploration(Opening(SMALL[scope], chosen), bounds, goes_on)
    # What is made here is dropped as a whole, so to look for circles in it would be in vain.
    gc.collect()
    gc.freeze()
    try:
        found = exploration.run()
    except KeyboardInterrupt:
        found = replace(exploration.found, cut_by="Ctrl-C")
    click.echo(_counts(found, time.monotonic() - begun))
    if found.violation is None:
        click.echo(verdict(found, bounds.order))
        _leave(found)
        return
    wrong = f"{found.violation.invariant}: {found.violation.text}"
    text = replaying.written(replaying.Script(scope, tuple(found.script), variant, found=wrong))
    if to is None:
        click.echo(text, nl=False)
    else:
        to.write_text(text)
        click.echo(f"{wrong}\n  klamm lab replay {to}")
    raise SystemExit(1)


def verdict(found: Explored, order: Order) -> str:
    """Say what it means that nothing wrong was found."""
    if found.cut_by is None:
        return f"verdict  nothing is wrong: every run was tried that --order {order.value} allows"
    bound, tried = _BOUNDS[found.cut_by]
    rest = f"{found.waiting} worlds wait, and what comes of them is not known"
    return f"verdict  CUT OFF by {bound}: nothing is wrong so far; {tried or rest}"


def _leave(found: Explored) -> None:
    """End with the exit code of what was not all, or return."""
    if found.cut_by is not None:
        raise SystemExit(INTERRUPTED if found.cut_by == "Ctrl-C" else CUT_OFF)


def _counts(found: Explored, took: float) -> str:
    """Say how much was explored, and what it took."""
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    extent = "whole"
    if found.violation is not None:
        extent = f"ended by what is wrong, {found.waiting} waiting"
    elif found.cut_by is not None:
        extent = f"not all, {found.waiting} waiting"
    return (
        f"{found.states} states ({extent}), {found.edges} edges, {found.revisits} revisits, "
        f"{found.last} ends, depth {found.depth}, {found.deviations} deviations; "
        f"{took:.1f} s, {found.states / max(took, 1e-9):.0f} states/s, {megabytes:.0f} MB"
    )


def _print_finds(max_states: int | None, max_minutes: float) -> None:
    """Explore each world in which a bug is found, with it. Exits with 1 if one is not found."""
    heads = ("bug", "scope", "ends", "states", "edges", "depth", "CPU s", "found")
    click.echo(_FIND.format(*heads))
    missed = 0
    for id_, find in FINDS.items():
        begun = time.process_time()
        bounds = replace(find.bounds, states=max_states)
        exploration = Exploration(
            Opening(find.scope, registry.variant(id_)),
            bounds,
            _within(begun, max_minutes * 60),
        )
        found = exploration.run()
        took = time.process_time() - begun
        wrong = found.violation.invariant if found.violation is not None else "-"
        missed += wrong != find.invariant
        counts = (find.ends, found.states, found.edges, found.depth, f"{took:.1f}")
        click.echo(_FIND.format(id_, find.scope.name, *counts, wrong))
    click.echo("\nnot found, and why:")
    for id_, why in NOT_FOUND.items():
        click.echo(f"{id_:<5} {why}")
    if missed:
        raise SystemExit(1)


def _within(begun: float, seconds: float) -> Callable[[Explored], bool]:
    return lambda _: time.process_time() - begun < seconds
