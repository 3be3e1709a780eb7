"""AlterPartitionRequest: API key 56, versions 0-3, flexible 0-3.

Generated from schemas/kafka/AlterPartitionRequest.json
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
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_int32s = arrays("i", compact=True, nullable=False)
_pack_int32_int64 = Struct(">iq").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int8_int32 = Struct(">bi").pack
_pack_uuid = Struct(">16s").pack
_unpack_int32_int64 = Struct(">iq").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from
_unpack_int8_int32 = Struct(">bi").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class BrokerState:
    """Struct; versions 3."""

    broker_id: int = 0
    """int32; versions 3+; broker id"""

    broker_epoch: int = -1
    """int64; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_BrokerStateDraft = draft_of(BrokerState)


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionData:
    """Struct; versions 0-3."""

    partition_index: int = 0
    """int32; versions 0+"""

    leader_epoch: int = 0
    """int32; versions 0+"""

    new_isr: tuple[int, ...] = ()
    """[]int32; versions 0-2; broker id"""

    new_isr_with_epochs: tuple[BrokerState, ...] = ()
    """[]BrokerState; versions 3+"""

    leader_recovery_state: int = 0
    """int8; versions 1+"""

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
class AlterPartitionRequest(Message):
    """Request; API key 56, versions 0-3, flexible 0-3."""

    api_key: ClassVar[int] = 56
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    broker_epoch: int = -1
    """int64; versions 0+"""

    topics: tuple[TopicData, ...] = ()
    """[]TopicData; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterPartitionRequestDraft = draft_of(AlterPartitionRequest)


def _encode_v0(message: AlterPartitionRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.topic_name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            if partition.new_isr_with_epochs != () or partition.leader_recovery_state != 0:
                raise Unfit
            new_isr = partition.new_isr
            if len(new_isr) != count:
                count = len(new_isr)
                length = compact_length(new_isr)
                pack = row_struct(f">ii{len(length)}s{count}iiB").pack
            row = pack(
                partition.partition_index,
                partition.leader_epoch,
                length,
                *new_isr,
                partition.partition_epoch,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterPartitionRequest, int]:
    message = _AlterPartitionRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 14)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 8, 4)
            rows, width = read_rows(f">ii{size}siB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.leader_epoch,
                        raw,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.new_isr = _compact_int32s[raw]
                    partition.new_isr_with_epochs = ()
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
    message.__class__ = AlterPartitionRequest
    return message, offset


def _encode_v1(message: AlterPartitionRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.topic_name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            if partition.new_isr_with_epochs != ():
                raise Unfit
            new_isr = partition.new_isr
            if len(new_isr) != count:
                count = len(new_isr)
                length = compact_length(new_isr)
                pack = row_struct(f">ii{len(length)}s{count}ibiB").pack
            row = pack(
                partition.partition_index,
                partition.leader_epoch,
                length,
                *new_isr,
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


def _decode_v1(data: bytes, offset: int) -> tuple[AlterPartitionRequest, int]:
    message = _AlterPartitionRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 15)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 8, 4)
            rows, width = read_rows(f">ii{size}sbiB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.leader_epoch,
                        raw,
                        partition.leader_recovery_state,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.new_isr = _compact_int32s[raw]
                    partition.new_isr_with_epochs = ()
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
    message.__class__ = AlterPartitionRequest
    return message, offset


def _encode_v2(message: AlterPartitionRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(_pack_uuid(topic.topic_id.bytes))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            if partition.new_isr_with_epochs != ():
                raise Unfit
            new_isr = partition.new_isr
            if len(new_isr) != count:
                count = len(new_isr)
                length = compact_length(new_isr)
                pack = row_struct(f">ii{len(length)}s{count}ibiB").pack
            row = pack(
                partition.partition_index,
                partition.leader_epoch,
                length,
                *new_isr,
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


def _decode_v2(data: bytes, offset: int) -> tuple[AlterPartitionRequest, int]:
    message = _AlterPartitionRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    n, offset = read_compact_length(data, offset, 18)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_name = ""
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 15)
        partitions: list[PartitionData] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 8, 4)
            rows, width = read_rows(f">ii{size}sbiB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _PartitionDataDraft()
                    (
                        partition.partition_index,
                        partition.leader_epoch,
                        raw2,
                        partition.leader_recovery_state,
                        partition.partition_epoch,
                        tagged,
                    ) = row
                    partition.new_isr = _compact_int32s[raw2]
                    partition.new_isr_with_epochs = ()
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
    message.__class__ = AlterPartitionRequest
    return message, offset


def _encode_v3(message: AlterPartitionRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(_pack_uuid(topic.topic_id.bytes))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            if partition.new_isr != ():
                raise Unfit
            add(_pack_int32x2(partition.partition_index, partition.leader_epoch))
            add(compact_length(partition.new_isr_with_epochs))
            for new_isr_with_epoch in partition.new_isr_with_epochs:
                add(
                    _pack_int32_int64(
                        new_isr_with_epoch.broker_id,
                        new_isr_with_epoch.broker_epoch,
                    )
                )
                add(unknown_tags(new_isr_with_epoch.unknown_tagged_fields))
            add(_pack_int8_int32(partition.leader_recovery_state, partition.partition_epoch))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[AlterPartitionRequest, int]:
    message = _AlterPartitionRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    n, offset = read_compact_length(data, offset, 18)
    topics = []
    for _ in range(n):
        topic = _TopicDataDraft()
        topic.topic_name = ""
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 15)
        partitions = []
        for _ in range(n):
            partition = _PartitionDataDraft()
            partition.new_isr = ()
            partition.partition_index, partition.leader_epoch = _unpack_int32x2(data, offset)
            offset += 8
            n, offset = read_compact_length(data, offset, 13)
            new_isr_with_epochs: list[BrokerState] = []
            while len(new_isr_with_epochs) < n:
                rows, width = read_rows(">iqB", data, offset, n - len(new_isr_with_epochs))
                before = len(new_isr_with_epochs)
                for row in rows:
                    new_isr_with_epoch = _BrokerStateDraft()
                    new_isr_with_epoch.broker_id, new_isr_with_epoch.broker_epoch, tagged = row
                    new_isr_with_epoch.unknown_tagged_fields = ()
                    if tagged:
                        break
                    new_isr_with_epoch.__class__ = BrokerState
                    new_isr_with_epochs.append(new_isr_with_epoch)
                offset += (len(new_isr_with_epochs) - before) * width
                if tagged:
                    new_isr_with_epoch.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    new_isr_with_epoch.__class__ = BrokerState
                    new_isr_with_epochs.append(new_isr_with_epoch)
            partition.new_isr_with_epochs = tuple(new_isr_with_epochs)
            (
                partition.leader_recovery_state,
                partition.partition_epoch,
            ) = _unpack_int8_int32(data, offset)
            offset += 5
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
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
    message.__class__ = AlterPartitionRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    BrokerState: (
        FieldFact("broker_id", "int32", range(3, 4), range(0), False),
        FieldFact("broker_epoch", "int64", range(3, 4), range(0), False),
    ),
    PartitionData: (
        FieldFact("partition_index", "int32", range(4), range(0), False),
        FieldFact("leader_epoch", "int32", range(4), range(0), False),
        FieldFact("new_isr", "[]int32", range(3), range(0), False),
        FieldFact("new_isr_with_epochs", "[]BrokerState", range(3, 4), range(0), False),
        FieldFact("leader_recovery_state", "int8", range(1, 4), range(0), False),
        FieldFact("partition_epoch", "int32", range(4), range(0), False),
    ),
    TopicData: (
        FieldFact("topic_name", "string", range(2), range(0), True),
        FieldFact("topic_id", "uuid", range(2, 4), range(0), True),
        FieldFact("partitions", "[]PartitionData", range(4), range(0), False),
    ),
    AlterPartitionRequest: (
        FieldFact("broker_id", "int32", range(4), range(0), False),
        FieldFact("broker_epoch", "int64", range(4), range(0), False),
        FieldFact("topics", "[]TopicData", range(4), range(0), False),
    ),
}

AlterPartitionRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2, _encode_v3),
    decoders=(_decode_v0, _decode_v1, _decode_v2, _decode_v3),
    fields=_FIELDS,
)
