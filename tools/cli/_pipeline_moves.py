"""`klamm pipeline moves`: what became of every move, and what was in its way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table as Grid

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_argument,
    report_option,
    require_events,
    spark_options,
)

if TYPE_CHECKING:
    from klamm.tools.pipeline.jobs.moves import Findings, Settings
    from klamm.tools.pipeline.lake import Lake
    from klamm.tools.pipeline.tables import Row

_SECONDS = click.FloatRange(min=0, min_open=True, max=10_000_000)


@click.command()
@lake_argument
@click.option(
    "--stuck-after",
    type=_SECONDS,
    default=3600.0,
    show_default=True,
    metavar="SECONDS",
    help="Without progress for so long, a move that is not over is stuck.",
)
@click.option(
    "--gap",
    type=_SECONDS,
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="A client's accepts are of one wave while no pause is longer.",
)
@click.option(
    "--pause",
    type=_SECONDS,
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    help="Waves are of one plan while nothing is quiet for longer.",
)
@spark_options
@report_option
@json_option
def command(
    lake: Lake,
    stuck_after: float,
    gap: float,
    pause: float,
    engine: Engine,
    report: Path | None,
    json_wanted: bool,
) -> None:
    """Tell what became of every move, how long its phases took, and what was in its way.

    LAKE holds what `klamm pipeline ingest` made of journals or Kafka's controller logs. Written to
    it are the tables `moves`, one row for each, `waves`, by which tools paced them, and `progress`.

    Exits with 0 if every move has ended or goes on, 1 if one is stuck or lost, or a throttle was
    left behind.
    """
    from klamm.tools.pipeline.jobs.moves import Settings

    settings = Settings(stuck_after, round(gap * 1000), round(pause * 1000))
    findings = _found(lake, settings, engine)
    if report is not None:
        from klamm.tools.pipeline.reports.moves import page

        page(findings).write(report)
    if json_wanted:
        click.echo(json.dumps(_as_json(findings)))
    else:
        _tell(findings)
    if findings.stuck or findings.lost or findings.throttled:
        raise SystemExit(1)


def _found(lake: Lake, settings: Settings, engine: Engine) -> Findings:
    from klamm.tools.pipeline.jobs import moves
    from klamm.tools.pipeline.lake import LakeError

    try:
        require_events(lake)
        if engine.plain:
            return moves.plain(lake, settings)
        from klamm.tools.pipeline.progress import shown

        with engine.session() as spark, shown(spark.sparkContext):
            return moves.on_spark(spark, lake, settings)
    except LakeError as error:
        raise click.UsageError(str(error)) from error


def _as_json(findings: Findings) -> dict[str, object]:
    found = asdict(findings)
    found["clusters"] = {
        name: {
            "offices": [asdict(office) for office in around.offices],
            "gaps": [asdict(gap) for gap in around.gaps],
            "ends_ms": around.ends_ms,
        }
        for name, around in findings.clusters.items()
    }
    return {"moves": findings.moves, **found}


def _tell(findings: Findings) -> None:
    # As wide as its lines: only people's terminals are narrow, and those wrap by themselves.
    console = Console(soft_wrap=True, highlight=False)
    if not findings.moves:
        console.print("No move: the history tells of none.")
    else:
        counts: dict[str, int] = {}
        for row in findings.results:
            counts[row["result"]] = counts.get(row["result"], 0) + row["moves"]
        told = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
        console.print(f"{findings.moves} moves: {told}")
    for grid in _grids(findings):
        console.print(grid)
    for line in _lines(findings):
        console.print(line)


def _grids(findings: Findings) -> Iterator[Grid]:
    if findings.quantiles:
        grid = Grid("phase of moves done", "moves", "p50", "p95", "most", box=None)
        for row in findings.quantiles:
            spans = (_span(row[name]) for name in ("p50_s", "p95_s", "most_s"))
            grid.add_row(_of(findings, row, row["phase"]), str(row["moves"]), *spans)
        yield grid


def _lines(findings: Findings) -> Iterator[str]:
    for row in findings.slowest:
        took = _span((row["ended_ms"] - row["requested_ms"]) / 1000)
        yield f"slow: {_move(findings, row)} took {took}"
    for kind, rows in (("stuck", findings.stuck), ("lost", findings.lost)):
        for row in rows:
            yield f"{kind}: {_move(findings, row)}: {row['reason']}"
    for row in findings.throttled:
        yield f"throttle left: {row['entity']} of {row['cluster']} is still throttled"
    for row in findings.waves:
        if row["pacing"] in ("batches", "incremental"):
            yield (
                f"waves: {row['client_id'] or 'a client without id'} moved {row['moves']} in"
                f" {row['waves']} waves ({row['pacing']}), N = {row['batch']}"
            )
    for name, around in findings.clusters.items():
        for office in around.offices[-5:]:
            serving = None if office.serving_ms is None else office.serving_ms - office.elected_ms
            settled = None if office.settled_ms is None else office.settled_ms - office.elected_ms
            yield (
                f"office {office.epoch} of {name}: node {office.node}, in office after"
                f" {_span_ms(serving)}, at rest after {_span_ms(settled)}"
            )
        for gap in around.gaps:
            yield f"missing: {gap.entries} entries of node {gap.node} of {name}"
    for row in findings.curves:
        if row["fell"]:
            yield (
                f"progress fell: {row['topic']}-{row['partition']} to {row['broker']}, request"
                f" {row['request']}: {row['fell']} of {row['points']} points"
            )


def _move(findings: Findings, row: Row) -> str:
    change = f"{', '.join(map(str, row['origin']))} -> {', '.join(map(str, row['target']))}"
    return f"{_of(findings, row, row['move_id'])}: {change}"


def _of(findings: Findings, row: Row, what: str) -> str:
    """Name the cluster where there are several."""
    return f"{row['cluster']}/{what}" if len(findings.clusters) > 1 else what


def _span_ms(ms: int | None) -> str:
    return "?" if ms is None else _span(ms / 1000)


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"
