"""Sweep: the lab's scopes and variants by many seeds, and what was found where.

Each run is independent, so executors do them; a row says what came of it. The matrix has a cell for
each scope, exhibit, script or table of crash points, with each variant that is tried there and with
the product. The product must be green everywhere, and each variant red where it says that it is
seen: then the lab sees, and there is nothing to see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from klamm.tools.lab import registry, replaying
from klamm.tools.lab.apache import crash_points
from klamm.tools.lab.apache.report import trouble_of
from klamm.tools.lab.apache.stepped import ALL as CRASH_SCENARIOS
from klamm.tools.lab.exhibit import perform
from klamm.tools.lab.run import run
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.shrink import shrink
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import module_of
from klamm.tools.pipeline.jobs.lab_runs import (
    BROKEN,
    KEPT,
    TODO,
    base,
    digest_column,
    digest_plain,
    mine_on_spark,
    mine_plain,
    opening,
    tidily,
    trace_hash,
)
from klamm.tools.pipeline.steps import ByRow
from klamm.tools.pipeline.tables import INT, LONG, RUNS, TEXT, TEXTS, Row, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PROFILE = "apache-3.9"
_SCRIPT = f"{OWN_SCRIPT} "
_CRASH = "crash-points "
_CRASHED = {f"{_CRASH}{each.name}": each for each in CRASH_SCENARIOS}
_GREEN, _RED, _ANY = "green", "red", ""

#: A cell: its runs, how many are broken, the first that is, and a digest of all its traces.
MATRIX = Table(
    "matrix",
    1,
    ("scope", "variant"),
    {
        "scope": TEXT,
        "variant": TEXT,
        "runs": LONG,
        "broken": LONG,
        "first_seed": LONG,
        "violated": TEXTS,
        "text": TEXT,
        "steps": LONG,
        "digest": LONG,
    },
    clustered=False,
)
#: A seed that is broken, with as little in it as it needs: a script for `klamm lab replay`.
FOUND = Table(
    "found",
    1,
    ("scope", "variant", "seed"),
    {
        "scope": TEXT,
        "variant": TEXT,
        "seed": LONG,
        "faults": INT,
        "runs": INT,
        "text": TEXT,
        "script": TEXT,
    },
    clustered=False,
)
#: What is told of a cell of the matrix to make a row of FOUND.
SEEDS = pa.schema([("scope", TEXT), ("variant", TEXT), ("first_seed", LONG)])


@dataclass(frozen=True, slots=True)
class Cell:
    """A place and what runs there: a variant's id, or "" for the product.

    `single`: it has one run and no seeds. `must` is green, red, or "" where either is well.
    """

    scope: str
    variant: str
    single: bool
    must: str

    @property
    def kind(self) -> dict[str, Any]:
        """What names its runs, as in `lab_runs.KINDS`."""
        nothing = {"plan_hash": None, "fault_model": None, "pacing": None}
        named = {"profile": PROFILE, "scope": self.scope, "variant": self.variant}
        return {**named, **nothing, "single": self.single}

    def says(self, found: Row | None) -> str:
        """Tell of what was found in it: well, NOT GREEN, NOT FOUND, or not run."""
        if found is None:
            return "not run"
        red = found["broken"] > 0
        if red and self.must == _GREEN:
            return "NOT GREEN"
        return "NOT FOUND" if not red and self.must == _RED else "well"


def cells(
    scopes: Sequence[str] = (), variants: Sequence[str] = (), *, everywhere: bool = False
) -> list[Cell]:
    """Return what is to be tried, sorted.

    Each variant is tried where it says that it is seen, and the product there as well, in the
    general scopes and at the crash points. `scopes` and `variants` narrow that down; what is named
    in both is tried in all combinations, and so is everything `everywhere`.
    """
    ids = variants or registry.variant_ids()
    found: set[Cell] = set()
    for id_ in ids:
        where = registry.variant(id_).exposed_by
        place = f"{_SCRIPT}{id_}" if where == OWN_SCRIPT else where
        if everywhere or (scopes and variants):
            found |= {_cell(each, id_, _ANY) for each in scopes or ALL_SCOPES if each != place}
        if not scopes or place in scopes:
            found |= {_cell(place, id_, _RED), _cell(place, "", _GREEN)}
    if not variants or scopes or everywhere:
        general = [*SCOPES, *_CRASHED] if not everywhere else [*ALL_SCOPES, *_CRASHED]
        found |= {_cell(each, "", _GREEN) for each in scopes or general}
    return sorted(found, key=lambda cell: (cell.scope, cell.variant))


def places() -> list[str]:
    """Return all scopes, exhibits, scripts and tables of crash points, by name."""
    scripts = (id_ for id_ in registry.variant_ids() if _exposed(id_) == OWN_SCRIPT)
    names = (f"{_SCRIPT}{id_}" for id_ in scripts)
    return [*ALL_SCOPES, *registry.exhibit_ids(), *names, *_CRASHED]


def _exposed(id_: str) -> str:
    return registry.variant(id_).exposed_by


def _cell(scope: str, variant: str, must: str) -> Cell:
    return Cell(scope, variant, scope not in ALL_SCOPES, must)


# --- one run ---------------------------------------------------------------------------------


def do(row: Row) -> Iterator[dict[str, Any]]:
    """Do one run of `lab_runs.TODO`; yield its row of RUNS."""
    return tidily(_done, row)


def _done(row: Row) -> dict[str, Any]:
    scope, variant, seed = row["scope"], row["variant"], row["seed"]
    if scope in ALL_SCOPES:
        finished = run(opening(scope, variant), seed)
        world, violation = finished.world, finished.violation
    elif scope in _CRASHED:
        return {**base(row), **_crashed(scope)}
    else:
        case = registry.exhibit(scope).cases[0] if not scope.startswith(_SCRIPT) else _own(scope)
        performed = perform(replace(case, variant=variant))
        world, violation = performed.stage.world, performed.violation
    return {
        **base(row),
        "verdict": KEPT if violation is None else BROKEN,
        "violated": [] if violation is None else [violation.invariant],
        "text": None if violation is None else f"step {violation.step}: {violation.text}",
        "steps": len(world.events),
        "virtual_s": world.now,
        "trace_hash": trace_hash(world.events, scope, variant, seed, violation),
    }


def _own(scope: str) -> Any:  # noqa: ANN401 - what a module calls SCRIPT
    return import_module(module_of(scope.removeprefix(_SCRIPT))).SCRIPT


def _crashed(scope: str) -> dict[str, Any]:
    """Kill the product at every gap of a scenario, and let the product take over."""
    scenario = _CRASHED[scope]
    stage = crash_points.prepare(scenario, "klamm", "klamm")
    lines, wrong, violated = list[str](), list[str](), set[str]()
    for point in crash_points.points(scenario, stage.copy()):
        found, end = crash_points.run(scenario, stage.copy(), point)
        lines.append(f"{point.label}: {found}: {end}: {end.broken}")
        if trouble_of(end) or end.broken:
            wrong.append(lines[-1])
            violated |= {*trouble_of(end), *filter(None, (end.broken,))}
    return {
        "verdict": BROKEN if wrong else KEPT,
        "violated": sorted(violated),
        "text": wrong[0] if wrong else None,
        "steps": len(lines),
        "trace_hash": trace_hash((), scope, lines),
    }


STEP = ByRow((*TODO.columns,), RUNS, do)


# --- the matrix ------------------------------------------------------------------------------


def matrix_on_spark(runs: DataFrame, revision: str) -> DataFrame:
    """Return the cells of MATRIX of all runs of this code."""
    from pyspark.sql import functions as F

    broken = F.col("verdict") == BROKEN
    seed = F.when(broken, F.col("seed"))
    return (
        runs.where(mine_on_spark(revision, PROFILE))
        .groupBy("scope", "variant")
        .agg(
            F.count("*").alias("runs"),
            F.count_if(broken).alias("broken"),
            F.min(seed).alias("first_seed"),
            F.min_by("violated", seed).alias("violated"),
            F.min_by("text", seed).alias("text"),
            F.sum("steps").alias("steps"),
            digest_column().alias("digest"),
        )
        .select(*MATRIX.columns)
        .orderBy("scope", "variant")
    )


def matrix_plain(runs: pa.Table, revision: str) -> pa.Table:
    """Return the same of a table in memory."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in runs.filter(mine_plain(revision, PROFILE)).to_pylist():
        groups.setdefault((row["scope"], row["variant"]), []).append(row)
    rows = []
    for (scope, variant), group in sorted(groups.items()):
        broken = [row for row in group if row["verdict"] == BROKEN]
        first = min(broken, key=lambda row: row["seed"], default=MATRIX.empty | {"seed": None})
        rows.append(
            {
                "scope": scope,
                "variant": variant,
                "runs": len(group),
                "broken": len(broken),
                "first_seed": first["seed"],
                "violated": first["violated"],
                "text": first["text"],
                "steps": sum(row["steps"] for row in group),
                "digest": digest_plain(group),
            }
        )
    return pa.Table.from_pylist(rows, schema=MATRIX.schema)


# --- what was found, with less in it -----------------------------------------------------------


def shrunk(row: Row, most_runs: int = 500) -> Iterator[dict[str, Any]]:
    """Leave out of a broken seed what it does not need; yield its row of FOUND."""
    scope, variant, seed = row["scope"], row["variant"], row["first_seed"]
    opened = opening(scope, variant)
    left = shrink(opened, run(opened, seed).script, most_runs)
    violation = left.finished.violation
    assert violation is not None, "what is left shows the same"
    said = f"{violation.invariant} at step {violation.step}: {violation.text}"
    script = replaying.Script(scope, tuple(left.script), variant, str(seed), said)
    yield {
        "scope": scope,
        "variant": variant,
        "seed": seed,
        "faults": sum(happened.fault for happened in left.finished.world.events),
        "runs": left.runs,
        "text": said,
        "script": replaying.written(script),
    }


def shrinking(most_runs: int = 500) -> ByRow:
    """Return the step from rows of SEEDS to rows of FOUND."""
    function = partial(shrunk, most_runs=most_runs)
    return ByRow((*SEEDS.names,), FOUND, function, batch=1)
