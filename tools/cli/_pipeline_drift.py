"""`klamm pipeline drift`: how a cluster grows, and when it will need a move."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_argument,
    report_option,
    spark_options,
)

if TYPE_CHECKING:
    from klamm.tools.pipeline.history.drift import Drift
    from klamm.tools.pipeline.lake import Lake


@click.command()
@lake_argument
@click.option(
    "--full",
    type=float,
    default=0.8,
    show_default=True,
    help="The part of its capacity at which a broker needs relief.",
)
@click.option(
    "--share",
    type=float,
    default=1.25,
    show_default=True,
    help="How many times the brokers' mean is too much.",
)
@spark_options
@report_option
@json_option
def command(
    lake: Lake,
    full: float,
    share: float,
    engine: Engine,
    report: Path | None,
    json_wanted: bool,
) -> None:
    """Tell how a cluster grows, who is hot, and when it will need a move.

    LAKE holds what `klamm pipeline ingest` made of daily snapshots: kafka-log-dirs for sizes,
    kafka-topics for leaders, Cruise Control's loads, and snapshots for capacities.
    """
    drift = _worked_out(lake, full, share, engine)
    if report is not None:
        from klamm.tools.pipeline.reports.drift import page

        page(drift).write(report)
    if json_wanted:
        click.echo(json.dumps({**asdict(drift), "days": [each._asdict() for each in drift.days]}))
    else:
        _tell(drift)


def _worked_out(lake: Lake, full: float, share: float, engine: Engine) -> Drift:
    from klamm.tools.pipeline.history.drift import Limits
    from klamm.tools.pipeline.jobs import drift
    from klamm.tools.pipeline.lake import LakeError

    try:
        limits = Limits(full, share)
        if engine.plain:
            return drift.plain(lake, limits)
        with Console(stderr=True).status("Spark works it out ..."), engine.session() as spark:
            return drift.on_spark(spark, lake, limits)
    except (ValueError, LakeError) as error:
        raise click.UsageError(str(error)) from error


def _tell(drift: Drift) -> None:
    from klamm.tools.pipeline.reports.drift import sentence
    from klamm.tools.pipeline.reports.page import as_bytes

    click.echo(f"{len({each.date for each in drift.days})} days, {len(drift.brokers)} brokers")
    click.echo(f"{'broker':>8} {'bytes':>12} {'a day':>12} {'share':>6}  full on     too large on")
    for each in drift.brokers:
        click.echo(
            f"{each.broker:>8} {as_bytes(each.bytes):>12} {as_bytes(each.bytes_per_day):>12}"
            f" {each.share:>6.2f}  {each.full_on or '-':<10}  {each.over_on or '-'}"
        )
    for topic in drift.topics[:5]:
        click.echo(f"topic {topic.topic}: {as_bytes(topic.bytes_per_day)} a day")
    click.echo(sentence(drift))
