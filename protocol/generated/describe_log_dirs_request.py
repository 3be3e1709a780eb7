"""DescribeLogDirsRequest: API key 35, versions 0-4, flexible 2-4, deprecated 0.

Generated from schemas/kafka/DescribeLogDirsRequest.json
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


@quick_new
@dataclass(frozen=True, slots=True)
class DescribableLogDirTopic:
    """Struct; versions 0-4."""

    topic: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partitions: tuple[int, ...] = ()
    """[]int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribableLogDirTopicDraft = draft_of(DescribableLogDirTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeLogDirsRequest(Message):
    """Request; API key 35, versions 0-4, flexible 2-4, deprecated 0."""

    api_key: ClassVar[int] = 35
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    topics: tuple[DescribableLogDirTopic, ...] | None = ()
    """[]DescribableLogDirTopic; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeLogDirsRequestDraft = draft_of(DescribeLogDirsRequest)


def _encode_v0_1(message: DescribeLogDirsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            if topic.unknown_tagged_fields:
                raise Unfit
            add(string(topic.topic))
            add(_pack_int32(len(topic.partitions)))
            add(numbers(topic.partitions, "i"))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[DescribeLogDirsRequest, int]:
    message = _DescribeLogDirsRequestDraft()
    n, offset = read_nullable_length(data, offset, 6)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _DescribableLogDirTopicDraft()
            topic.topic, offset = read_string(data, offset)
            n, offset = read_length(data, offset, 4)
            topic.partitions, offset = read_numbers(data, offset, n, "i")
            topic.unknown_tagged_fields = ()
            topic.__class__ = DescribableLogDirTopic
            topics.append(topic)
        message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsRequest
    return message, offset


def _encode_v2_4(message: DescribeLogDirsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            add(compact_string(topic.topic))
            add(compact_length(topic.partitions))
            add(numbers(topic.partitions, "i"))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_4(data: bytes, offset: int) -> tuple[DescribeLogDirsRequest, int]:
    message = _DescribeLogDirsRequestDraft()
    n, offset = read_compact_nullable_length(data, offset, 3)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _DescribableLogDirTopicDraft()
            topic.topic, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            topic.partitions, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = DescribableLogDirTopic
            topics.append(topic)
        message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeLogDirsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribableLogDirTopic: (
        FieldFact("topic", "string", range(5), range(0), False),
        FieldFact("partitions", "[]int32", range(5), range(0), False),
    ),
    DescribeLogDirsRequest: (
        FieldFact("topics", "[]DescribableLogDirTopic", range(5), range(5), False),
    ),
}

DescribeLogDirsRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2_4, _encode_v2_4, _encode_v2_4),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2_4, _decode_v2_4, _decode_v2_4),
    fields=_FIELDS,
)
