"""ListPartitionReassignmentsRequest: API key 46, versions 0-1, flexible 0-1.

Generated from schemas/klamm/ListPartitionReassignmentsRequest.json
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
    compact_string,
    numbers,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_string,
    read_numbers,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ListPartitionReassignmentsTopics:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partition_indexes: tuple[int, ...] = ()
    """[]int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListPartitionReassignmentsTopicsDraft = draft_of(ListPartitionReassignmentsTopics)


@quick_new
@dataclass(frozen=True, slots=True)
class ListPartitionReassignmentsRequest(Message):
    """Request; API key 46, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 46
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    timeout_ms: int = 60000
    """int32; versions 0+"""

    topics: tuple[ListPartitionReassignmentsTopics, ...] | None = None
    """[]ListPartitionReassignmentsTopics; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ListPartitionReassignmentsRequestDraft = draft_of(ListPartitionReassignmentsRequest)


def _encode_v0_1(message: ListPartitionReassignmentsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.timeout_ms))
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partition_indexes))
            add(numbers(topic.partition_indexes, "i"))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[ListPartitionReassignmentsRequest, int]:
    message = _ListPartitionReassignmentsRequestDraft()
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_nullable_length(data, offset, 3)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _ListPartitionReassignmentsTopicsDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            topic.partition_indexes, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = ListPartitionReassignmentsTopics
            topics.append(topic)
        message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ListPartitionReassignmentsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ListPartitionReassignmentsTopics: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partition_indexes", "[]int32", range(2), range(0), False),
    ),
    ListPartitionReassignmentsRequest: (
        FieldFact("timeout_ms", "int32", range(2), range(0), False),
        FieldFact("topics", "[]ListPartitionReassignmentsTopics", range(2), range(2), False),
    ),
}

ListPartitionReassignmentsRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1),
    decoders=(_decode_v0_1, _decode_v0_1),
    fields=_FIELDS,
)
