"""DescribeTopicPartitionsResponse: API key 75, versions 0, flexible 0.

Generated from schemas/kafka/DescribeTopicPartitionsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal
from uuid import UUID

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    ZERO_UUID,
    Unfit,
    compact_length,
    compact_nullable_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_presence,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_int32s = arrays("i", compact=True, nullable=False)
_compact_nullable_int32s = arrays("i", compact=True, nullable=True)
_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_uuid_bool = Struct(">16s?").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_uuid_bool = Struct(">16s?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeTopicPartitionsResponsePartition:
    """Struct; versions 0."""

    error_code: int = 0
    """int16; versions 0+"""

    partition_index: int = 0
    """int32; versions 0+"""

    leader_id: int = 0
    """int32; versions 0+; broker id"""

    leader_epoch: int = -1
    """int32; versions 0+; ignorable"""

    replica_nodes: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    isr_nodes: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    eligible_leader_replicas: tuple[int, ...] | None = None
    """[]int32; versions 0+; nullable 0+; broker id"""

    last_known_elr: tuple[int, ...] | None = None
    """[]int32; versions 0+; nullable 0+; broker id"""

    offline_replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; ignorable; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeTopicPartitionsResponsePartitionDraft = draft_of(DescribeTopicPartitionsResponsePartition)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeTopicPartitionsResponseTopic:
    """Struct; versions 0."""

    error_code: int = 0
    """int16; versions 0+"""

    name: str | None = ""
    """string; versions 0+; nullable 0+; unique in its array; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 0+; ignorable"""

    is_internal: bool = False
    """bool; versions 0+; ignorable"""

    partitions: tuple[DescribeTopicPartitionsResponsePartition, ...] = ()
    """[]DescribeTopicPartitionsResponsePartition; versions 0+"""

    topic_authorized_operations: int = -2147483648
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeTopicPartitionsResponseTopicDraft = draft_of(DescribeTopicPartitionsResponseTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class Cursor:
    """Struct; versions 0."""

    topic_name: str = ""
    """string; versions 0+; topic name"""

    partition_index: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CursorDraft = draft_of(Cursor)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeTopicPartitionsResponse(Message):
    """Response; API key 75, versions 0, flexible 0."""

    api_key: ClassVar[int] = 75
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+; ignorable"""

    topics: tuple[DescribeTopicPartitionsResponseTopic, ...] = ()
    """[]DescribeTopicPartitionsResponseTopic; versions 0+"""

    next_cursor: Cursor | None = None
    """Cursor; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeTopicPartitionsResponseDraft = draft_of(DescribeTopicPartitionsResponse)


def _encode_v0(message: DescribeTopicPartitionsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        if type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_nullable_string(topic.name))
        add(_pack_uuid_bool(topic.topic_id.bytes, topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = count4 = count5 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            eligible_leader_replicas = partition.eligible_leader_replicas
            last_known_elr = partition.last_known_elr
            offline_replicas = partition.offline_replicas
            present = -1 if eligible_leader_replicas is None else len(eligible_leader_replicas)
            present2 = -1 if last_known_elr is None else len(last_known_elr)
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or present != count3
                or present2 != count4
                or len(offline_replicas) != count5
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = present
                length3 = compact_nullable_length(eligible_leader_replicas)
                count4 = present2
                length4 = compact_nullable_length(last_known_elr)
                count5 = len(offline_replicas)
                length5 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i"
                    f"{len(length3)}s{max(count3, 0)}i{len(length4)}s{max(count4, 0)}i"
                    f"{len(length5)}s{count5}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *(eligible_leader_replicas or ()),
                length4,
                *(last_known_elr or ()),
                length5,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    if message.next_cursor is None:
        add(b"\xff")
    else:
        add(b"\x01")
        add(compact_string(message.next_cursor.topic_name))
        add(_pack_int32(message.next_cursor.partition_index))
        add(unknown_tags(message.next_cursor.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    message = _DescribeTopicPartitionsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 26)
    topics = []
    for _ in range(n):
        topic = _DescribeTopicPartitionsResponseTopicDraft()
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_nullable_string(data, offset)
        raw, topic.is_internal = _unpack_uuid_bool(data, offset)
        offset += 17
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 20)
        partitions: list[DescribeTopicPartitionsResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            size4 = compact_array_size(data, offset + 14 + size + size2 + size3, 4)
            size5 = compact_array_size(data, offset + 14 + size + size2 + size3 + size4, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}s{size4}s{size5}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _DescribeTopicPartitionsResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        raw3,
                        raw4,
                        raw5,
                        raw6,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw2]
                    partition.isr_nodes = _compact_int32s[raw3]
                    partition.eligible_leader_replicas = _compact_nullable_int32s[raw4]
                    partition.last_known_elr = _compact_nullable_int32s[raw5]
                    partition.offline_replicas = _compact_int32s[raw6]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = DescribeTopicPartitionsResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = DescribeTopicPartitionsResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = DescribeTopicPartitionsResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    n, offset = read_presence(data, offset)
    if n:
        next_cursor = _CursorDraft()
        next_cursor.topic_name, offset = read_compact_string(data, offset)
        (next_cursor.partition_index,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            next_cursor.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            next_cursor.unknown_tagged_fields = ()
        next_cursor.__class__ = Cursor
        message.next_cursor = next_cursor
    else:
        message.next_cursor = None
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeTopicPartitionsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeTopicPartitionsResponsePartition: (
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("partition_index", "int32", range(1), range(0), False),
        FieldFact("leader_id", "int32", range(1), range(0), False),
        FieldFact("leader_epoch", "int32", range(1), range(0), True),
        FieldFact("replica_nodes", "[]int32", range(1), range(0), False),
        FieldFact("isr_nodes", "[]int32", range(1), range(0), False),
        FieldFact("eligible_leader_replicas", "[]int32", range(1), range(1), False),
        FieldFact("last_known_elr", "[]int32", range(1), range(1), False),
        FieldFact("offline_replicas", "[]int32", range(1), range(0), True),
    ),
    DescribeTopicPartitionsResponseTopic: (
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("name", "string", range(1), range(1), False),
        FieldFact("topic_id", "uuid", range(1), range(0), True),
        FieldFact("is_internal", "bool", range(1), range(0), True),
        FieldFact(
            "partitions",
            "[]DescribeTopicPartitionsResponsePartition",
            range(1),
            range(0),
            False,
        ),
        FieldFact("topic_authorized_operations", "int32", range(1), range(0), False),
    ),
    Cursor: (
        FieldFact("topic_name", "string", range(1), range(0), False),
        FieldFact("partition_index", "int32", range(1), range(0), False),
    ),
    DescribeTopicPartitionsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), True),
        FieldFact("topics", "[]DescribeTopicPartitionsResponseTopic", range(1), range(0), False),
        FieldFact("next_cursor", "Cursor", range(1), range(1), False),
    ),
}

DescribeTopicPartitionsResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
