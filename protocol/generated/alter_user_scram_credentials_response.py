"""AlterUserScramCredentialsResponse: API key 51, versions 0, flexible 0.

Generated from schemas/kafka/AlterUserScramCredentialsResponse.json
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

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AlterUserScramCredentialsResult:
    """Struct; versions 0."""

    user: str = ""
    """string; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterUserScramCredentialsResultDraft = draft_of(AlterUserScramCredentialsResult)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterUserScramCredentialsResponse(Message):
    """Response; API key 51, versions 0, flexible 0."""

    api_key: ClassVar[int] = 51
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    results: tuple[AlterUserScramCredentialsResult, ...] = ()
    """[]AlterUserScramCredentialsResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterUserScramCredentialsResponseDraft = draft_of(AlterUserScramCredentialsResponse)


def _encode_v0(message: AlterUserScramCredentialsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.results))
    for result in message.results:
        add(compact_string(result.user))
        add(_pack_int16(result.error_code))
        add(compact_nullable_string(result.error_message))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterUserScramCredentialsResponse, int]:
    message = _AlterUserScramCredentialsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    results = []
    for _ in range(n):
        result = _AlterUserScramCredentialsResultDraft()
        result.user, offset = read_compact_string(data, offset)
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = AlterUserScramCredentialsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterUserScramCredentialsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlterUserScramCredentialsResult: (
        FieldFact("user", "string", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
    ),
    AlterUserScramCredentialsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("results", "[]AlterUserScramCredentialsResult", range(1), range(0), False),
    ),
}

AlterUserScramCredentialsResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
