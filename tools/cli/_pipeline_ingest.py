"""`klamm pipeline ingest`: files of all kinds become rows of the canonical tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_option,
    report_option,
    spark_options,
)

if TYPE_CHECKING:
    from klamm.tools.pipeline.formats import Format
    from klamm.tools.pipeline.jobs.ingest import Summary
    from klamm.tools.pipeline.lake import Lake
    from klamm.tools.planner.runner import Runner

#: So many files are shown one by one; of more only those that something is to be said of.
_SHOWN = 50


def _format(context: click.Context, parameter: click.Parameter, value: str | None) -> Format | None:
    from klamm.tools.pipeline.formats import FORMATS

    if value is None:
        return None
    if value not in FORMATS:
        known = ", ".join(FORMATS)
        raise click.BadParameter(f"{value!r} is none of {known}", context, parameter)
    return FORMATS[value]


def _zone(context: click.Context, parameter: click.Parameter, value: str) -> str:
    try:
        return ZoneInfo(value).key
    except (ValueError, ZoneInfoNotFoundError) as error:
        raise click.BadParameter(f"{value!r} is no time zone", context, parameter) from error


def _time(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    try:
        return None if value is None else datetime.fromisoformat(value)
    except ValueError as error:
        told = f"{value!r} is no time such as 2026-01-31T06:00 or 2026-01-31T06:00:00Z"
        raise click.BadParameter(told, context, parameter) from error


def _in_ms(time: datetime, tz: str) -> int:
    zoned = time if time.tzinfo else time.replace(tzinfo=ZoneInfo(tz))
    return round(zoned.timestamp() * 1000)


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@lake_option
@click.option("--cluster", required=True, metavar="NAME", help="Whose files they are.")
@click.option("--format", callback=_format, metavar="FORMAT", help="What all of them are.")
@click.option(
    "--tz",
    callback=_zone,
    default="UTC",
    show_default=True,
    metavar="ZONE",
    help="Of Kafka's logs, which have local times: such as Europe/Prague.",
)
@click.option(
    "--time",
    callback=_time,
    metavar="TIME",
    help="Of texts without a time, as kafka-topics': such as 2026-01-31T06:00, in the zone of --tz."
    "  [default: when each file was last written]",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Take files in anew, in place of what they, or others of their names, gave before.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if a line is quarantined, too.")
@click.option("--stream", is_flag=True, help="Go on taking in journals as they grow.")
@click.option("--once", is_flag=True, help="With --stream: stop at the present end of them.")
@click.option(
    "--every",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="How often --stream looks.",
)
@report_option
@json_option
@spark_options
def command(
    engine: Engine,
    inputs: tuple[str, ...],
    lake: Lake,
    cluster: str,
    format: Format | None,
    tz: str,
    time: datetime | None,
    replace: bool,
    strict: bool,
    stream: bool,
    once: bool,
    every: int,
    report: Path | None,
    json_wanted: bool,
) -> None:
    """Take in journals, logs, dumps and texts, as canonical tables.

    An INPUT is a file, packed by gzip or not, a folder with all below it, or a pattern. What a
    file is, is recognised. What was taken in before is known by its content, and left alone; of a
    journal or log that has grown, what was appended is taken in. A text without a time of its own,
    a description or dump of a cluster, is known by its content and time: each day's is taken in.

    Exits with 1 if a file cannot be read at all, with 2 if nothing can be done as asked for.
    """
    from klamm.tools.pipeline.intake.pieces import found
    from klamm.tools.pipeline.jobs.ingest import ingest
    from klamm.tools.pipeline.lake import LakeError

    if once and not stream:
        raise click.UsageError("--once says when --stream stops: give both")
    try:
        if stream:
            if engine.plain or replace or report or time:
                raise click.UsageError("--stream takes no --plain, --replace, --report or --time")
            _stream(engine, inputs, lake, cluster, format, None if once else every, tz)
            return
        paths, nothing = found(inputs)
        if nothing:
            raise click.UsageError(f"there is no file at {nothing[0]}")
        with _runner(engine) as runner:
            summary = ingest(
                lake,
                paths,
                cluster,
                runner,
                format=format,
                replace=replace,
                tz=tz,
                ts_ms=None if time is None else _in_ms(time, tz),
            )
    except LakeError as error:
        raise click.UsageError(str(error)) from error
    if report is not None:
        from klamm.tools.pipeline.reports.ingest import page

        page(summary, cluster).write(report)
    if json_wanted:
        click.echo(json.dumps(_as_object(summary), indent=2))
    else:
        _show(summary)
    if summary.unreadable or (strict and summary.quarantined):
        raise SystemExit(1)


@contextmanager
def _runner(engine: Engine) -> Iterator[Runner]:
    from klamm.tools.planner.runner import Local

    if engine.plain:
        yield Local()
        return
    from klamm.tools.pipeline.spark_runner import SparkRunner

    with engine.session() as session:
        yield SparkRunner(session)


def _stream(
    engine: Engine,
    inputs: tuple[str, ...],
    lake: Lake,
    cluster: str,
    format: Format | None,
    every_s: int | None,
    tz: str,
) -> None:
    from klamm.tools.pipeline.intake.stream import stream

    with engine.session() as session:
        stream(session, lake, inputs, cluster, format, every_s, click.echo, tz)


def _as_object(summary: Summary) -> dict[str, object]:
    return {
        "rows": summary.rows,
        "quarantined": summary.quarantined,
        "unreadable": summary.unreadable,
        "files": [asdict(file) for file in summary.files],
    }


def _show(summary: Summary) -> None:
    shown = [
        file
        for file in summary.files
        if len(summary.files) <= _SHOWN or file.quarantined or file.status == "unreadable"
    ]
    width = max((len(file.format) for file in shown), default=0)
    if shown:
        headings = f"{'lines':>11}{'rows':>11}{'quarantined':>13}{'passed over':>13}"
        click.echo(f"{'':<10}  {'format':<{width}}{headings}  file")
    for file in shown:
        counts = f"{file.lines:>11,}{sum(file.rows.values()):>11,}"
        counts += f"{file.quarantined:>13,}{file.passed_over:>13,}"
        note = f": {file.note}" if file.note else ""
        click.echo(f"{file.status:<10}  {file.format:<{width}}{counts}  {file.path}{note}")
    if hidden := len(summary.files) - len(shown):
        click.echo(f"... and {hidden:,} files of which nothing more is to be said")
    rows = ", ".join(f"{count:,} of {name}" for name, count in summary.rows.items())
    click.echo(f"{len(summary.files):,} files: {rows or 'nothing new'}")
    if summary.quarantined:
        click.echo(f"{summary.quarantined:,} lines could not be read: see table quarantine")
    if summary.unreadable:
        click.echo(f"{summary.unreadable:,} files could not be read at all")
