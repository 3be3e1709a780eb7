"""ResponseHeader: versions 0-1, flexible 1.

Generated from schemas/kafka/ResponseHeader.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import Unfit, read_unknown_tags, unknown_tags

_pack_int32 = Struct(">i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ResponseHeader(Message):
    """Header; versions 0-1, flexible 1."""

    api_key: ClassVar[int] = -1
    kind: ClassVar[Literal["request", "response", "header"]] = "header"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 1
    codec: ClassVar[Codec]

    correlation_id: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ResponseHeaderDraft = draft_of(ResponseHeader)


def _encode_v0(message: ResponseHeader) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(message.correlation_id))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ResponseHeader, int]:
    message = _ResponseHeaderDraft()
    (message.correlation_id,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ResponseHeader
    return message, offset


def _encode_v1(message: ResponseHeader) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.correlation_id))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ResponseHeader, int]:
    message = _ResponseHeaderDraft()
    (message.correlation_id,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ResponseHeader
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ResponseHeader: (FieldFact("correlation_id", "int32", range(2), range(0), False),),
}

ResponseHeader.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
