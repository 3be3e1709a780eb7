"""InitProducerIdRequest: API key 22, versions 0-5, flexible 2-5.

Generated from schemas/kafka/InitProducerIdRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_nullable_string,
    nullable_string,
    read_compact_nullable_string,
    read_nullable_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int32_int64_int16 = Struct(">iqh").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int64_int16 = Struct(">iqh").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class InitProducerIdRequest(Message):
    """Request; API key 22, versions 0-5, flexible 2-5."""

    api_key: ClassVar[int] = 22
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(6)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    transactional_id: str | None = ""
    """string; versions 0+; nullable 0+; transactionalId"""

    transaction_timeout_ms: int = 0
    """int32; versions 0+"""

    producer_id: int = -1
    """int64; versions 3+; producerId"""

    producer_epoch: int = -1
    """int16; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_InitProducerIdRequestDraft = draft_of(InitProducerIdRequest)


def _encode_v0_1(message: InitProducerIdRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.producer_id != -1 or message.producer_epoch != -1 or message.unknown_tagged_fields:
        raise Unfit
    add(nullable_string(message.transactional_id))
    add(_pack_int32(message.transaction_timeout_ms))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[InitProducerIdRequest, int]:
    message = _InitProducerIdRequestDraft()
    message.producer_id = -1
    message.producer_epoch = -1
    message.transactional_id, offset = read_nullable_string(data, offset)
    (message.transaction_timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = InitProducerIdRequest
    return message, offset


def _encode_v2(message: InitProducerIdRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.producer_id != -1 or message.producer_epoch != -1:
        raise Unfit
    add(compact_nullable_string(message.transactional_id))
    add(_pack_int32(message.transaction_timeout_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[InitProducerIdRequest, int]:
    message = _InitProducerIdRequestDraft()
    message.producer_id = -1
    message.producer_epoch = -1
    message.transactional_id, offset = read_compact_nullable_string(data, offset)
    (message.transaction_timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = InitProducerIdRequest
    return message, offset


def _encode_v3_5(message: InitProducerIdRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_nullable_string(message.transactional_id))
    add(
        _pack_int32_int64_int16(
            message.transaction_timeout_ms,
            message.producer_id,
            message.producer_epoch,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3_5(data: bytes, offset: int) -> tuple[InitProducerIdRequest, int]:
    message = _InitProducerIdRequestDraft()
    message.transactional_id, offset = read_compact_nullable_string(data, offset)
    (
        message.transaction_timeout_ms,
        message.producer_id,
        message.producer_epoch,
    ) = _unpack_int32_int64_int16(data, offset)
    offset += 14
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = InitProducerIdRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    InitProducerIdRequest: (
        FieldFact("transactional_id", "string", range(6), range(6), False),
        FieldFact("transaction_timeout_ms", "int32", range(6), range(0), False),
        FieldFact("producer_id", "int64", range(3, 6), range(0), False),
        FieldFact("producer_epoch", "int16", range(3, 6), range(0), False),
    ),
}

InitProducerIdRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2, _encode_v3_5, _encode_v3_5, _encode_v3_5),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2, _decode_v3_5, _decode_v3_5, _decode_v3_5),
    fields=_FIELDS,
)
