"""`klamm pipeline compare`: where two histories differ.

To the driver come the partitions that differ, the first by name, and how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from klamm.tools.pipeline.history.compare import (
    DECISIONS,
    divergences,
)
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: So many partitions, and so many runs, are told of.
SHOWN: Final = 50


class NotThereError(ValueError):
    """One of the two has no rows; the text says which there are."""

    def __init__(self, what: str, name: str, there: Iterable[object]) -> None:
        known = ", ".join(sorted(str(each) for each in there if each is not None)) or "none"
        super().__init__(f"there are no {what} {name!r}; there are: {known}")


@dataclass(frozen=True, slots=True)
class Histories:
    """Two clusters' histories: how often which decision, and where they part."""

    names: tuple[str, str]
    #: By kind of decision: how many in the first, and in the second.
    decisions: Mapping[str, tuple[int, int]]
    #: How many partitions differ, by what the difference is named; "" for no name.
    named: Mapping[str, int]
    shown: Sequence[Mapping[str, Any]]

    @property
    def differ(self) -> int:
        """How many partitions differ."""
        return sum(self.named.values())


# Histories


def histories_on_spark(spark: SparkSession, lake: Lake, first: str, second: str) -> Histories:
    """Compare two clusters of a lake on Spark; raises NotThereError and LakeError."""
    from pyspark.sql import functions as f

    events = lake.read(spark, EVENTS)
    names = [row[0] for row in events.select("cluster").distinct().collect()]
    check_there("histories of a cluster", (first, second), names)
    told = events.where(
        f.col("cluster").isin(first, second)
        & f.col("kind").isin(*DECISIONS)
        & f.col("topic").isNotNull()
        & f.col("partition").isNotNull()
    )
    counts = told.groupBy("kind", "cluster").count().collect()
    differ = divergences(first, second).on_spark(told).cache()
    try:
        named = differ.groupBy("named").count().collect()
        shown = differ.orderBy("topic", "partition").limit(SHOWN).collect()
    finally:
        differ.unpersist()
    return _histories(
        (first, second),
        {(row["kind"], row["cluster"]): row["count"] for row in counts},
        {row["named"]: row["count"] for row in named},
        [row.asDict(recursive=True) for row in shown],
    )


def histories_plain(lake: Lake, first: str, second: str) -> Histories:
    """Do the same here and now."""
    events = lake.read_plain(EVENTS)
    check_there(
        "histories of a cluster", (first, second), set(events.column("cluster").to_pylist())
    )
    told = events.filter(
        pc.field("cluster").isin((first, second))
        & pc.field("kind").isin(DECISIONS)
        & pc.field("topic").is_valid()
        & pc.field("partition").is_valid()
    )
    rows = divergences(first, second).plain(told).to_pylist()
    counts = Counter(
        zip(told.column("kind").to_pylist(), told.column("cluster").to_pylist(), strict=True)
    )
    return _histories((first, second), counts, Counter(row["named"] for row in rows), rows[:SHOWN])


def _histories(
    names: tuple[str, str],
    counts: Mapping[tuple[str, str], int],
    named: Mapping[str | None, int],
    shown: Sequence[Mapping[str, Any]],
) -> Histories:
    kinds = sorted({kind for kind, _ in counts})
    return Histories(
        names,
        {
            kind: (counts.get((kind, names[0]), 0), counts.get((kind, names[1]), 0))
            for kind in kinds
        },
        {
            name or "": count
            for name, count in sorted(named.items(), key=lambda each: each[0] or "")
        },
        shown,
    )


def check_there(what: str, wanted: tuple[str, str], there: Iterable[object]) -> None:
    """Raise NotThereError if one of the two that are wanted is not there."""
    known = list(there)
    for name in wanted:
        if name not in known:
            raise NotThereError(what, name, known)
