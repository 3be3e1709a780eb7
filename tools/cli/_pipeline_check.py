"""`klamm pipeline check`: judge a history by the rules that controllers keep."""

from __future__ import annotations

from pathlib import Path

import click

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_argument,
    report_option,
    require_events,
    spark_options,
)
from klamm.tools.pipeline.jobs import check
from klamm.tools.pipeline.jobs.check import Summary
from klamm.tools.pipeline.lake import Lake, LakeError

#: So many broken verdicts are told on a terminal.
_TOLD = 20


@click.command("check")
@lake_argument
@spark_options
@report_option
@json_option
def command(lake: Lake, engine: Engine, report: Path | None, json_wanted: bool) -> None:
    """Judge the events of LAKE: one verdict for each partition and cluster, with the evidence.

    The rules are the lab's invariants I1 to I14, the steps' V1 to V8, liveness, and signatures of
    known bugs, as far as the history has what they need. Verdicts go to the table `verdicts`.
    Exit code 1 if a rule is broken.
    """
    try:
        require_events(lake)
        found = _judge(lake, engine)
    except LakeError as error:
        raise click.ClickException(str(error)) from error
    if report is not None:
        from klamm.tools.pipeline.reports.check import page

        page(found).write(report)
        click.echo(f"report: {report}", err=True)
    if json_wanted:
        import json

        fields = ("counts", "rules", "broken", "unjudged", "breaches", "events")
        click.echo(json.dumps({name: getattr(found, name) for name in fields}, sort_keys=True))
    else:
        _tell(found)
    if found.is_broken:
        raise SystemExit(1)


def _judge(lake: Lake, engine: Engine) -> Summary:
    if engine.plain:
        return check.run_plain(lake)
    with engine.session() as spark:
        return check.run(spark, lake)


def _tell(found: Summary) -> None:
    for row in found.counts:
        what = row["subject"] if row["count"] == 1 else f"{row['subject']}s"
        told = f"{row['count']:,} {what} {row['verdict']}, {row['events']:,} events"
        click.echo(f"{row['cluster']}: {told}")
    for row in found.rules:
        click.echo(f"{row['rule']}: {row['subjects']:,} broken, {row['times']:,} times")
    for row in found.broken[:_TOLD]:
        where = ", ".join(f"{ref['source']}:{ref['line']}" for ref in (row["evidence"] or ())[-2:])
        click.echo(f"  {row['rule']}: {row['text']}  [{where}]")
    left = sum(row["subjects"] for row in found.rules) - min(len(found.broken), _TOLD)
    if left > 0:
        click.echo(f"  and {left:,} more, in the table `verdicts`")
    if found.unjudged:
        rules = ", ".join(f"{row['rule']} ({row['subjects']:,})" for row in found.unjudged)
        click.echo(f"unjudged for want of sources: {rules}")
