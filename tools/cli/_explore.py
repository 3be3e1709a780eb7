"""`klamm lab explore`: not some runs of a small world, but all of them."""

import gc
import resource
import time
from pathlib import Path

import click

from klamm.tools.lab import registry, replaying
from klamm.tools.lab.explore.scopes import SMALL
from klamm.tools.lab.explore.search import Bounds, Exploration, Explored, Order
from klamm.tools.lab.run import Opening

#: How many worlds there are between two lines about how far it is.
_STATES_PER_LINE = 5_000


@click.command("explore")
@click.option(
    "--scope",
    type=click.Choice(list(SMALL)),
    default="explore-pair",
    show_default=True,
    help="What the world contains.",
)
@click.option("--variant", metavar="ID", default="", help="Put a historical bug in, such as F33.")
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
@click.option("--bound", type=click.IntRange(1), help="Go no deeper than this.")
@click.option("--max-states", type=click.IntRange(1), help="Begin nothing new after so many.")
@click.option("--max-minutes", type=click.FloatRange(0), default=30.0, show_default=True)
@click.option("--to", type=click.Path(dir_okay=False, path_type=Path), help="Write what fails.")
def explore(
    scope: str,
    variant: str,
    crashes: int,
    order: str,
    bound: int | None,
    max_states: int | None,
    max_minutes: float,
    to: Path | None,
) -> None:
    """Try every order of everything that can happen in a small world, breadth first.

    Worlds that have the same future are looked at once. Exit code 1 if something is wrong; then
    the shortest way to it is printed, or written to a file for `klamm lab replay`.
    """
    try:
        chosen = registry.variant(variant) if variant else None
    except registry.UnknownNameError as error:
        raise click.BadParameter(str(error), param_hint="--variant") from error
    begun = time.monotonic()

    def goes_on(so_far: Explored) -> bool:
        took = time.monotonic() - begun
        if so_far.states - told[0] >= _STATES_PER_LINE:
            told[0] = so_far.states
            click.echo(_counts(so_far, took), err=True)
        return took < max_minutes * 60

    told = [0]
    bounds = Bounds(max_states, bound, crashes, Order(order))
    exploration = Exploration(Opening(SMALL[scope], chosen), bounds, goes_on)
    # What is made here is dropped as a whole, so to look for circles in it would be in vain.
    gc.collect()
    gc.freeze()
    found = exploration.run()
    click.echo(_counts(found, time.monotonic() - begun))
    if found.violation is None:
        return
    wrong = f"{found.violation.invariant}: {found.violation.text}"
    text = replaying.written(
        replaying.Script(scope, tuple(found.script), chosen.id if chosen else "", found=wrong)
    )
    if to is None:
        click.echo(text, nl=False)
    else:
        to.write_text(text)
        click.echo(f"{wrong}\n  klamm lab replay {to}")
    raise SystemExit(1)


def _counts(found: Explored, took: float) -> str:
    """Say how much was explored, and what it took."""
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    extent = "whole" if found.whole else f"cut off with {found.waiting} waiting"
    return (
        f"{found.states} states ({extent}), {found.edges} edges, {found.revisits} revisits, "
        f"{found.last} ends, depth {found.depth}; "
        f"{took:.1f} s, {found.states / max(took, 1e-9):.0f} states/s, {megabytes:.0f} MB"
    )
