"""`klamm pipeline compare --runs`: in what two sets of runs differ.

A row per metric, the verdicts in pairs, and the first runs that came out differently: so little
comes to the driver, however many runs are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Final

from klamm.tools.pipeline.history.compare import SHARES, Difference, holm, sign_test
from klamm.tools.pipeline.history.percentiles import percentile
from klamm.tools.pipeline.jobs.compare import SHOWN, check_there
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import RUNS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: What runs can be told apart by; of each pair all but the compared one are equal.
KINDS: Final = ("profile", "scope", "variant", "plan_hash", "fault_model", "pacing", "git_rev")
METRICS: Final = (
    *("finish_s", "max_urp", "min_isr_breach_s", "leaderless_s"),
    *("bytes_moved", "bytes_wasted", "steps"),
)
_OUTCOME: Final = ("verdict", "trace_hash")


@dataclass(frozen=True, slots=True)
class RunSets:
    """Two sets of runs, in pairs of the same seed."""

    column: str
    names: tuple[str, str]
    pairs: int
    #: Runs without a partner, of each set.
    alone: tuple[int, int]
    metrics: Sequence[Difference]
    #: By the verdicts of first and second: how many pairs.
    verdicts: Mapping[tuple[str, str], int]
    #: Pairs whose verdicts differ, by seed.
    shown: Sequence[Mapping[str, Any]]


def runs_on_spark(spark: SparkSession, lake: Lake, column: str, first: str, second: str) -> RunSets:
    """Compare runs of a lake by a column of `KINDS`; raises NotThereError and LakeError."""
    from pyspark.sql import functions as f

    runs = lake.read(spark, RUNS)
    names = [row[0] for row in runs.select(column).distinct().collect()]
    check_there(f"runs with {column}", (first, second), names)
    joined = paired(runs, column, first, second).cache()
    try:
        both = joined.where(f.col("a_verdict").isNotNull() & f.col("b_verdict").isNotNull())
        known = [f.count(f"{side}_verdict").alias(side) for side in ("a", "b")]
        counts = joined.agg(*known).first()
        measured = both.agg(*(each for metric in METRICS for each in _measures(metric))).first()
        verdicts = both.groupBy("a_verdict", "b_verdict").count().collect()
        differ = both.where(f.col("a_verdict") != f.col("b_verdict"))
        shown = differ.orderBy("seed", *_others(column)).limit(SHOWN).collect()
    finally:
        joined.unpersist()
    assert counts is not None
    assert measured is not None
    pairs = sum(row["count"] for row in verdicts)
    return RunSets(
        column,
        (first, second),
        pairs,
        (counts["a"] - pairs, counts["b"] - pairs),
        _differences({metric: measured.asDict() for metric in METRICS}),
        {(row["a_verdict"], row["b_verdict"]): row["count"] for row in sorted(verdicts)},
        [_shown(row.asDict(), column) for row in shown],
    )


def paired(runs: DataFrame, column: str, first: str, second: str) -> DataFrame:
    """Put runs of both sets side by side that are equal but for `column`; a_ and b_ before metrics.

    A run without a partner has nulls on the other side.
    """
    from pyspark.sql import functions as f

    keys = ("seed", *_others(column))
    values = (*_OUTCOME, *METRICS)
    sides = [
        runs.where(f.col(column) == name).select(
            *(f.col(key).alias(f"{side}_{key}") for key in keys),
            *(f.col(value).alias(f"{side}_{value}") for value in values),
        )
        for side, name in (("a", first), ("b", second))
    ]
    same = reduce(and_, (f.col(f"a_{key}").eqNullSafe(f.col(f"b_{key}")) for key in keys))
    return (
        sides[0]
        .join(sides[1], same, "full_outer")
        .select(
            *(f.coalesce(f"a_{key}", f"b_{key}").alias(key) for key in keys),
            *(f"{side}_{value}" for value in values for side in ("a", "b")),
        )
    )


def _measures(metric: str) -> list[Column]:
    from pyspark.sql import functions as f

    a, b = (f.col(f"{side}_{metric}").cast("double") for side in ("a", "b"))
    known = a.isNotNull() & b.isNotNull()
    shares = f.array(*map(f.lit, SHARES))
    return [
        f.count(f.when(known, 1)).alias(f"{metric}_pairs"),
        f.count(f.when(b < a, 1)).alias(f"{metric}_less"),
        f.count(f.when(b > a, 1)).alias(f"{metric}_more"),
        f.percentile(f.when(known, a), shares).alias(f"{metric}_first"),
        f.percentile(f.when(known, b), shares).alias(f"{metric}_second"),
        f.percentile(b - a, f.lit(0.5)).alias(f"{metric}_median"),
    ]


def runs_plain(lake: Lake, column: str, first: str, second: str) -> RunSets:
    """Do the same here and now."""
    rows = lake.read_plain(RUNS).to_pylist()
    check_there(f"runs with {column}", (first, second), {row[column] for row in rows})
    keys = ("seed", *_others(column))
    one, other = (
        {tuple(row[key] for key in keys): row for row in rows if row[column] == name}
        for name in (first, second)
    )
    pairs = [(one[key], other[key]) for key in sorted(one.keys() & other.keys(), key=_sortable)]
    measured = {metric: _measured(metric, pairs) for metric in METRICS}
    verdicts = Counter((a["verdict"], b["verdict"]) for a, b in pairs)
    differ = [
        {
            **{key: a[key] for key in keys},
            **{f"a_{name}": a[name] for name in _OUTCOME},
            **{f"b_{name}": b[name] for name in _OUTCOME},
        }
        for a, b in pairs
        if a["verdict"] != b["verdict"]
    ]
    return RunSets(
        column,
        (first, second),
        len(pairs),
        (len(one) - len(pairs), len(other) - len(pairs)),
        _differences(measured),
        dict(sorted(verdicts.items())),
        [_shown(row, column) for row in differ[:SHOWN]],
    )


def _measured(
    metric: str, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> dict[str, Any]:
    known = [
        (float(a[metric]), float(b[metric]))
        for a, b in pairs
        if a[metric] is not None and b[metric] is not None
    ]
    ranked = [sorted(each) for each in zip(*known, strict=True)] or [[], []]
    between = sorted(b - a for a, b in known)
    return {
        f"{metric}_pairs": len(known),
        f"{metric}_less": sum(b < a for a, b in known),
        f"{metric}_more": sum(b > a for a, b in known),
        f"{metric}_first": [percentile(ranked[0], share) for share in SHARES] if known else None,
        f"{metric}_second": [percentile(ranked[1], share) for share in SHARES] if known else None,
        f"{metric}_median": percentile(between, 0.5) if known else None,
    }


def _differences(measured: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    found = [
        Difference(
            metric,
            row[f"{metric}_pairs"],
            tuple(row[f"{metric}_first"]),
            tuple(row[f"{metric}_second"]),
            row[f"{metric}_median"],
            row[f"{metric}_less"],
            row[f"{metric}_more"],
            sign_test(row[f"{metric}_less"], row[f"{metric}_more"]),
        )
        for metric, row in measured.items()
        if row[f"{metric}_pairs"]
    ]
    return holm(found)


def _shown(row: Mapping[str, Any], column: str) -> dict[str, Any]:
    names = ("seed", *_others(column), *(f"{side}_{name}" for name in _OUTCOME for side in "ab"))
    return {name: row[name] for name in names}


def _others(column: str) -> tuple[str, ...]:
    if column not in KINDS:
        raise ValueError(f"runs are not told apart by {column!r}, but by {', '.join(KINDS)}")
    return tuple(each for each in KINDS if each != column)


def _sortable(key: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    return tuple((value is not None, value) for value in key)
