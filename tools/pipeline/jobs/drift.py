"""`klamm pipeline drift`: gathers a row per broker and day, and per topic, of daily snapshots.

A snapshot is the rows of one `ts_ms`; of several on a day the last one counts. Sizes come from
`replicas`, leaders from `partitions`, traffic from `loads`, capacities from `clusters`; of these
only `replicas` must have rows. What is gathered has one row per broker and day, and the topics that
grow fastest: so much comes to the driver, however long the history.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from klamm.tools.pipeline.history.drift import (
    WEEK,
    BrokerDay,
    Drift,
    Limits,
    TopicGrowth,
    growth,
    ordinal,
    outlook,
)
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import CLUSTERS, LOADS, PARTITIONS, REPLICAS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: So many topics are told of.
TOPICS: Final = 20
_DAY: Final = ("cluster", "date")
_PARTITION: Final = (*_DAY, "topic", "partition")


class NothingToTellError(ValueError):
    """There are no sizes of replicas in the lake."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(
            f"{lake.root} has no sizes of replicas: ingest what kafka-log-dirs --describe says,"
            " of several days"
        )


# On Spark


def on_spark(spark: SparkSession, lake: Lake, limits: Limits) -> Drift:
    """Work it out on Spark; raises NothingToTellError and LakeError."""
    replicas = lake.read(spark, REPLICAS)
    held = bytes_by(replicas, "broker").collect()
    if not held:
        raise NothingToTellError(lake)
    topics = fastest(topic_growth(bytes_by(replicas, "topic"))).collect()
    led = leaders(lake.read(spark, PARTITIONS), lake.read(spark, LOADS)).collect()
    return _drift(
        [row.asDict() for row in held],
        [row.asDict() for row in led],
        [TopicGrowth(*row) for row in topics],
        [row.asDict() for row in capacities(lake.read(spark, CLUSTERS)).collect()],
        limits,
    )


def bytes_by(replicas: DataFrame, what: str) -> DataFrame:
    """Sum bytes and replicas by day and broker, or by day and topic, of each day's last snapshot.

    Columns: cluster, date, `what`, bytes, replicas.
    """
    from pyspark.sql import functions as f

    known = replicas.where(f.col("size_bytes").isNotNull() & f.col("date").isNotNull())
    return (
        known.groupBy(*_DAY, "ts_ms", what)
        .agg(f.sum("size_bytes").alias("bytes"), f.count("*").alias("replicas"))
        .groupBy(*_DAY, what)
        .agg(
            f.max_by("bytes", "ts_ms").alias("bytes"),
            f.max_by("replicas", "ts_ms").alias("replicas"),
        )
    )


def topic_growth(daily: DataFrame) -> DataFrame:
    """Tell of topics by day how fast they grow: see `klamm.tools.pipeline.history.drift.growth`.

    Columns: those of TopicGrowth.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    topic = Window.partitionBy("cluster", "topic")
    in_order = topic.orderBy("day")
    numbered = daily.select(
        "cluster", "topic", "bytes", f.unix_date(f.to_date("date")).alias("day")
    ).withColumn("days", f.count("*").over(topic))
    lagged = [
        f.when(f.col("days") > 2 * WEEK, f.lag(name, WEEK).over(in_order)).otherwise(
            f.lag(name, 1).over(in_order)
        )
        for name in ("bytes", "day")
    ]
    rate = (f.col("bytes") - lagged[0]).cast("double") / (f.col("day") - lagged[1])
    return (
        numbered.withColumn("rate", rate)
        .groupBy("cluster", "topic")
        .agg(
            f.count("*").cast("int").alias("days"),
            f.max_by("bytes", "day").alias("bytes"),
            f.percentile("rate", f.lit(0.5)).alias("bytes_per_day"),
        )
    )


def fastest(topics: DataFrame) -> DataFrame:
    """Keep the topics that grow fastest, of all clusters, in order."""
    from pyspark.sql import functions as f

    return topics.orderBy(f.desc_nulls_last("bytes_per_day"), "cluster", "topic").limit(TOPICS)


def leaders(partitions: DataFrame, loads: DataFrame) -> DataFrame:
    """Count by day and broker what it leads, and sum what producers send it.

    Columns: cluster, date, broker, leaders, bytes_in_per_s (null where no load is known).
    """
    from pyspark.sql import functions as f

    def last(rows: DataFrame, column: str) -> DataFrame:
        return (
            rows.where(f.col("date").isNotNull() & f.col(column).isNotNull())
            .groupBy(*_PARTITION)
            .agg(f.max_by(column, "ts_ms").alias(column))
        )

    return (
        last(partitions, "leader")
        .where(f.col("leader") >= 0)
        .join(last(loads, "bytes_in_per_s"), [*_PARTITION], "left")
        .groupBy(*_DAY, f.col("leader").alias("broker"))
        .agg(
            f.count("*").alias("leaders"),
            # Whole numbers have the same sum in every order.
            f.sum(f.col("bytes_in_per_s").cast("long")).alias("bytes_in_per_s"),
        )
    )


def capacities(clusters: DataFrame) -> DataFrame:
    """Return by broker the capacity that was told last."""
    from pyspark.sql import functions as f

    return (
        clusters.where(f.col("capacity_bytes").isNotNull())
        .groupBy("cluster", "broker")
        .agg(f.max_by("capacity_bytes", "ts_ms").alias("capacity_bytes"))
    )


# In this process


def plain(lake: Lake, limits: Limits) -> Drift:
    """Do the same here and now; raises NothingToTellError and LakeError."""
    replicas = lake.read_plain(REPLICAS)
    held = _bytes_by(replicas, "broker")
    if not held:
        raise NothingToTellError(lake)
    return _drift(
        held,
        _leaders(lake.read_plain(PARTITIONS), lake.read_plain(LOADS)),
        _fastest(_bytes_by(replicas, "topic")),
        _last(lake.read_plain(CLUSTERS), ("cluster", "broker"), "capacity_bytes"),
        limits,
    )


def _bytes_by(replicas: pa.Table, what: str) -> list[dict[str, Any]]:
    known = replicas.filter(pc.field("size_bytes").is_valid() & pc.field("date").is_valid())
    sums = known.group_by([*_DAY, "ts_ms", what]).aggregate(
        [("size_bytes", "sum"), ([], "count_all")]
    )
    rows = {}
    for row in sums.sort_by([("ts_ms", "ascending")]).to_pylist():
        rows[row["cluster"], row["date"], row[what]] = {
            **{name: row[name] for name in (*_DAY, what)},
            "bytes": row["size_bytes_sum"],
            "replicas": row["count_all"],
        }
    return list(rows.values())


def _fastest(daily: list[dict[str, Any]]) -> list[TopicGrowth]:
    series: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for row in daily:
        series[row["cluster"], row["topic"]].append((ordinal(row["date"]), row["bytes"]))
    found = [
        TopicGrowth(*key, len(values), int(max(values)[1]), growth(values))
        for key, values in series.items()
    ]
    found.sort(key=lambda each: (each.bytes_per_day is None, -(each.bytes_per_day or 0), each[:2]))
    return found[:TOPICS]


def _last(rows: pa.Table, keys: tuple[str, ...], column: str) -> list[dict[str, Any]]:
    known = rows.select([*keys, "ts_ms", column]).filter(pc.field(column).is_valid())
    if "date" in keys:
        known = known.filter(pc.field("date").is_valid())
    found = {}
    for row in known.sort_by([("ts_ms", "ascending")]).to_pylist():
        found[tuple(row[key] for key in keys)] = {key: row[key] for key in (*keys, column)}
    return list(found.values())


def _leaders(partitions: pa.Table, loads: pa.Table) -> list[dict[str, Any]]:
    traffic = {
        tuple(row[key] for key in _PARTITION): row["bytes_in_per_s"]
        for row in _last(loads, _PARTITION, "bytes_in_per_s")
    }
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in _last(partitions, _PARTITION, "leader"):
        if row["leader"] < 0:
            continue
        here = found.setdefault(
            (row["cluster"], row["date"], row["leader"]),
            {
                "cluster": row["cluster"],
                "date": row["date"],
                "broker": row["leader"],
                "leaders": 0,
                "bytes_in_per_s": None,
            },
        )
        here["leaders"] += 1
        rate = traffic.get(tuple(row[key] for key in _PARTITION))
        if rate is not None:
            here["bytes_in_per_s"] = (here["bytes_in_per_s"] or 0) + int(rate)
    return list(found.values())


# For both


def _drift(
    held: list[dict[str, Any]],
    led: list[dict[str, Any]],
    topics: list[TopicGrowth],
    told: list[dict[str, Any]],
    limits: Limits,
) -> Drift:
    merged: dict[tuple[str, str, int], dict[str, Any]] = defaultdict(dict)
    for row in (*held, *led):
        merged[row["cluster"], row["date"], row["broker"]] |= row
    days = [BrokerDay(**merged[key]) for key in sorted(merged)]
    by_broker = {(row["cluster"], row["broker"]): row["capacity_bytes"] for row in told}
    return outlook(days, topics, by_broker, limits)
