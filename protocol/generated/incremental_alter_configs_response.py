"""IncrementalAlterConfigsResponse: API key 44, versions 0-1, flexible 1.

Generated from schemas/kafka/IncrementalAlterConfigsResponse.json
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
    compact_nullable_string,
    compact_string,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int8 = Struct(">b").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AlterConfigsResourceResponse:
    """Struct; versions 0-1."""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterConfigsResourceResponseDraft = draft_of(AlterConfigsResourceResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class IncrementalAlterConfigsResponse(Message):
    """Response; API key 44, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 44
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 1
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    responses: tuple[AlterConfigsResourceResponse, ...] = ()
    """[]AlterConfigsResourceResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_IncrementalAlterConfigsResponseDraft = draft_of(IncrementalAlterConfigsResponse)


def _encode_v0(message: IncrementalAlterConfigsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16(response.error_code))
        add(nullable_string(response.error_message))
        add(_pack_int8(response.resource_type))
        add(string(response.resource_name))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[IncrementalAlterConfigsResponse, int]:
    message = _IncrementalAlterConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 7)
    responses = []
    for _ in range(n):
        response = _AlterConfigsResourceResponseDraft()
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        response.error_message, offset = read_nullable_string(data, offset)
        (response.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        response.resource_name, offset = read_string(data, offset)
        response.unknown_tagged_fields = ()
        response.__class__ = AlterConfigsResourceResponse
        responses.append(response)
    message.responses = tuple(responses)
    message.unknown_tagged_fields = ()
    message.__class__ = IncrementalAlterConfigsResponse
    return message, offset


def _encode_v1(message: IncrementalAlterConfigsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.responses))
    for response in message.responses:
        add(_pack_int16(response.error_code))
        add(compact_nullable_string(response.error_message))
        add(_pack_int8(response.resource_type))
        add(compact_string(response.resource_name))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[IncrementalAlterConfigsResponse, int]:
    message = _IncrementalAlterConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _AlterConfigsResourceResponseDraft()
        (response.error_code,) = _unpack_int16(data, offset)
        offset += 2
        response.error_message, offset = read_compact_nullable_string(data, offset)
        (response.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        response.resource_name, offset = read_compact_string(data, offset)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = AlterConfigsResourceResponse
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = IncrementalAlterConfigsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlterConfigsResourceResponse: (
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
        FieldFact("resource_type", "int8", range(2), range(0), False),
        FieldFact("resource_name", "string", range(2), range(0), False),
    ),
    IncrementalAlterConfigsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2), range(0), False),
        FieldFact("responses", "[]AlterConfigsResourceResponse", range(2), range(0), False),
    ),
}

IncrementalAlterConfigsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
