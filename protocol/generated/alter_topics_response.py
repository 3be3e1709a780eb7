"""AlterTopicsResponse: API key 17902, versions 0, flexible 0.

Generated from schemas/klamm/AlterTopicsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32_int16 = Struct(">ih").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AlteredTopicResult:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+; topic name"""

    error_code: int = 0
    """int16; versions 0+"""

    detail: str | None = None
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlteredTopicResultDraft = draft_of(AlteredTopicResult)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterTopicsResponse(Message):
    """Response; API key 17902, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17902
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    topics: tuple[AlteredTopicResult, ...] = ()
    """[]AlteredTopicResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterTopicsResponseDraft = draft_of(AlterTopicsResponse)


def _encode_v0(message: AlterTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_int16(topic.error_code))
        add(compact_nullable_string(topic.detail))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterTopicsResponse, int]:
    message = _AlterTopicsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 5)
    topics = []
    for _ in range(n):
        topic = _AlteredTopicResultDraft()
        topic.name, offset = read_compact_string(data, offset)
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.detail, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = AlteredTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterTopicsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlteredTopicResult: (
        FieldFact("name", "string", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("detail", "string", range(1), range(1), False),
    ),
    AlterTopicsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("topics", "[]AlteredTopicResult", range(1), range(0), False),
    ),
}

AlterTopicsResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
