"""SaslAuthenticateRequest: API key 36, versions 0-2, flexible 2.

Generated from schemas/kafka/SaslAuthenticateRequest.json
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
    read_compact_length,
    read_length,
    read_slice,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack


@quick_new
@dataclass(frozen=True, slots=True)
class SaslAuthenticateRequest(Message):
    """Request; API key 36, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 36
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    auth_bytes: bytes = b""
    """bytes; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_SaslAuthenticateRequestDraft = draft_of(SaslAuthenticateRequest)


def _encode_v0_1(message: SaslAuthenticateRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.auth_bytes)))
    add(message.auth_bytes)
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[SaslAuthenticateRequest, int]:
    message = _SaslAuthenticateRequestDraft()
    n, offset = read_length(data, offset)
    message.auth_bytes, offset = read_slice(data, offset, n)
    message.unknown_tagged_fields = ()
    message.__class__ = SaslAuthenticateRequest
    return message, offset


def _encode_v2(message: SaslAuthenticateRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.auth_bytes))
    add(message.auth_bytes)
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[SaslAuthenticateRequest, int]:
    message = _SaslAuthenticateRequestDraft()
    n, offset = read_compact_length(data, offset)
    message.auth_bytes, offset = read_slice(data, offset, n)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = SaslAuthenticateRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    SaslAuthenticateRequest: (FieldFact("auth_bytes", "bytes", range(3), range(0), False),),
}

SaslAuthenticateRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2),
    fields=_FIELDS,
)
