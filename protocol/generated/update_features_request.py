"""UpdateFeaturesRequest: API key 57, versions 0-1, flexible 0-1.

Generated from schemas/kafka/UpdateFeaturesRequest.json
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
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_bool = Struct(">?").pack
_pack_int16_bool = Struct(">h?").pack
_pack_int16_int8 = Struct(">hb").pack
_pack_int32 = Struct(">i").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int16_bool = Struct(">h?").unpack_from
_unpack_int16_int8 = Struct(">hb").unpack_from
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class FeatureUpdateKey:
    """Struct; versions 0-1."""

    feature: str = ""
    """string; versions 0+; unique in its array"""

    max_version_level: int = 0
    """int16; versions 0+"""

    allow_downgrade: bool = False
    """bool; versions 0"""

    upgrade_type: int = 1
    """int8; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FeatureUpdateKeyDraft = draft_of(FeatureUpdateKey)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateFeaturesRequest(Message):
    """Request; API key 57, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 57
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    timeout_ms: int = 60000
    """int32; versions 0+"""

    feature_updates: tuple[FeatureUpdateKey, ...] = ()
    """[]FeatureUpdateKey; versions 0+"""

    validate_only: bool = False
    """bool; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateFeaturesRequestDraft = draft_of(UpdateFeaturesRequest)


def _encode_v0(message: UpdateFeaturesRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.validate_only is not False:
        raise Unfit
    add(_pack_int32(message.timeout_ms))
    add(compact_length(message.feature_updates))
    for feature_update in message.feature_updates:
        if feature_update.upgrade_type != 1 or type(feature_update.allow_downgrade) is not bool:
            raise Unfit
        add(compact_string(feature_update.feature))
        add(_pack_int16_bool(feature_update.max_version_level, feature_update.allow_downgrade))
        add(unknown_tags(feature_update.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[UpdateFeaturesRequest, int]:
    message = _UpdateFeaturesRequestDraft()
    message.validate_only = False
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    feature_updates = []
    for _ in range(n):
        feature_update = _FeatureUpdateKeyDraft()
        feature_update.upgrade_type = 1
        feature_update.feature, offset = read_compact_string(data, offset)
        (
            feature_update.max_version_level,
            feature_update.allow_downgrade,
        ) = _unpack_int16_bool(data, offset)
        offset += 3
        if data[offset]:
            feature_update.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            feature_update.unknown_tagged_fields = ()
        feature_update.__class__ = FeatureUpdateKey
        feature_updates.append(feature_update)
    message.feature_updates = tuple(feature_updates)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateFeaturesRequest
    return message, offset


def _encode_v1(message: UpdateFeaturesRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.validate_only) is not bool:
        raise Unfit
    add(_pack_int32(message.timeout_ms))
    add(compact_length(message.feature_updates))
    for feature_update in message.feature_updates:
        if feature_update.allow_downgrade is not False:
            raise Unfit
        add(compact_string(feature_update.feature))
        add(_pack_int16_int8(feature_update.max_version_level, feature_update.upgrade_type))
        add(unknown_tags(feature_update.unknown_tagged_fields))
    add(_pack_bool(message.validate_only))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[UpdateFeaturesRequest, int]:
    message = _UpdateFeaturesRequestDraft()
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    feature_updates = []
    for _ in range(n):
        feature_update = _FeatureUpdateKeyDraft()
        feature_update.allow_downgrade = False
        feature_update.feature, offset = read_compact_string(data, offset)
        (
            feature_update.max_version_level,
            feature_update.upgrade_type,
        ) = _unpack_int16_int8(data, offset)
        offset += 3
        if data[offset]:
            feature_update.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            feature_update.unknown_tagged_fields = ()
        feature_update.__class__ = FeatureUpdateKey
        feature_updates.append(feature_update)
    message.feature_updates = tuple(feature_updates)
    (message.validate_only,) = _unpack_bool(data, offset)
    offset += 1
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateFeaturesRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    FeatureUpdateKey: (
        FieldFact("feature", "string", range(2), range(0), False),
        FieldFact("max_version_level", "int16", range(2), range(0), False),
        FieldFact("allow_downgrade", "bool", range(1), range(0), False),
        FieldFact("upgrade_type", "int8", range(1, 2), range(0), False),
    ),
    UpdateFeaturesRequest: (
        FieldFact("timeout_ms", "int32", range(2), range(0), False),
        FieldFact("feature_updates", "[]FeatureUpdateKey", range(2), range(0), False),
        FieldFact("validate_only", "bool", range(1, 2), range(0), False),
    ),
}

UpdateFeaturesRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
