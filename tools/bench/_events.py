"""Events of made-up journals as Parquet, by the million: what `klamm pipeline check` reads.

Some partitions' histories are made by rule, and all others are those again under other names; so a
file is written as fast as a disk takes it, and every partition is sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, Row

#: Events and replicas of each partition.
PER_PARTITION, REPLICAS = 30, 3
_KINDS = 20
_FILE_PARTITIONS = 10_000
_START_MS = 1_700_000_000_000
_CLUSTER, _DATE = "bench", "2023-11-14"


def write_events(lake: Lake, events: int) -> int:
    """Write about so many events of sound partitions into a lake; return how many there are."""
    parts = [_history(kind) for kind in range(_KINDS)]
    kinds = [pa.Table.from_pylist(rows, schema=EVENTS.schema) for rows in parts]
    block = pa.concat_tables(kinds).combine_chunks()
    partitions = -(-events // PER_PARTITION)
    folder = lake.folder(EVENTS) / f"cluster={_CLUSTER}" / f"date={_DATE}"
    folder.mkdir(parents=True)
    written = 0
    for number, first in enumerate(range(0, partitions, _FILE_PARTITIONS)):
        count = min(_FILE_PARTITIONS, partitions - first)
        rows = _tiled(block, first, count).drop_columns(["cluster", "date"])
        pq.write_table(rows, folder / f"part-{number:05}.parquet", compression="zstd")
        written += len(rows)
    return written


def _tiled(block: pa.Table, first: int, count: int) -> pa.Table:
    """Return the histories of so many partitions, one after the other."""
    times = -(-count // _KINDS)
    rows = pa.concat_tables([block] * times).slice(0, count * PER_PARTITION)
    names = [number for number in range(first, first + count) for _ in range(PER_PARTITION)]
    column = rows.schema.get_field_index("partition")
    return rows.set_column(column, EVENTS.schema.field("partition"), pa.array(names, pa.int32()))


def _history(kind: int) -> list[Row]:
    """Return the events of a partition that moves, loses a replica, and changes its leader."""
    empty, rows = EVENTS.empty, list[Row]()
    for seq, (what, before, after) in zip(range(PER_PARTITION), _cycle(kind), strict=False):
        rows.append(
            {
                **empty,
                "cluster": _CLUSTER,
                "date": _DATE,
                "source": "nodes/901.jsonl",
                "line": seq + 1,
                "part": 0,
                "origin": "journal",
                "controller_epoch": 1 + seq // 10,
                "ts_ms": _START_MS + seq * 1000,
                "at_ms": _START_MS + seq * 1000,
                "node": 901,
                "seq": seq + 1,
                "kind": what,
                "severity": "info",
                "topic": "orders",
                "before": before,
                "after": after,
            }
        )
    return rows


def _cycle(kind: int) -> Iterator[tuple[str, Row | None, Row]]:
    held = [kind % 7, kind % 7 + 1, kind % 7 + 2]
    now = _form(held, held)
    yield "initialize", None, now
    while True:
        new = held[0] + 10 if held[0] < 10 else held[0] - 10
        target = [*held[1:], new]
        epoch, version = now["leader_epoch"], now["version"]
        moving = [*target, held[0]]
        steps: list[tuple[str, dict[str, Any]]] = [
            ("accept", _form(moving, held, [new], [held[0]], epoch + 1, version + 1)),
            ("isr-join", _form(moving, [*held, new], [new], [held[0]], epoch + 1, version + 2)),
            ("end", _form(target, target, [], [], epoch + 2, version + 3)),
            ("isr-shrink", _form(target, target[:2], [], [], epoch + 2, version + 4)),
            ("isr-join", _form(target, target, [], [], epoch + 2, version + 5)),
        ]
        for what, after in steps:
            yield what, now, after
            now = after
        held = target


def _form(
    replicas: list[int],
    isr: list[int],
    adding: list[int] | None = None,
    removing: list[int] | None = None,
    epoch: int = 0,
    version: int = 0,
) -> dict[str, Any]:
    leader = isr[0]
    return {
        "replicas": replicas,
        "adding": adding or [],
        "removing": removing or [],
        "leader": leader,
        "leader_epoch": epoch,
        "isr": isr,
        "controller_epoch": 1,
        "version": version,
    }
