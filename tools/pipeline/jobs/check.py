"""`klamm pipeline check`: from `events` to `verdicts`, and what they come to.

Events go once through a sort by partition and order and then as a stream through Python, one
partition after the other, so that the size of none matters: what is held is the partition's present
state. What is about clusters, and the steps of their moves, is little and goes the same way, by
cluster. Here and on executors the same functions judge; only the sort is done by another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from klamm.tools.pipeline.history import check
from klamm.tools.pipeline.history.order import ORDER
from klamm.tools.pipeline.history.rules.event import KEYS, READS, SORTED, Event, events
from klamm.tools.pipeline.history.rules.offices import OF_PARTITIONS
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, VERDICTS, Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: How many verdicts go to Spark at once, and how many broken ones are told one by one.
_BATCH, SHOWN = 1000, 200
#: Stretches of time in which breaches are counted, from the first of all to the last.
_STRETCHES = 48
_BY_CLUSTER = ("cluster", *ORDER)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a history's verdicts come to: little, whatever their number.

    `counts` are rows of cluster, subject (partition or cluster), verdict and count; `rules` rows of
    rule, subjects and times; `broken` are rows of `verdicts`, at most SHOWN; `unjudged` rows of
    rule and subjects that it could not be judged for; `breaches` rows of rule, begin of a stretch
    of time (all are as long, in ms) and subjects that broke it first then.
    """

    counts: Sequence[Row]
    rules: Sequence[Row]
    broken: Sequence[Row]
    unjudged: Sequence[Row]
    breaches: Sequence[Row]
    events: int

    @property
    def is_broken(self) -> bool:
        """Tell whether any rule is."""
        return bool(self.rules)


# --- from events to verdicts ---------------------------------------------------------------------


def verdicts(frame: DataFrame) -> DataFrame:
    """Judge a frame of `events`; nothing is worked out yet."""
    from pyspark.sql import functions as f

    rows = frame.select(*READS)
    of_one = f.col("partition").isNotNull()
    parts = rows.where(of_one).repartition(*KEYS).sortWithinPartitions(*SORTED)
    steps = of_one & f.col("kind").isin(*sorted(OF_PARTITIONS))
    wide = rows.where(~of_one | steps).repartition("cluster").sortWithinPartitions(*_BY_CLUSTER)
    struct = VERDICTS.struct
    judged = parts.mapInArrow(partial(_judged, check.partitions), schema=struct)
    return judged.unionByName(wide.mapInArrow(partial(_judged, check.clusters), schema=struct))


def verdicts_plain(table: pa.Table) -> pa.Table:
    """Judge a table of `events` here and now."""
    rows = table.select(READS)
    of_one = pc.field("partition").is_valid()
    counted = pc.field("kind").isin(sorted(OF_PARTITIONS))
    parts = _sorted(rows.filter(of_one), SORTED)
    wide = _sorted(rows.filter(~of_one | counted), _BY_CLUSTER)
    batches = chain(
        _judged(check.partitions, parts.to_batches()), _judged(check.clusters, wide.to_batches())
    )
    return pa.Table.from_batches(batches, schema=VERDICTS.schema)


def _sorted(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    keys = [(column, "ascending", "at_start") for column in columns]
    # Of the compute functions pyarrow's own types know none: they are made as it is imported.
    return table.take(pc.call_function("sort_indices", [table], pc.SortOptions(keys)))


def _judged(
    judge: Callable[[Iterable[Event]], Iterator[Row]], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Judge what comes sorted, in batches that need not end where a subject does."""
    gathered: list[Row] = []
    for row in judge(chain.from_iterable(map(events, batches))):
        gathered.append(row)
        if len(gathered) >= _BATCH:
            yield _batch(gathered)
            gathered = []
    yield _batch(gathered)


def _batch(rows: Sequence[Row]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(row) for row in rows], schema=VERDICTS.schema)


# --- the job -------------------------------------------------------------------------------------


def run(spark: SparkSession, lake: Lake) -> Summary:
    """Judge a lake's events on Spark, write its verdicts, and sum them up; raises LakeError."""
    frame = lake.read(spark, EVENTS)
    lake.write(verdicts(frame), VERDICTS)
    return summary(lake.read(spark, VERDICTS))


def run_plain(lake: Lake) -> Summary:
    """Do the same in this process."""
    lake.write_plain(verdicts_plain(lake.read_plain(EVENTS)), VERDICTS)
    return summary_plain(lake.read_plain(VERDICTS))


def summary(frame: DataFrame) -> Summary:
    """Sum verdicts up on Spark; what comes back is bounded."""
    from pyspark.sql import functions as f

    subject = f.when(f.col("partition").isNull(), "cluster").otherwise("partition")
    one = frame.groupBy("cluster", "topic", "partition").agg(
        *(f.first(name).alias(name) for name in ("verdict", "events", "unjudged"))
    )
    counts = one.groupBy("cluster", subject.alias("subject"), "verdict").agg(
        f.count("*").alias("count"), f.sum("events").alias("events")
    )
    broken = frame.where(f.col("verdict") == "broken")
    rules = broken.groupBy("rule").agg(
        f.count("*").alias("subjects"), f.sum("times").alias("times")
    )
    lacking = one.select(f.explode("unjudged").alias("rule")).groupBy("rule").count()
    ends = broken.agg(f.min("at_ms"), f.max("at_ms")).first()
    stretch = stretches(*(ends or (None, None)))
    first_ms = f.col("at_ms") - f.pmod("at_ms", f.lit(stretch))
    breaches = (
        broken.where(f.col("at_ms").isNotNull())
        .groupBy("rule", first_ms.alias("from_ms"))
        .agg(f.count("*").alias("subjects"))
    )
    first = broken.orderBy(*(f.col(c).asc_nulls_first() for c in (*KEYS, "rule"))).limit(SHOWN)
    return _summary(
        [row.asDict() for row in counts.collect()],
        [row.asDict() for row in rules.collect()],
        [row.asDict(recursive=True) for row in first.collect()],
        [{"rule": row["rule"], "subjects": row["count"]} for row in lacking.collect()],
        [row.asDict() for row in breaches.collect()],
    )


def summary_plain(table: pa.Table) -> Summary:
    """Sum verdicts up here."""
    rows = table.to_pylist()
    counts: dict[tuple[str, str, str], list[int]] = {}
    rules: dict[str, list[int]] = {}
    lacking: dict[str, int] = {}
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        if row["verdict"] == "broken":
            told = rules.setdefault(row["rule"], [0, 0])
            told[0] += 1
            told[1] += row["times"]
        key = (row["cluster"], row["topic"], row["partition"])
        if key in seen:
            continue
        seen.add(key)
        for rule in row["unjudged"] or ():
            lacking[rule] = lacking.get(rule, 0) + 1
        subject = "cluster" if row["partition"] is None else "partition"
        count = counts.setdefault((row["cluster"], subject, row["verdict"]), [0, 0])
        count[0] += 1
        count[1] += row["events"]
    broken = [row for row in rows if row["verdict"] == "broken"]
    timed = [row for row in broken if row["at_ms"] is not None]
    at = [row["at_ms"] for row in timed]
    stretch = stretches(min(at, default=None), max(at, default=None))
    breaches = Counter((row["rule"], row["at_ms"] - row["at_ms"] % stretch) for row in timed)
    return _summary(
        [
            {"cluster": c, "subject": s, "verdict": v, "count": n, "events": e}
            for (c, s, v), (n, e) in counts.items()
        ],
        [{"rule": rule, "subjects": n, "times": t} for rule, (n, t) in rules.items()],
        sorted(broken, key=_order)[:SHOWN],
        [{"rule": rule, "subjects": n} for rule, n in lacking.items()],
        [{"rule": r, "from_ms": ms, "subjects": n} for (r, ms), n in breaches.items()],
    )


def stretches(first_ms: int | None, last_ms: int | None) -> int:
    """Return how long stretches of time are, in ms, so that few lie between the two."""
    if first_ms is None or last_ms is None:
        return 1
    return (last_ms - first_ms) // _STRETCHES + 1


def _summary(
    counts: Sequence[Row],
    rules: Sequence[Row],
    broken: Sequence[Row],
    lacking: Sequence[Row],
    breaches: Sequence[Row],
) -> Summary:
    return Summary(
        sorted(counts, key=lambda row: (row["cluster"], row["subject"], row["verdict"])),
        sorted(rules, key=lambda row: (-row["subjects"], row["rule"])),
        broken,
        sorted(lacking, key=lambda row: row["rule"]),
        sorted(breaches, key=lambda row: (row["rule"], row["from_ms"])),
        sum(row["events"] for row in counts if row["subject"] == "partition"),
    )


def _order(row: Row) -> tuple[Any, ...]:
    return tuple((row[c] is not None, row[c]) for c in (*KEYS, "rule"))
