"""`klamm lab replay` and `shrink`: one run again, as it was or with less in it."""

from __future__ import annotations

import re
from pathlib import Path

import click

from klamm.tools.cli import _worlds
from klamm.tools.lab import replaying
from klamm.tools.lab.page import render_page
from klamm.tools.lab.run import Finished, Opening, again, run
from klamm.tools.lab.shrink import shrink
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.trace import Header, not_all_possible, not_possible, render

_SEED = re.compile(r"[0-9]{1,18}")
#: The scope of a seed that comes without one.
_SCOPE = "failover"
_scope_option = _worlds.scope_option(
    f"Which world the seed is of, {_SCOPE} if not given; a file says it itself."
)


@click.command(short_help="Do a run again and print its trace.")
@click.argument("what", metavar="SEED|FILE")
@_scope_option
@_worlds.variant_option
@click.option("--whole", is_flag=True, help="Show also what says the same again and again.")
@_worlds.file_option("--html", "Write a page to step through, too.")
def replay(what: str, scope: str | None, variant: str, whole: bool, html: Path | None) -> None:
    """Do a run again and print its trace. Exit code 1 if something was wrong in it.

    Lines of a FILE that are not possible at their place are passed over, and the trace says so.
    After the last one everything heals, and the run goes on until all is at rest.

    n1, n2, ... are controller nodes with the ids 901, 902, ..., b1, b2, ... brokers 1, 2, ...
    Lines tell what a node was `given`, `wants` and, where it crashed, had `undone`; which `znode`
    was written; what went over the `wire` (--> sent, ==> taken in, -x- lost); and what a `client`
    asked, by its own number (1). R are replicas, AR and RR those to be added and removed.
    """
    script, opening = _named(what, scope, variant)
    finished = _finished(opening, script, film=html is not None)
    options = "" if script.lines else _worlds.options(script.scope, script.variant)
    command = f"klamm lab replay {what}{options}"
    header = Header(script.scope, script.variant, script.seed, command)
    _show(finished, header, whole, len(script.lines), html)
    if finished.violation is not None:
        raise SystemExit(1)


@click.command("shrink", short_help="Leave out of a run what it does not need.")
@click.argument("what", metavar="SEED|FILE")
@_scope_option
@_worlds.variant_option
@_worlds.file_option("--to", "Write the script there, in place of printing it.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    help="Try no more shorter scripts than this; what is left then is the shortest so far.",
)
def shrink_(what: str, scope: str | None, variant: str, to: Path | None, runs: int) -> None:
    """Shorten a run that fails: print the script that is left, or write it to a file.

    What is left shows the same: the same invariant, the same kind of unrest, or the same error.
    After Ctrl-C it is the shortest so far.
    """
    script, opening = _named(what, scope, variant)
    finished = _finished(opening, script)
    if finished.violation is None:
        raise click.ClickException(f"{what} shows nothing wrong, so there is nothing to shrink")
    shrunk = shrink(opening, finished.script, runs)
    lines, found = tuple(shrunk.script), _worlds.said(shrunk.finished)
    text = replaying.written(
        replaying.Script(script.scope, lines, script.variant, script.seed, found)
    )
    if to is None:
        click.echo(text, nl=False)
    else:
        to.write_text(text, encoding="utf-8")
        faults = sum(happened.fault for happened in shrunk.finished.world.events)
        left = f"{faults} fault{'' if faults == 1 else 's'} left"
        click.echo(f"{found}\n{left}, after {shrunk.runs} runs: klamm lab replay {to}")
    if shrunk.interrupted:
        click.echo(f"stopped by Ctrl-C after {shrunk.runs} runs; more may be left out", err=True)
        raise SystemExit(_worlds.INTERRUPTED)


def _named(what: str, scope: str | None, variant: str) -> tuple[replaying.Script, Opening]:
    """Return what a seed or a file names; a seed has no lines yet."""
    if _SEED.fullmatch(what):
        seed = replaying.Script(scope or _SCOPE, (), _worlds.known(variant), str(int(what)))
        return seed, _worlds.opening(seed.scope, seed.variant)
    script = _read(what)
    if scope or variant:
        raise click.UsageError(f"{what} names its scope and variant itself; change its lines")
    if script.scope not in ALL_SCOPES:
        known = ", ".join(ALL_SCOPES)
        raise click.ClickException(f"there is no scope {script.scope!r}; there are: {known}")
    return script, _worlds.opening(script.scope, _worlds.known(script.variant))


def _read(what: str) -> replaying.Script:
    try:
        return replaying.read(Path(what).read_text(encoding="utf-8"), what)
    except FileNotFoundError:
        reason = "there is no such file, and seeds are whole numbers from 0"
    except OSError as error:
        reason = str(error.strerror).lower()
    except UnicodeDecodeError:
        reason = "the file is no text"
    except replaying.ScriptError as error:
        raise click.ClickException(f"neither a seed nor a script: {error}") from error
    raise click.ClickException(f"{what} is neither a seed nor a script: {reason}")


def _finished(opening: Opening, script: replaying.Script, *, film: bool = False) -> Finished:
    if script.lines:
        return again(opening, script.lines, film=film)
    return run(opening, int(script.seed), film=film)


def _show(finished: Finished, header: Header, whole: bool, lines: int, html: Path | None) -> None:
    """Print the trace, and write the page."""
    world, violation, missed = finished.world, finished.violation, finished.passed_over
    click.echo(render(world.events, header, violation, passed_over=missed, whole=whole), nl=False)
    for text in not_all_possible(missed, lines):
        click.secho(text, fg="yellow")
    film = world.observed.film
    if html is not None and film is not None:
        story: dict[int, list[str]] = {}
        for each in missed:
            story.setdefault(min(each.step, len(world.events)), []).append(not_possible(each))
        page = render_page(world.events, film, header, violation, story)
        html.write_text(page, encoding="utf-8")
        click.echo(f"page     {html}")
