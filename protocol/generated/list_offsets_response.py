"""ListOffsetsResponse: API key 2, versions 0-9, flexible 6-9.

Generated from schemas/kafka/ListOffsetsResponse.json
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
from klamm.protocol.rows import Reshaped, array_size, arrays, read_rows, row_struct

_int64s = arrays("q", compact=False, nullable=False)
_pack_int32 = Struct(">i").pack
_pack_int32_int16_int64x2 = Struct(">ih2q").pack
_pack_int32_int16_int64x2_int32 = Struct(">ih2qi").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsPartitionResponse:
    """Struct; versions 0-9."""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    old_style_offsets: tuple[int, ...] = ()
    """[]int64; versions 0"""

    timestamp: int = -1
    """int64; versions 1+"""

    offset: int = -1
    """int64; versions 1+"""

    leader_epoch: int = -1
    """int32; versions 4+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsPartitionResponseDraft = draft_of(ListOffsetsPartitionResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsTopicResponse:
    """Struct; versions 0-9."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[ListOffsetsPartitionResponse, ...] = ()
    """[]ListOffsetsPartitionResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsTopicResponseDraft = draft_of(ListOffsetsTopicResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsResponse(Message):
    """Response; API key 2, versions 0-9, flexible 6-9."""

    api_key: ClassVar[int] = 2
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(10)
    flexible_from: ClassVar[int | None] = 6
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 2+; ignorable"""

    topics: tuple[ListOffsetsTopicResponse, ...] = ()
    """[]ListOffsetsTopicResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsResponseDraft = draft_of(ListOffsetsResponse)


def _encode_v0(message: ListOffsetsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        count = -2
        for partition in topic.partitions:
            if (
                partition.timestamp != -1
                or partition.offset != -1
                or partition.leader_epoch != -1
                or partition.unknown_tagged_fields
            ):
                raise Unfit
            old_style_offsets = partition.old_style_offsets
            if len(old_style_offsets) != count:
                count = len(old_style_offsets)
                pack = row_struct(f">ihi{count}q").pack
            add(pack(partition.partition_index, partition.error_code, count, *old_style_offsets))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ListOffsetsResponse, int]:
    message = _ListOffsetsResponseDraft()
    message.throttle_time_ms = 0
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicResponseDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 10)
        partitions: list[ListOffsetsPartitionResponse] = []
        while len(partitions) < n:
            size = array_size(data, offset + 6, 8)
            rows, width = read_rows(f">ih{size}s", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _ListOffsetsPartitionResponseDraft()
                    partition.partition_index, partition.error_code, raw = row
                    partition.old_style_offsets = _int64s[raw]
                    partition.timestamp = -1
                    partition.offset = -1
                    partition.leader_epoch = -1
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = ListOffsetsPartitionResponse
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopicResponse
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsResponse
    return message, offset


def _encode_v1(message: ListOffsetsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if (
                partition.old_style_offsets != ()
                or partition.leader_epoch != -1
                or partition.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64x2(
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                )
            )
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ListOffsetsResponse, int]:
    message = _ListOffsetsResponseDraft()
    message.throttle_time_ms = 0
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicResponseDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 22)
        partitions: list[ListOffsetsPartitionResponse] = []
        while len(partitions) < n:
            rows, width = read_rows(">ihqq", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionResponseDraft()
                (
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                ) = row
                partition.old_style_offsets = ()
                partition.leader_epoch = -1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartitionResponse
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopicResponse
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsResponse
    return message, offset


def _encode_v2_3(message: ListOffsetsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if (
                partition.old_style_offsets != ()
                or partition.leader_epoch != -1
                or partition.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64x2(
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                )
            )
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[ListOffsetsResponse, int]:
    message = _ListOffsetsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicResponseDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 22)
        partitions: list[ListOffsetsPartitionResponse] = []
        while len(partitions) < n:
            rows, width = read_rows(">ihqq", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionResponseDraft()
                (
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                ) = row
                partition.old_style_offsets = ()
                partition.leader_epoch = -1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartitionResponse
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopicResponse
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsResponse
    return message, offset


def _encode_v4_5(message: ListOffsetsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if partition.old_style_offsets != () or partition.unknown_tagged_fields:
                raise Unfit
            add(
                _pack_int32_int16_int64x2_int32(
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                    partition.leader_epoch,
                )
            )
    return b"".join(chunks)


def _decode_v4_5(data: bytes, offset: int) -> tuple[ListOffsetsResponse, int]:
    message = _ListOffsetsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicResponseDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 26)
        partitions: list[ListOffsetsPartitionResponse] = []
        while len(partitions) < n:
            rows, width = read_rows(">ihqqi", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionResponseDraft()
                (
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                    partition.leader_epoch,
                ) = row
                partition.old_style_offsets = ()
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartitionResponse
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopicResponse
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsResponse
    return message, offset


def _encode_v6_9(message: ListOffsetsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            if partition.old_style_offsets != ():
                raise Unfit
            add(
                _pack_int32_int16_int64x2_int32(
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                    partition.leader_epoch,
                )
            )
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6_9(data: bytes, offset: int) -> tuple[ListOffsetsResponse, int]:
    message = _ListOffsetsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicResponseDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 27)
        partitions: list[ListOffsetsPartitionResponse] = []
        while len(partitions) < n:
            rows, width = read_rows(">ihqqiB", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionResponseDraft()
                (
                    partition.partition_index,
                    partition.error_code,
                    partition.timestamp,
                    partition.offset,
                    partition.leader_epoch,
                    tagged,
                ) = row
                partition.old_style_offsets = ()
                partition.unknown_tagged_fields = ()
                if tagged:
                    break
                partition.__class__ = ListOffsetsPartitionResponse
                partitions.append(partition)
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = ListOffsetsPartitionResponse
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopicResponse
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ListOffsetsPartitionResponse: (
        FieldFact("partition_index", "int32", range(10), range(0), False),
        FieldFact("error_code", "int16", range(10), range(0), False),
        FieldFact("old_style_offsets", "[]int64", range(1), range(0), False),
        FieldFact("timestamp", "int64", range(1, 10), range(0), False),
        FieldFact("offset", "int64", range(1, 10), range(0), False),
        FieldFact("leader_epoch", "int32", range(4, 10), range(0), False),
    ),
    ListOffsetsTopicResponse: (
        FieldFact("name", "string", range(10), range(0), False),
        FieldFact("partitions", "[]ListOffsetsPartitionResponse", range(10), range(0), False),
    ),
    ListOffsetsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2, 10), range(0), True),
        FieldFact("topics", "[]ListOffsetsTopicResponse", range(10), range(0), False),
    ),
}

ListOffsetsResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2_3,
        _encode_v2_3,
        _encode_v4_5,
        _encode_v4_5,
        _encode_v6_9,
        _encode_v6_9,
        _encode_v6_9,
        _encode_v6_9,
    ),
    decoders=(
        _decode_v0,
        _decode_v1,
        _decode_v2_3,
        _decode_v2_3,
        _decode_v4_5,
        _decode_v4_5,
        _decode_v6_9,
        _decode_v6_9,
        _decode_v6_9,
        _decode_v6_9,
    ),
    fields=_FIELDS,
)
