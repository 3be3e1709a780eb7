"""AlterReplicaLogDirsResponse: API key 34, versions 0-2, flexible 2.

Generated from schemas/kafka/AlterReplicaLogDirsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDirPartitionResult:
    """Struct; versions 0-2."""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirPartitionResultDraft = draft_of(AlterReplicaLogDirPartitionResult)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDirTopicResult:
    """Struct; versions 0-2."""

    topic_name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[AlterReplicaLogDirPartitionResult, ...] = ()
    """[]AlterReplicaLogDirPartitionResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirTopicResultDraft = draft_of(AlterReplicaLogDirTopicResult)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDirsResponse(Message):
    """Response; API key 34, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 34
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    results: tuple[AlterReplicaLogDirTopicResult, ...] = ()
    """[]AlterReplicaLogDirTopicResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirsResponseDraft = draft_of(AlterReplicaLogDirsResponse)


def _encode_v0_1(message: AlterReplicaLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.results)))
    for result in message.results:
        if result.unknown_tagged_fields:
            raise Unfit
        add(string(result.topic_name))
        add(_pack_int32(len(result.partitions)))
        for partition in result.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32_int16(partition.partition_index, partition.error_code))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    message = _AlterReplicaLogDirsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    results = []
    for _ in range(n):
        result = _AlterReplicaLogDirTopicResultDraft()
        result.topic_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 6)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        while len(partitions) < n:
            rows, width = read_rows(">ih", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _AlterReplicaLogDirPartitionResultDraft()
                partition.partition_index, partition.error_code = row
                partition.unknown_tagged_fields = ()
                partition.__class__ = AlterReplicaLogDirPartitionResult
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        result.partitions = tuple(partitions)
        result.unknown_tagged_fields = ()
        result.__class__ = AlterReplicaLogDirTopicResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = AlterReplicaLogDirsResponse
    return message, offset


def _encode_v2(message: AlterReplicaLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.results))
    for result in message.results:
        add(compact_string(result.topic_name))
        add(compact_length(result.partitions))
        for partition in result.partitions:
            add(_pack_int32_int16(partition.partition_index, partition.error_code))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    message = _AlterReplicaLogDirsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 3)
    results = []
    for _ in range(n):
        result = _AlterReplicaLogDirTopicResultDraft()
        result.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 7)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        while len(partitions) < n:
            rows, width = read_rows(">ihB", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _AlterReplicaLogDirPartitionResultDraft()
                partition.partition_index, partition.error_code, tagged = row
                partition.unknown_tagged_fields = ()
                if tagged:
                    break
                partition.__class__ = AlterReplicaLogDirPartitionResult
                partitions.append(partition)
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = AlterReplicaLogDirPartitionResult
                partitions.append(partition)
        result.partitions = tuple(partitions)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = AlterReplicaLogDirTopicResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterReplicaLogDirsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlterReplicaLogDirPartitionResult: (
        FieldFact("partition_index", "int32", range(3), range(0), False),
        FieldFact("error_code", "int16", range(3), range(0), False),
    ),
    AlterReplicaLogDirTopicResult: (
        FieldFact("topic_name", "string", range(3), range(0), False),
        FieldFact("partitions", "[]AlterReplicaLogDirPartitionResult", range(3), range(0), False),
    ),
    AlterReplicaLogDirsResponse: (
        FieldFact("throttle_time_ms", "int32", range(3), range(0), False),
        FieldFact("results", "[]AlterReplicaLogDirTopicResult", range(3), range(0), False),
    ),
}

AlterReplicaLogDirsResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2),
    fields=_FIELDS,
)
