"""SaslHandshakeRequest: API key 17, versions 0-1, never flexible, deprecated 0.

Generated from schemas/kafka/SaslHandshakeRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import read_string, string


@quick_new
@dataclass(frozen=True, slots=True)
class SaslHandshakeRequest(Message):
    """Request; API key 17, versions 0-1, never flexible, deprecated 0."""

    api_key: ClassVar[int] = 17
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = None
    codec: ClassVar[Codec]

    mechanism: str = ""
    """string; versions 0+"""


_SaslHandshakeRequestDraft = draft_of(SaslHandshakeRequest)


def _encode_v0_1(message: SaslHandshakeRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(string(message.mechanism))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[SaslHandshakeRequest, int]:
    message = _SaslHandshakeRequestDraft()
    message.mechanism, offset = read_string(data, offset)
    message.__class__ = SaslHandshakeRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    SaslHandshakeRequest: (FieldFact("mechanism", "string", range(2), range(0), False),),
}

SaslHandshakeRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1),
    decoders=(_decode_v0_1, _decode_v0_1),
    fields=_FIELDS,
)
