"""`klamm lab crash-points`: what becomes of a move whose controller is killed, gap by gap."""

from pathlib import Path

import click

from klamm.tools.cli._worlds import file_option
from klamm.tools.lab.apache.crash_points import crash_table
from klamm.tools.lab.apache.report import markdown
from klamm.tools.lab.apache.scenarios import SCENARIOS


@click.command("crash-points", short_help="Kill controllers at every gap.")
@click.option(
    "--scenario",
    "names",
    type=click.Choice([scenario.name for scenario in SCENARIOS]),
    multiple=True,
    help="Only this one; may be given again.",
)
@file_option("--to", "Write it there.")
def crash_points(names: tuple[str, ...], to: Path | None) -> None:
    """Kill Kafka's own sequence, and klamm, at every gap; tell in Markdown how each ends.

    All scenarios take a minute or two.
    """
    chosen = [scenario for scenario in SCENARIOS if not names or scenario.name in names]
    text = markdown(chosen, crash_table(chosen))
    if to is None:
        click.echo(text, nl=False)
    else:
        to.write_text(text)
