"""ElectLeadersRequest: API key 43, versions 0-2, flexible 2.

Generated from schemas/kafka/ElectLeadersRequest.json
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
    compact_string,
    nullable_length,
    numbers,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_string,
    read_length,
    read_nullable_length,
    read_numbers,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int8 = Struct(">b").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class TopicPartitions:
    """Struct; versions 0-2."""

    topic: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partitions: tuple[int, ...] = ()
    """[]int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_TopicPartitionsDraft = draft_of(TopicPartitions)


@quick_new
@dataclass(frozen=True, slots=True)
class ElectLeadersRequest(Message):
    """Request; API key 43, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 43
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    election_type: int = 0
    """int8; versions 1+"""

    topic_partitions: tuple[TopicPartitions, ...] | None = ()
    """[]TopicPartitions; versions 0+; nullable 0+"""

    timeout_ms: int = 60000
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ElectLeadersRequestDraft = draft_of(ElectLeadersRequest)


def _encode_v0(message: ElectLeadersRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.election_type != 0 or message.unknown_tagged_fields:
        raise Unfit
    add(nullable_length(message.topic_partitions))
    if message.topic_partitions is not None:
        for topic_partition in message.topic_partitions:
            if topic_partition.unknown_tagged_fields:
                raise Unfit
            add(string(topic_partition.topic))
            add(_pack_int32(len(topic_partition.partitions)))
            add(numbers(topic_partition.partitions, "i"))
    add(_pack_int32(message.timeout_ms))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ElectLeadersRequest, int]:
    message = _ElectLeadersRequestDraft()
    message.election_type = 0
    n, offset = read_nullable_length(data, offset, 6)
    if n < 0:
        message.topic_partitions = None
    else:
        topic_partitions = []
        for _ in range(n):
            topic_partition = _TopicPartitionsDraft()
            topic_partition.topic, offset = read_string(data, offset)
            n, offset = read_length(data, offset, 4)
            topic_partition.partitions, offset = read_numbers(data, offset, n, "i")
            topic_partition.unknown_tagged_fields = ()
            topic_partition.__class__ = TopicPartitions
            topic_partitions.append(topic_partition)
        message.topic_partitions = tuple(topic_partitions)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersRequest
    return message, offset


def _encode_v1(message: ElectLeadersRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int8(message.election_type))
    add(nullable_length(message.topic_partitions))
    if message.topic_partitions is not None:
        for topic_partition in message.topic_partitions:
            if topic_partition.unknown_tagged_fields:
                raise Unfit
            add(string(topic_partition.topic))
            add(_pack_int32(len(topic_partition.partitions)))
            add(numbers(topic_partition.partitions, "i"))
    add(_pack_int32(message.timeout_ms))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ElectLeadersRequest, int]:
    message = _ElectLeadersRequestDraft()
    (message.election_type,) = _unpack_int8(data, offset)
    offset += 1
    n, offset = read_nullable_length(data, offset, 6)
    if n < 0:
        message.topic_partitions = None
    else:
        topic_partitions = []
        for _ in range(n):
            topic_partition = _TopicPartitionsDraft()
            topic_partition.topic, offset = read_string(data, offset)
            n, offset = read_length(data, offset, 4)
            topic_partition.partitions, offset = read_numbers(data, offset, n, "i")
            topic_partition.unknown_tagged_fields = ()
            topic_partition.__class__ = TopicPartitions
            topic_partitions.append(topic_partition)
        message.topic_partitions = tuple(topic_partitions)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersRequest
    return message, offset


def _encode_v2(message: ElectLeadersRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int8(message.election_type))
    add(compact_nullable_length(message.topic_partitions))
    if message.topic_partitions is not None:
        for topic_partition in message.topic_partitions:
            add(compact_string(topic_partition.topic))
            add(compact_length(topic_partition.partitions))
            add(numbers(topic_partition.partitions, "i"))
            add(unknown_tags(topic_partition.unknown_tagged_fields))
    add(_pack_int32(message.timeout_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[ElectLeadersRequest, int]:
    message = _ElectLeadersRequestDraft()
    (message.election_type,) = _unpack_int8(data, offset)
    offset += 1
    n, offset = read_compact_nullable_length(data, offset, 3)
    if n < 0:
        message.topic_partitions = None
    else:
        topic_partitions = []
        for _ in range(n):
            topic_partition = _TopicPartitionsDraft()
            topic_partition.topic, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            topic_partition.partitions, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                topic_partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic_partition.unknown_tagged_fields = ()
            topic_partition.__class__ = TopicPartitions
            topic_partitions.append(topic_partition)
        message.topic_partitions = tuple(topic_partitions)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    TopicPartitions: (
        FieldFact("topic", "string", range(3), range(0), False),
        FieldFact("partitions", "[]int32", range(3), range(0), False),
    ),
    ElectLeadersRequest: (
        FieldFact("election_type", "int8", range(1, 3), range(0), False),
        FieldFact("topic_partitions", "[]TopicPartitions", range(3), range(3), False),
        FieldFact("timeout_ms", "int32", range(3), range(0), False),
    ),
}

ElectLeadersRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
