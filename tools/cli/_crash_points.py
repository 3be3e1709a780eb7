"""`klamm lab crash-points`: what becomes of a move whose controller is killed, gap by gap."""

from pathlib import Path

import click

from klamm.tools.cli._worlds import INTERRUPTED, file_option
from klamm.tools.lab.apache.crash_points import Row, crash_table
from klamm.tools.lab.apache.report import markdown
from klamm.tools.lab.apache.scenarios import Scenario
from klamm.tools.lab.apache.stepped import ALL


@click.command("crash-points", short_help="Kill controllers at every gap.")
@click.option(
    "--scenario",
    "names",
    type=click.Choice([scenario.name for scenario in ALL]),
    multiple=True,
    help="Only this one; may be given again.",
)
@file_option("--to", "Write it there.")
def crash_points(names: tuple[str, ...], to: Path | None) -> None:
    """Kill Kafka's own sequence, and klamm, at every gap; tell in Markdown how each ends.

    All scenarios take a minute or two. After Ctrl-C those that are done are printed, in place of
    being written to a file.
    """
    chosen = [scenario for scenario in ALL if not names or scenario.name in names]
    done: list[Scenario] = []
    rows: list[Row] = []
    try:
        for scenario in chosen:
            rows += crash_table([scenario])
            done.append(scenario)
    except KeyboardInterrupt:
        if done:
            click.echo(markdown(done, rows), nl=False)
        of_them = f"{len(done)} of {len(chosen)} scenarios"
        click.echo(f"stopped by Ctrl-C after {of_them}", err=True)
        raise SystemExit(INTERRUPTED) from None
    text = markdown(chosen, rows)
    if to is None:
        click.echo(text, nl=False)
    else:
        to.write_text(text)
