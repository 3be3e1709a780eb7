"""SaslAuthenticateResponse: API key 36, versions 0-2, flexible 2.

Generated from schemas/kafka/SaslAuthenticateResponse.json
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
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_length,
    read_nullable_string,
    read_slice,
    read_unknown_tags,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int64 = Struct(">q").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int64 = Struct(">q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class SaslAuthenticateResponse(Message):
    """Response; API key 36, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 36
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    auth_bytes: bytes = b""
    """bytes; versions 0+"""

    session_lifetime_ms: int = 0
    """int64; versions 1+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_SaslAuthenticateResponseDraft = draft_of(SaslAuthenticateResponse)


def _encode_v0(message: SaslAuthenticateResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16(message.error_code))
    add(nullable_string(message.error_message))
    add(_pack_int32(len(message.auth_bytes)))
    add(message.auth_bytes)
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[SaslAuthenticateResponse, int]:
    message = _SaslAuthenticateResponseDraft()
    message.session_lifetime_ms = 0
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    message.error_message, offset = read_nullable_string(data, offset)
    n, offset = read_length(data, offset)
    message.auth_bytes, offset = read_slice(data, offset, n)
    message.unknown_tagged_fields = ()
    message.__class__ = SaslAuthenticateResponse
    return message, offset


def _encode_v1(message: SaslAuthenticateResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16(message.error_code))
    add(nullable_string(message.error_message))
    add(_pack_int32(len(message.auth_bytes)))
    add(message.auth_bytes)
    add(_pack_int64(message.session_lifetime_ms))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[SaslAuthenticateResponse, int]:
    message = _SaslAuthenticateResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    message.error_message, offset = read_nullable_string(data, offset)
    n, offset = read_length(data, offset)
    message.auth_bytes, offset = read_slice(data, offset, n)
    (message.session_lifetime_ms,) = _unpack_int64(data, offset)
    offset += 8
    message.unknown_tagged_fields = ()
    message.__class__ = SaslAuthenticateResponse
    return message, offset


def _encode_v2(message: SaslAuthenticateResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int16(message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.auth_bytes))
    add(message.auth_bytes)
    add(_pack_int64(message.session_lifetime_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[SaslAuthenticateResponse, int]:
    message = _SaslAuthenticateResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset)
    message.auth_bytes, offset = read_slice(data, offset, n)
    (message.session_lifetime_ms,) = _unpack_int64(data, offset)
    offset += 8
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = SaslAuthenticateResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    SaslAuthenticateResponse: (
        FieldFact("error_code", "int16", range(3), range(0), False),
        FieldFact("error_message", "string", range(3), range(3), False),
        FieldFact("auth_bytes", "bytes", range(3), range(0), False),
        FieldFact("session_lifetime_ms", "int64", range(1, 3), range(0), True),
    ),
}

SaslAuthenticateResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
