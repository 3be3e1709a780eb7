"""DescribeTopicPartitionsRequest: API key 75, versions 0, flexible 0.

Generated from schemas/kafka/DescribeTopicPartitionsRequest.json
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
    read_presence,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class TopicRequest:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+; topic name"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_TopicRequestDraft = draft_of(TopicRequest)


@quick_new
@dataclass(frozen=True, slots=True)
class Cursor:
    """Struct; versions 0."""

    topic_name: str = ""
    """string; versions 0+; topic name"""

    partition_index: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CursorDraft = draft_of(Cursor)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeTopicPartitionsRequest(Message):
    """Request; API key 75, versions 0, flexible 0."""

    api_key: ClassVar[int] = 75
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    topics: tuple[TopicRequest, ...] = ()
    """[]TopicRequest; versions 0+"""

    response_partition_limit: int = 2000
    """int32; versions 0+"""

    cursor: Cursor | None = None
    """Cursor; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeTopicPartitionsRequestDraft = draft_of(DescribeTopicPartitionsRequest)


def _encode_v0(message: DescribeTopicPartitionsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32(message.response_partition_limit))
    if message.cursor is None:
        add(b"\xff")
    else:
        add(b"\x01")
        add(compact_string(message.cursor.topic_name))
        add(_pack_int32(message.cursor.partition_index))
        add(unknown_tags(message.cursor.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeTopicPartitionsRequest, int]:
    message = _DescribeTopicPartitionsRequestDraft()
    n, offset = read_compact_length(data, offset, 2)
    topics = []
    for _ in range(n):
        topic = _TopicRequestDraft()
        topic.name, offset = read_compact_string(data, offset)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = TopicRequest
        topics.append(topic)
    message.topics = tuple(topics)
    (message.response_partition_limit,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_presence(data, offset)
    if n:
        cursor = _CursorDraft()
        cursor.topic_name, offset = read_compact_string(data, offset)
        (cursor.partition_index,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            cursor.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            cursor.unknown_tagged_fields = ()
        cursor.__class__ = Cursor
        message.cursor = cursor
    else:
        message.cursor = None
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeTopicPartitionsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    TopicRequest: (FieldFact("name", "string", range(1), range(0), False),),
    Cursor: (
        FieldFact("topic_name", "string", range(1), range(0), False),
        FieldFact("partition_index", "int32", range(1), range(0), False),
    ),
    DescribeTopicPartitionsRequest: (
        FieldFact("topics", "[]TopicRequest", range(1), range(0), False),
        FieldFact("response_partition_limit", "int32", range(1), range(0), False),
        FieldFact("cursor", "Cursor", range(1), range(1), False),
    ),
}

DescribeTopicPartitionsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
