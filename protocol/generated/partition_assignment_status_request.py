"""PartitionAssignmentStatusRequest: API key 17901, versions 0, flexible 0.

Generated from schemas/klamm/PartitionAssignmentStatusRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import read_unknown_tags, unknown_tags

_pack_int32 = Struct(">i").pack
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionAssignmentStatusRequest(Message):
    """Request; API key 17901, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17901
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    request_id: int = -1
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionAssignmentStatusRequestDraft = draft_of(PartitionAssignmentStatusRequest)


def _encode_v0(message: PartitionAssignmentStatusRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.request_id))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[PartitionAssignmentStatusRequest, int]:
    message = _PartitionAssignmentStatusRequestDraft()
    (message.request_id,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = PartitionAssignmentStatusRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionAssignmentStatusRequest: (
        FieldFact("request_id", "int32", range(1), range(0), False),
    ),
}

PartitionAssignmentStatusRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
