"""What has come of requests that assign partitions (KIP-179, version 8), and their numbers.

    /admin/reassign_partitions_status       {"version":1,"last_request_id":42}
    /admin/reassign_partitions_status/42    {"version":1,"request_id":42,"created_ms":1700000000000,
                                             "completed_ms":-1,"complete":false,"replicas":1,
                                             "chunks":1}
    /admin/reassign_partitions_status/42/0  {"version":1,"replicas":[{"topic":"foo","partition":0,
                                             "broker":3,"numerator":450,"denominator":900,
                                             "error":60,"complete":false,
                                             "updated_ms":1700000005000}]}

The proposal has one znode for each request; here a header and numbered chunks, so that none comes
near ZooKeeper's limit. A stock controller never looks here. Keys that are not known are kept.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

import msgspec

from klamm.controller.znodes.parsing import (
    INT32_MAX,
    INT64_MAX,
    Int32,
    Natural,
    Shape,
    dump,
    no_extra,
)
from klamm.controller.znodes.text import decode_int

#: The most replicas in one chunk, and the most bytes that they may come to.
MOST_REPLICAS: Final = 2_000
MOST_BYTES: Final = 500_000

#: More chunks than a request can have, for its moves stand in one znode: a header that names more
#: was made by nobody who knows what it is for.
MOST_CHUNKS: Final = 10_000

#: What a row takes besides its topic, with numbers as long as they can be.
_ROW_BYTES: Final = 210

_Version = Annotated[int, msgspec.Meta(ge=1, le=1)]
_Int64 = Annotated[int, msgspec.Meta(ge=-1, le=INT64_MAX)]
_Int16 = Annotated[int, msgspec.Meta(ge=-(2**15), le=2**15 - 1)]


class StatusCounter(msgspec.Struct, frozen=True):
    """The number that was given to a request last; 0 before the first."""

    last_request_id: int
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class StatusHeader(msgspec.Struct, frozen=True):
    """A request: its number, when it came and was completed (-1: not yet), and what it is about.

    `replicas` counts the rows of all its `chunks`. Times are milliseconds since the epoch.
    """

    request_id: int
    created_ms: int
    replicas: int
    chunks: int
    completed_ms: int = -1
    complete: bool = False
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class ReplicaStatus(msgspec.Struct, frozen=True):
    """How far a broker has come with a partition that a request has given it.

    `numerator` of `denominator` records are copied; of an empty log, or if nothing was heard of
    it, the denominator is -1. `error` is a code of Kafka's: 60 until it is `complete`, then 0 or
    why it never came in sync. `updated_ms` is when that was so, in milliseconds since the epoch.
    """

    topic: str
    partition: int
    broker: int
    error: int
    updated_ms: int
    numerator: int = 0
    denominator: int = -1
    complete: bool = False
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class StatusChunk(msgspec.Struct, frozen=True):
    """A part of a request's replicas."""

    replicas: tuple[ReplicaStatus, ...]
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class _CounterJson(msgspec.Struct):
    version: _Version
    last_request_id: Natural


class _HeaderJson(msgspec.Struct):
    version: _Version
    request_id: Natural
    created_ms: _Int64
    completed_ms: _Int64
    complete: bool
    replicas: Natural
    chunks: Annotated[int, msgspec.Meta(ge=0, le=MOST_CHUNKS)]


class _RowJson(msgspec.Struct):
    topic: str
    partition: Natural
    broker: Int32
    numerator: _Int64
    denominator: _Int64
    error: _Int16
    complete: bool
    updated_ms: _Int64


class _ChunkJson(msgspec.Struct):
    version: _Version
    replicas: list[msgspec.Raw]


_COUNTER = Shape(_CounterJson)
_HEADER = Shape(_HeaderJson)
_ROW = Shape(_RowJson)
_CHUNK = Shape(_ChunkJson)


def decode_status_counter(data: bytes | None, path: str) -> StatusCounter:
    """Read the number that was given last; raises ZnodeError."""
    fields, extra = _COUNTER.read(data, path)
    return StatusCounter(fields.last_request_id, extra)


def encode_status_counter(counter: StatusCounter) -> bytes:
    """Write the number that was given last."""
    fields = {"version": 1, "last_request_id": counter.last_request_id}
    return dump({**fields, **counter.extra})


def decode_status_header(data: bytes | None, path: str) -> StatusHeader:
    """Read a request's header; raises ZnodeError."""
    fields, extra = _HEADER.read(data, path)
    return StatusHeader(
        fields.request_id,
        fields.created_ms,
        fields.replicas,
        fields.chunks,
        fields.completed_ms,
        fields.complete,
        extra,
    )


def encode_status_header(header: StatusHeader) -> bytes:
    """Write a request's header."""
    fields = {
        "version": 1,
        "request_id": header.request_id,
        "created_ms": header.created_ms,
        "completed_ms": header.completed_ms,
        "complete": header.complete,
        "replicas": header.replicas,
        "chunks": header.chunks,
    }
    return dump({**fields, **header.extra})


def decode_status_chunk(data: bytes | None, path: str) -> StatusChunk:
    """Read a part of a request's replicas; raises ZnodeError."""
    fields, extra = _CHUNK.read(data, path)
    return StatusChunk(tuple(_row(bytes(raw), path) for raw in fields.replicas), extra)


def encode_status_chunk(chunk: StatusChunk) -> bytes:
    """Write a part of a request's replicas."""
    rows = [_row_json(row) for row in chunk.replicas]
    return dump({"version": 1, "replicas": rows, **chunk.extra})


def request_id(name: str) -> int | None:
    """Return the number of the request whose header has this name; None if it is none: "007"."""
    number = decode_int(name, 1, INT32_MAX)
    return number if str(number) == name else None


def cut(rows: Iterable[ReplicaStatus]) -> tuple[tuple[ReplicaStatus, ...], ...]:
    """Cut a request's rows into chunks, whatever their numbers will be; the same ones each time."""
    chunks: list[list[ReplicaStatus]] = []
    left = 0
    for row in rows:
        size = _ROW_BYTES + len(row.topic.encode())
        if not chunks or size > left or len(chunks[-1]) == MOST_REPLICAS:
            chunks.append([])
            left = MOST_BYTES
        chunks[-1].append(row)
        left -= size
    return tuple(map(tuple, chunks))


def _row_json(row: ReplicaStatus) -> _RowJson | dict[str, Any]:
    fields = _RowJson(
        row.topic,
        row.partition,
        row.broker,
        row.numerator,
        row.denominator,
        row.error,
        row.complete,
        row.updated_ms,
    )
    return {**msgspec.structs.asdict(fields), **row.extra} if row.extra else fields


def _row(data: bytes, path: str) -> ReplicaStatus:
    fields, extra = _ROW.read(data, path)
    return ReplicaStatus(
        fields.topic,
        fields.partition,
        fields.broker,
        fields.error,
        fields.updated_ms,
        fields.numerator,
        fields.denominator,
        fields.complete,
        extra,
    )
