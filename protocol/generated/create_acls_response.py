"""CreateAclsResponse: API key 30, versions 0-3, flexible 2-3.

Generated from schemas/kafka/CreateAclsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_length,
    compact_nullable_string,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_length,
    read_nullable_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AclCreationResult:
    """Struct; versions 0-3."""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AclCreationResultDraft = draft_of(AclCreationResult)


@quick_new
@dataclass(frozen=True, slots=True)
class CreateAclsResponse(Message):
    """Response; API key 30, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 30
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    results: tuple[AclCreationResult, ...] = ()
    """[]AclCreationResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreateAclsResponseDraft = draft_of(CreateAclsResponse)


def _encode_v0_1(message: CreateAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.results)))
    for result in message.results:
        if result.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16(result.error_code))
        add(nullable_string(result.error_message))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[CreateAclsResponse, int]:
    message = _CreateAclsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 4)
    results = []
    for _ in range(n):
        result = _AclCreationResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_nullable_string(data, offset)
        result.unknown_tagged_fields = ()
        result.__class__ = AclCreationResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateAclsResponse
    return message, offset


def _encode_v2_3(message: CreateAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.results))
    for result in message.results:
        add(_pack_int16(result.error_code))
        add(compact_nullable_string(result.error_message))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[CreateAclsResponse, int]:
    message = _CreateAclsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 4)
    results = []
    for _ in range(n):
        result = _AclCreationResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = AclCreationResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreateAclsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AclCreationResult: (
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("error_message", "string", range(4), range(4), False),
    ),
    CreateAclsResponse: (
        FieldFact("throttle_time_ms", "int32", range(4), range(0), False),
        FieldFact("results", "[]AclCreationResult", range(4), range(0), False),
    ),
}

CreateAclsResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
