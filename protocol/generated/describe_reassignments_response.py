"""DescribeReassignmentsResponse: API key 17904, versions 0-1, flexible 0-1.

Generated from schemas/klamm/DescribeReassignmentsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_length,
    compact_nullable_string,
    compact_string,
    numbers,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_nullable_string,
    read_compact_string,
    read_numbers,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int64 = Struct(">q").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from
_unpack_int64 = Struct(">q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribedPartitionReassignment:
    """Struct; versions 0-1."""

    partition_index: int = 0
    """int32; versions 0+"""

    original_replicas: tuple[int, ...] | None = None
    """[]int32; versions 0+; nullable 0+; broker id"""

    step_replicas: tuple[int, ...] | None = None
    """[]int32; versions 0+; nullable 0+; broker id"""

    waiting_for: str | None = None
    """string; versions 0+; nullable 0+"""

    owed_deletes: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    first_replicas: tuple[int, ...] | None = None
    """[]int32; versions 1+; nullable 1+; ignorable; broker id"""

    hosted_replicas: tuple[int, ...] | None = None
    """[]int32; versions 1+; nullable 1+; ignorable; broker id"""

    step_number: int = -1
    """int32; versions 1+; ignorable"""

    most_steps: int = -1
    """int32; versions 1+; ignorable"""

    step_kind: str | None = None
    """string; versions 1+; nullable 1+; ignorable"""

    step_adding: tuple[int, ...] | None = None
    """[]int32; versions 1+; nullable 1+; ignorable; broker id"""

    step_since_ms: int = -1
    """int64; versions 1+; ignorable"""

    wait_reason: str | None = None
    """string; versions 1+; nullable 1+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribedPartitionReassignmentDraft = draft_of(DescribedPartitionReassignment)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribedTopicReassignment:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[DescribedPartitionReassignment, ...] = ()
    """[]DescribedPartitionReassignment; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribedTopicReassignmentDraft = draft_of(DescribedTopicReassignment)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeReassignmentsResponse(Message):
    """Response; API key 17904, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 17904
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    topics: tuple[DescribedTopicReassignment, ...] = ()
    """[]DescribedTopicReassignment; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeReassignmentsResponseDraft = draft_of(DescribeReassignmentsResponse)


def _encode_v0(message: DescribeReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            add(_pack_int32(partition.partition_index))
            add(compact_nullable_length(partition.original_replicas))
            if partition.original_replicas is not None:
                add(numbers(partition.original_replicas, "i"))
            add(compact_nullable_length(partition.step_replicas))
            if partition.step_replicas is not None:
                add(numbers(partition.step_replicas, "i"))
            add(compact_nullable_string(partition.waiting_for))
            add(compact_length(partition.owed_deletes))
            add(numbers(partition.owed_deletes, "i"))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeReassignmentsResponse, int]:
    message = _DescribeReassignmentsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _DescribedTopicReassignmentDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 9)
        partitions = []
        for _ in range(n):
            partition = _DescribedPartitionReassignmentDraft()
            partition.first_replicas = None
            partition.hosted_replicas = None
            partition.step_number = -1
            partition.most_steps = -1
            partition.step_kind = None
            partition.step_adding = None
            partition.step_since_ms = -1
            partition.wait_reason = None
            (partition.partition_index,) = _unpack_int32(data, offset)
            offset += 4
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.original_replicas = None
            else:
                partition.original_replicas, offset = read_numbers(data, offset, n, "i")
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.step_replicas = None
            else:
                partition.step_replicas, offset = read_numbers(data, offset, n, "i")
            partition.waiting_for, offset = read_compact_nullable_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            partition.owed_deletes, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
            partition.__class__ = DescribedPartitionReassignment
            partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = DescribedTopicReassignment
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeReassignmentsResponse
    return message, offset


def _encode_v1(message: DescribeReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            add(_pack_int32(partition.partition_index))
            add(compact_nullable_length(partition.original_replicas))
            if partition.original_replicas is not None:
                add(numbers(partition.original_replicas, "i"))
            add(compact_nullable_length(partition.step_replicas))
            if partition.step_replicas is not None:
                add(numbers(partition.step_replicas, "i"))
            add(compact_nullable_string(partition.waiting_for))
            add(compact_length(partition.owed_deletes))
            add(numbers(partition.owed_deletes, "i"))
            add(compact_nullable_length(partition.first_replicas))
            if partition.first_replicas is not None:
                add(numbers(partition.first_replicas, "i"))
            add(compact_nullable_length(partition.hosted_replicas))
            if partition.hosted_replicas is not None:
                add(numbers(partition.hosted_replicas, "i"))
            add(_pack_int32x2(partition.step_number, partition.most_steps))
            add(compact_nullable_string(partition.step_kind))
            add(compact_nullable_length(partition.step_adding))
            if partition.step_adding is not None:
                add(numbers(partition.step_adding, "i"))
            add(_pack_int64(partition.step_since_ms))
            add(compact_nullable_string(partition.wait_reason))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DescribeReassignmentsResponse, int]:
    message = _DescribeReassignmentsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _DescribedTopicReassignmentDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 30)
        partitions = []
        for _ in range(n):
            partition = _DescribedPartitionReassignmentDraft()
            (partition.partition_index,) = _unpack_int32(data, offset)
            offset += 4
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.original_replicas = None
            else:
                partition.original_replicas, offset = read_numbers(data, offset, n, "i")
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.step_replicas = None
            else:
                partition.step_replicas, offset = read_numbers(data, offset, n, "i")
            partition.waiting_for, offset = read_compact_nullable_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            partition.owed_deletes, offset = read_numbers(data, offset, n, "i")
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.first_replicas = None
            else:
                partition.first_replicas, offset = read_numbers(data, offset, n, "i")
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.hosted_replicas = None
            else:
                partition.hosted_replicas, offset = read_numbers(data, offset, n, "i")
            partition.step_number, partition.most_steps = _unpack_int32x2(data, offset)
            offset += 8
            partition.step_kind, offset = read_compact_nullable_string(data, offset)
            n, offset = read_compact_nullable_length(data, offset, 4)
            if n < 0:
                partition.step_adding = None
            else:
                partition.step_adding, offset = read_numbers(data, offset, n, "i")
            (partition.step_since_ms,) = _unpack_int64(data, offset)
            offset += 8
            partition.wait_reason, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
            partition.__class__ = DescribedPartitionReassignment
            partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = DescribedTopicReassignment
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeReassignmentsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribedPartitionReassignment: (
        FieldFact("partition_index", "int32", range(2), range(0), False),
        FieldFact("original_replicas", "[]int32", range(2), range(2), False),
        FieldFact("step_replicas", "[]int32", range(2), range(2), False),
        FieldFact("waiting_for", "string", range(2), range(2), False),
        FieldFact("owed_deletes", "[]int32", range(2), range(0), False),
        FieldFact("first_replicas", "[]int32", range(1, 2), range(1, 2), True),
        FieldFact("hosted_replicas", "[]int32", range(1, 2), range(1, 2), True),
        FieldFact("step_number", "int32", range(1, 2), range(0), True),
        FieldFact("most_steps", "int32", range(1, 2), range(0), True),
        FieldFact("step_kind", "string", range(1, 2), range(1, 2), True),
        FieldFact("step_adding", "[]int32", range(1, 2), range(1, 2), True),
        FieldFact("step_since_ms", "int64", range(1, 2), range(0), True),
        FieldFact("wait_reason", "string", range(1, 2), range(1, 2), True),
    ),
    DescribedTopicReassignment: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partitions", "[]DescribedPartitionReassignment", range(2), range(0), False),
    ),
    DescribeReassignmentsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2), range(0), False),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
        FieldFact("topics", "[]DescribedTopicReassignment", range(2), range(0), False),
    ),
}

DescribeReassignmentsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
