"""DeleteTopicsRequest: API key 20, versions 0-6, flexible 4-6, deprecated 0.

Generated from schemas/kafka/DeleteTopicsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal
from uuid import UUID

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    ZERO_UUID,
    Unfit,
    compact_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_string,
    read_unknown_tags,
    string,
    strings,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_uuid = Struct(">16s").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteTopicState:
    """Struct; versions 6."""

    name: str | None = None
    """string; versions 6+; nullable 6+; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 6+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteTopicStateDraft = draft_of(DeleteTopicState)


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteTopicsRequest(Message):
    """Request; API key 20, versions 0-6, flexible 4-6, deprecated 0."""

    api_key: ClassVar[int] = 20
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(7)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    topics: tuple[DeleteTopicState, ...] = ()
    """[]DeleteTopicState; versions 6+"""

    topic_names: tuple[str, ...] = ()
    """[]string; versions 0-5; ignorable; topic name"""

    timeout_ms: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteTopicsRequestDraft = draft_of(DeleteTopicsRequest)


def _encode_v0_3(message: DeleteTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.topics != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topic_names)))
    add(strings(message.topic_names, string))
    add(_pack_int32(message.timeout_ms))
    return b"".join(chunks)


def _decode_v0_3(data: bytes, offset: int) -> tuple[DeleteTopicsRequest, int]:
    message = _DeleteTopicsRequestDraft()
    message.topics = ()
    n, offset = read_length(data, offset, 2)
    topic_names = []
    for _ in range(n):
        topic_name, offset = read_string(data, offset)
        topic_names.append(topic_name)
    message.topic_names = tuple(topic_names)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsRequest
    return message, offset


def _encode_v4_5(message: DeleteTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.topics != ():
        raise Unfit
    add(compact_length(message.topic_names))
    add(strings(message.topic_names, compact_string))
    add(_pack_int32(message.timeout_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4_5(data: bytes, offset: int) -> tuple[DeleteTopicsRequest, int]:
    message = _DeleteTopicsRequestDraft()
    message.topics = ()
    n, offset = read_compact_length(data, offset)
    topic_names = []
    for _ in range(n):
        topic_name, offset = read_compact_string(data, offset)
        topic_names.append(topic_name)
    message.topic_names = tuple(topic_names)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsRequest
    return message, offset


def _encode_v6(message: DeleteTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_nullable_string(topic.name))
        add(_pack_uuid(topic.topic_id.bytes))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32(message.timeout_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6(data: bytes, offset: int) -> tuple[DeleteTopicsRequest, int]:
    message = _DeleteTopicsRequestDraft()
    message.topic_names = ()
    n, offset = read_compact_length(data, offset, 18)
    topics = []
    for _ in range(n):
        topic = _DeleteTopicStateDraft()
        topic.name, offset = read_compact_nullable_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic.topic_id = UUID(bytes=raw)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = DeleteTopicState
        topics.append(topic)
    message.topics = tuple(topics)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DeleteTopicState: (
        FieldFact("name", "string", range(6, 7), range(6, 7), False),
        FieldFact("topic_id", "uuid", range(6, 7), range(0), False),
    ),
    DeleteTopicsRequest: (
        FieldFact("topics", "[]DeleteTopicState", range(6, 7), range(0), False),
        FieldFact("topic_names", "[]string", range(6), range(0), True),
        FieldFact("timeout_ms", "int32", range(7), range(0), False),
    ),
}

DeleteTopicsRequest.codec = Codec(
    encoders=(
        _encode_v0_3,
        _encode_v0_3,
        _encode_v0_3,
        _encode_v0_3,
        _encode_v4_5,
        _encode_v4_5,
        _encode_v6,
    ),
    decoders=(
        _decode_v0_3,
        _decode_v0_3,
        _decode_v0_3,
        _decode_v0_3,
        _decode_v4_5,
        _decode_v4_5,
        _decode_v6,
    ),
    fields=_FIELDS,
)
