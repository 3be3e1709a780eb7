"""AlterPartitionResponse: API key 56, versions 0-3, flexible 0-3.

Generated from schemas/kafka/AlterPartitionResponse.json
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
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_int32s = arrays("i", compact=True, nullable=False)
_pack_int32_int16 = Struct(">ih").pack
_pack_uuid = Struct(">16s").pack
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionData:
    """Struct; versions 0-3."""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    leader_id: int = 0
    """int32; versions 0+; broker id"""

    leader_epoch: int = 0
    """int32; versions 0+"""

    isr: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    leader_recovery_state: int = 0
    """int8; versions 1+; ignorable"""

    partition_epoch: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionDataDraft = draft_of(PartitionData)


@quick_new
@dataclass(frozen=True, slots=True)
class TopicData:
    """Struct; versions 0-3."""

    topic_name: str = ""
    """string; versions 0-1; ignorable; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 2+; ignorable"""

    partitions: tuple[PartitionData, ...] = ()
    """[]PartitionData; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_TopicDataDraft = draft_of(TopicData)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterPartitionResponse(Message):
    """Response; API key 56, versions 0-3, flexible 0-3."""

    api_key: ClassVar[int] = 56
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    topics: tuple[TopicData, ...] = ()
    """[]TopicData; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterPartitionResponseDraft = draft_of(AlterPartitionResponse)


def _encode_v0(message: AlterPartitionResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.topic_name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            isr = partition.isr
            if len(isr) != count:
                count = len(isr)
                length = compact_length(isr)
                pack = row_struct(f">ihii{len(length)}s{count}iiB").pack
            row = pack(
                partition.partition_index,
                partition.error_code,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *isr,
                partition.partition_epoch,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterPartitionResponse, int]:
    message = _AlterPartitionResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 20)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            rows, width = read_rows(f">ihii{size}siB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.error_code,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.isr = _compact_int32s[raw]
                    partition.leader_recovery_state = 0
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = PartitionData
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = PartitionData
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = TopicData
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionResponse
    return message, offset


def _encode_v1(message: AlterPartitionResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.topic_name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            isr = partition.isr
            if len(isr) != count:
                count = len(isr)
                length = compact_length(isr)
                pack = row_struct(f">ihii{len(length)}s{count}ibiB").pack
            row = pack(
                partition.partition_index,
                partition.error_code,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *isr,
                partition.leader_recovery_state,
                partition.partition_epoch,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[AlterPartitionResponse, int]:
    message = _AlterPartitionResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 21)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            rows, width = read_rows(f">ihii{size}sbiB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.error_code,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw,
                        partition.leader_recovery_state,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.isr = _compact_int32s[raw]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = PartitionData
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = PartitionData
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = TopicData
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionResponse
    return message, offset


def _encode_v2_3(message: AlterPartitionResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(_pack_uuid(topic.topic_id.bytes))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            isr = partition.isr
            if len(isr) != count:
                count = len(isr)
                length = compact_length(isr)
                pack = row_struct(f">ihii{len(length)}s{count}ibiB").pack
            row = pack(
                partition.partition_index,
                partition.error_code,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *isr,
                partition.leader_recovery_state,
                partition.partition_epoch,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[AlterPartitionResponse, int]:
    message = _AlterPartitionResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 18)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_name = ""
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 21)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            rows, width = read_rows(f">ihii{size}sbiB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.error_code,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        partition.leader_recovery_state,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.isr = _compact_int32s[raw2]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = PartitionData
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = PartitionData
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = TopicData
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionData: (
        FieldFact("partition_index", "int32", range(4), range(0), False),
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("leader_id", "int32", range(4), range(0), False),
        FieldFact("leader_epoch", "int32", range(4), range(0), False),
        FieldFact("isr", "[]int32", range(4), range(0), False),
        FieldFact("leader_recovery_state", "int8", range(1, 4), range(0), True),
        FieldFact("partition_epoch", "int32", range(4), range(0), False),
    ),
    TopicData: (
        FieldFact("topic_name", "string", range(2), range(0), True),
        FieldFact("topic_id", "uuid", range(2, 4), range(0), True),
        FieldFact("partitions", "[]PartitionData", range(4), range(0), False),
    ),
    AlterPartitionResponse: (
        FieldFact("throttle_time_ms", "int32", range(4), range(0), False),
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("topics", "[]TopicData", range(4), range(0), False),
    ),
}

AlterPartitionResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
