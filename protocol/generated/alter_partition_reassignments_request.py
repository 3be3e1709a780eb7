"""AlterPartitionReassignmentsRequest: API key 45, versions 0-1, flexible 0-1.

Generated from schemas/klamm/AlterPartitionReassignmentsRequest.json
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
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_nullable_int32s = arrays("i", compact=True, nullable=True)
_pack_int32 = Struct(">i").pack
_pack_int32_bool = Struct(">i?").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool = Struct(">i?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ReassignablePartition:
    """Struct; versions 0-1."""

    partition_index: int = 0
    """int32; versions 0+"""

    replicas: tuple[int, ...] | None = None
    """[]int32; versions 0+; nullable 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReassignablePartitionDraft = draft_of(ReassignablePartition)


@quick_new
@dataclass(frozen=True, slots=True)
class ReassignableTopic:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[ReassignablePartition, ...] = ()
    """[]ReassignablePartition; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReassignableTopicDraft = draft_of(ReassignableTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterPartitionReassignmentsRequest(Message):
    """Request; API key 45, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 45
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    timeout_ms: int = 60000
    """int32; versions 0+"""

    allow_replication_factor_change: bool = True
    """bool; versions 1+"""

    topics: tuple[ReassignableTopic, ...] = ()
    """[]ReassignableTopic; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterPartitionReassignmentsRequestDraft = draft_of(AlterPartitionReassignmentsRequest)


def _encode_v0(message: AlterPartitionReassignmentsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.allow_replication_factor_change is not True:
        raise Unfit
    add(_pack_int32(message.timeout_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            replicas = partition.replicas
            present = -1 if replicas is None else len(replicas)
            if present != count:
                count = present
                length = compact_nullable_length(replicas)
                pack = row_struct(f">i{len(length)}s{max(count, 0)}iB").pack
            row = pack(partition.partition_index, length, *(replicas or ()), 0)
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    message = _AlterPartitionReassignmentsRequestDraft()
    message.allow_replication_factor_change = True
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _ReassignableTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 6)
        partitions: list[ReassignablePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}sB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _ReassignablePartitionDraft()
                    partition.partition_index, raw, tagged = row
                    partition.replicas = _compact_nullable_int32s[raw]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = ReassignablePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = ReassignablePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = ReassignableTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionReassignmentsRequest
    return message, offset


def _encode_v1(message: AlterPartitionReassignmentsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.allow_replication_factor_change) is not bool:
        raise Unfit
    add(_pack_int32_bool(message.timeout_ms, message.allow_replication_factor_change))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        count = -2
        for partition in topic.partitions:
            replicas = partition.replicas
            present = -1 if replicas is None else len(replicas)
            if present != count:
                count = present
                length = compact_nullable_length(replicas)
                pack = row_struct(f">i{len(length)}s{max(count, 0)}iB").pack
            row = pack(partition.partition_index, length, *(replicas or ()), 0)
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    message = _AlterPartitionReassignmentsRequestDraft()
    message.timeout_ms, message.allow_replication_factor_change = _unpack_int32_bool(data, offset)
    offset += 5
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _ReassignableTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 6)
        partitions: list[ReassignablePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}sB", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _ReassignablePartitionDraft()
                    partition.partition_index, raw, tagged = row
                    partition.replicas = _compact_nullable_int32s[raw]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = ReassignablePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = ReassignablePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = ReassignableTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionReassignmentsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ReassignablePartition: (
        FieldFact("partition_index", "int32", range(2), range(0), False),
        FieldFact("replicas", "[]int32", range(2), range(2), False),
    ),
    ReassignableTopic: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partitions", "[]ReassignablePartition", range(2), range(0), False),
    ),
    AlterPartitionReassignmentsRequest: (
        FieldFact("timeout_ms", "int32", range(2), range(0), False),
        FieldFact("allow_replication_factor_change", "bool", range(1, 2), range(0), False),
        FieldFact("topics", "[]ReassignableTopic", range(2), range(0), False),
    ),
}

AlterPartitionReassignmentsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
