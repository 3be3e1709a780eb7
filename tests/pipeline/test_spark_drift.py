"""Drift and compare: Spark gives what the plain path gives, whatever the rows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from pipeline.comparing import event, put_runs
from pipeline.drifting import put, put_snapshots

from klamm.tools.pipeline.history.drift import Limits
from klamm.tools.pipeline.jobs import compare, compare_runs, drift
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.samples.cluster import SIZES, cluster, grown
from klamm.tools.pipeline.tables import CLUSTERS, EVENTS, LOADS, PARTITIONS, REPLICAS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def random_lake(root: Path, seed: int) -> Lake:
    """Clusters with days that are missing, sizes that nobody knows, and several looks a day."""
    rng, lake = Random(seed), Lake(root)

    def maybe(value: float | str) -> float | str | None:
        return None if rng.random() < 0.1 else value

    names = [
        {
            "cluster": rng.choice(("east", "west")),
            "date": maybe(f"2026-01-{rng.randint(1, 28):02}"),
            "ts_ms": rng.randint(1, 3),
            "topic": rng.choice("abc"),
            "partition": rng.randint(0, 1),
        }
        for _ in range(150)
    ]
    unique = list({tuple(each.values()): each for each in names}.values())
    sizes = [
        {**each, "broker": rng.randint(1, 3), "size_bytes": maybe(rng.randint(0, 10**12))}
        for each in unique
    ]
    put(lake, REPLICAS, sizes)
    put(lake, PARTITIONS, [{**each, "leader": maybe(rng.randint(-1, 3))} for each in unique])
    put(lake, LOADS, [{**each, "bytes_in_per_s": maybe(rng.random() * 1e9)} for each in unique])
    brokers = [
        {"cluster": "east", "date": "2026-01-01", "ts_ms": ts, "broker": broker}
        for ts in (1, 2)
        for broker in (1, 2, 3)
    ]
    put(lake, CLUSTERS, [{**each, "capacity_bytes": maybe(10**13)} for each in brokers])
    return lake


def test_spark_tells_the_same_drift(spark: SparkSession, tmp_path: Path) -> None:
    lake = random_lake(tmp_path, 0)
    assert drift.on_spark(spark, lake, Limits()) == drift.plain(lake, Limits())


@pytest.mark.slow
def test_spark_tells_the_same_drift_of_many(spark: SparkSession, tmp_path: Path) -> None:
    for seed in range(1, 8):
        lake = random_lake(tmp_path / str(seed), seed)
        assert drift.on_spark(spark, lake, Limits()) == drift.plain(lake, Limits())
    lake = Lake(tmp_path / "month")
    first = cluster(2, SIZES["small"])
    put_snapshots(lake, (grown(first, 2, day) for day in range(20)))
    assert drift.on_spark(spark, lake, Limits()) == drift.plain(lake, Limits())


@pytest.mark.slow
def test_spark_tells_the_same_differences_of_runs(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    put_runs(lake, Random(5), 60)
    names = ("pacing", "batch-20", "batch-50")
    assert compare_runs.runs_on_spark(spark, lake, *names) == compare_runs.runs_plain(lake, *names)


def test_spark_tells_the_same_differences_of_histories(spark: SparkSession, tmp_path: Path) -> None:
    rng, lake = Random(6), Lake(tmp_path)
    kinds = ("accept", "end", "cancel", "isr-join", "entry-resumed")
    rows = [
        event(cluster, line, partition, rng.choice(kinds), rng.sample(range(4), 3))
        for cluster in ("old", "new")
        for partition in range(8)
        for line in range(rng.randint(0, 3))
    ]
    put(lake, EVENTS, rows)
    found = compare.histories_on_spark(spark, lake, "old", "new")
    assert found == compare.histories_plain(lake, "old", "new")
    assert found.differ > 3
