"""ListPartitionReassignmentsResponse: API key 46, versions 0-1, flexible 0-1.

Generated from schemas/klamm/ListPartitionReassignmentsResponse.json
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
    read_compact_length,
    read_compact_nullable_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import Reshaped, arrays, compact_array_size, read_rows, row_struct

_compact_int32s = arrays("i", compact=True, nullable=False)
_pack_int32_int16 = Struct(">ih").pack
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class OngoingPartitionReassignment:
    """Struct; versions 0-1."""

    partition_index: int = 0
    """int32; versions 0+"""

    replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    adding_replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    removing_replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_OngoingPartitionReassignmentDraft = draft_of(OngoingPartitionReassignment)


@quick_new
@dataclass(frozen=True, slots=True)
class OngoingTopicReassignment:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[OngoingPartitionReassignment, ...] = ()
    """[]OngoingPartitionReassignment; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_OngoingTopicReassignmentDraft = draft_of(OngoingTopicReassignment)


@quick_new
@dataclass(frozen=True, slots=True)
class CurrentPartitionReassignmentBatch:
    """Struct; versions 1."""

    partition_index: int = 0
    """int32; versions 1+"""

    current_brokers: tuple[int, ...] = ()
    """[]int32; versions 1+; broker id"""

    target_brokers: tuple[int, ...] = ()
    """[]int32; versions 1+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CurrentPartitionReassignmentBatchDraft = draft_of(CurrentPartitionReassignmentBatch)


@quick_new
@dataclass(frozen=True, slots=True)
class CurrentTopicReassignmentBatch:
    """Struct; versions 1."""

    name: str = ""
    """string; versions 1+; topic name"""

    partitions: tuple[CurrentPartitionReassignmentBatch, ...] = ()
    """[]CurrentPartitionReassignmentBatch; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CurrentTopicReassignmentBatchDraft = draft_of(CurrentTopicReassignmentBatch)


@quick_new
@dataclass(frozen=True, slots=True)
class ListPartitionReassignmentsResponse(Message):
    """Response; API key 46, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 46
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    topics: tuple[OngoingTopicReassignment, ...] = ()
    """[]OngoingTopicReassignment; versions 0+"""

    current_batch: tuple[CurrentTopicReassignmentBatch, ...] | None = None
    """[]CurrentTopicReassignmentBatch; versions 1+; nullable 1+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListPartitionReassignmentsResponseDraft = draft_of(ListPartitionReassignmentsResponse)


def _encode_v0(message: ListPartitionReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replicas = partition.replicas
            adding_replicas = partition.adding_replicas
            removing_replicas = partition.removing_replicas
            if (
                len(replicas) != count
                or len(adding_replicas) != count2
                or len(removing_replicas) != count3
            ):
                count = len(replicas)
                length = compact_length(replicas)
                count2 = len(adding_replicas)
                length2 = compact_length(adding_replicas)
                count3 = len(removing_replicas)
                length3 = compact_length(removing_replicas)
                pack = row_struct(
                    f">i{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.partition_index,
                length,
                *replicas,
                length2,
                *adding_replicas,
                length3,
                *removing_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    message = _ListPartitionReassignmentsResponseDraft()
    message.current_batch = None
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _OngoingTopicReassignmentDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 8)
        partitions: list[OngoingPartitionReassignment] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 4, 4)
            size2 = compact_array_size(data, offset + 4 + size, 4)
            size3 = compact_array_size(data, offset + 4 + size + size2, 4)
            rows, width = read_rows(
                f">i{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _OngoingPartitionReassignmentDraft()
                    partition.partition_index, raw, raw2, raw3, tagged = row
                    partition.replicas = _compact_int32s[raw]
                    partition.adding_replicas = _compact_int32s[raw2]
                    partition.removing_replicas = _compact_int32s[raw3]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = OngoingPartitionReassignment
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = OngoingPartitionReassignment
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = OngoingTopicReassignment
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ListPartitionReassignmentsResponse
    return message, offset


def _encode_v1(message: ListPartitionReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replicas = partition.replicas
            adding_replicas = partition.adding_replicas
            removing_replicas = partition.removing_replicas
            if (
                len(replicas) != count
                or len(adding_replicas) != count2
                or len(removing_replicas) != count3
            ):
                count = len(replicas)
                length = compact_length(replicas)
                count2 = len(adding_replicas)
                length2 = compact_length(adding_replicas)
                count3 = len(removing_replicas)
                length3 = compact_length(removing_replicas)
                pack = row_struct(
                    f">i{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.partition_index,
                length,
                *replicas,
                length2,
                *adding_replicas,
                length3,
                *removing_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(compact_nullable_length(message.current_batch))
    if message.current_batch is not None:
        for current_batch in message.current_batch:
            add(compact_string(current_batch.name))
            add(compact_length(current_batch.partitions))
            count4 = count5 = -2
            for partition2 in current_batch.partitions:
                current_brokers = partition2.current_brokers
                target_brokers = partition2.target_brokers
                if len(current_brokers) != count4 or len(target_brokers) != count5:
                    count4 = len(current_brokers)
                    length4 = compact_length(current_brokers)
                    count5 = len(target_brokers)
                    length5 = compact_length(target_brokers)
                    pack2 = row_struct(f">i{len(length4)}s{count4}i{len(length5)}s{count5}iB").pack
                row2 = pack2(
                    partition2.partition_index,
                    length4,
                    *current_brokers,
                    length5,
                    *target_brokers,
                    0,
                )
                if partition2.unknown_tagged_fields:
                    row2 = row2[:-1] + unknown_tags(partition2.unknown_tagged_fields)
                add(row2)
            add(unknown_tags(current_batch.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    message = _ListPartitionReassignmentsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _OngoingTopicReassignmentDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 8)
        partitions: list[OngoingPartitionReassignment] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 4, 4)
            size2 = compact_array_size(data, offset + 4 + size, 4)
            size3 = compact_array_size(data, offset + 4 + size + size2, 4)
            rows, width = read_rows(
                f">i{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _OngoingPartitionReassignmentDraft()
                    partition.partition_index, raw, raw2, raw3, tagged = row
                    partition.replicas = _compact_int32s[raw]
                    partition.adding_replicas = _compact_int32s[raw2]
                    partition.removing_replicas = _compact_int32s[raw3]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = OngoingPartitionReassignment
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = OngoingPartitionReassignment
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = OngoingTopicReassignment
        topics.append(topic)
    message.topics = tuple(topics)
    n, offset = read_compact_nullable_length(data, offset, 3)
    if n < 0:
        message.current_batch = None
    else:
        current_batch = []
        for _ in range(n):
            current_batch2 = _CurrentTopicReassignmentBatchDraft()
            current_batch2.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 7)
            partitions2: list[CurrentPartitionReassignmentBatch] = []
            while len(partitions2) < n:
                size4 = compact_array_size(data, offset + 4, 4)
                size5 = compact_array_size(data, offset + 4 + size4, 4)
                rows2, width2 = read_rows(
                    f">i{size4}s{size5}sB",
                    data,
                    offset,
                    n - len(partitions2),
                )
                before2 = len(partitions2)
                try:
                    for row2 in rows2:
                        partition2 = _CurrentPartitionReassignmentBatchDraft()
                        partition2.partition_index, raw4, raw5, tagged2 = row2
                        partition2.current_brokers = _compact_int32s[raw4]
                        partition2.target_brokers = _compact_int32s[raw5]
                        partition2.unknown_tagged_fields = ()
                        if tagged2:
                            break
                        partition2.__class__ = CurrentPartitionReassignmentBatch
                        partitions2.append(partition2)
                except Reshaped:
                    tagged2 = 0
                offset += (len(partitions2) - before2) * width2
                if tagged2:
                    partition2.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width2 - 1,
                    )
                    partition2.__class__ = CurrentPartitionReassignmentBatch
                    partitions2.append(partition2)
            current_batch2.partitions = tuple(partitions2)
            if data[offset]:
                current_batch2.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                current_batch2.unknown_tagged_fields = ()
            current_batch2.__class__ = CurrentTopicReassignmentBatch
            current_batch.append(current_batch2)
        message.current_batch = tuple(current_batch)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ListPartitionReassignmentsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    OngoingPartitionReassignment: (
        FieldFact("partition_index", "int32", range(2), range(0), False),
        FieldFact("replicas", "[]int32", range(2), range(0), False),
        FieldFact("adding_replicas", "[]int32", range(2), range(0), False),
        FieldFact("removing_replicas", "[]int32", range(2), range(0), False),
    ),
    OngoingTopicReassignment: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partitions", "[]OngoingPartitionReassignment", range(2), range(0), False),
    ),
    CurrentPartitionReassignmentBatch: (
        FieldFact("partition_index", "int32", range(1, 2), range(0), False),
        FieldFact("current_brokers", "[]int32", range(1, 2), range(0), False),
        FieldFact("target_brokers", "[]int32", range(1, 2), range(0), False),
    ),
    CurrentTopicReassignmentBatch: (
        FieldFact("name", "string", range(1, 2), range(0), False),
        FieldFact(
            "partitions",
            "[]CurrentPartitionReassignmentBatch",
            range(1, 2),
            range(0),
            False,
        ),
    ),
    ListPartitionReassignmentsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2), range(0), False),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
        FieldFact("topics", "[]OngoingTopicReassignment", range(2), range(0), False),
        FieldFact(
            "current_batch",
            "[]CurrentTopicReassignmentBatch",
            range(1, 2),
            range(1, 2),
            True,
        ),
    ),
}

ListPartitionReassignmentsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
