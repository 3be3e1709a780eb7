"""`klamm pipeline compare`: where two histories, or two sets of runs, differ."""

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
    from klamm.tools.pipeline.jobs.compare import Histories
    from klamm.tools.pipeline.jobs.compare_runs import RunSets
    from klamm.tools.pipeline.lake import Lake


@click.command()
@lake_argument
@click.argument("first")
@click.argument("second")
@click.option(
    "--runs",
    "column",
    metavar="COLUMN",
    help="Compare runs whose COLUMN is FIRST with those where it is SECOND: profile, scope,"
    " variant, plan_hash, fault_model, pacing or git_rev. Without it they are clusters.",
)
@spark_options
@report_option
@json_option
def command(
    lake: Lake,
    first: str,
    second: str,
    column: str | None,
    engine: Engine,
    report: Path | None,
    json_wanted: bool,
) -> None:
    """Tell where two histories, or two sets of runs, differ.

    Of histories: per partition the first decision that is another one, with its evidence. Of runs:
    pairs of the same seed, what is surely less or more, and verdicts that differ. Exit code 0, also
    if there are differences.

    \b
      klamm pipeline compare lake by-the-kip as-released
      klamm pipeline compare lake --runs pacing batch-20 batch-50
    """
    found = _worked_out(lake, column, first, second, engine)
    from klamm.tools.pipeline.jobs.compare_runs import RunSets
    from klamm.tools.pipeline.reports import compare as reports

    if report is not None:
        page = (
            reports.runs_page(found)
            if isinstance(found, RunSets)
            else reports.histories_page(found)
        )
        page.write(report)
    if json_wanted:
        click.echo(json.dumps(_plain(found)))
    elif isinstance(found, RunSets):
        _tell_runs(found)
        click.echo(reports.runs_sentence(found))
    else:
        _tell_histories(found)
        click.echo(reports.histories_sentence(found))


def _worked_out(
    lake: Lake, column: str | None, first: str, second: str, engine: Engine
) -> Histories | RunSets:
    from klamm.tools.pipeline.jobs import compare, compare_runs
    from klamm.tools.pipeline.lake import LakeError

    if column is not None and column not in compare_runs.KINDS:
        raise click.UsageError(f"--runs {column}: it is one of {', '.join(compare_runs.KINDS)}")
    try:
        if engine.plain:
            if column is None:
                return compare.histories_plain(lake, first, second)
            return compare_runs.runs_plain(lake, column, first, second)
        with Console(stderr=True).status("Spark works it out ..."), engine.session() as spark:
            if column is None:
                return compare.histories_on_spark(spark, lake, first, second)
            return compare_runs.runs_on_spark(spark, lake, column, first, second)
    except (compare.NotThereError, LakeError) as error:
        raise click.UsageError(str(error)) from error


def _tell_runs(found: RunSets) -> None:
    middle = 2
    click.echo(f"{found.pairs:,} pairs; alone: {found.alone[0]:,} and {found.alone[1]:,}")
    for each in found.metrics:
        mark = "sure" if each.sure else f"p {each.p:.2g}"
        click.echo(
            f"{each.metric:<18} p50 {each.first[middle]:>12.6g} {each.second[middle]:>12.6g}"
            f"   less {each.less:,}, more {each.more:,}   {mark}"
        )
    for (one, other), count in found.verdicts.items():
        click.echo(f"{one} and {other}: {count:,}")


def _tell_histories(found: Histories) -> None:
    first, second = found.names
    click.echo(f"{'decision':<18} {first:>14} {second:>14}")
    for kind, counts in found.decisions.items():
        click.echo(f"{kind:<18} {counts[0]:>14,} {counts[1]:>14,}")
    for row in found.shown[:5]:
        click.echo(
            f"{row['topic']}-{row['partition']} after {row['agreed']}: "
            f"{row['first'] or 'nothing more'} | {row['second'] or 'nothing more'}"
            f"{' (' + row['named'] + ')' if row['named'] else ''}"
        )


def _plain(found: Histories | RunSets) -> dict[str, object]:
    told = asdict(found)
    if "verdicts" in told:
        told["verdicts"] = [[*pair, count] for pair, count in told["verdicts"].items()]
    return told
