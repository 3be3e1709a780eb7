"""`klamm lab matrix`: every bug of history put back in must be found, and klamm be green there."""

import click

from klamm.tools.lab import registry
from klamm.tools.lab.matrix import SEEDS, Row, footer, grid, heading, line, places, rows


@click.command("matrix")
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
    multiple=True,
    help="Look in this scope or exhibit, in place of where a variant says; may be given again.",
)
@click.option("--everywhere", is_flag=True, help="Look in all scopes and exhibits; takes long.")
def matrix(variants: tuple[str, ...], seeds: int, where: tuple[str, ...], everywhere: bool) -> None:
    """Put each variant in where it is to be seen, and klamm itself in the same runs.

    Red is the invariant that was violated first, and after how many runs; "story" is a claim of an
    exhibit or script. Exit code 1 if a variant is not found, or klamm is not green.
    """
    try:
        ids = [registry.variant(id_).id for id_ in variants]
    except registry.UnknownNameError as error:
        raise click.BadParameter(str(error), param_hint="ID") from error
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
