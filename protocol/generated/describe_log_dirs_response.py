"""DescribeLogDirsResponse: API key 35, versions 0-4, flexible 2-4.

Generated from schemas/kafka/DescribeLogDirsResponse.json
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

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32_int64x2_bool = Struct(">i2q?").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int64x2 = Struct(">2q").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int64x2 = Struct(">2q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeLogDirsPartition:
    """Struct; versions 0-4."""

    partition_index: int = 0
    """int32; versions 0+"""

    partition_size: int = 0
    """int64; versions 0+"""

    offset_lag: int = 0
    """int64; versions 0+"""

    is_future_key: bool = False
    """bool; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeLogDirsPartitionDraft = draft_of(DescribeLogDirsPartition)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeLogDirsTopic:
    """Struct; versions 0-4."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[DescribeLogDirsPartition, ...] = ()
    """[]DescribeLogDirsPartition; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeLogDirsTopicDraft = draft_of(DescribeLogDirsTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeLogDirsResult:
    """Struct; versions 0-4."""

    error_code: int = 0
    """int16; versions 0+"""

    log_dir: str = ""
    """string; versions 0+"""

    topics: tuple[DescribeLogDirsTopic, ...] = ()
    """[]DescribeLogDirsTopic; versions 0+"""

    total_bytes: int = -1
    """int64; versions 4+; ignorable"""

    usable_bytes: int = -1
    """int64; versions 4+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeLogDirsResultDraft = draft_of(DescribeLogDirsResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeLogDirsResponse(Message):
    """Response; API key 35, versions 0-4, flexible 2-4."""

    api_key: ClassVar[int] = 35
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 3+; ignorable"""

    results: tuple[DescribeLogDirsResult, ...] = ()
    """[]DescribeLogDirsResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeLogDirsResponseDraft = draft_of(DescribeLogDirsResponse)


def _encode_v0_1(message: DescribeLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.results)))
    for result in message.results:
        if result.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16(result.error_code))
        add(string(result.log_dir))
        add(_pack_int32(len(result.topics)))
        for topic in result.topics:
            if topic.unknown_tagged_fields:
                raise Unfit
            add(string(topic.name))
            add(_pack_int32(len(topic.partitions)))
            for partition in topic.partitions:
                if partition.unknown_tagged_fields or type(partition.is_future_key) is not bool:
                    raise Unfit
                add(
                    _pack_int32_int64x2_bool(
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                    )
                )
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[DescribeLogDirsResponse, int]:
    message = _DescribeLogDirsResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 8)
    results = []
    for _ in range(n):
        result = _DescribeLogDirsResultDraft()
        result.total_bytes = -1
        result.usable_bytes = -1
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.log_dir, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 6)
        topics = []
        for _ in range(n):
            topic = _DescribeLogDirsTopicDraft()
            topic.name, offset = read_string(data, offset)
            n, offset = read_length(data, offset, 21)
            partitions: list[DescribeLogDirsPartition] = []
            while len(partitions) < n:
                rows, width = read_rows(">iqq?", data, offset, n - len(partitions))
                before = len(partitions)
                for row in rows:
                    partition = _DescribeLogDirsPartitionDraft()
                    (
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                    ) = row
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
                offset += (len(partitions) - before) * width
            topic.partitions = tuple(partitions)
            topic.unknown_tagged_fields = ()
            topic.__class__ = DescribeLogDirsTopic
            topics.append(topic)
        result.topics = tuple(topics)
        result.unknown_tagged_fields = ()
        result.__class__ = DescribeLogDirsResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsResponse
    return message, offset


def _encode_v2(message: DescribeLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.results))
    for result in message.results:
        add(_pack_int16(result.error_code))
        add(compact_string(result.log_dir))
        add(compact_length(result.topics))
        for topic in result.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partitions))
            for partition in topic.partitions:
                if type(partition.is_future_key) is not bool:
                    raise Unfit
                add(
                    _pack_int32_int64x2_bool(
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                    )
                )
                add(unknown_tags(partition.unknown_tagged_fields))
            add(unknown_tags(topic.unknown_tagged_fields))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[DescribeLogDirsResponse, int]:
    message = _DescribeLogDirsResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    results = []
    for _ in range(n):
        result = _DescribeLogDirsResultDraft()
        result.total_bytes = -1
        result.usable_bytes = -1
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.log_dir, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 3)
        topics = []
        for _ in range(n):
            topic = _DescribeLogDirsTopicDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 22)
            partitions: list[DescribeLogDirsPartition] = []
            while len(partitions) < n:
                rows, width = read_rows(">iqq?B", data, offset, n - len(partitions))
                before = len(partitions)
                for row in rows:
                    partition = _DescribeLogDirsPartitionDraft()
                    (
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                        tagged,
                    ) = row
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
                offset += (len(partitions) - before) * width
                if tagged:
                    partition.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
            topic.partitions = tuple(partitions)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = DescribeLogDirsTopic
            topics.append(topic)
        result.topics = tuple(topics)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = DescribeLogDirsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsResponse
    return message, offset


def _encode_v3(message: DescribeLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.results))
    for result in message.results:
        add(_pack_int16(result.error_code))
        add(compact_string(result.log_dir))
        add(compact_length(result.topics))
        for topic in result.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partitions))
            for partition in topic.partitions:
                if type(partition.is_future_key) is not bool:
                    raise Unfit
                add(
                    _pack_int32_int64x2_bool(
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                    )
                )
                add(unknown_tags(partition.unknown_tagged_fields))
            add(unknown_tags(topic.unknown_tagged_fields))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[DescribeLogDirsResponse, int]:
    message = _DescribeLogDirsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 5)
    results = []
    for _ in range(n):
        result = _DescribeLogDirsResultDraft()
        result.total_bytes = -1
        result.usable_bytes = -1
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.log_dir, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 3)
        topics = []
        for _ in range(n):
            topic = _DescribeLogDirsTopicDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 22)
            partitions: list[DescribeLogDirsPartition] = []
            while len(partitions) < n:
                rows, width = read_rows(">iqq?B", data, offset, n - len(partitions))
                before = len(partitions)
                for row in rows:
                    partition = _DescribeLogDirsPartitionDraft()
                    (
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                        tagged,
                    ) = row
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
                offset += (len(partitions) - before) * width
                if tagged:
                    partition.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
            topic.partitions = tuple(partitions)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = DescribeLogDirsTopic
            topics.append(topic)
        result.topics = tuple(topics)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = DescribeLogDirsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsResponse
    return message, offset


def _encode_v4(message: DescribeLogDirsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.results))
    for result in message.results:
        add(_pack_int16(result.error_code))
        add(compact_string(result.log_dir))
        add(compact_length(result.topics))
        for topic in result.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partitions))
            for partition in topic.partitions:
                if type(partition.is_future_key) is not bool:
                    raise Unfit
                add(
                    _pack_int32_int64x2_bool(
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                    )
                )
                add(unknown_tags(partition.unknown_tagged_fields))
            add(unknown_tags(topic.unknown_tagged_fields))
        add(_pack_int64x2(result.total_bytes, result.usable_bytes))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[DescribeLogDirsResponse, int]:
    message = _DescribeLogDirsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 21)
    results = []
    for _ in range(n):
        result = _DescribeLogDirsResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.log_dir, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 3)
        topics = []
        for _ in range(n):
            topic = _DescribeLogDirsTopicDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 22)
            partitions: list[DescribeLogDirsPartition] = []
            while len(partitions) < n:
                rows, width = read_rows(">iqq?B", data, offset, n - len(partitions))
                before = len(partitions)
                for row in rows:
                    partition = _DescribeLogDirsPartitionDraft()
                    (
                        partition.partition_index,
                        partition.partition_size,
                        partition.offset_lag,
                        partition.is_future_key,
                        tagged,
                    ) = row
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
                offset += (len(partitions) - before) * width
                if tagged:
                    partition.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    partition.__class__ = DescribeLogDirsPartition
                    partitions.append(partition)
            topic.partitions = tuple(partitions)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = DescribeLogDirsTopic
            topics.append(topic)
        result.topics = tuple(topics)
        result.total_bytes, result.usable_bytes = _unpack_int64x2(data, offset)
        offset += 16
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = DescribeLogDirsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeLogDirsPartition: (
        FieldFact("partition_index", "int32", range(5), range(0), False),
        FieldFact("partition_size", "int64", range(5), range(0), False),
        FieldFact("offset_lag", "int64", range(5), range(0), False),
        FieldFact("is_future_key", "bool", range(5), range(0), False),
    ),
    DescribeLogDirsTopic: (
        FieldFact("name", "string", range(5), range(0), False),
        FieldFact("partitions", "[]DescribeLogDirsPartition", range(5), range(0), False),
    ),
    DescribeLogDirsResult: (
        FieldFact("error_code", "int16", range(5), range(0), False),
        FieldFact("log_dir", "string", range(5), range(0), False),
        FieldFact("topics", "[]DescribeLogDirsTopic", range(5), range(0), False),
        FieldFact("total_bytes", "int64", range(4, 5), range(0), True),
        FieldFact("usable_bytes", "int64", range(4, 5), range(0), True),
    ),
    DescribeLogDirsResponse: (
        FieldFact("throttle_time_ms", "int32", range(5), range(0), False),
        FieldFact("error_code", "int16", range(3, 5), range(0), True),
        FieldFact("results", "[]DescribeLogDirsResult", range(5), range(0), False),
    ),
}

DescribeLogDirsResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2, _encode_v3, _encode_v4),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2, _decode_v3, _decode_v4),
    fields=_FIELDS,
)
