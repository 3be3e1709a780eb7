"""`klamm pipeline samples`: a made-up cluster, its days and its journals, with known faults."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from klamm.tools.pipeline.samples.cluster import SIZES, Size
from klamm.tools.pipeline.samples.writing import Written, write

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--seed", type=int, default=1, show_default=True, help="The same makes the same.")
@click.option(
    "--size",
    "name",
    type=click.Choice(list(SIZES)),
    default="small",
    show_default=True,
    help="What is not said by the options below.",
)
@click.option("--brokers", type=int, help="How many brokers, of which one is gone.")
@click.option("--partitions", type=int, help="How many partitions.")
@click.option("--events", type=int, help="How many lines of journals, or a few more.")
@click.option("--days", type=int, help="Of how many days there are sizes and loads.")
@click.option(
    "--rotate",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="MIB",
    help="How large a journal's file becomes before the next one.",
)
@click.option("--to", "folder", type=_FOLDER, required=True, help="A new folder.")
def command(
    seed: int,
    name: str,
    brokers: int | None,
    partitions: int | None,
    events: int | None,
    days: int | None,
    rotate: int,
    folder: Path,
) -> None:
    """Write snapshots, loads and journals with labelled faults, as files that users have.

    \b
      klamm pipeline samples --to sample
      klamm pipeline ingest sample/journals --to lake --cluster sample
      klamm pipeline check lake

    labels.json says what is planted where.
    """
    usual = SIZES[name]
    try:
        size = Size(
            brokers=usual.brokers if brokers is None else brokers,
            racks=usual.racks,
            partitions=usual.partitions if partitions is None else partitions,
            events=usual.events if events is None else events,
            days=usual.days if days is None else days,
        )
        written = _written(folder, seed, size, rotate * 1024 * 1024)
    except (ValueError, FileExistsError) as error:
        raise click.UsageError(str(error)) from error
    faults = ", ".join(f"{each} {count}" for each, count in sorted(written.faults.items()))
    results = ", ".join(f"{each} {count:,}" for each, count in sorted(written.results.items()))
    click.echo(f"{folder}: {size.partitions:,} partitions on {size.brokers} brokers")
    click.echo(f"journals  {written.lines:,} lines; moves: {results}")
    click.echo(f"planted   {faults}")


def _written(folder: Path, seed: int, size: Size, rotate_bytes: int) -> Written:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("journals", total=size.events)
        return write(
            folder,
            seed,
            size,
            rotate_bytes=rotate_bytes,
            progress=lambda lines: progress.update(task, completed=lines),
        )
