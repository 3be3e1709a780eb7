"""Moves, waves, progress and replay: Spark gives what the plain path gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest
from node.status_world import with_topic
from pipeline.drifting import put
from pipeline.histories import START_MS, events_of, events_of_lab, lake_of

from klamm.controller.node.lines import encode
from klamm.tools.lab.history import of_seed
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.pipeline.history.replay import ZNODES
from klamm.tools.pipeline.history.waves import WAVES
from klamm.tools.pipeline.jobs import moves, replay
from klamm.tools.pipeline.jobs.around import around_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, MOVES, PROGRESS, REPLICAS, Row, Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def random_lake(folder: Path, seeds: int = 5) -> Lake:
    """Runs of the lab, each a cluster of its own, a request with a number, and sizes."""
    world = with_topic()
    world.assigned({0: (2, 3), 1: (3, 4)})
    for end, whole in ((100, 1_000), (50, 1_000), (800, 1_000)):
        world.heard(0, 3, end, whole)
        world.settle()
        world.run_for(5_000)
    status = events_of({"node-900.jsonl": map(encode, world.replay.lines)}, "status")
    parts = [
        events_of_lab(of_seed(SCOPES[scope], seed), f"{scope}-{seed}")
        for scope in ("all", "brokers", "leaders-ask")
        for seed in range(1, seeds + 1)
    ]
    lake = lake_of(folder, status, *parts)
    looks = {"date": "2023-11-14", "topic": "t", "partition": 0, "broker": 1}
    sizes = [
        {**looks, "cluster": f"all-{seed}", "ts_ms": START_MS + at, "size_bytes": at + seed}
        for seed in range(1, seeds + 1)
        for at in (10, 3_000, 100_000)
    ]
    put(lake, REPLICAS, sizes)
    return lake


def rows(lake: Lake, table: Table) -> list[Row]:
    found: list[Row] = lake.read_plain(table).to_pylist()
    return sorted(found, key=lambda row: [str(row[name]) for name in ("cluster", *table.key)])


def test_the_moves_of_a_history_are_the_same_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    lake = random_lake(tmp_path, 1)
    events = lake.read_plain(EVENTS)
    step = moves.step(around_plain(events), moves.Settings())
    about = lake.read(spark, EVENTS).where("partition is not null")
    there = step.on_spark(about).toArrow().cast(MOVES.schema).to_pylist()
    here = step.plain(events.filter(pc.field("partition").is_valid())).to_pylist()
    assert here
    assert sorted(there, key=str) == sorted(here, key=str)


@pytest.mark.slow
def test_spark_and_this_process_tell_the_same(spark: SparkSession, tmp_path: Path) -> None:
    lake = random_lake(tmp_path)
    tables = (MOVES, WAVES, PROGRESS)
    here = moves.plain(lake, moves.Settings(stuck_after_s=5.0))
    written = [rows(lake, table) for table in tables]
    there = moves.on_spark(spark, lake, moves.Settings(stuck_after_s=5.0))
    for each in fields(moves.Findings):
        assert getattr(here, each.name) == getattr(there, each.name), each.name
    assert [rows(lake, table) for table in tables] == written
    assert all(written)
    assert {row["result"] for row in written[0]} >= {"done", "running"}
    assert any(row["bytes"] for row in written[0]) and here.curves and here.waves


@pytest.mark.slow
def test_spark_rebuilds_the_same_znodes(spark: SparkSession, tmp_path: Path) -> None:
    lake = random_lake(tmp_path)
    rebuild: list[Callable[[], object]] = [
        lambda: replay.plain(lake),
        lambda: replay.on_spark(spark, lake),
    ]
    found = [(each(), rows(lake, ZNODES)) for each in rebuild]
    assert found[0] == found[1]
    assert len(found[0][1]) > 20
