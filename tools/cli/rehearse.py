"""`klamm rehearse`: a plan carried out many times in the lab, on a snapshot of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import click
import msgspec

from klamm.tools.cli import _rehearse_show
from klamm.tools.cli._sizes import byte_count
from klamm.tools.planner import snapshot as snapshots
from klamm.tools.planner.runner import Runner
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.plan_files import check_executable, parse_plan
from klamm.tools.rehearsal.faults import MODELS
from klamm.tools.rehearsal.processes import Processes
from klamm.tools.rehearsal.run import rehearse_once
from klamm.tools.rehearsal.spec import BROKEN, DONE, RunRow, RunSpec, pacing
from klamm.tools.rehearsal.stage import StageError, staged
from klamm.tools.rehearsal.summary import Best, Summary, best, summaries

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_PACINGS = ("all", "batch:10", "incremental:10")
_FAULTS = ("none", "broker-restart")
_HOUR = 3600.0


def _pacings(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    for value in values:
        try:
            pacing(value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return tuple(dict.fromkeys(values)) or _PACINGS


def _amount(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    return None if value is None else byte_count(1)(ctx, param, value)


@click.command()
@click.argument("plan_file", metavar="PLAN", type=_FILE)
@click.option("--snapshot", type=_FILE, required=True, help="What `klamm snapshot` wrote.")
@click.option("--runs", type=click.IntRange(1), default=20, show_default=True, help="Seeds.")
@click.option("--first", type=click.IntRange(0), default=0, show_default=True, help="First seed.")
@click.option(
    "--pacing",
    "pacings",
    multiple=True,
    callback=_pacings,
    metavar="PACING",
    help="all, batch:N, incremental:N (KIP-1335) or steps:R/P/L (KIP-435, of klamm only); may be"
    f" given again.  [default: {', '.join(_PACINGS)}]",
)
@click.option(
    "--faults",
    type=click.Choice([*MODELS]),
    multiple=True,
    help=f"What goes wrong, may be given again.  [default: {', '.join(_FAULTS)}]",
)
@click.option(
    "--bandwidth",
    callback=_amount,
    default="100MB",
    show_default=True,
    help="What a broker replicates each way, a second.",
)
@click.option("--copy-rate", callback=_amount, help="What one replica copies at most, a second.")
@click.option("--throttle", callback=_amount, help="The tool's --throttle, a second.")
@click.option(
    "--give-up-after",
    type=click.FloatRange(0, min_open=True),
    default=168.0,
    show_default=True,
    metavar="HOURS",
    help="A run that takes longer does not end.",
)
@click.option("--check", is_flag=True, help="Check the lab's invariants too: far slower.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes, without Spark."
)
@click.option("--master", help="Spark's master URL: run there.")
@click.option("--archive", type=_FILE, help="What executors run, made by `klamm pipeline pack`.")
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write a page: one HTML file."
)
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object instead.")
def command(
    plan_file: Path,
    snapshot: Path,
    runs: int,
    first: int,
    pacings: tuple[str, ...],
    faults: tuple[str, ...],
    bandwidth: int,
    copy_rate: int | None,
    throttle: int | None,
    give_up_after: float,
    check: bool,
    jobs: int,
    master: str | None,
    archive: Path | None,
    report: Path | None,
    json_wanted: bool,
) -> None:
    """Carry a plan out in the lab, on a snapshot of a cluster, before it is carried out there.

    The real controller and the tool's own pacing work on models of the brokers, which share
    bandwidth and obey throttles, on a clock of their own; every seed lets something else go wrong.
    It says how long it takes, what it does to producers, how likely it is not to end, and why, and
    which pacing is best. The same seeds give the same rows.

    Exit code 1 if the plan does not end although nothing fails, or an invariant was broken; 2 for a
    plan that does not go with the snapshot.
    """
    if master is None and archive is not None:
        raise click.UsageError("--archive is for executors: give --master too.")
    first_spec, notes = _read(plan_file, snapshot)
    spec = msgspec.structs.replace(
        first_spec,
        bandwidth=float(bandwidth),
        copy_rate=None if copy_rate is None else float(copy_rate),
        throttle=throttle,
        give_up_s=give_up_after * _HOUR,
        checked=check,
    )
    todo = [*specs(spec, pacings, faults or _FAULTS, range(first, first + runs))]
    with _runner(jobs, master, archive) as runner:
        rows = [*_counted(runner.run(rehearse_once, todo), len(todo))]
    found = summaries(rows)
    judged = best(found)
    if report is not None:
        _write(report, spec, rows, found, notes, judged)
    if json_wanted:
        click.echo(msgspec.json.encode(_object(rows, found, notes, judged)))
    else:
        _rehearse_show.show(spec, found, notes, judged)
    if any(row.verdict == BROKEN or _stuck_in_peace(row) for row in rows):
        sys.exit(1)


def _stuck_in_peace(row: RunRow) -> bool:
    return row.fault_model == "none" and row.verdict != DONE


def specs(
    spec: RunSpec, pacings: Iterable[str], faults: Iterable[str], seeds: Iterable[int]
) -> Iterator[RunSpec]:
    """Yield all runs; where nothing fails nothing is drawn either, so that one seed is enough."""
    pacings, seeds = [*pacings], [*seeds]
    for fault in dict.fromkeys(faults):
        for each in pacings:
            for seed in seeds if fault != "none" else seeds[:1]:
                yield msgspec.structs.replace(spec, pacing=each, fault=fault, seed=seed)


def _read(plan_file: Path, snapshot: Path) -> tuple[RunSpec, tuple[str, ...]]:
    """Read both files, and see whether they go together; exit code 2 if not."""
    try:
        cluster = snapshots.read(snapshot)
    except (snapshots.SnapshotError, OSError) as error:
        raise click.BadParameter(str(error), param_hint="--snapshot") from error
    try:
        plan = parse_plan(plan_file.read_text(encoding="utf-8"))
        check_executable(plan)
        stage, notes = staged(cluster, plan.targets)
    except (CommandError, StageError, OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{plan_file}: {error}", param_hint="PLAN") from error
    return RunSpec(stage), notes


def _counted(rows: Iterator[RunRow], count: int) -> Iterator[RunRow]:
    """Tell how far it is, where somebody looks."""
    if not sys.stderr.isatty():
        yield from rows
        return
    with click.progressbar(rows, length=count, label="runs", file=sys.stderr) as shown:
        yield from shown


def _runner(jobs: int, master: str | None, archive: Path | None) -> AbstractContextManager[Runner]:
    return nullcontext(Processes(jobs)) if master is None else _on_spark(master, archive)


@contextmanager
def _on_spark(master: str, archive: Path | None) -> Iterator[Runner]:
    from klamm.tools.cli._pipeline_options import Engine
    from klamm.tools.pipeline.spark_runner import SparkRunner

    with Engine(master=master, archive=archive).session() as spark:
        yield SparkRunner(spark)


def _object(
    rows: Sequence[RunRow], found: Sequence[Summary], notes: Sequence[str], judged: Best
) -> dict[str, object]:
    return {
        "best": judged.pacing,
        "why": judged.why,
        "notes": [*notes],
        "summaries": [*found],
        "runs": [*rows],
    }


def _write(
    report: Path,
    spec: RunSpec,
    rows: Sequence[RunRow],
    found: Sequence[Summary],
    notes: Sequence[str],
    judged: Best,
) -> None:
    try:
        from klamm.tools.pipeline.reports.rehearse import page
    except ImportError as error:
        raise click.ClickException(
            f"--report needs what draws it ({error}): pip install 'klamm[spark]'"
        ) from error
    story: Callable[[RunSpec], str] = _rehearse_show.story
    try:
        page(story(spec), rows, found, notes, judged).write(report)
    except OSError as error:
        raise click.ClickException(f"{report} cannot be written: {error.strerror}") from error
