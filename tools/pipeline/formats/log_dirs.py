"""`kafka-log-dirs --describe`: JSON behind two sentences (LogDirsCommand, 1.0 to 4.1).

    {"version":1,"brokers":[{"broker":0,"logDirs":[{"logDir":..,"error":null,"partitions":[
     {"partition":"orders-0","size":1,"offsetLag":0,"isFuture":false}]}]}]}

It gives a row per log to `replicas`, whose place and role are null, and one per broker to
`clusters`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import (
    Bad,
    Good,
    Int,
    Line,
    Long,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
)
from klamm.tools.pipeline.formats.documents import Document, documents

_SAID = ("Querying brokers for log directories", "Received log directory information from brokers")


class _Replica(msgspec.Struct, rename="camel"):
    partition: str
    size: Long
    offset_lag: Long | None = None
    is_future: bool = False


class _LogDir(msgspec.Struct, rename="camel"):
    log_dir: str
    partitions: list[_Replica] = []
    error: str | None = None
    total_bytes: Long | None = None
    usable_bytes: Long | None = None


class _Broker(msgspec.Struct, rename="camel"):
    broker: Int
    log_dirs: list[_LogDir]


class _Answer(msgspec.Struct):
    brokers: list[_Broker]
    version: Int = 1


def sniff(_name: str, head: str) -> bool:
    """Tell whether there are log directories of brokers."""
    return '"logDirs"' in head and '"brokers"' in head


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the output; see `klamm.tools.pipeline.formats.base`."""
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            yield from _answer(source, each)
        elif not each.text.strip() or each.text.startswith(_SAID):
            yield Passed(each.line)
        else:
            yield bad(each.line, "neither JSON nor what kafka-log-dirs says before it", each.text)


def _answer(source: Source, document: Document) -> Iterator[Produced]:
    try:
        answer = msgspec.convert(document.value, _Answer)
        rows = [row for each in answer.brokers for row in _broker(source, document.line, each)]
    except (msgspec.ValidationError, Unreadable) as error:
        yield bad(document.line, f"no answer of kafka-log-dirs: {error}", document.text)
        return
    yield from rows


def _broker(source: Source, line: int, broker: _Broker) -> Iterator[Good]:
    usable = [each for each in broker.log_dirs if not each.error]
    columns = {
        "broker": broker.broker,
        "alive": True,
        "log_dirs": len(broker.log_dirs),
        "capacity_bytes": _sum([each.total_bytes for each in usable]),
        "usable_bytes": _sum([each.usable_bytes for each in usable]),
    }
    yield Good("clusters", source.row(line, source.ts_ms, **columns))
    for log_dir in broker.log_dirs:
        for replica in log_dir.partitions:
            topic, partition = terms.partition(replica.partition)
            about = {"topic": topic, "partition": partition, "broker": broker.broker}
            of_log = {
                "log_dir": log_dir.log_dir,
                "is_future": replica.is_future,
                "size_bytes": replica.size,
                "offset_lag": replica.offset_lag,
            }
            yield Good("replicas", source.row(line, source.ts_ms, **about, **of_log))


def _sum(sizes: list[int | None]) -> int | None:
    known = [each for each in sizes if each is not None]
    if not known or len(known) < len(sizes):
        return None
    if sum(known) >= 2**63:
        raise Unreadable(f"{sum(known)} bytes on one broker")
    return sum(known)
