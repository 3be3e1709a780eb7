"""AssignPartitionsRequest: API key 17900, versions 0, flexible 0.

Generated from schemas/klamm/AssignPartitionsRequest.json
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
    numbers,
    read_compact_length,
    read_compact_string,
    read_numbers,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionAssignment:
    """Struct; versions 0."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition: int = 0
    """int32; versions 0+"""

    brokers: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionAssignmentDraft = draft_of(PartitionAssignment)


@quick_new
@dataclass(frozen=True, slots=True)
class AssignPartitionsRequest(Message):
    """Request; API key 17900, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17900
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    timeout_ms: int = 60000
    """int32; versions 0+"""

    assignments: tuple[PartitionAssignment, ...] = ()
    """[]PartitionAssignment; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AssignPartitionsRequestDraft = draft_of(AssignPartitionsRequest)


def _encode_v0(message: AssignPartitionsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.timeout_ms))
    add(compact_length(message.assignments))
    for assignment in message.assignments:
        add(compact_string(assignment.topic))
        add(_pack_int32(assignment.partition))
        add(compact_length(assignment.brokers))
        add(numbers(assignment.brokers, "i"))
        add(unknown_tags(assignment.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AssignPartitionsRequest, int]:
    message = _AssignPartitionsRequestDraft()
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 7)
    assignments = []
    for _ in range(n):
        assignment = _PartitionAssignmentDraft()
        assignment.topic, offset = read_compact_string(data, offset)
        (assignment.partition,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_compact_length(data, offset, 4)
        assignment.brokers, offset = read_numbers(data, offset, n, "i")
        if data[offset]:
            assignment.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            assignment.unknown_tagged_fields = ()
        assignment.__class__ = PartitionAssignment
        assignments.append(assignment)
    message.assignments = tuple(assignments)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AssignPartitionsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionAssignment: (
        FieldFact("topic", "string", range(1), range(0), False),
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("brokers", "[]int32", range(1), range(0), False),
    ),
    AssignPartitionsRequest: (
        FieldFact("timeout_ms", "int32", range(1), range(0), False),
        FieldFact("assignments", "[]PartitionAssignment", range(1), range(0), False),
    ),
}

AssignPartitionsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
