"""ListOffsetsRequest: API key 2, versions 0-9, flexible 6-9, deprecated 0.

Generated from schemas/kafka/ListOffsetsRequest.json
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
_pack_int32_int64 = Struct(">iq").pack
_pack_int32_int64_int32 = Struct(">iqi").pack
_pack_int32_int8 = Struct(">ib").pack
_pack_int32_int8_int32 = Struct(">ibi").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int32x2_int64 = Struct(">2iq").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int8 = Struct(">ib").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsPartition:
    """Struct; versions 0-9."""

    partition_index: int = 0
    """int32; versions 0+"""

    current_leader_epoch: int = -1
    """int32; versions 4+; ignorable"""

    timestamp: int = 0
    """int64; versions 0+"""

    max_num_offsets: int = 1
    """int32; versions 0"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsPartitionDraft = draft_of(ListOffsetsPartition)


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsTopic:
    """Struct; versions 0-9."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[ListOffsetsPartition, ...] = ()
    """[]ListOffsetsPartition; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsTopicDraft = draft_of(ListOffsetsTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class ListOffsetsRequest(Message):
    """Request; API key 2, versions 0-9, flexible 6-9, deprecated 0."""

    api_key: ClassVar[int] = 2
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(10)
    flexible_from: ClassVar[int | None] = 6
    codec: ClassVar[Codec]

    replica_id: int = 0
    """int32; versions 0+; broker id"""

    isolation_level: int = 0
    """int8; versions 2+"""

    topics: tuple[ListOffsetsTopic, ...] = ()
    """[]ListOffsetsTopic; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListOffsetsRequestDraft = draft_of(ListOffsetsRequest)


def _encode_v0(message: ListOffsetsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.isolation_level != 0 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.replica_id, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            add(
                _pack_int32_int64_int32(
                    partition.partition_index,
                    partition.timestamp,
                    partition.max_num_offsets,
                )
            )
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ListOffsetsRequest, int]:
    message = _ListOffsetsRequestDraft()
    message.isolation_level = 0
    (message.replica_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 16)
        partitions: list[ListOffsetsPartition] = []
        while len(partitions) < n:
            rows, width = read_rows(">iqi", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionDraft()
                partition.partition_index, partition.timestamp, partition.max_num_offsets = row
                partition.current_leader_epoch = -1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsRequest
    return message, offset


def _encode_v1(message: ListOffsetsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.isolation_level != 0 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.replica_id, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if partition.max_num_offsets != 1 or partition.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32_int64(partition.partition_index, partition.timestamp))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ListOffsetsRequest, int]:
    message = _ListOffsetsRequestDraft()
    message.isolation_level = 0
    (message.replica_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 12)
        partitions: list[ListOffsetsPartition] = []
        while len(partitions) < n:
            rows, width = read_rows(">iq", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionDraft()
                partition.partition_index, partition.timestamp = row
                partition.current_leader_epoch = -1
                partition.max_num_offsets = 1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsRequest
    return message, offset


def _encode_v2_3(message: ListOffsetsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int8_int32(message.replica_id, message.isolation_level, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if partition.max_num_offsets != 1 or partition.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32_int64(partition.partition_index, partition.timestamp))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[ListOffsetsRequest, int]:
    message = _ListOffsetsRequestDraft()
    message.replica_id, message.isolation_level = _unpack_int32_int8(data, offset)
    offset += 5
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 12)
        partitions: list[ListOffsetsPartition] = []
        while len(partitions) < n:
            rows, width = read_rows(">iq", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionDraft()
                partition.partition_index, partition.timestamp = row
                partition.current_leader_epoch = -1
                partition.max_num_offsets = 1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsRequest
    return message, offset


def _encode_v4_5(message: ListOffsetsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int8_int32(message.replica_id, message.isolation_level, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        for partition in topic.partitions:
            if partition.max_num_offsets != 1 or partition.unknown_tagged_fields:
                raise Unfit
            add(
                _pack_int32x2_int64(
                    partition.partition_index,
                    partition.current_leader_epoch,
                    partition.timestamp,
                )
            )
    return b"".join(chunks)


def _decode_v4_5(data: bytes, offset: int) -> tuple[ListOffsetsRequest, int]:
    message = _ListOffsetsRequestDraft()
    message.replica_id, message.isolation_level = _unpack_int32_int8(data, offset)
    offset += 5
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicDraft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 16)
        partitions: list[ListOffsetsPartition] = []
        while len(partitions) < n:
            rows, width = read_rows(">iiq", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionDraft()
                partition.partition_index, partition.current_leader_epoch, partition.timestamp = row
                partition.max_num_offsets = 1
                partition.unknown_tagged_fields = ()
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsRequest
    return message, offset


def _encode_v6_9(message: ListOffsetsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int8(message.replica_id, message.isolation_level))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            if partition.max_num_offsets != 1:
                raise Unfit
            add(
                _pack_int32x2_int64(
                    partition.partition_index,
                    partition.current_leader_epoch,
                    partition.timestamp,
                )
            )
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6_9(data: bytes, offset: int) -> tuple[ListOffsetsRequest, int]:
    message = _ListOffsetsRequestDraft()
    message.replica_id, message.isolation_level = _unpack_int32_int8(data, offset)
    offset += 5
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _ListOffsetsTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 17)
        partitions: list[ListOffsetsPartition] = []
        while len(partitions) < n:
            rows, width = read_rows(">iiqB", data, offset, n - len(partitions))
            before = len(partitions)
            for row in rows:
                partition = _ListOffsetsPartitionDraft()
                (
                    partition.partition_index,
                    partition.current_leader_epoch,
                    partition.timestamp,
                    tagged,
                ) = row
                partition.max_num_offsets = 1
                partition.unknown_tagged_fields = ()
                if tagged:
                    break
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = ListOffsetsPartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = ListOffsetsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ListOffsetsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ListOffsetsPartition: (
        FieldFact("partition_index", "int32", range(10), range(0), False),
        FieldFact("current_leader_epoch", "int32", range(4, 10), range(0), True),
        FieldFact("timestamp", "int64", range(10), range(0), False),
        FieldFact("max_num_offsets", "int32", range(1), range(0), False),
    ),
    ListOffsetsTopic: (
        FieldFact("name", "string", range(10), range(0), False),
        FieldFact("partitions", "[]ListOffsetsPartition", range(10), range(0), False),
    ),
    ListOffsetsRequest: (
        FieldFact("replica_id", "int32", range(10), range(0), False),
        FieldFact("isolation_level", "int8", range(2, 10), range(0), False),
        FieldFact("topics", "[]ListOffsetsTopic", range(10), range(0), False),
    ),
}

ListOffsetsRequest.codec = Codec(
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
