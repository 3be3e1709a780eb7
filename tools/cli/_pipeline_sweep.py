"""`klamm pipeline sweep`: the lab's scopes and variants by many seeds, on executors."""

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
from klamm.tools.cli._pipeline_runs import Place, Rows, place, run_options, table
from klamm.tools.cli._worlds import known
from klamm.tools.lab.matrix import SEEDS
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.jobs import sweep
from klamm.tools.pipeline.jobs.lab_runs import Work
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.pack import revision

#: How many runs a task has at least: some seconds.
_EACH = 200
_PRODUCT, _WELL = "klamm", "well"


def _scopes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value not in sweep.places():
            text = f"there is no {value!r}; there are: {', '.join(sweep.places())}"
            raise click.BadParameter(text, ctx, param)
    return values


@click.command("sweep", short_help="Look for bugs over scopes, variants and seeds.")
@lake_argument
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="NAME",
    callback=_scopes,
    help="Only here: a scope, an exhibit, 'script F33' or 'crash-points start'; may be repeated.",
)
@click.option(
    "--variant", "variants", multiple=True, metavar="ID", help="Only this one; may be repeated."
)
@click.option("--everywhere", is_flag=True, help="Try variants in all scopes; takes long.")
@run_options(SEEDS)
@click.option(
    "--shrink",
    type=click.Choice(["product", "all", "none"]),
    default="product",
    show_default=True,
    help="Of what to write the first seed that is broken, with as little in it as it needs.",
)
@click.option(
    "--traces",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to write that.  [default: LAKE/traces]",
)
@report_option
@json_option
@spark_options
def command(
    lake: Lake,
    scopes: tuple[str, ...],
    variants: tuple[str, ...],
    everywhere: bool,
    seeds: int,
    first: int,
    again: bool,
    shrink: str,
    traces: Path | None,
    report: Path | None,
    json_wanted: bool,
    engine: Engine,
) -> None:
    """Try the product everywhere, and each bug of history where it is to be seen, by many seeds.

    One row per run goes to table `runs` of the folder LAKE; what is there of the same code is not
    done again, so a sweep that was stopped goes on. Exit code 1 if the product failed, or a variant
    was not found.

    \b
      klamm pipeline sweep runs/ --seeds 1000
      klamm pipeline sweep runs/ --scope all --seeds 100000 --master spark://HOST:7077
    """
    ids = tuple(known(each) for each in variants)
    wanted = sweep.cells(scopes, ids, everywhere=everywhere)
    if not wanted:
        raise click.UsageError(f"{', '.join(ids)} is not to be seen in {', '.join(scopes)}")
    kinds = [cell.kind for cell in wanted]
    work = Work(sweep.PROFILE, kinds, first, seeds, sweep.STEP, revision(), _EACH)
    with place(engine, lake) as there:
        there.do(work, again)
        rows = there.read(sweep.matrix_on_spark, sweep.matrix_plain, revision())
        written = _shrunk(there, rows, shrink, traces or lake.root / "traces")
    found = {(row["scope"], row["variant"]): row for row in rows}
    told = [
        {
            "says": cell.says(found.get((cell.scope, cell.variant))),
            "must": cell.must,
            **found.get((cell.scope, cell.variant), {}),
        }
        for cell in wanted
    ]
    if json_wanted:
        click.echo(json.dumps({"revision": revision(), "cells": told, "traces": written}, indent=2))
    else:
        _show(told, written)
    if report is not None:
        from klamm.tools.pipeline.reports.sweep import page

        page(told, revision(), written).write(report)
    if any(row["says"] != _WELL for row in told):
        raise SystemExit(1)


def _shrunk(there: Place, rows: Rows, which: str, folder: Path) -> list[str]:
    """Write the first broken seed of each cell as a script; return the files."""
    broken = [
        row
        for row in rows
        if row["broken"]
        and row["scope"] in ALL_SCOPES
        and (which == "all" or (which == "product" and not row["variant"]))
    ]
    wanted = [{column: row[column] for column in sweep.SEEDS.names} for row in broken]
    files = []
    for found in there.each(sweep.shrinking(), wanted, sweep.SEEDS):
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{found['scope']}-{found['variant'] or _PRODUCT}-{found['seed']}.txt"
        (folder / name).write_text(found["script"], encoding="utf-8")
        click.echo(f"{found['text']}\n  klamm lab replay {folder / name}", err=True)
        files.append(str(folder / name))
    return sorted(files)


def _show(told: Rows, files: Sequence[str]) -> None:
    lines = [
        (
            row["scope"],
            row["variant"] or _PRODUCT,
            str(row["runs"]),
            str(row["broken"]),
            "" if row["first_seed"] is None else str(row["first_seed"]),
            ",".join(row["violated"] or ()),
            row["says"],
        )
        for row in told
        if row["says"] != "not run"
    ]
    headings = ("where", "what", "runs", "broken", "first seed", "violated", "")
    for line in table(headings, lines):
        click.echo(line)
    runs = sum(row.get("runs", 0) for row in told)
    wrong = [row for row in told if row["says"] != _WELL]
    for row in wrong:
        click.secho(f"{row['scope']}, {row['variant'] or _PRODUCT}: {row['says']}", fg="red")
    digest = sum(row.get("digest", 0) for row in told)
    click.echo(
        f"\n{runs} runs in {len(told)} places, {len(wrong) or 'none'} not as it must be;"
        f" digest {digest:x}"
    )
    for name in files:
        click.echo(f"  klamm lab replay {name}")
