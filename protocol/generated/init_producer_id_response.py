"""InitProducerIdResponse: API key 22, versions 0-5, flexible 2-5.

Generated from schemas/kafka/InitProducerIdResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import Unfit, read_unknown_tags, unknown_tags

_pack_int32_int16_int64_int16 = Struct(">ihqh").pack
_unpack_int32_int16_int64_int16 = Struct(">ihqh").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class InitProducerIdResponse(Message):
    """Response; API key 22, versions 0-5, flexible 2-5."""

    api_key: ClassVar[int] = 22
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(6)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+; ignorable"""

    error_code: int = 0
    """int16; versions 0+"""

    producer_id: int = -1
    """int64; versions 0+; producerId"""

    producer_epoch: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_InitProducerIdResponseDraft = draft_of(InitProducerIdResponse)


def _encode_v0_1(message: InitProducerIdResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(
        _pack_int32_int16_int64_int16(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
        )
    )
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[InitProducerIdResponse, int]:
    message = _InitProducerIdResponseDraft()
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
    ) = _unpack_int32_int16_int64_int16(data, offset)
    offset += 16
    message.unknown_tagged_fields = ()
    message.__class__ = InitProducerIdResponse
    return message, offset


def _encode_v2_5(message: InitProducerIdResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(
        _pack_int32_int16_int64_int16(
            message.throttle_time_ms,
            message.error_code,
            message.producer_id,
            message.producer_epoch,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_5(data: bytes, offset: int) -> tuple[InitProducerIdResponse, int]:
    message = _InitProducerIdResponseDraft()
    (
        message.throttle_time_ms,
        message.error_code,
        message.producer_id,
        message.producer_epoch,
    ) = _unpack_int32_int16_int64_int16(data, offset)
    offset += 16
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = InitProducerIdResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    InitProducerIdResponse: (
        FieldFact("throttle_time_ms", "int32", range(6), range(0), True),
        FieldFact("error_code", "int16", range(6), range(0), False),
        FieldFact("producer_id", "int64", range(6), range(0), False),
        FieldFact("producer_epoch", "int16", range(6), range(0), False),
    ),
}

InitProducerIdResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2_5, _encode_v2_5, _encode_v2_5, _encode_v2_5),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2_5, _decode_v2_5, _decode_v2_5, _decode_v2_5),
    fields=_FIELDS,
)
