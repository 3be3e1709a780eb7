"""`klamm pipeline pack`: one archive with all that executors need."""

from pathlib import Path

import click

from klamm.tools.cli._worlds import file_option
from klamm.tools.pipeline.pack import PackError, pack


@click.command("pack", short_help="Make the archive that executors need.")
@file_option("--to", "Write it there, such as klamm.tar.gz.")
@click.option(
    "--level",
    type=click.IntRange(1, 9),
    default=6,
    show_default=True,
    help="How hard gzip tries: 1 is quick, 9 small.",
)
def command(to: Path | None, level: int) -> None:
    """Make the archive that executors need: klamm, and what it needs, but not Spark.

    It is made of what is installed here, and is for the same Python and the same kind of machine.
    Give it to a job:

    \b
      klamm pipeline pack --to klamm.tar.gz
      klamm pipeline sweep runs/ --master spark://HOST:7077 --archive klamm.tar.gz
    """
    if to is None:
        raise click.UsageError("say where to write it: --to klamm.tar.gz")
    if not to.name.endswith((".tar.gz", ".tgz")):
        text = f"{to.name} must end in .tar.gz or .tgz: by that Spark knows how to unpack it"
        raise click.BadParameter(text, param_hint="--to")
    try:
        made = pack(to, level=level)
    except PackError as error:
        raise click.ClickException(str(error)) from error
    manifest = made.manifest
    click.echo(
        f"{made.path}: {made.size / 1e6:.0f} MB, {made.files} files; klamm {manifest.code}"
        f" and {len(manifest.distributions)} distributions for Python {manifest.python} on"
        f" {manifest.platform}"
    )
