"""`klamm pipeline replay`: topics' znodes from journals, held against ZooKeeper."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_argument,
    require_events,
    spark_options,
)

if TYPE_CHECKING:
    from klamm.tools.pipeline.jobs.replay import Rebuilt
    from klamm.tools.pipeline.lake import Lake


@click.command()
@lake_argument
@click.option(
    "--check-zookeeper",
    metavar="HOST:PORT[/CHROOT]",
    help="Tell where a ZooKeeper, at rest, holds something else.",
)
@click.option("--cluster", help="The cluster that is checked, if LAKE has several.")
@spark_options
@json_option
def command(
    lake: Lake, check_zookeeper: str | None, cluster: str | None, engine: Engine, json_wanted: bool
) -> None:
    """Rebuild every topic's znodes from journals.

    LAKE holds what `klamm pipeline ingest` made of the journals of all nodes. Each cluster's last
    office is replayed, from the snapshot that it began with, and the znodes of its topics, with
    their versions, are written to LAKE as the table `znodes`.

    Exits with 1 if entries are missing, or ZooKeeper holds something else.
    """
    rebuilt, wrong = _replayed(lake, check_zookeeper, cluster, engine)
    if json_wanted:
        found = {"rebuilt": [asdict(each) for each in rebuilt], "differences": wrong}
        click.echo(json.dumps(found))
    else:
        _tell(rebuilt, wrong)
    if wrong or any(each.missing for each in rebuilt):
        raise SystemExit(1)


def _replayed(
    lake: Lake, connect: str | None, cluster: str | None, engine: Engine
) -> tuple[list[Rebuilt], list[str] | None]:
    from klamm.tools.pipeline.history.replay import ReplayError
    from klamm.tools.pipeline.jobs import replay
    from klamm.tools.pipeline.lake import LakeError

    try:
        require_events(lake)
        if engine.plain:
            rebuilt = replay.plain(lake)
        else:
            from klamm.tools.pipeline.progress import shown

            with engine.session() as spark, shown(spark.sparkContext):
                rebuilt = replay.on_spark(spark, lake)
        if connect is None:
            return rebuilt, None
        names = [each.begin.cluster for each in rebuilt]
        if cluster is None and len(names) == 1:
            cluster = names[0]
        if cluster not in names:
            told = ", ".join(names) or "none with a snapshot"
            raise click.UsageError(f"--cluster must name one of those that LAKE has: {told}")
        return rebuilt, replay.check(lake, cluster, replay.zookeeper(connect))
    except LakeError as error:
        raise click.UsageError(str(error)) from error
    except ReplayError as error:
        raise click.ClickException(str(error)) from error


def _tell(rebuilt: list[Rebuilt], wrong: list[str] | None) -> None:
    for each in rebuilt:
        begin = each.begin
        click.echo(
            f"{begin.cluster}: {each.znodes} znodes, from the snapshot of node {begin.node} in"
            f" epoch {begin.controller_epoch} on"
        )
        if each.missing:
            click.echo(
                f"{begin.cluster}: {each.missing} entries of node {begin.node} are missing since"
                " that snapshot: do not rely on it"
            )
    if not rebuilt:
        click.echo(
            "No office: the events hold none of the snapshots that a controller begins with."
        )
    for line in wrong or ():
        click.echo(line)
    if wrong == []:
        click.echo("ZooKeeper holds the same.")
