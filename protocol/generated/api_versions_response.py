"""ApiVersionsResponse: API key 18, versions 0-4, flexible 3-4.

Generated from schemas/kafka/ApiVersionsResponse.json
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
    expect_end,
    read_compact_length,
    read_compact_string,
    read_length,
    read_tags,
    read_unknown_tags,
    tags,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_bool = Struct(">?").pack
_pack_int16 = Struct(">h").pack
_pack_int16_int32 = Struct(">hi").pack
_pack_int16x2 = Struct(">2h").pack
_pack_int16x3 = Struct(">3h").pack
_pack_int32 = Struct(">i").pack
_pack_int64 = Struct(">q").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int16 = Struct(">h").unpack_from
_unpack_int16x2 = Struct(">2h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int64 = Struct(">q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ApiVersion:
    """Struct; versions 0-4."""

    api_key: int = 0
    """int16; versions 0+; unique in its array"""

    min_version: int = 0
    """int16; versions 0+"""

    max_version: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ApiVersionDraft = draft_of(ApiVersion)


@quick_new
@dataclass(frozen=True, slots=True)
class SupportedFeatureKey:
    """Struct; versions 3-4."""

    name: str = ""
    """string; versions 3+; unique in its array"""

    min_version: int = 0
    """int16; versions 3+"""

    max_version: int = 0
    """int16; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_SupportedFeatureKeyDraft = draft_of(SupportedFeatureKey)


@quick_new
@dataclass(frozen=True, slots=True)
class FinalizedFeatureKey:
    """Struct; versions 3-4."""

    name: str = ""
    """string; versions 3+; unique in its array"""

    max_version_level: int = 0
    """int16; versions 3+"""

    min_version_level: int = 0
    """int16; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FinalizedFeatureKeyDraft = draft_of(FinalizedFeatureKey)


@quick_new
@dataclass(frozen=True, slots=True)
class ApiVersionsResponse(Message):
    """Response; API key 18, versions 0-4, flexible 3-4."""

    api_key: ClassVar[int] = 18
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    api_keys: tuple[ApiVersion, ...] = ()
    """[]ApiVersion; versions 0+"""

    throttle_time_ms: int = 0
    """int32; versions 1+; ignorable"""

    supported_features: tuple[SupportedFeatureKey, ...] = ()
    """[]SupportedFeatureKey; versions 3+; tag 0 in 3+; ignorable"""

    finalized_features_epoch: int = -1
    """int64; versions 3+; tag 1 in 3+; ignorable"""

    finalized_features: tuple[FinalizedFeatureKey, ...] = ()
    """[]FinalizedFeatureKey; versions 3+; tag 2 in 3+; ignorable"""

    zk_migration_ready: bool = False
    """bool; versions 3+; tag 3 in 3+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ApiVersionsResponseDraft = draft_of(ApiVersionsResponse)


def _encode_v0(message: ApiVersionsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, len(message.api_keys)))
    for api_key in message.api_keys:
        if api_key.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16x3(api_key.api_key, api_key.min_version, api_key.max_version))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ApiVersionsResponse, int]:
    message = _ApiVersionsResponseDraft()
    message.throttle_time_ms = 0
    message.supported_features = ()
    message.finalized_features_epoch = -1
    message.finalized_features = ()
    message.zk_migration_ready = False
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 6)
    api_keys: list[ApiVersion] = []
    while len(api_keys) < n:
        rows, width = read_rows(">hhh", data, offset, n - len(api_keys))
        before = len(api_keys)
        for row in rows:
            api_key = _ApiVersionDraft()
            api_key.api_key, api_key.min_version, api_key.max_version = row
            api_key.unknown_tagged_fields = ()
            api_key.__class__ = ApiVersion
            api_keys.append(api_key)
        offset += (len(api_keys) - before) * width
    message.api_keys = tuple(api_keys)
    message.unknown_tagged_fields = ()
    message.__class__ = ApiVersionsResponse
    return message, offset


def _encode_v1_2(message: ApiVersionsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, len(message.api_keys)))
    for api_key in message.api_keys:
        if api_key.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16x3(api_key.api_key, api_key.min_version, api_key.max_version))
    add(_pack_int32(message.throttle_time_ms))
    return b"".join(chunks)


def _decode_v1_2(data: bytes, offset: int) -> tuple[ApiVersionsResponse, int]:
    message = _ApiVersionsResponseDraft()
    message.supported_features = ()
    message.finalized_features_epoch = -1
    message.finalized_features = ()
    message.zk_migration_ready = False
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 6)
    api_keys: list[ApiVersion] = []
    while len(api_keys) < n:
        rows, width = read_rows(">hhh", data, offset, n - len(api_keys))
        before = len(api_keys)
        for row in rows:
            api_key = _ApiVersionDraft()
            api_key.api_key, api_key.min_version, api_key.max_version = row
            api_key.unknown_tagged_fields = ()
            api_key.__class__ = ApiVersion
            api_keys.append(api_key)
        offset += (len(api_keys) - before) * width
    message.api_keys = tuple(api_keys)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ApiVersionsResponse
    return message, offset


def _encode_v3_4(message: ApiVersionsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.zk_migration_ready) is not bool:
        raise Unfit
    add(_pack_int16(message.error_code))
    add(compact_length(message.api_keys))
    for api_key in message.api_keys:
        add(_pack_int16x3(api_key.api_key, api_key.min_version, api_key.max_version))
        add(unknown_tags(api_key.unknown_tagged_fields))
    add(_pack_int32(message.throttle_time_ms))
    tagged: list[tuple[int, bytes]] = []
    if message.supported_features != ():
        parts: list[bytes] = []
        parts.append(compact_length(message.supported_features))
        for supported_feature in message.supported_features:
            parts.append(compact_string(supported_feature.name))
            parts.append(
                _pack_int16x2(
                    supported_feature.min_version,
                    supported_feature.max_version,
                )
            )
            parts.append(unknown_tags(supported_feature.unknown_tagged_fields))
        tagged.append((0, b"".join(parts)))
    if message.finalized_features_epoch != -1:
        parts2: list[bytes] = []
        parts2.append(_pack_int64(message.finalized_features_epoch))
        tagged.append((1, b"".join(parts2)))
    if message.finalized_features != ():
        parts3: list[bytes] = []
        parts3.append(compact_length(message.finalized_features))
        for finalized_feature in message.finalized_features:
            parts3.append(compact_string(finalized_feature.name))
            parts3.append(
                _pack_int16x2(
                    finalized_feature.max_version_level,
                    finalized_feature.min_version_level,
                )
            )
            parts3.append(unknown_tags(finalized_feature.unknown_tagged_fields))
        tagged.append((2, b"".join(parts3)))
    if message.zk_migration_ready is not False:
        parts4: list[bytes] = []
        parts4.append(_pack_bool(message.zk_migration_ready))
        tagged.append((3, b"".join(parts4)))
    add(tags(tagged, message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3_4(data: bytes, offset: int) -> tuple[ApiVersionsResponse, int]:
    message = _ApiVersionsResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_compact_length(data, offset, 7)
    api_keys: list[ApiVersion] = []
    while len(api_keys) < n:
        rows, width = read_rows(">hhhB", data, offset, n - len(api_keys))
        before = len(api_keys)
        for row in rows:
            api_key = _ApiVersionDraft()
            api_key.api_key, api_key.min_version, api_key.max_version, tagged = row
            api_key.unknown_tagged_fields = ()
            if tagged:
                break
            api_key.__class__ = ApiVersion
            api_keys.append(api_key)
        offset += (len(api_keys) - before) * width
        if tagged:
            api_key.unknown_tagged_fields, offset = read_unknown_tags(data, offset + width - 1)
            api_key.__class__ = ApiVersion
            api_keys.append(api_key)
    message.api_keys = tuple(api_keys)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.supported_features = ()
    message.finalized_features_epoch = -1
    message.finalized_features = ()
    message.zk_migration_ready = False
    unknown = []
    found, behind = read_tags(data, offset)
    for tag, start, end in found:
        offset = start
        if tag == 0:
            n, offset = read_compact_length(data, offset, 6)
            supported_features = []
            for _ in range(n):
                supported_feature = _SupportedFeatureKeyDraft()
                supported_feature.name, offset = read_compact_string(data, offset)
                (
                    supported_feature.min_version,
                    supported_feature.max_version,
                ) = _unpack_int16x2(data, offset)
                offset += 4
                if data[offset]:
                    supported_feature.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset,
                    )
                else:
                    offset += 1
                    supported_feature.unknown_tagged_fields = ()
                supported_feature.__class__ = SupportedFeatureKey
                supported_features.append(supported_feature)
            message.supported_features = tuple(supported_features)
            expect_end(tag, offset, end)
        elif tag == 1:
            (message.finalized_features_epoch,) = _unpack_int64(data, offset)
            offset += 8
            expect_end(tag, offset, end)
        elif tag == 2:
            n, offset = read_compact_length(data, offset, 6)
            finalized_features = []
            for _ in range(n):
                finalized_feature = _FinalizedFeatureKeyDraft()
                finalized_feature.name, offset = read_compact_string(data, offset)
                (
                    finalized_feature.max_version_level,
                    finalized_feature.min_version_level,
                ) = _unpack_int16x2(data, offset)
                offset += 4
                if data[offset]:
                    finalized_feature.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset,
                    )
                else:
                    offset += 1
                    finalized_feature.unknown_tagged_fields = ()
                finalized_feature.__class__ = FinalizedFeatureKey
                finalized_features.append(finalized_feature)
            message.finalized_features = tuple(finalized_features)
            expect_end(tag, offset, end)
        elif tag == 3:
            (message.zk_migration_ready,) = _unpack_bool(data, offset)
            offset += 1
            expect_end(tag, offset, end)
        else:
            unknown.append((tag, data[start:end]))
    message.unknown_tagged_fields = tuple(unknown)
    offset = behind
    message.__class__ = ApiVersionsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ApiVersion: (
        FieldFact("api_key", "int16", range(5), range(0), False),
        FieldFact("min_version", "int16", range(5), range(0), False),
        FieldFact("max_version", "int16", range(5), range(0), False),
    ),
    SupportedFeatureKey: (
        FieldFact("name", "string", range(3, 5), range(0), False),
        FieldFact("min_version", "int16", range(3, 5), range(0), False),
        FieldFact("max_version", "int16", range(3, 5), range(0), False),
    ),
    FinalizedFeatureKey: (
        FieldFact("name", "string", range(3, 5), range(0), False),
        FieldFact("max_version_level", "int16", range(3, 5), range(0), False),
        FieldFact("min_version_level", "int16", range(3, 5), range(0), False),
    ),
    ApiVersionsResponse: (
        FieldFact("error_code", "int16", range(5), range(0), False),
        FieldFact("api_keys", "[]ApiVersion", range(5), range(0), False),
        FieldFact("throttle_time_ms", "int32", range(1, 5), range(0), True),
        FieldFact("supported_features", "[]SupportedFeatureKey", range(3, 5), range(0), True, 0),
        FieldFact("finalized_features_epoch", "int64", range(3, 5), range(0), True, 1),
        FieldFact("finalized_features", "[]FinalizedFeatureKey", range(3, 5), range(0), True, 2),
        FieldFact("zk_migration_ready", "bool", range(3, 5), range(0), True, 3),
    ),
}

ApiVersionsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1_2, _encode_v1_2, _encode_v3_4, _encode_v3_4),
    decoders=(_decode_v0, _decode_v1_2, _decode_v1_2, _decode_v3_4, _decode_v3_4),
    fields=_FIELDS,
)
