"""What the moves of a history come to: counts, phases, and how much was under way when.

Each figure has two functions of the same name and meaning: one for a DataFrame, which is Spark's
own functions from end to end, and one for an Arrow table in this process.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from klamm.tools.pipeline.tables import INT, LONG, REAL, TEXT, Row, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: A phase, by the columns between which it lies. Negative ones, of clocks that differ, count as 0.
PHASES: Mapping[str, tuple[str, str]] = {
    "asked to first step": ("requested_ms", "first_step_ms"),
    "first step to first join": ("first_step_ms", "first_isr_join_ms"),
    "first join to last join": ("first_isr_join_ms", "last_isr_join_ms"),
    "last join to end": ("last_isr_join_ms", "ended_ms"),
    "asked to end": ("requested_ms", "ended_ms"),
}
#: The results whose phases are counted: others have ended before their time, or not at all.
_WHOLE = "done"

RESULTS = Table(
    "results",
    1,
    ("source", "result"),
    {"source": TEXT, "result": TEXT, "moves": LONG, "failovers": LONG, "retries": LONG},
)
QUANTILES = Table(
    "quantiles",
    1,
    ("phase",),
    {"phase": TEXT, "moves": LONG, "p50_s": REAL, "p95_s": REAL, "most_s": REAL},
)
#: Moves under way to a broker, within a stretch of time that begins at `at_ms`.
IN_FLIGHT = Table(
    "in_flight", 1, ("at_ms", "broker"), {"at_ms": LONG, "broker": INT, "moves": LONG}
)
#: Leaders of what was moved: of how many partitions a broker was it before, and after.
SKEW = Table("skew", 1, ("broker",), {"broker": INT, "led_before": LONG, "led_after": LONG})

_RESULTS, _QUANTILES, _IN_FLIGHT, _SKEW = (
    [name for name in table.schema.names if name != "date"]
    for table in (RESULTS, QUANTILES, IN_FLIGHT, SKEW)
)


def quantile(ranked: Sequence[float], share: float) -> float:
    """Return the value that `share` of the sorted values do not exceed (percentile_disc)."""
    return ranked[max(math.ceil(share * len(ranked)), 1) - 1]


def results(moves: pa.Table) -> list[Row]:
    """Count moves by cluster, source and result."""
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for row in moves.select(["cluster", "source", "result", "failovers", "retries"]).to_pylist():
        found = counts[row["cluster"], row["source"], row["result"]]
        found.update(moves=1, failovers=row["failovers"], retries=row["retries"])
    return [
        dict(
            zip(_RESULTS, (*key, found["moves"], found["failovers"], found["retries"]), strict=True)
        )
        for key, found in sorted(counts.items())
    ]


def results_on_spark(moves: DataFrame) -> DataFrame:
    """Count moves by cluster, source and result."""
    from pyspark.sql import functions as F

    return (
        moves.groupBy("cluster", "source", "result")
        .agg(
            F.count("*").alias("moves"),
            F.sum("failovers").alias("failovers"),
            F.sum("retries").alias("retries"),
        )
        .select(*_RESULTS)
        .orderBy("cluster", "source", "result")
    )


def quantiles(moves: pa.Table) -> list[Row]:
    """Return of each phase of moves that were done how long it took, by cluster."""
    lengths: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in moves.to_pylist():
        if row["result"] != _WHOLE:
            continue
        for phase, (start, end) in PHASES.items():
            if row[start] is not None and row[end] is not None:
                lengths[row["cluster"], phase].append(max(row[end] - row[start], 0) / 1000)
    found: list[Row] = []
    for key, values in sorted(lengths.items()):
        values.sort()
        told = (len(values), quantile(values, 0.5), quantile(values, 0.95), values[-1])
        found.append(dict(zip(_QUANTILES, (*key, *told), strict=True)))
    return found


def quantiles_on_spark(moves: DataFrame) -> DataFrame:
    """Return of each phase of moves that were done how long it took, by cluster."""
    from pyspark.sql import functions as F

    lengths = [
        F.struct(
            F.lit(phase).alias("phase"),
            # As in any arithmetic, without one of the two there is no length.
            ((F.col(end) - F.col(start)) / 1000).alias("seconds"),
        )
        for phase, (start, end) in PHASES.items()
    ]
    return (
        moves.where(F.col("result") == _WHOLE)
        .select("cluster", F.explode(F.array(*lengths)).alias("length"))
        .select("cluster", "length.phase", "length.seconds")
        .where(F.col("seconds").isNotNull())
        .withColumn("seconds", F.greatest(F.col("seconds"), F.lit(0.0)))
        .groupBy("cluster", "phase")
        .agg(
            F.count("*").alias("moves"),
            F.expr("percentile_disc(0.5D) within group (order by seconds)").alias("p50_s"),
            F.expr("percentile_disc(0.95D) within group (order by seconds)").alias("p95_s"),
            F.max("seconds").alias("most_s"),
        )
        .select(*_QUANTILES)
        .orderBy("cluster", "phase")
    )


def in_flight(moves: pa.Table, start_ms: int, width_ms: int, ends_ms: int) -> list[Row]:
    """Count moves under way to each broker, in stretches of `width_ms` from `start_ms` on."""
    counts: Counter[tuple[str, int, int]] = Counter()
    for row in moves.select(["cluster", "origin", "target", "seen_ms", "ended_ms"]).to_pylist():
        first = (row["seen_ms"] - start_ms) // width_ms
        ended = ends_ms if row["ended_ms"] is None else row["ended_ms"]
        last = (max(ended, row["seen_ms"]) - start_ms) // width_ms
        for broker in set(row["target"]).difference(row["origin"]):
            for at in range(first, last + 1):
                counts[row["cluster"], start_ms + at * width_ms, broker] += 1
    return [
        dict(zip(_IN_FLIGHT, (*key, count), strict=True)) for key, count in sorted(counts.items())
    ]


def in_flight_on_spark(moves: DataFrame, start_ms: int, width_ms: int, ends_ms: int) -> DataFrame:
    """Count moves under way to each broker, in stretches of `width_ms` from `start_ms` on."""
    from pyspark.sql import functions as F

    last = F.greatest(F.coalesce("ended_ms", F.lit(ends_ms)), F.col("seen_ms"))
    places = (F.floor((each - start_ms) / width_ms) for each in (F.col("seen_ms"), last))
    return (
        moves.select(
            "cluster",
            F.explode(F.array_except("target", "origin")).alias("broker"),
            F.sequence(*places).alias("places"),
        )
        .select("cluster", "broker", F.explode("places").alias("place"))
        .withColumn("at_ms", F.lit(start_ms) + F.col("place") * width_ms)
        .groupBy("cluster", "at_ms", "broker")
        .agg(F.count("*").alias("moves"))
        .select(*_IN_FLIGHT)
        .orderBy("cluster", "at_ms", "broker")
    )


def skew(moves: pa.Table) -> list[Row]:
    """Count of each broker what it led of the moved partitions, before the first and after all."""
    first: dict[tuple[str, str, int], tuple[int, int | None]] = {}
    last: dict[tuple[str, str, int], tuple[int, int | None]] = {}
    for row in moves.to_pylist():
        key, number = (row["cluster"], row["topic"], row["partition"]), _number(row["move_id"])
        first[key] = min(
            first.get(key, (number, row["leader_before"])),
            (number, row["leader_before"]),
            key=_place,
        )
        last[key] = max(
            last.get(key, (number, row["leader_after"])), (number, row["leader_after"]), key=_place
        )
    counts: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for name, found in (("before", first), ("after", last)):
        for (cluster, _, _), (_, leader) in found.items():
            if leader is not None:
                counts[cluster, leader][name] += 1
    return [
        dict(zip(_SKEW, (*key, found["before"], found["after"]), strict=True))
        for key, found in sorted(counts.items())
    ]


def skew_on_spark(moves: DataFrame) -> DataFrame:
    """Count of each broker what it led of the moved partitions, before the first and after all."""
    from pyspark.sql import functions as F

    number = F.substring_index("move_id", "#", -1).cast("long")
    each = moves.groupBy("cluster", "topic", "partition").agg(
        F.min_by("leader_before", number).alias("was"),
        F.max_by("leader_after", number).alias("now"),
    )
    pairs = F.array(
        F.struct(F.col("was").alias("broker"), F.lit(1).alias("was"), F.lit(0).alias("now")),
        F.struct(F.col("now").alias("broker"), F.lit(0).alias("was"), F.lit(1).alias("now")),
    )
    return (
        each.select("cluster", F.explode(pairs).alias("pair"))
        .select("cluster", "pair.*")
        .where(F.col("broker").isNotNull())
        .groupBy("cluster", "broker")
        .agg(F.sum("was").alias("led_before"), F.sum("now").alias("led_after"))
        .select(*_SKEW)
        .orderBy("cluster", "broker")
    )


def with_bytes(moves: pa.Table, replicas: pa.Table) -> pa.Table:
    """Fill `bytes` of moves that were done: the partition's size, for each new replica.

    The size is the largest of its replicas when it was last looked at before the end of the move,
    or first after it. Without a look it is null.
    """
    looks: dict[tuple[str, str, int], dict[int, int]] = defaultdict(dict)
    for row in replicas.to_pylist():
        if row["size_bytes"] is not None and row["ts_ms"] is not None and not row["is_future"]:
            found = looks[row["cluster"], row["topic"], row["partition"]]
            found[row["ts_ms"]] = max(found.get(row["ts_ms"], 0), row["size_bytes"])
    amounts = [
        _bytes(row, looks.get((row["cluster"], row["topic"], row["partition"]), {}))
        for row in moves.to_pylist()
    ]
    place = moves.schema.get_field_index("bytes")
    return moves.set_column(place, moves.schema.field(place), pa.array(amounts, LONG))


def with_bytes_on_spark(moves: DataFrame, replicas: DataFrame) -> DataFrame:
    """Fill `bytes` of moves that were done: the partition's size, for each new replica."""
    from pyspark.sql import functions as F

    names = ("cluster", "topic", "partition")
    looks = (
        replicas.where(~F.coalesce("is_future", F.lit(False)))
        .where(F.col("size_bytes").isNotNull() & F.col("ts_ms").isNotNull())
        .groupBy(*names, "ts_ms")
        .agg(F.max("size_bytes").alias("size"))
    )
    before = F.when(F.col("ts_ms") <= F.col("ended_ms"), F.col("ts_ms"))
    found = (
        moves.where(F.col("result") == _WHOLE)
        .select(*names, "move_id", "ended_ms", F.array_except("target", "origin").alias("new"))
        .join(looks, list(names))
        .groupBy("cluster", "move_id", "new")
        .agg(F.coalesce(F.max_by("size", before), F.min_by("size", F.col("ts_ms"))).alias("size"))
        .select("cluster", "move_id", (F.col("size") * F.size("new")).alias("bytes"))
    )
    return moves.drop("bytes").join(found, ["cluster", "move_id"], "left").select(*moves.columns)


def _bytes(row: Mapping[str, Any], looks: Mapping[int, int]) -> int | None:
    if row["result"] != _WHOLE or not looks:
        return None
    before = [at for at in looks if at <= row["ended_ms"]]
    size = looks[max(before) if before else min(looks)]
    return size * len(set(row["target"]).difference(row["origin"]))


def _number(move_id: str) -> int:
    return int(move_id.rpartition("#")[2])


def _place(found: tuple[int, int | None]) -> int:
    return found[0]
