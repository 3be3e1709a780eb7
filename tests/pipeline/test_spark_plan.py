"""A plan whose groups are solved on Spark is the plan that is made in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from planner.clusters import snapshot

from klamm.tools.pipeline.spark_runner import SparkRunner
from klamm.tools.planner import groups, intents
from klamm.tools.planner.goal import Cluster
from klamm.tools.planner.plan import make
from klamm.tools.planner.runner import Local
from klamm.tools.planner.snapshot import Broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_spark_makes_the_same_plan(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "CHOICES", 600)
    brokers = [Broker(id_, f"r{id_ % 3}") for id_ in range(12)]
    replicas = {
        (f"t{number // 20:02}", number % 20): tuple((number * 7 + at) % 9 for at in (0, 1, 2))
        for number in range(300)
    }
    goal = intents.expand(Cluster.of(snapshot(brokers, replicas, size_bytes=7)), [9, 10, 11])
    here = make(goal, Local(), effort=0.1)
    there = make(goal, SparkRunner(spark), effort=0.1)
    assert len(here.groups) > 1
    assert there == here
    assert here.moved == here.lower_bound == 3 * 75
