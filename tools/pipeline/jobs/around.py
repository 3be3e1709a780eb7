"""What is known of each cluster as a whole, gathered from `events`; jobs give it to executors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from klamm.tools.pipeline.history import surroundings
from klamm.tools.pipeline.history.kinds import JOURNAL
from klamm.tools.pipeline.history.surroundings import Extent, Surroundings
from klamm.tools.pipeline.tables import Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def around_plain(events: pa.Table) -> dict[str, Surroundings]:
    """Gather what is known of each cluster as a whole."""
    ends = events.group_by("cluster").aggregate([("at_ms", "max"), ("controller_epoch", "max")])
    journals = events.filter((pc.field("origin") == JOURNAL) & (pc.field("part") == 0))
    extents = journals.group_by(["cluster", "node", "source"]).aggregate(
        [("seq", "min"), ("seq", "max"), ("seq", "count"), ("at_ms", "min"), ("at_ms", "max")]
    )
    wide = pc.field("kind").isin(sorted(surroundings.KINDS)) & pc.field("partition").is_null()
    return _around(
        (tuple(row.values()) for row in ends.to_pylist()),
        (tuple(row.values()) for row in extents.to_pylist()),
        events.filter(wide).select(surroundings.READS).to_pylist(),
    )


def around_on_spark(events: DataFrame) -> dict[str, Surroundings]:
    """Gather the same: a row for each failover, broker, deleted topic and altered config."""
    from pyspark.sql import functions as F

    ends = events.groupBy("cluster").agg(F.max("at_ms"), F.max("controller_epoch"))
    extents = (
        events.where((F.col("origin") == JOURNAL) & (F.col("part") == 0))
        .groupBy("cluster", "node", "source")
        .agg(F.min("seq"), F.max("seq"), F.count("seq"), F.min("at_ms"), F.max("at_ms"))
    )
    wide = F.col("kind").isin(sorted(surroundings.KINDS)) & F.col("partition").isNull()
    return _around(
        ends.collect(),
        extents.collect(),
        [row.asDict() for row in events.where(wide).select(*surroundings.READS).collect()],
    )


def _around(
    ends: Iterable[Sequence[Any]], extents: Iterable[Sequence[Any]], wide: Iterable[Row]
) -> dict[str, Surroundings]:
    files: dict[str, list[Extent]] = defaultdict(list)
    for cluster, node, _, *extent in extents:
        files[cluster].append(Extent(node, *extent))
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in wide:
        rows[row["cluster"]].append(row)
    return {
        cluster: surroundings.survey(rows[cluster], files[cluster], ends_ms or 0, last_epoch)
        for cluster, ends_ms, last_epoch in sorted(map(tuple, ends))
    }
