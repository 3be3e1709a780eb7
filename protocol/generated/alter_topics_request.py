"""AlterTopicsRequest: API key 17902, versions 0, flexible 0.

Generated from schemas/klamm/AlterTopicsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_int32s = arrays("i", compact=True, nullable=False)
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionBrokers:
    """Struct; versions 0."""

    partition: int = 0
    """int32; versions 0+"""

    brokers: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionBrokersDraft = draft_of(PartitionBrokers)


@quick_new
@dataclass(frozen=True, slots=True)
class AlteredTopic:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: int = -1
    """int32; versions 0+"""

    replicas: int = -1
    """int32; versions 0+"""

    partition_assignment: tuple[PartitionBrokers, ...] = ()
    """[]PartitionBrokers; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlteredTopicDraft = draft_of(AlteredTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterTopicsRequest(Message):
    """Request; API key 17902, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17902
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    timeout_ms: int = 60000
    """int32; versions 0+"""

    topics: tuple[AlteredTopic, ...] = ()
    """[]AlteredTopic; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterTopicsRequestDraft = draft_of(AlterTopicsRequest)


def _encode_v0(message: AlterTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.timeout_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_int32x2(topic.partitions, topic.replicas))
        add(compact_length(topic.partition_assignment))
        count = -2
        for partition_assignment in topic.partition_assignment:
            brokers = partition_assignment.brokers
            if len(brokers) != count:
                count = len(brokers)
                length = compact_length(brokers)
                pack = row_struct(f">i{len(length)}s{count}iB").pack
            row = pack(partition_assignment.partition, length, *brokers, 0)
            if partition_assignment.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_assignment.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterTopicsRequest, int]:
    message = _AlterTopicsRequestDraft()
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    topics = []
    for _ in range(n):
        topic = _AlteredTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        topic.partitions, topic.replicas = _unpack_int32x2(data, offset)
        offset += 8
        n, offset = read_compact_length(data, offset, 6)
        partition_assignment: list[PartitionBrokers] = []
        while len(partition_assignment) < n:
            size = compact_array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}sB", data, offset, n - len(partition_assignment))
            before = len(partition_assignment)
            try:
                for row in rows:
                    partition_assignment2 = _PartitionBrokersDraft()
                    partition_assignment2.partition, raw, tagged = row
                    partition_assignment2.brokers = _compact_int32s[raw]
                    partition_assignment2.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_assignment2.__class__ = PartitionBrokers
                    partition_assignment.append(partition_assignment2)
            except Reshaped:
                tagged = 0
            offset += (len(partition_assignment) - before) * width
            if tagged:
                partition_assignment2.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_assignment2.__class__ = PartitionBrokers
                partition_assignment.append(partition_assignment2)
        topic.partition_assignment = tuple(partition_assignment)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = AlteredTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterTopicsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionBrokers: (
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("brokers", "[]int32", range(1), range(0), False),
    ),
    AlteredTopic: (
        FieldFact("name", "string", range(1), range(0), False),
        FieldFact("partitions", "int32", range(1), range(0), False),
        FieldFact("replicas", "int32", range(1), range(0), False),
        FieldFact("partition_assignment", "[]PartitionBrokers", range(1), range(0), False),
    ),
    AlterTopicsRequest: (
        FieldFact("timeout_ms", "int32", range(1), range(0), False),
        FieldFact("topics", "[]AlteredTopic", range(1), range(0), False),
    ),
}

AlterTopicsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
