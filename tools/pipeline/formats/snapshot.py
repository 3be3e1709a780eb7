"""A cluster at one time, as `klamm snapshot` takes it and plans are made from: klamm-snapshot.

It gives rows of `clusters`, `partitions`, `replicas` and `loads`, all of the snapshot's own time
and of its first line. A size is that of replicas in sync; what others have nobody has said. Nor
has anybody where a size or a rate is 0, a snapshot's word for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from klamm.tools.pipeline.formats.base import (
    UNDECODABLE,
    Good,
    Line,
    Produced,
    Source,
    Unreadable,
    bad,
    tidy,
)
from klamm.tools.pipeline.formats.replica_rows import partition_rows
from klamm.tools.planner.snapshot import FORMAT, Broker, Partition, Snapshot, decode

_HEAD = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{FORMAT}"')
_INT, _LONG = 2**31, 2**63


def sniff(_name: str, head: str) -> bool:
    """Tell whether the object begins by saying that it is one."""
    return _HEAD.match(head) is not None


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a snapshot; see `klamm.tools.pipeline.formats.base`."""
    numbered = list(tidy(lines))
    line, first = numbered[0] if numbered else (1, "")
    try:
        snapshot = decode("\n".join(text for _, text in numbered))
        _check(snapshot)
    except UNDECODABLE as error:
        yield bad(line, error, first)
        return
    dated = replace(source, ts_ms=snapshot.taken_ms)
    brokers = {each.id: each for each in snapshot.brokers}
    for broker in snapshot.brokers:
        yield _broker(dated, line, broker)
    for partition in snapshot.partitions:
        yield from _partition(dated, line, partition, brokers)


def _broker(source: Source, line: int, broker: Broker) -> Good:
    columns = {
        "broker": broker.id,
        "rack": broker.rack,
        "alive": broker.alive,
        "capacity_bytes": broker.capacity_bytes,
    }
    return Good("clusters", source.row(line, source.ts_ms, **columns))


def _partition(
    source: Source, line: int, partition: Partition, brokers: Mapping[int, Broker]
) -> Iterator[Good]:
    about = {"topic": partition.topic, "partition": partition.partition}
    for each in partition_rows(
        source,
        line,
        topic=partition.topic,
        partition=partition.partition,
        replicas=partition.replicas,
        adding=partition.adding,
        removing=partition.removing,
        isr=partition.isr,
        leader=partition.leader,
        min_isr=partition.min_isr,
    ):
        if each.table != "replicas":
            yield each
            continue
        broker = brokers.get(each.row["broker"])
        of_log = {
            "rack": None if broker is None else broker.rack,
            "size_bytes": (partition.size_bytes or None) if each.row["in_isr"] else None,
        }
        yield Good("replicas", {**each.row, **of_log})
    if partition.bytes_in_per_s:
        rate = {"bytes_in_per_s": partition.bytes_in_per_s}
        yield Good("loads", source.row(line, source.ts_ms, **about, **rate))


def _check(snapshot: Snapshot) -> None:
    """Raise Unreadable if a number is one that no table can hold."""
    _within(_LONG, "taken_ms", [snapshot.taken_ms])
    for broker in snapshot.brokers:
        _within(_INT, "a broker's id", [broker.id])
        _within(_LONG, f"capacity_bytes of {broker.id}", [broker.capacity_bytes or 0])
    for each in snapshot.partitions:
        ids = (each.leader, each.partition, each.min_isr, *each.replicas, *each.isr)
        _within(_INT, f"a number of {each.name}", ids)
        _within(_LONG, f"size_bytes of {each.name}", [each.size_bytes])


def _within(limit: int, what: str, values: Iterable[int]) -> None:
    for value in values:
        if not -limit <= value < limit:
            raise Unreadable(f"{what} is {value}: too large for any table")
