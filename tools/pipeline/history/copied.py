"""How much moves have copied, by what was seen of the sizes of replicas.

Two functions of one meaning: for an Arrow table in this process, and for a DataFrame.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from klamm.tools.pipeline.history.phases import WHOLE
from klamm.tools.pipeline.tables import LONG

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
        moves.where(F.col("result") == WHOLE)
        .select(*names, "move_id", "ended_ms", F.array_except("target", "origin").alias("new"))
        .join(looks, list(names))
        .groupBy("cluster", "move_id", "new")
        .agg(F.coalesce(F.max_by("size", before), F.min_by("size", F.col("ts_ms"))).alias("size"))
        .select("cluster", "move_id", (F.col("size") * F.size("new")).alias("bytes"))
    )
    return moves.drop("bytes").join(found, ["cluster", "move_id"], "left").select(*moves.columns)


def _bytes(row: Mapping[str, Any], looks: Mapping[int, int]) -> int | None:
    if row["result"] != WHOLE or not looks:
        return None
    before = [at for at in looks if at <= row["ended_ms"]]
    size = looks[max(before) if before else min(looks)]
    return size * len(set(row["target"]).difference(row["origin"]))
