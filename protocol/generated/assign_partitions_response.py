"""AssignPartitionsResponse: API key 17900, versions 0, flexible 0.

Generated from schemas/klamm/AssignPartitionsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2_int16 = Struct(">2ih").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int32x2_int16 = Struct(">2ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionAssignmentResult:
    """Struct; versions 0."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition: int = 0
    """int32; versions 0+"""

    broker: int = 0
    """int32; versions 0+; broker id"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionAssignmentResultDraft = draft_of(PartitionAssignmentResult)


@quick_new
@dataclass(frozen=True, slots=True)
class AssignPartitionsResponse(Message):
    """Response; API key 17900, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17900
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    request_id: int = -1
    """int32; versions 0+"""

    results: tuple[PartitionAssignmentResult, ...] = ()
    """[]PartitionAssignmentResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AssignPartitionsResponseDraft = draft_of(AssignPartitionsResponse)


def _encode_v0(message: AssignPartitionsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(_pack_int32(message.request_id))
    add(compact_length(message.results))
    for result in message.results:
        add(compact_string(result.topic))
        add(_pack_int32x2_int16(result.partition, result.broker, result.error_code))
        add(compact_nullable_string(result.error_message))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AssignPartitionsResponse, int]:
    message = _AssignPartitionsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    (message.request_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 13)
    results = []
    for _ in range(n):
        result = _PartitionAssignmentResultDraft()
        result.topic, offset = read_compact_string(data, offset)
        result.partition, result.broker, result.error_code = _unpack_int32x2_int16(data, offset)
        offset += 10
        result.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = PartitionAssignmentResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AssignPartitionsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionAssignmentResult: (
        FieldFact("topic", "string", range(1), range(0), False),
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("broker", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
    ),
    AssignPartitionsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("request_id", "int32", range(1), range(0), False),
        FieldFact("results", "[]PartitionAssignmentResult", range(1), range(0), False),
    ),
}

AssignPartitionsResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
