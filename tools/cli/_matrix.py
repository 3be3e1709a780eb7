"""`klamm lab matrix`: every bug of history put back in must be found, and klamm be green there."""

import click

from klamm.tools.cli._worlds import known
from klamm.tools.lab import registry
from klamm.tools.lab.matrix import SEEDS, Row, footer, grid, heading, line, places, rows


@click.command("matrix", short_help="Look for each bug put back in.")
@click.argument("variants", metavar="[ID]...", nargs=-1)
@click.option(
    "--seeds",
    type=click.IntRange(1),
    default=SEEDS,
    show_default=True,
    help="How many a variant has to turn red in a scope.",
)
@click.option(
    "--where",
    type=click.Choice(places()),
    metavar="NAME",
    multiple=True,
    help="Look in this scope or exhibit, in place of where a variant says; may be given again.",
)
@click.option("--everywhere", is_flag=True, help="Look in all scopes and exhibits; takes long.")
def matrix(variants: tuple[str, ...], seeds: int, where: tuple[str, ...], everywhere: bool) -> None:
    """Put each variant in where it is to be seen, and klamm itself in the same runs.

    Red is the invariant that was violated first, and after how many runs; "story" is a claim of an
    exhibit or script. Exit code 1 if a variant is not found, or klamm is not green.
    """
    ids = [known(id_, "ID") for id_ in variants]
    if where or everywhere:
        for text in grid(ids or registry.variant_ids(), where or places(), seeds):
            click.echo(text)
        return
    click.echo(heading())
    found: list[Row] = []
    for each in rows(ids, seeds):
        click.echo(line(each))
        found.append(each)
    click.echo(footer(found))
    if not all(each.proven for each in found):
        raise SystemExit(1)
