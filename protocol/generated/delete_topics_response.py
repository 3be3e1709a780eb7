"""DeleteTopicsResponse: API key 20, versions 0-6, flexible 4-6.

Generated from schemas/kafka/DeleteTopicsResponse.json
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
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_pack_uuid_int16 = Struct(">16sh").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_uuid_int16 = Struct(">16sh").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DeletableTopicResult:
    """Struct; versions 0-6."""

    name: str | None = ""
    """string; versions 0+; nullable 6+; unique in its array; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 6+; ignorable"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 5+; nullable 5+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeletableTopicResultDraft = draft_of(DeletableTopicResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteTopicsResponse(Message):
    """Response; API key 20, versions 0-6, flexible 4-6."""

    api_key: ClassVar[int] = 20
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(7)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 1+; ignorable"""

    responses: tuple[DeletableTopicResult, ...] = ()
    """[]DeletableTopicResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteTopicsResponseDraft = draft_of(DeleteTopicsResponse)


def _encode_v0(message: DeleteTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields or response.name is None:
            raise Unfit
        add(string(response.name))
        add(_pack_int16(response.error_code))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DeleteTopicsResponse, int]:
    message = _DeleteTopicsResponseDraft()
    message.throttle_time_ms = 0
    n, offset = read_length(data, offset, 4)
    responses = []
    for _ in range(n):
        response = _DeletableTopicResultDraft()
        response.topic_id = ZERO_UUID
        response.error_message = None
        response.name, offset = read_string(data, offset)
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        response.unknown_tagged_fields = ()
        response.__class__ = DeletableTopicResult
        responses.append(response)
    message.responses = tuple(responses)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsResponse
    return message, offset


def _encode_v1_3(message: DeleteTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields or response.name is None:
            raise Unfit
        add(string(response.name))
        add(_pack_int16(response.error_code))
    return b"".join(chunks)


def _decode_v1_3(data: bytes, offset: int) -> tuple[DeleteTopicsResponse, int]:
    message = _DeleteTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 4)
    responses = []
    for _ in range(n):
        response = _DeletableTopicResultDraft()
        response.topic_id = ZERO_UUID
        response.error_message = None
        response.name, offset = read_string(data, offset)
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        response.unknown_tagged_fields = ()
        response.__class__ = DeletableTopicResult
        responses.append(response)
    message.responses = tuple(responses)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsResponse
    return message, offset


def _encode_v4(message: DeleteTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.responses))
    for response in message.responses:
        if response.name is None:
            raise Unfit
        add(compact_string(response.name))
        add(_pack_int16(response.error_code))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[DeleteTopicsResponse, int]:
    message = _DeleteTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 4)
    responses = []
    for _ in range(n):
        response = _DeletableTopicResultDraft()
        response.topic_id = ZERO_UUID
        response.error_message = None
        response.name, offset = read_compact_string(data, offset)
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = DeletableTopicResult
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsResponse
    return message, offset


def _encode_v5(message: DeleteTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.responses))
    for response in message.responses:
        if response.name is None:
            raise Unfit
        add(compact_string(response.name))
        add(_pack_int16(response.error_code))
        add(compact_nullable_string(response.error_message))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v5(data: bytes, offset: int) -> tuple[DeleteTopicsResponse, int]:
    message = _DeleteTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    responses = []
    for _ in range(n):
        response = _DeletableTopicResultDraft()
        response.topic_id = ZERO_UUID
        response.name, offset = read_compact_string(data, offset)
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        response.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = DeletableTopicResult
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsResponse
    return message, offset


def _encode_v6(message: DeleteTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.responses))
    for response in message.responses:
        add(compact_nullable_string(response.name))
        add(_pack_uuid_int16(response.topic_id.bytes, response.error_code))
        add(compact_nullable_string(response.error_message))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6(data: bytes, offset: int) -> tuple[DeleteTopicsResponse, int]:
    message = _DeleteTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 21)
    responses = []
    for _ in range(n):
        response = _DeletableTopicResultDraft()
        response.name, offset = read_compact_nullable_string(data, offset)
        raw, response.error_code = _unpack_uuid_int16(data, offset)
        offset += 18
        response.topic_id = UUID(bytes=raw)
        response.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = DeletableTopicResult
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteTopicsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DeletableTopicResult: (
        FieldFact("name", "string", range(7), range(6, 7), False),
        FieldFact("topic_id", "uuid", range(6, 7), range(0), True),
        FieldFact("error_code", "int16", range(7), range(0), False),
        FieldFact("error_message", "string", range(5, 7), range(5, 7), True),
    ),
    DeleteTopicsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1, 7), range(0), True),
        FieldFact("responses", "[]DeletableTopicResult", range(7), range(0), False),
    ),
}

DeleteTopicsResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1_3,
        _encode_v1_3,
        _encode_v1_3,
        _encode_v4,
        _encode_v5,
        _encode_v6,
    ),
    decoders=(
        _decode_v0,
        _decode_v1_3,
        _decode_v1_3,
        _decode_v1_3,
        _decode_v4,
        _decode_v5,
        _decode_v6,
    ),
    fields=_FIELDS,
)
