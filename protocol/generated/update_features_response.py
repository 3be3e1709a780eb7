"""UpdateFeaturesResponse: API key 57, versions 0-1, flexible 0-1.

Generated from schemas/kafka/UpdateFeaturesResponse.json
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
_pack_int32_int16 = Struct(">ih").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class UpdatableFeatureResult:
    """Struct; versions 0-1."""

    feature: str = ""
    """string; versions 0+; unique in its array"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdatableFeatureResultDraft = draft_of(UpdatableFeatureResult)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateFeaturesResponse(Message):
    """Response; API key 57, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 57
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    results: tuple[UpdatableFeatureResult, ...] = ()
    """[]UpdatableFeatureResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateFeaturesResponseDraft = draft_of(UpdateFeaturesResponse)


def _encode_v0_1(message: UpdateFeaturesResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.results))
    for result in message.results:
        add(compact_string(result.feature))
        add(_pack_int16(result.error_code))
        add(compact_nullable_string(result.error_message))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[UpdateFeaturesResponse, int]:
    message = _UpdateFeaturesResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 5)
    results = []
    for _ in range(n):
        result = _UpdatableFeatureResultDraft()
        result.feature, offset = read_compact_string(data, offset)
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = UpdatableFeatureResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateFeaturesResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    UpdatableFeatureResult: (
        FieldFact("feature", "string", range(2), range(0), False),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
    ),
    UpdateFeaturesResponse: (
        FieldFact("throttle_time_ms", "int32", range(2), range(0), False),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
        FieldFact("results", "[]UpdatableFeatureResult", range(2), range(0), False),
    ),
}

UpdateFeaturesResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1),
    decoders=(_decode_v0_1, _decode_v0_1),
    fields=_FIELDS,
)
