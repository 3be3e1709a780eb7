"""`klamm lab exhibit`: failover stories on the real controller, with and without their bug."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from klamm.tools.cli._worlds import file_option
from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Performed, perform
from klamm.tools.lab.page import render_page
from klamm.tools.lab.performing import heading, narrated, outcome, sentences
from klamm.tools.lab.trace import Header

#: So many cases are told one after the other.
_FEW = 8
#: How lines look in a terminal, by what they begin with.
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "GREEN": {"fg": "green", "bold": True},
    "RED": {"fg": "red", "bold": True},
    "---": {"bold": True},
    "  * ": {"fg": "cyan"},
    "  + ": {"fg": "green"},
    "  ! ": {"fg": "red"},
}


@click.command("exhibit", short_help="Tell a failover story.")
@click.argument("exhibit", metavar="[E1..E16]", required=False)
@click.option("--case", "number", type=click.IntRange(1), help="Perform only this case of it.")
@click.option("-v", "--verbose", is_flag=True, help="Tell every case, of however many.")
@click.option("--trace", is_flag=True, help="Show every step, not only writes and answers.")
@file_option("--html", "Write a page of the case, the first one without --case.")
def exhibits(
    exhibit: str | None, number: int | None, verbose: bool, trace: bool, html: Path | None
) -> None:
    """Tell a failover story on the real controller, then with the bug that it is about.

    Without an id, list them all. Each case is one run: GREEN if all holds, as it must with klamm,
    RED if not, as it must where a bug is put in. After a line for each they are told: * is what
    happens, + a claim that holds, ! one that does not. Of more than eight only the first of either
    colour is told, but for -v. Exit code 1 if a case does not go as its story says.
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
    except registry.BrokenModuleError as error:
        raise click.ClickException(str(error)) from error
    cases = chosen.cases
    if number is not None:
        if number > len(cases):
            text = f"{chosen.id} has {len(cases)} cases, no {number}"
            raise click.BadParameter(text, param_hint="--case")
        cases = cases[number - 1 : number]
    _show(heading(chosen))
    done = [perform(case, film=html is not None and not at) for at, case in enumerate(cases)]
    if len(done) == 1:
        _show(narrated(done[0], whole=trace))
    else:
        _tell(done, whole=trace, every=verbose or trace or len(done) <= _FEW)
    if html is not None:
        _write_page(chosen.id, done[0], html)
    if not all(performed.as_expected for performed in done):
        raise SystemExit(1)


def _tell(done: Sequence[Performed], *, whole: bool, every: bool) -> None:
    """Show a line for each case, then their stories, or only the first of either colour."""
    click.echo("")
    for performed in done:
        _show("\n".join(outcome(performed)))
    first = {performed.violation is None: at for at, performed in reversed([*enumerate(done)])}
    for at, performed in enumerate(done):
        if every or at in first.values() or not performed.as_expected:
            _show(f"\ncase {at + 1} of {len(done)}; alone with --case {at + 1}")
            _show(narrated(performed, whole=whole))
    _show(f"\n{_sum(done)}" + ("" if every else "; -v tells the others as well"))


def _show(text: str) -> None:
    """Print lines, in colour if that is a terminal."""
    for line in text.splitlines():
        style = next((each for start, each in _STYLES.items() if line.startswith(start)), {})
        click.echo(click.style(line, **style) if style else line)


def _sum(done: Sequence[Performed]) -> str:
    """Say in one line whether it went as it should: bugs are red, klamm is green."""
    red = sum(performed.violation is not None for performed in done)
    odd = sum(not performed.as_expected for performed in done)
    verdict = "as the story says" if not odd else f"{odd} not as the story says"
    return f"{len(done) - red} green, {red} red, {verdict}"


def _write_page(id_: str, performed: Performed, html: Path) -> None:
    world = performed.stage.world
    header = Header(f"exhibit {id_}, {performed.case.name}", performed.case.variant)
    film = world.observed.film
    assert film is not None, "it was performed with a film"
    # Once an invariant is violated the world goes on, and the film does not.
    shown = world.events[: len(film.frames)]
    story = sentences(performed, shown)
    page = render_page(shown, film, header, performed.violation, story)
    html.write_text(page, encoding="utf-8")
    click.echo(f"page     {html}, of {performed.case.name}")
