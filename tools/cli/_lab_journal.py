"""`klamm lab journal`: what a run leaves behind, as files for `klamm pipeline`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from klamm.tools.cli import _worlds
from klamm.tools.lab import history, registry
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import module_of


@click.command("journal", short_help="Write what a run leaves behind, as files.")
@click.argument("seed", type=click.IntRange(0), required=False)
@_worlds.scope_option("What the world contains and what may fail.")
@_worlds.variant_option
@click.option("--exhibit", metavar="E1..E16", help="Perform the first case of this one instead.")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Where nodes/ID.jsonl and world.jsonl go.",
)
def journal(
    seed: int | None, scope: str | None, variant: str, exhibit: str | None, folder: Path
) -> None:
    """Do the run of SEED, whatever goes wrong in it, and write its history.

    nodes/ID.jsonl is the journal of each node, world.jsonl what ZooKeeper, brokers and clients saw.
    Nothing says whether the run was good: `klamm pipeline ingest` and `check` find that out.
    Without SEED a variant's own script is performed.
    """
    variant = _worlds.known(variant)
    bug = registry.variant(variant) if variant else None
    if exhibit is not None:
        try:
            found = history.of_case(registry.exhibit(exhibit).cases[0], bug)
        except registry.UnknownNameError as error:
            raise click.BadParameter(str(error), param_hint="--exhibit") from error
    elif seed is not None:
        if scope is None:
            shown = bug.exposed_by if bug is not None else ""
            scope = shown if shown in ALL_SCOPES else "moves"
        found = history.of_seed(ALL_SCOPES[scope], seed, bug)
    elif bug is not None and bug.exposed_by == OWN_SCRIPT:
        found = history.of_case(import_module(module_of(variant)).SCRIPT, bug)
    else:
        raise click.UsageError("name a SEED, an --exhibit, or a --variant that has a script")
    try:
        found.write(folder)
    except OSError as error:
        raise click.ClickException(f"{folder}: {error.strerror}") from error
    lines = sum(map(len, found.journals.values()))
    click.echo(f"{lines} journal entries, {len(found.world)} rows of the world, in {folder}")
