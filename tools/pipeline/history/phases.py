"""What the moves of a history come to: counts, phases, and how much was under way when.

Each figure has two functions of the same name and meaning: one for a DataFrame, which is Spark's
own functions from end to end, and one for an Arrow table in this process.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

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
WHOLE = "done"

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
#: Moves done whose phase took less than `below_ms`, a power of two, and not less than half of it.
SPREAD = Table("spread", 1, ("phase", "below_ms"), {"phase": TEXT, "below_ms": LONG, "moves": LONG})
#: Moves under way to a broker, within a stretch of time that begins at `at_ms`.
IN_FLIGHT = Table(
    "in_flight", 1, ("at_ms", "broker"), {"at_ms": LONG, "broker": INT, "moves": LONG}
)
#: Leaders of what was moved: of how many partitions a broker was it before, and after.
SKEW = Table("skew", 1, ("broker",), {"broker": INT, "led_before": LONG, "led_after": LONG})

_RESULTS, _QUANTILES, _SPREAD, _IN_FLIGHT, _SKEW = (
    [name for name in table.schema.names if name != "date"]
    for table in (RESULTS, QUANTILES, SPREAD, IN_FLIGHT, SKEW)
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
    found: list[Row] = []
    for key, lengths in sorted(_lengths(moves).items()):
        values = [each / 1000 for each in sorted(lengths)]
        told = (len(values), quantile(values, 0.5), quantile(values, 0.95), values[-1])
        found.append(dict(zip(_QUANTILES, (*key, *told), strict=True)))
    return found


def quantiles_on_spark(moves: DataFrame) -> DataFrame:
    """Return of each phase of moves that were done how long it took, by cluster."""
    from pyspark.sql import functions as F

    return (
        _lengths_on_spark(moves)
        .withColumn("seconds", F.col("ms") / 1000)
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


def spread(moves: pa.Table) -> list[Row]:
    """Count, by cluster and phase, moves done by how long it took: by powers of two."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for key, lengths in _lengths(moves).items():
        counts.update((*key, 1 << each.bit_length()) for each in lengths)
    return [dict(zip(_SPREAD, (*key, count), strict=True)) for key, count in sorted(counts.items())]


def spread_on_spark(moves: DataFrame) -> DataFrame:
    """Count, by cluster and phase, moves done by how long it took: by powers of two."""
    from pyspark.sql import functions as F

    bits = F.when(F.col("ms") == 0, 0).otherwise(F.length(F.bin("ms")))
    return (
        _lengths_on_spark(moves)
        .withColumn("bits", bits)
        .groupBy("cluster", "phase", "bits")
        .agg(F.count("*").alias("moves"))
        .withColumn("below_ms", F.expr("shiftleft(1L, bits)"))
        .select(*_SPREAD)
        .orderBy("cluster", "phase", "below_ms")
    )


def _lengths(moves: pa.Table) -> dict[tuple[str, str], list[int]]:
    """Return the milliseconds of phases of moves that were done, by cluster and phase."""
    lengths: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in moves.to_pylist():
        if row["result"] != WHOLE:
            continue
        for phase, (start, end) in PHASES.items():
            if row[start] is not None and row[end] is not None:
                lengths[row["cluster"], phase].append(max(row[end] - row[start], 0))
    return lengths


def _lengths_on_spark(moves: DataFrame) -> DataFrame:
    """Return the same as rows: cluster, phase, ms."""
    from pyspark.sql import functions as F

    # As in any arithmetic, without one of the two there is no length.
    lengths = [
        F.struct(F.lit(phase).alias("phase"), (F.col(end) - F.col(start)).alias("ms"))
        for phase, (start, end) in PHASES.items()
    ]
    return (
        moves.where(F.col("result") == WHOLE)
        .select("cluster", F.explode(F.array(*lengths)).alias("length"))
        .select("cluster", "length.phase", "length.ms")
        .where(F.col("ms").isNotNull())
        .withColumn("ms", F.greatest(F.col("ms"), F.lit(0).cast("long")))
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


def _number(move_id: str) -> int:
    return int(move_id.rpartition("#")[2])


def _place(found: tuple[int, int | None]) -> int:
    return found[0]
