"""`klamm pipeline montecarlo`: plans by pacings, fault models and many seeds, on executors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from klamm.tools.cli._pipeline_options import (
    Engine,
    json_option,
    lake_argument,
    report_option,
    spark_options,
)
from klamm.tools.cli._pipeline_runs import Rows, place, run_options, table
from klamm.tools.lab.evidence.table import gigabytes, minutes
from klamm.tools.pipeline.jobs import montecarlo
from klamm.tools.pipeline.jobs.lab_runs import Work
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.pack import revision
from klamm.tools.planner import snapshot as snapshots
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.plan_files import parse_plan
from klamm.tools.rehearsal.faults import MODELS
from klamm.tools.rehearsal.spec import RunSpec, Stage, pacing
from klamm.tools.rehearsal.stage import StageError, staged

#: A run takes a second, so a task has a few.
_EACH = 4
_PACINGS = ("all", "batch:10", "incremental:10", "steps:1/10/5")
_MB = 1e6
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _pacings(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    for value in values:
        try:
            pacing(value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return tuple(dict.fromkeys(values)) or _PACINGS


@click.command("montecarlo", short_help="Carry out plans under faults, by many seeds.")
@lake_argument
@click.option(
    "--plan",
    "plans",
    type=_FILE,
    multiple=True,
    help="JSON of kafka-reassign-partitions; may be repeated, to compare plans.",
)
@click.option("--snapshot", type=_FILE, help="Of the cluster, by `klamm snapshot`.")
@click.option(
    "--pacing",
    "pacings",
    multiple=True,
    metavar="NAME",
    callback=_pacings,
    help=f"all, batch:N, incremental:N or steps:R/P/L; may be repeated. [{', '.join(_PACINGS)}]",
)
@click.option(
    "--faults",
    "faults",
    type=click.Choice([*MODELS]),
    multiple=True,
    default=("none", "broker-restart", "controller-failover"),
    show_default=True,
    help="May be repeated.",
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(0, min_open=True),
    default=100.0,
    show_default=True,
    help="What a broker can replicate each way, MB/s.",
)
@click.option(
    "--copy-rate",
    type=click.FloatRange(0, min_open=True),
    help="What one replica that lags fetches at most, MB/s.",
)
@click.option(
    "--throttle", type=click.FloatRange(0, min_open=True), help="As the tool's --throttle, MB/s."
)
@run_options(100)
@report_option
@json_option
@spark_options
def command(
    lake: Lake,
    plans: tuple[Path, ...],
    snapshot: Path | None,
    pacings: tuple[str, ...],
    faults: tuple[str, ...],
    bandwidth: float,
    copy_rate: float | None,
    throttle: float | None,
    seeds: int,
    first: int,
    again: bool,
    report: Path | None,
    json_wanted: bool,
    engine: Engine,
) -> None:
    """Carry out plans by each pacing, under each fault model, with each seed, and tell the odds.

    The real controller and the tool's own pacing run in the lab's model of a cluster, in virtual
    time. Without --plan it is a sample of 12 partitions. One row per run goes to table `runs` of
    the folder LAKE; what is there of the same code is not done again. Exit code 1 if an invariant
    did not hold in a run.

    \b
      klamm pipeline montecarlo runs/ --seeds 200 --pacing all --pacing steps:1/10/5
      klamm pipeline montecarlo runs/ --plan plan.json --snapshot now.json --faults broker-loss
    """
    specs = {
        name: RunSpec(
            stage,
            bandwidth=bandwidth * _MB,
            copy_rate=None if copy_rate is None else copy_rate * _MB,
            throttle=None if throttle is None else round(throttle * _MB),
        )
        for name, stage in _stages(plans, snapshot).items()
    }
    kinds = montecarlo.kinds(specs, pacings, faults)
    step = montecarlo.step([*specs.values()])
    work = Work(montecarlo.PROFILE, kinds, first, seeds, step, revision(), _EACH)
    with place(engine, lake) as there:
        there.do(work, again)
        rows = there.read(montecarlo.outcomes_on_spark, montecarlo.outcomes_plain, revision())
    wanted = {(kind["plan_hash"], kind["pacing"], kind["fault_model"]) for kind in kinds}
    names = {montecarlo.plan_key(spec): name for name, spec in specs.items()}
    told = [
        {"plan": names[row["plan_hash"]], **row}
        for row in rows
        if (row["plan_hash"], row["pacing"], row["fault_model"]) in wanted
    ]
    sentences = montecarlo.sentences(told)
    if json_wanted:
        found = {"revision": revision(), "outcomes": told, "reading": sentences}
        click.echo(json.dumps(found, indent=2))
    else:
        _show(told, sentences)
    if report is not None:
        from klamm.tools.pipeline.reports.montecarlo import page

        page(told, sentences, revision()).write(report)
    if any(row["broken"] for row in told):
        raise SystemExit(1)


def _stages(plans: Sequence[Path], snapshot: Path | None) -> dict[str, Stage]:
    """Return the stage of each plan by its file's name; or the sample."""
    if not plans:
        if snapshot is not None:
            raise click.UsageError(f"--snapshot {snapshot} needs a --plan to carry out on it")
        return {"sample": montecarlo.sample()}
    if snapshot is None:
        raise click.UsageError("--plan needs a --snapshot: klamm snapshot --to FILE makes one")
    found: dict[str, Stage] = {}
    try:
        cluster = snapshots.read(snapshot)
        for file in plans:
            if file.name in found:
                raise click.UsageError(f"two plans are called {file.name}: rename one")
            stage, notes = staged(cluster, parse_plan(file.read_text(encoding="utf-8")).targets)
            for note in notes:
                click.echo(f"{file.name}: {note}", err=True)
            found[file.name] = stage
    except (StageError, CommandError, snapshots.SnapshotError) as error:
        raise click.UsageError(str(error)) from error
    return found


def _show(told: Rows, sentences: Sequence[str]) -> None:
    headings = (
        "plan",
        "faults",
        "pacing",
        "runs",
        "stuck",
        "broken",
        "p50",
        "p95",
        "under min ISR",
        "URP",
        "copied twice",
    )
    lines = [
        (
            row["plan"],
            row["fault_model"],
            row["pacing"],
            str(row["runs"]),
            str(row["stuck"]),
            str(row["broken"]),
            minutes(montecarlo.finish_at(row, 0.5)),
            minutes(montecarlo.finish_at(row, 0.95)),
            minutes(row["min_isr_breach_s"]),
            str(row["max_urp"]),
            gigabytes(row["bytes_wasted"]),
        )
        for row in sorted(told, key=lambda row: (row["plan"], row["fault_model"], row["pacing"]))
    ]
    for line in table(headings, lines):
        click.echo(line)
    click.echo("")
    for sentence in sentences:
        click.echo(sentence)
    digest = sum(row["digest"] for row in told)
    click.echo(f"{sum(row['runs'] for row in told)} runs, digest {digest:x}")
