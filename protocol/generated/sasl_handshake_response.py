"""SaslHandshakeResponse: API key 17, versions 0-1, never flexible.

Generated from schemas/kafka/SaslHandshakeResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import read_length, read_string, string, strings

_pack_int16_int32 = Struct(">hi").pack
_unpack_int16 = Struct(">h").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class SaslHandshakeResponse(Message):
    """Response; API key 17, versions 0-1, never flexible."""

    api_key: ClassVar[int] = 17
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = None
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    mechanisms: tuple[str, ...] = ()
    """[]string; versions 0+"""


_SaslHandshakeResponseDraft = draft_of(SaslHandshakeResponse)


def _encode_v0_1(message: SaslHandshakeResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int16_int32(message.error_code, len(message.mechanisms)))
    add(strings(message.mechanisms, string))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[SaslHandshakeResponse, int]:
    message = _SaslHandshakeResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 2)
    mechanisms = []
    for _ in range(n):
        mechanism, offset = read_string(data, offset)
        mechanisms.append(mechanism)
    message.mechanisms = tuple(mechanisms)
    message.__class__ = SaslHandshakeResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    SaslHandshakeResponse: (
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("mechanisms", "[]string", range(2), range(0), False),
    ),
}

SaslHandshakeResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1),
    decoders=(_decode_v0_1, _decode_v0_1),
    fields=_FIELDS,
)
