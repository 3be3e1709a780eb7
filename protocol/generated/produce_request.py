"""ProduceRequest: API key 0, versions 0-11, flexible 9-11, deprecated 0-6.

Generated from schemas/kafka/ProduceRequest.json
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
    compact_nullable_length,
    compact_nullable_string,
    compact_string,
    nullable_length,
    nullable_string,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_length,
    read_nullable_string,
    read_slice,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int16_int32 = Struct(">hi").pack
_pack_int16_int32x2 = Struct(">h2i").pack
_pack_int32 = Struct(">i").pack
_unpack_int16_int32 = Struct(">hi").unpack_from
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionProduceData:
    """Struct; versions 0-11."""

    index: int = 0
    """int32; versions 0+"""

    records: bytes | None = b""
    """records; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionProduceDataDraft = draft_of(PartitionProduceData)


@quick_new
@dataclass(frozen=True, slots=True)
class TopicProduceData:
    """Struct; versions 0-11."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partition_data: tuple[PartitionProduceData, ...] = ()
    """[]PartitionProduceData; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_TopicProduceDataDraft = draft_of(TopicProduceData)


@quick_new
@dataclass(frozen=True, slots=True)
class ProduceRequest(Message):
    """Request; API key 0, versions 0-11, flexible 9-11, deprecated 0-6."""

    api_key: ClassVar[int] = 0
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(12)
    flexible_from: ClassVar[int | None] = 9
    codec: ClassVar[Codec]

    transactional_id: str | None = None
    """string; versions 3+; nullable 3+; transactionalId"""

    acks: int = 0
    """int16; versions 0+"""

    timeout_ms: int = 0
    """int32; versions 0+"""

    topic_data: tuple[TopicProduceData, ...] = ()
    """[]TopicProduceData; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ProduceRequestDraft = draft_of(ProduceRequest)


def _encode_v0_2(message: ProduceRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.transactional_id is not None or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32x2(message.acks, message.timeout_ms, len(message.topic_data)))
    for topic_data in message.topic_data:
        if topic_data.unknown_tagged_fields:
            raise Unfit
        add(string(topic_data.name))
        add(_pack_int32(len(topic_data.partition_data)))
        for partition_data in topic_data.partition_data:
            if partition_data.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(partition_data.index))
            add(nullable_length(partition_data.records))
            if partition_data.records is not None:
                add(partition_data.records)
    return b"".join(chunks)


def _decode_v0_2(data: bytes, offset: int) -> tuple[ProduceRequest, int]:
    message = _ProduceRequestDraft()
    message.transactional_id = None
    message.acks, message.timeout_ms = _unpack_int16_int32(data, offset)
    offset += 6
    n, offset = read_length(data, offset, 6)
    topic_data = []
    for _ in range(n):
        topic_data2 = _TopicProduceDataDraft()
        topic_data2.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 8)
        partition_data = []
        for _ in range(n):
            partition_data2 = _PartitionProduceDataDraft()
            (partition_data2.index,) = _unpack_int32(data, offset)
            offset += 4
            n, offset = read_nullable_length(data, offset)
            if n < 0:
                partition_data2.records = None
            else:
                partition_data2.records, offset = read_slice(data, offset, n)
            partition_data2.unknown_tagged_fields = ()
            partition_data2.__class__ = PartitionProduceData
            partition_data.append(partition_data2)
        topic_data2.partition_data = tuple(partition_data)
        topic_data2.unknown_tagged_fields = ()
        topic_data2.__class__ = TopicProduceData
        topic_data.append(topic_data2)
    message.topic_data = tuple(topic_data)
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceRequest
    return message, offset


def _encode_v3_8(message: ProduceRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(nullable_string(message.transactional_id))
    add(_pack_int16_int32x2(message.acks, message.timeout_ms, len(message.topic_data)))
    for topic_data in message.topic_data:
        if topic_data.unknown_tagged_fields:
            raise Unfit
        add(string(topic_data.name))
        add(_pack_int32(len(topic_data.partition_data)))
        for partition_data in topic_data.partition_data:
            if partition_data.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(partition_data.index))
            add(nullable_length(partition_data.records))
            if partition_data.records is not None:
                add(partition_data.records)
    return b"".join(chunks)


def _decode_v3_8(data: bytes, offset: int) -> tuple[ProduceRequest, int]:
    message = _ProduceRequestDraft()
    message.transactional_id, offset = read_nullable_string(data, offset)
    message.acks, message.timeout_ms = _unpack_int16_int32(data, offset)
    offset += 6
    n, offset = read_length(data, offset, 6)
    topic_data = []
    for _ in range(n):
        topic_data2 = _TopicProduceDataDraft()
        topic_data2.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 8)
        partition_data = []
        for _ in range(n):
            partition_data2 = _PartitionProduceDataDraft()
            (partition_data2.index,) = _unpack_int32(data, offset)
            offset += 4
            n, offset = read_nullable_length(data, offset)
            if n < 0:
                partition_data2.records = None
            else:
                partition_data2.records, offset = read_slice(data, offset, n)
            partition_data2.unknown_tagged_fields = ()
            partition_data2.__class__ = PartitionProduceData
            partition_data.append(partition_data2)
        topic_data2.partition_data = tuple(partition_data)
        topic_data2.unknown_tagged_fields = ()
        topic_data2.__class__ = TopicProduceData
        topic_data.append(topic_data2)
    message.topic_data = tuple(topic_data)
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceRequest
    return message, offset


def _encode_v9_11(message: ProduceRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_nullable_string(message.transactional_id))
    add(_pack_int16_int32(message.acks, message.timeout_ms))
    add(compact_length(message.topic_data))
    for topic_data in message.topic_data:
        add(compact_string(topic_data.name))
        add(compact_length(topic_data.partition_data))
        for partition_data in topic_data.partition_data:
            add(_pack_int32(partition_data.index))
            add(compact_nullable_length(partition_data.records))
            if partition_data.records is not None:
                add(partition_data.records)
            add(unknown_tags(partition_data.unknown_tagged_fields))
        add(unknown_tags(topic_data.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v9_11(data: bytes, offset: int) -> tuple[ProduceRequest, int]:
    message = _ProduceRequestDraft()
    message.transactional_id, offset = read_compact_nullable_string(data, offset)
    message.acks, message.timeout_ms = _unpack_int16_int32(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 3)
    topic_data = []
    for _ in range(n):
        topic_data2 = _TopicProduceDataDraft()
        topic_data2.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 6)
        partition_data = []
        for _ in range(n):
            partition_data2 = _PartitionProduceDataDraft()
            (partition_data2.index,) = _unpack_int32(data, offset)
            offset += 4
            n, offset = read_compact_nullable_length(data, offset)
            if n < 0:
                partition_data2.records = None
            else:
                partition_data2.records, offset = read_slice(data, offset, n)
            if data[offset]:
                partition_data2.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition_data2.unknown_tagged_fields = ()
            partition_data2.__class__ = PartitionProduceData
            partition_data.append(partition_data2)
        topic_data2.partition_data = tuple(partition_data)
        if data[offset]:
            topic_data2.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_data2.unknown_tagged_fields = ()
        topic_data2.__class__ = TopicProduceData
        topic_data.append(topic_data2)
    message.topic_data = tuple(topic_data)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ProduceRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionProduceData: (
        FieldFact("index", "int32", range(12), range(0), False),
        FieldFact("records", "records", range(12), range(12), False),
    ),
    TopicProduceData: (
        FieldFact("name", "string", range(12), range(0), False),
        FieldFact("partition_data", "[]PartitionProduceData", range(12), range(0), False),
    ),
    ProduceRequest: (
        FieldFact("transactional_id", "string", range(3, 12), range(3, 12), False),
        FieldFact("acks", "int16", range(12), range(0), False),
        FieldFact("timeout_ms", "int32", range(12), range(0), False),
        FieldFact("topic_data", "[]TopicProduceData", range(12), range(0), False),
    ),
}

ProduceRequest.codec = Codec(
    encoders=(
        _encode_v0_2,
        _encode_v0_2,
        _encode_v0_2,
        _encode_v3_8,
        _encode_v3_8,
        _encode_v3_8,
        _encode_v3_8,
        _encode_v3_8,
        _encode_v3_8,
        _encode_v9_11,
        _encode_v9_11,
        _encode_v9_11,
    ),
    decoders=(
        _decode_v0_2,
        _decode_v0_2,
        _decode_v0_2,
        _decode_v3_8,
        _decode_v3_8,
        _decode_v3_8,
        _decode_v3_8,
        _decode_v3_8,
        _decode_v3_8,
        _decode_v9_11,
        _decode_v9_11,
        _decode_v9_11,
    ),
    fields=_FIELDS,
)
