"""UpdateMetadataResponse: API key 6, versions 0-8, flexible 6-8.

Generated from schemas/kafka/UpdateMetadataResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import Unfit, read_unknown_tags, unknown_tags

_pack_int16 = Struct(">h").pack
_unpack_int16 = Struct(">h").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataResponse(Message):
    """Response; API key 6, versions 0-8, flexible 6-8."""

    api_key: ClassVar[int] = 6
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(9)
    flexible_from: ClassVar[int | None] = 6
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataResponseDraft = draft_of(UpdateMetadataResponse)


def _encode_v0_5(message: UpdateMetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16(message.error_code))
    return b"".join(chunks)


def _decode_v0_5(data: bytes, offset: int) -> tuple[UpdateMetadataResponse, int]:
    message = _UpdateMetadataResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataResponse
    return message, offset


def _encode_v6_8(message: UpdateMetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int16(message.error_code))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6_8(data: bytes, offset: int) -> tuple[UpdateMetadataResponse, int]:
    message = _UpdateMetadataResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    UpdateMetadataResponse: (FieldFact("error_code", "int16", range(9), range(0), False),),
}

UpdateMetadataResponse.codec = Codec(
    encoders=(
        _encode_v0_5,
        _encode_v0_5,
        _encode_v0_5,
        _encode_v0_5,
        _encode_v0_5,
        _encode_v0_5,
        _encode_v6_8,
        _encode_v6_8,
        _encode_v6_8,
    ),
    decoders=(
        _decode_v0_5,
        _decode_v0_5,
        _decode_v0_5,
        _decode_v0_5,
        _decode_v0_5,
        _decode_v0_5,
        _decode_v6_8,
        _decode_v6_8,
        _decode_v6_8,
    ),
    fields=_FIELDS,
)
