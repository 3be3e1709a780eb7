"""ControlledShutdownRequest: API key 7, versions 0-3, flexible 3.

Generated from schemas/kafka/ControlledShutdownRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import Unfit, read_unknown_tags, unknown_tags

_pack_int32 = Struct(">i").pack
_pack_int32_int64 = Struct(">iq").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int64 = Struct(">iq").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ControlledShutdownRequest(Message):
    """Request; API key 7, versions 0-3, flexible 3."""

    api_key: ClassVar[int] = 7
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    broker_epoch: int = -1
    """int64; versions 2+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ControlledShutdownRequestDraft = draft_of(ControlledShutdownRequest)


def _encode_v0_1(message: ControlledShutdownRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(message.broker_id))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[ControlledShutdownRequest, int]:
    message = _ControlledShutdownRequestDraft()
    message.broker_epoch = -1
    (message.broker_id,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ControlledShutdownRequest
    return message, offset


def _encode_v2(message: ControlledShutdownRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[ControlledShutdownRequest, int]:
    message = _ControlledShutdownRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    message.unknown_tagged_fields = ()
    message.__class__ = ControlledShutdownRequest
    return message, offset


def _encode_v3(message: ControlledShutdownRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[ControlledShutdownRequest, int]:
    message = _ControlledShutdownRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ControlledShutdownRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ControlledShutdownRequest: (
        FieldFact("broker_id", "int32", range(4), range(0), False),
        FieldFact("broker_epoch", "int64", range(2, 4), range(0), True),
    ),
}

ControlledShutdownRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2, _encode_v3),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2, _decode_v3),
    fields=_FIELDS,
)
