"""RequestHeader: versions 0-2, flexible 2.

Generated from schemas/kafka/RequestHeader.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    nullable_string,
    read_nullable_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int16x2_int32 = Struct(">2hi").pack
_unpack_int16x2_int32 = Struct(">2hi").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class RequestHeader(Message):
    """Header; versions 0-2, flexible 2."""

    api_key: ClassVar[int] = -1
    kind: ClassVar[Literal["request", "response", "header"]] = "header"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    request_api_key: int = 0
    """int16; versions 0+"""

    request_api_version: int = 0
    """int16; versions 0+"""

    correlation_id: int = 0
    """int32; versions 0+"""

    client_id: str | None = ""
    """string; versions 1+; nullable 1+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_RequestHeaderDraft = draft_of(RequestHeader)


def _encode_v0(message: RequestHeader) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(
        _pack_int16x2_int32(
            message.request_api_key,
            message.request_api_version,
            message.correlation_id,
        )
    )
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[RequestHeader, int]:
    message = _RequestHeaderDraft()
    message.client_id = ""
    (
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
    ) = _unpack_int16x2_int32(data, offset)
    offset += 8
    message.unknown_tagged_fields = ()
    message.__class__ = RequestHeader
    return message, offset


def _encode_v1(message: RequestHeader) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(
        _pack_int16x2_int32(
            message.request_api_key,
            message.request_api_version,
            message.correlation_id,
        )
    )
    add(nullable_string(message.client_id))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[RequestHeader, int]:
    message = _RequestHeaderDraft()
    (
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
    ) = _unpack_int16x2_int32(data, offset)
    offset += 8
    message.client_id, offset = read_nullable_string(data, offset)
    message.unknown_tagged_fields = ()
    message.__class__ = RequestHeader
    return message, offset


def _encode_v2(message: RequestHeader) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(
        _pack_int16x2_int32(
            message.request_api_key,
            message.request_api_version,
            message.correlation_id,
        )
    )
    add(nullable_string(message.client_id))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[RequestHeader, int]:
    message = _RequestHeaderDraft()
    (
        message.request_api_key,
        message.request_api_version,
        message.correlation_id,
    ) = _unpack_int16x2_int32(data, offset)
    offset += 8
    message.client_id, offset = read_nullable_string(data, offset)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = RequestHeader
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    RequestHeader: (
        FieldFact("request_api_key", "int16", range(3), range(0), False),
        FieldFact("request_api_version", "int16", range(3), range(0), False),
        FieldFact("correlation_id", "int32", range(3), range(0), False),
        FieldFact("client_id", "string", range(1, 3), range(1, 3), True),
    ),
}

RequestHeader.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
