"""AllocateProducerIdsRequest: API key 67, versions 0, flexible 0.

Generated from schemas/kafka/AllocateProducerIdsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import read_unknown_tags, unknown_tags

_pack_int32_int64 = Struct(">iq").pack
_unpack_int32_int64 = Struct(">iq").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AllocateProducerIdsRequest(Message):
    """Request; API key 67, versions 0, flexible 0."""

    api_key: ClassVar[int] = 67
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    broker_epoch: int = -1
    """int64; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AllocateProducerIdsRequestDraft = draft_of(AllocateProducerIdsRequest)


def _encode_v0(message: AllocateProducerIdsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AllocateProducerIdsRequest, int]:
    message = _AllocateProducerIdsRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AllocateProducerIdsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AllocateProducerIdsRequest: (
        FieldFact("broker_id", "int32", range(1), range(0), False),
        FieldFact("broker_epoch", "int64", range(1), range(0), False),
    ),
}

AllocateProducerIdsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
