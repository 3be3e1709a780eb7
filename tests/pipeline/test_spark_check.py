"""Spark gives the verdicts that the plain path gives, however the events are spread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pipeline.checking import histories, table

from klamm.tools.lab.history import of_seed
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.jobs import check
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, VERDICTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _tables() -> pa.Table:
    """Clusters of all kinds: two broken ones, and a sound one whose moves have steps."""
    (f03,) = histories("F03", 1, with_bug=True)
    (h6,) = histories("H6", 1, with_bug=True)
    named = enumerate((f03, h6, of_seed(ALL_SCOPES["steps"], 0)))
    return pa.concat_tables([table(each, f"c{number}") for number, each in named])


@pytest.mark.parametrize("tasks", ["3", pytest.param("1", marks=pytest.mark.slow)])
def test_spark_and_plain_agree(spark: SparkSession, tmp_path: Path, tasks: str) -> None:
    """Verdicts and summary are the same, in however many tasks the events are sorted."""
    rows = _tables()
    plain, other = Lake(tmp_path / "plain"), Lake(tmp_path / "spark")
    for lake in (plain, other):
        lake.write_plain(rows, EVENTS)
    expected = check.run_plain(plain)
    assert expected.is_broken
    kept = spark.conf.get("spark.sql.shuffle.partitions", "2")
    spark.conf.set("spark.sql.shuffle.partitions", tasks)
    try:
        found = check.run(spark, other)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", kept or "2")
    assert found == expected
    assert _rows(other) == _rows(plain)


def _rows(lake: Lake) -> list[str]:
    return sorted(map(str, lake.read_plain(VERDICTS).to_pylist()))
