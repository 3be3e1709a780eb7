"""Answers of Cruise Control's REST API as JSON: state, load, partition_load and proposals.

state gives numbers of its executor as `metrics`, load rows of `clusters` and `metrics`,
partition_load rows of `loads` (it counts network in KB/s), proposals rows of `plans`: what the
replicas are and what they would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from klamm.tools.pipeline.formats.base import (
    Bad,
    Good,
    Int,
    Line,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
)
from klamm.tools.pipeline.formats.documents import Document, documents
from klamm.tools.pipeline.formats.prometheus import metric
from klamm.tools.pipeline.formats.reassign_json import plan_rows

_KIB = 1024.0
_MIB = 1024 * 1024
_STATES = ("MonitorState", "ExecutorState", "AnalyzerState", "AnomalyDetectorState")


class _Load(msgspec.Struct):
    topic: str
    partition: Int
    network_inbound: float = msgspec.field(name="networkInbound", default=0.0)
    network_outbound: float = msgspec.field(name="networkOutbound", default=0.0)


class _Broker(msgspec.Struct, rename="pascal"):
    broker: Int
    host: str | None = None
    rack: str | None = None
    broker_state: str = "ALIVE"
    #: In MB, as Cruise Control counts.
    disk_capacity_mb: float | None = msgspec.field(name="DiskCapacityMB", default=None)


class _TopicPartition(msgspec.Struct):
    topic: str
    partition: Int


class _Proposal(msgspec.Struct, rename="camel"):
    topic_partition: _TopicPartition
    old_replicas: list[Int]
    new_replicas: list[Int]


def sniff(_name: str, head: str) -> bool:
    """Tell whether one of the four is there."""
    if not head.lstrip().startswith("{"):
        return False
    if any(f'"{state}"' in head for state in _STATES) or '"topicPartition"' in head:
        return True
    if '"records"' in head and '"networkInbound"' in head:
        return True
    return '"brokers"' in head and '"BrokerState"' in head


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read answers; see `klamm.tools.pipeline.formats.base`."""
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            yield from _answer(source, each)
        elif each.text.strip():
            yield bad(each.line, "no answer of Cruise Control: expected JSON", each.text)
        else:
            yield Passed(each.line)


def _answer(source: Source, document: Document) -> Iterator[Produced]:
    value = document.value
    try:
        if not isinstance(value, dict):
            raise Unreadable("expected an object")
        rows = list(_rows(source, document.line, value))
    except (ValueError, OverflowError) as error:
        yield bad(document.line, f"no answer of Cruise Control: {error}", document.text)
        return
    yield from rows or (Passed(document.line),)


def _rows(source: Source, line: int, value: dict[str, Any]) -> Iterator[Good]:
    for state in _STATES:
        if isinstance(found := value.get(state), dict):
            yield from _numbers(source, line, f"cruisecontrol_{_snake(state)}", found)
    if "records" in value:
        for load in msgspec.convert(value["records"], list[_Load]):
            columns = {
                "topic": load.topic,
                "partition": load.partition,
                "bytes_in_per_s": load.network_inbound * _KIB,
                "bytes_out_per_s": load.network_outbound * _KIB,
            }
            yield Good("loads", source.row(line, source.ts_ms, **columns))
    if "proposals" in value:
        yield from _proposals(source, line, value["proposals"])
    load = value.get("loadAfterOptimization", value)
    if isinstance(load, dict) and "brokers" in load and "proposals" not in value:
        yield from _brokers(source, line, load["brokers"])


def _numbers(
    source: Source, line: int, name: str, state: Mapping[str, Any], labels: Mapping[str, str] = {}
) -> Iterator[Good]:
    """Give every number below a state; lists count."""
    for key, value in sorted(state.items()):
        known = f"{name}_{_snake(key)}"
        if isinstance(value, bool | int | float):
            yield metric(source, line, source.ts_ms, known, labels, float(value))
        elif isinstance(value, list):
            yield metric(source, line, source.ts_ms, f"{known}_count", labels, float(len(value)))
        elif isinstance(value, str) and key == "state":
            yield metric(source, line, source.ts_ms, known, {**labels, "state": value}, 1.0)


def _brokers(source: Source, line: int, value: object) -> Iterator[Good]:
    for raw in value if isinstance(value, list) else ():
        broker = msgspec.convert(raw, _Broker)
        capacity = broker.disk_capacity_mb
        if capacity is not None and not 0 <= capacity < 2**40:
            raise Unreadable(f"DiskCapacityMB is {capacity}")
        columns = {
            "broker": broker.broker,
            "rack": broker.rack,
            "host": broker.host,
            "alive": broker.broker_state not in ("DEAD", "BAD_DISKS"),
            "capacity_bytes": None if capacity is None else round(capacity * _MIB),
        }
        yield Good("clusters", source.row(line, source.ts_ms, **columns))
        numbers = {
            key: each
            for key, each in raw.items()
            if isinstance(each, int | float) and not isinstance(each, bool) and key != "Broker"
        }
        yield from _numbers(
            source, line, "cruisecontrol_broker", numbers, {"broker": str(broker.broker)}
        )


def _proposals(source: Source, line: int, value: object) -> Iterator[Good]:
    found = msgspec.convert(value, list[_Proposal])
    for role, key in (("current", "old_replicas"), ("proposed", "new_replicas")):
        moves = [
            (each.topic_partition.topic, each.topic_partition.partition, getattr(each, key), None)
            for each in found
        ]
        yield from plan_rows(source, line, role, moves)


def _snake(text: str) -> str:
    return re.sub(r"\W", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)).lower()
