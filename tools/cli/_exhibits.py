"""`klamm lab exhibit`: failover stories on the real controller, with and without their bug."""

from pathlib import Path

import click

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Performed, perform
from klamm.tools.lab.page import render_page
from klamm.tools.lab.performing import heading, narrated, outcome
from klamm.tools.lab.trace import Header


@click.command("exhibit")
@click.argument("exhibit", metavar="[E1..E14]", required=False)
@click.option("--case", "number", type=click.IntRange(1), help="Perform only this case of it.")
@click.option("--trace", is_flag=True, help="Show every step, not only writes and answers.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page of the case, the first one without --case.",
)
def exhibits(exhibit: str | None, number: int | None, trace: bool, html: Path | None) -> None:
    """Tell a failover story on the real controller, then with the bug that it is about.

    Without an id, list them all. Exit code 1 if a case does not go as its story says.
    """
    if exhibit is None:
        for id_ in registry.exhibit_ids():
            click.echo(f"  {id_:<4} {registry.exhibit(id_).title}")
        click.echo("klamm lab exhibit E1 tells the first one")
        return
    try:
        chosen = registry.exhibit(exhibit)
    except registry.UnknownNameError as error:
        raise click.BadParameter(str(error), param_hint="EXHIBIT") from error
    cases = chosen.cases
    if number is not None:
        if number > len(cases):
            text = f"{chosen.id} has {len(cases)} cases, no {number}"
            raise click.BadParameter(text, param_hint="--case")
        cases = cases[number - 1 : number]
    click.echo(heading(chosen), nl=False)
    done: list[Performed] = []
    for case in cases:
        done.append(perform(case, film=html is not None and not done))
        click.echo(narrated(done[-1], whole=trace), nl=False)
    if len(done) > 1:
        click.echo("")
        for performed in done:
            click.echo("\n".join(outcome(performed)))
    if html is not None:
        _write_page(chosen.id, done[0], html)
    if not all(performed.as_expected for performed in done):
        raise SystemExit(1)


def _write_page(id_: str, performed: Performed, html: Path) -> None:
    world = performed.stage.world
    header = Header(f"exhibit {id_}, {performed.case.name}", performed.case.variant)
    film = world.observed.film
    assert film is not None, "it was performed with a film"
    html.write_text(render_page(world.events, film, header, performed.violation), encoding="utf-8")
    click.echo(f"page: {html}")
