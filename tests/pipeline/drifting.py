"""Lakes of daily snapshots, for tests of drift."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import CLUSTERS, LOADS, PARTITIONS, REPLICAS, Table
from klamm.tools.planner.snapshot import Snapshot


def put(lake: Lake, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    whole = [{**table.empty, **row} for row in rows]
    lake.write_plain(pa.Table.from_pylist(whole, schema=table.schema), table)


def put_snapshots(lake: Lake, snapshots: Iterable[Snapshot]) -> None:
    replicas, partitions, loads, clusters = [], [], [], []
    for each in snapshots:
        begin = {
            "cluster": each.cluster_id,
            "date": datetime.fromtimestamp(each.taken_ms / 1000, UTC).strftime("%Y-%m-%d"),
            "ts_ms": each.taken_ms,
        }
        clusters += [
            {**begin, "broker": b.id, "capacity_bytes": b.capacity_bytes} for b in each.brokers
        ]
        for p in each.partitions:
            name = {**begin, "topic": p.topic, "partition": p.partition}
            partitions.append({**name, "replicas": list(p.replicas), "leader": p.leader})
            loads.append({**name, "bytes_in_per_s": p.bytes_in_per_s})
            replicas += [{**name, "broker": b, "size_bytes": p.size_bytes} for b in p.replicas]
    for table, rows in (
        (REPLICAS, replicas),
        (PARTITIONS, partitions),
        (LOADS, loads),
        (CLUSTERS, clusters),
    ):
        put(lake, table, rows)
