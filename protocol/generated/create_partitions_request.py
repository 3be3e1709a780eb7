"""CreatePartitionsRequest: API key 37, versions 0-3, flexible 2-3.

Generated from schemas/kafka/CreatePartitionsRequest.json
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
    read_compact_length,
    read_compact_nullable_length,
    read_compact_string,
    read_length,
    read_nullable_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)
from klamm.protocol.rows import (
    Reshaped,
    array_size,
    arrays,
    compact_array_size,
    read_rows,
    row_struct,
)

_compact_int32s = arrays("i", compact=True, nullable=False)
_int32s = arrays("i", compact=False, nullable=False)
_pack_int32 = Struct(">i").pack
_pack_int32_bool = Struct(">i?").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool = Struct(">i?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class CreatePartitionsAssignment:
    """Struct; versions 0-3."""

    broker_ids: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatePartitionsAssignmentDraft = draft_of(CreatePartitionsAssignment)


@quick_new
@dataclass(frozen=True, slots=True)
class CreatePartitionsTopic:
    """Struct; versions 0-3."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    count: int = 0
    """int32; versions 0+"""

    assignments: tuple[CreatePartitionsAssignment, ...] | None = ()
    """[]CreatePartitionsAssignment; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatePartitionsTopicDraft = draft_of(CreatePartitionsTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class CreatePartitionsRequest(Message):
    """Request; API key 37, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 37
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    topics: tuple[CreatePartitionsTopic, ...] = ()
    """[]CreatePartitionsTopic; versions 0+"""

    timeout_ms: int = 0
    """int32; versions 0+"""

    validate_only: bool = False
    """bool; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatePartitionsRequestDraft = draft_of(CreatePartitionsRequest)


def _encode_v0_1(message: CreatePartitionsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields or type(message.validate_only) is not bool:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(topic.count))
        add(nullable_length(topic.assignments))
        if topic.assignments is not None:
            count = -2
            for assignment in topic.assignments:
                if assignment.unknown_tagged_fields:
                    raise Unfit
                broker_ids = assignment.broker_ids
                if len(broker_ids) != count:
                    count = len(broker_ids)
                    pack = row_struct(f">i{count}i").pack
                add(pack(count, *broker_ids))
    add(_pack_int32_bool(message.timeout_ms, message.validate_only))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[CreatePartitionsRequest, int]:
    message = _CreatePartitionsRequestDraft()
    n, offset = read_length(data, offset, 10)
    topics = []
    for _ in range(n):
        topic = _CreatePartitionsTopicDraft()
        topic.name, offset = read_string(data, offset)
        (topic.count,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_nullable_length(data, offset, 4)
        if n < 0:
            topic.assignments = None
        else:
            assignments: list[CreatePartitionsAssignment] = []
            while len(assignments) < n:
                size = array_size(data, offset, 4)
                rows, width = read_rows(f">{size}s", data, offset, n - len(assignments))
                before = len(assignments)
                try:
                    for row in rows:
                        assignment = _CreatePartitionsAssignmentDraft()
                        (raw,) = row
                        assignment.broker_ids = _int32s[raw]
                        assignment.unknown_tagged_fields = ()
                        assignment.__class__ = CreatePartitionsAssignment
                        assignments.append(assignment)
                except Reshaped:
                    pass
                offset += (len(assignments) - before) * width
            topic.assignments = tuple(assignments)
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatePartitionsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.timeout_ms, message.validate_only = _unpack_int32_bool(data, offset)
    offset += 5
    message.unknown_tagged_fields = ()
    message.__class__ = CreatePartitionsRequest
    return message, offset


def _encode_v2_3(message: CreatePartitionsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.validate_only) is not bool:
        raise Unfit
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_int32(topic.count))
        add(compact_nullable_length(topic.assignments))
        if topic.assignments is not None:
            count = -2
            for assignment in topic.assignments:
                broker_ids = assignment.broker_ids
                if len(broker_ids) != count:
                    count = len(broker_ids)
                    length = compact_length(broker_ids)
                    pack = row_struct(f">{len(length)}s{count}iB").pack
                row = pack(length, *broker_ids, 0)
                if assignment.unknown_tagged_fields:
                    row = row[:-1] + unknown_tags(assignment.unknown_tagged_fields)
                add(row)
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32_bool(message.timeout_ms, message.validate_only))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[CreatePartitionsRequest, int]:
    message = _CreatePartitionsRequestDraft()
    n, offset = read_compact_length(data, offset, 7)
    topics = []
    for _ in range(n):
        topic = _CreatePartitionsTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        (topic.count,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_compact_nullable_length(data, offset, 2)
        if n < 0:
            topic.assignments = None
        else:
            assignments: list[CreatePartitionsAssignment] = []
            while len(assignments) < n:
                size = compact_array_size(data, offset, 4)
                rows, width = read_rows(f">{size}sB", data, offset, n - len(assignments))
                before = len(assignments)
                try:
                    for row in rows:
                        assignment = _CreatePartitionsAssignmentDraft()
                        raw, tagged = row
                        assignment.broker_ids = _compact_int32s[raw]
                        assignment.unknown_tagged_fields = ()
                        if tagged:
                            break
                        assignment.__class__ = CreatePartitionsAssignment
                        assignments.append(assignment)
                except Reshaped:
                    tagged = 0
                offset += (len(assignments) - before) * width
                if tagged:
                    assignment.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    assignment.__class__ = CreatePartitionsAssignment
                    assignments.append(assignment)
            topic.assignments = tuple(assignments)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = CreatePartitionsTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.timeout_ms, message.validate_only = _unpack_int32_bool(data, offset)
    offset += 5
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreatePartitionsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    CreatePartitionsAssignment: (FieldFact("broker_ids", "[]int32", range(4), range(0), False),),
    CreatePartitionsTopic: (
        FieldFact("name", "string", range(4), range(0), False),
        FieldFact("count", "int32", range(4), range(0), False),
        FieldFact("assignments", "[]CreatePartitionsAssignment", range(4), range(4), False),
    ),
    CreatePartitionsRequest: (
        FieldFact("topics", "[]CreatePartitionsTopic", range(4), range(0), False),
        FieldFact("timeout_ms", "int32", range(4), range(0), False),
        FieldFact("validate_only", "bool", range(4), range(0), False),
    ),
}

CreatePartitionsRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
