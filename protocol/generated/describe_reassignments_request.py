"""DescribeReassignmentsRequest: API key 17904, versions 0-1, flexible 0-1.

Generated from schemas/klamm/DescribeReassignmentsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_length,
    compact_string,
    numbers,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_string,
    read_numbers,
    read_unknown_tags,
    unknown_tags,
)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeReassignmentsTopic:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partition_indexes: tuple[int, ...] = ()
    """[]int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeReassignmentsTopicDraft = draft_of(DescribeReassignmentsTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeReassignmentsRequest(Message):
    """Request; API key 17904, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 17904
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    topics: tuple[DescribeReassignmentsTopic, ...] | None = None
    """[]DescribeReassignmentsTopic; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeReassignmentsRequestDraft = draft_of(DescribeReassignmentsRequest)


def _encode_v0_1(message: DescribeReassignmentsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partition_indexes))
            add(numbers(topic.partition_indexes, "i"))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[DescribeReassignmentsRequest, int]:
    message = _DescribeReassignmentsRequestDraft()
    n, offset = read_compact_nullable_length(data, offset, 3)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _DescribeReassignmentsTopicDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            topic.partition_indexes, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = DescribeReassignmentsTopic
            topics.append(topic)
        message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeReassignmentsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeReassignmentsTopic: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partition_indexes", "[]int32", range(2), range(0), False),
    ),
    DescribeReassignmentsRequest: (
        FieldFact("topics", "[]DescribeReassignmentsTopic", range(2), range(2), False),
    ),
}

DescribeReassignmentsRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1),
    decoders=(_decode_v0_1, _decode_v0_1),
    fields=_FIELDS,
)
