"""DescribeConfigsResponse: API key 32, versions 0-4, flexible 4.

Generated from schemas/kafka/DescribeConfigsResponse.json
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
    compact_string,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_bool_int8_bool = Struct(">?b?").pack
_pack_bool_int8_bool_int32 = Struct(">?b?i").pack
_pack_boolx3 = Struct(">3?").pack
_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int8 = Struct(">b").pack
_unpack_bool_int8_bool = Struct(">?b?").unpack_from
_unpack_boolx3 = Struct(">3?").unpack_from
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsSynonym:
    """Struct; versions 1-4."""

    name: str = ""
    """string; versions 1+"""

    value: str | None = ""
    """string; versions 1+; nullable 0+"""

    source: int = 0
    """int8; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsSynonymDraft = draft_of(DescribeConfigsSynonym)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsResourceResult:
    """Struct; versions 0-4."""

    name: str = ""
    """string; versions 0+"""

    value: str | None = ""
    """string; versions 0+; nullable 0+"""

    read_only: bool = False
    """bool; versions 0+"""

    is_default: bool = False
    """bool; versions 0"""

    config_source: int = -1
    """int8; versions 1+; ignorable"""

    is_sensitive: bool = False
    """bool; versions 0+"""

    synonyms: tuple[DescribeConfigsSynonym, ...] = ()
    """[]DescribeConfigsSynonym; versions 1+; ignorable"""

    config_type: int = 0
    """int8; versions 3+; ignorable"""

    documentation: str | None = ""
    """string; versions 3+; nullable 0+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsResourceResultDraft = draft_of(DescribeConfigsResourceResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsResult:
    """Struct; versions 0-4."""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    configs: tuple[DescribeConfigsResourceResult, ...] = ()
    """[]DescribeConfigsResourceResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsResultDraft = draft_of(DescribeConfigsResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsResponse(Message):
    """Response; API key 32, versions 0-4, flexible 4."""

    api_key: ClassVar[int] = 32
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    results: tuple[DescribeConfigsResult, ...] = ()
    """[]DescribeConfigsResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsResponseDraft = draft_of(DescribeConfigsResponse)


def _encode_v0(message: DescribeConfigsResponse) -> bytes:
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
        add(_pack_int8(result.resource_type))
        add(string(result.resource_name))
        add(_pack_int32(len(result.configs)))
        for config in result.configs:
            if (
                config.unknown_tagged_fields
                or type(config.read_only) is not bool
                or type(config.is_default) is not bool
                or type(config.is_sensitive) is not bool
            ):
                raise Unfit
            add(string(config.name))
            add(nullable_string(config.value))
            add(_pack_boolx3(config.read_only, config.is_default, config.is_sensitive))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeConfigsResponse, int]:
    message = _DescribeConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 11)
    results = []
    for _ in range(n):
        result = _DescribeConfigsResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_nullable_string(data, offset)
        (result.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        result.resource_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 7)
        configs = []
        for _ in range(n):
            config = _DescribeConfigsResourceResultDraft()
            config.config_source = -1
            config.synonyms = ()
            config.config_type = 0
            config.documentation = ""
            config.name, offset = read_string(data, offset)
            config.value, offset = read_nullable_string(data, offset)
            config.read_only, config.is_default, config.is_sensitive = _unpack_boolx3(data, offset)
            offset += 3
            config.unknown_tagged_fields = ()
            config.__class__ = DescribeConfigsResourceResult
            configs.append(config)
        result.configs = tuple(configs)
        result.unknown_tagged_fields = ()
        result.__class__ = DescribeConfigsResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsResponse
    return message, offset


def _encode_v1_2(message: DescribeConfigsResponse) -> bytes:
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
        add(_pack_int8(result.resource_type))
        add(string(result.resource_name))
        add(_pack_int32(len(result.configs)))
        for config in result.configs:
            if (
                config.is_default is not False
                or config.unknown_tagged_fields
                or type(config.read_only) is not bool
                or type(config.is_sensitive) is not bool
            ):
                raise Unfit
            add(string(config.name))
            add(nullable_string(config.value))
            add(
                _pack_bool_int8_bool_int32(
                    config.read_only,
                    config.config_source,
                    config.is_sensitive,
                    len(config.synonyms),
                )
            )
            for synonym in config.synonyms:
                if synonym.unknown_tagged_fields:
                    raise Unfit
                add(string(synonym.name))
                add(nullable_string(synonym.value))
                add(_pack_int8(synonym.source))
    return b"".join(chunks)


def _decode_v1_2(data: bytes, offset: int) -> tuple[DescribeConfigsResponse, int]:
    message = _DescribeConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 11)
    results = []
    for _ in range(n):
        result = _DescribeConfigsResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_nullable_string(data, offset)
        (result.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        result.resource_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 11)
        configs = []
        for _ in range(n):
            config = _DescribeConfigsResourceResultDraft()
            config.is_default = False
            config.config_type = 0
            config.documentation = ""
            config.name, offset = read_string(data, offset)
            config.value, offset = read_nullable_string(data, offset)
            (
                config.read_only,
                config.config_source,
                config.is_sensitive,
            ) = _unpack_bool_int8_bool(data, offset)
            offset += 3
            n, offset = read_length(data, offset, 5)
            synonyms = []
            for _ in range(n):
                synonym = _DescribeConfigsSynonymDraft()
                synonym.name, offset = read_string(data, offset)
                synonym.value, offset = read_nullable_string(data, offset)
                (synonym.source,) = _unpack_int8(data, offset)
                offset += 1
                synonym.unknown_tagged_fields = ()
                synonym.__class__ = DescribeConfigsSynonym
                synonyms.append(synonym)
            config.synonyms = tuple(synonyms)
            config.unknown_tagged_fields = ()
            config.__class__ = DescribeConfigsResourceResult
            configs.append(config)
        result.configs = tuple(configs)
        result.unknown_tagged_fields = ()
        result.__class__ = DescribeConfigsResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsResponse
    return message, offset


def _encode_v3(message: DescribeConfigsResponse) -> bytes:
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
        add(_pack_int8(result.resource_type))
        add(string(result.resource_name))
        add(_pack_int32(len(result.configs)))
        for config in result.configs:
            if (
                config.is_default is not False
                or config.unknown_tagged_fields
                or type(config.read_only) is not bool
                or type(config.is_sensitive) is not bool
            ):
                raise Unfit
            add(string(config.name))
            add(nullable_string(config.value))
            add(
                _pack_bool_int8_bool_int32(
                    config.read_only,
                    config.config_source,
                    config.is_sensitive,
                    len(config.synonyms),
                )
            )
            for synonym in config.synonyms:
                if synonym.unknown_tagged_fields:
                    raise Unfit
                add(string(synonym.name))
                add(nullable_string(synonym.value))
                add(_pack_int8(synonym.source))
            add(_pack_int8(config.config_type))
            add(nullable_string(config.documentation))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[DescribeConfigsResponse, int]:
    message = _DescribeConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 11)
    results = []
    for _ in range(n):
        result = _DescribeConfigsResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_nullable_string(data, offset)
        (result.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        result.resource_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 14)
        configs = []
        for _ in range(n):
            config = _DescribeConfigsResourceResultDraft()
            config.is_default = False
            config.name, offset = read_string(data, offset)
            config.value, offset = read_nullable_string(data, offset)
            (
                config.read_only,
                config.config_source,
                config.is_sensitive,
            ) = _unpack_bool_int8_bool(data, offset)
            offset += 3
            n, offset = read_length(data, offset, 5)
            synonyms = []
            for _ in range(n):
                synonym = _DescribeConfigsSynonymDraft()
                synonym.name, offset = read_string(data, offset)
                synonym.value, offset = read_nullable_string(data, offset)
                (synonym.source,) = _unpack_int8(data, offset)
                offset += 1
                synonym.unknown_tagged_fields = ()
                synonym.__class__ = DescribeConfigsSynonym
                synonyms.append(synonym)
            config.synonyms = tuple(synonyms)
            (config.config_type,) = _unpack_int8(data, offset)
            offset += 1
            config.documentation, offset = read_nullable_string(data, offset)
            config.unknown_tagged_fields = ()
            config.__class__ = DescribeConfigsResourceResult
            configs.append(config)
        result.configs = tuple(configs)
        result.unknown_tagged_fields = ()
        result.__class__ = DescribeConfigsResult
        results.append(result)
    message.results = tuple(results)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsResponse
    return message, offset


def _encode_v4(message: DescribeConfigsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.results))
    for result in message.results:
        add(_pack_int16(result.error_code))
        add(compact_nullable_string(result.error_message))
        add(_pack_int8(result.resource_type))
        add(compact_string(result.resource_name))
        add(compact_length(result.configs))
        for config in result.configs:
            if (
                config.is_default is not False
                or type(config.read_only) is not bool
                or type(config.is_sensitive) is not bool
            ):
                raise Unfit
            add(compact_string(config.name))
            add(compact_nullable_string(config.value))
            add(_pack_bool_int8_bool(config.read_only, config.config_source, config.is_sensitive))
            add(compact_length(config.synonyms))
            for synonym in config.synonyms:
                add(compact_string(synonym.name))
                add(compact_nullable_string(synonym.value))
                add(_pack_int8(synonym.source))
                add(unknown_tags(synonym.unknown_tagged_fields))
            add(_pack_int8(config.config_type))
            add(compact_nullable_string(config.documentation))
            add(unknown_tags(config.unknown_tagged_fields))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[DescribeConfigsResponse, int]:
    message = _DescribeConfigsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 7)
    results = []
    for _ in range(n):
        result = _DescribeConfigsResultDraft()
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_compact_nullable_string(data, offset)
        (result.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        result.resource_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 9)
        configs = []
        for _ in range(n):
            config = _DescribeConfigsResourceResultDraft()
            config.is_default = False
            config.name, offset = read_compact_string(data, offset)
            config.value, offset = read_compact_nullable_string(data, offset)
            (
                config.read_only,
                config.config_source,
                config.is_sensitive,
            ) = _unpack_bool_int8_bool(data, offset)
            offset += 3
            n, offset = read_compact_length(data, offset, 4)
            synonyms = []
            for _ in range(n):
                synonym = _DescribeConfigsSynonymDraft()
                synonym.name, offset = read_compact_string(data, offset)
                synonym.value, offset = read_compact_nullable_string(data, offset)
                (synonym.source,) = _unpack_int8(data, offset)
                offset += 1
                if data[offset]:
                    synonym.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    synonym.unknown_tagged_fields = ()
                synonym.__class__ = DescribeConfigsSynonym
                synonyms.append(synonym)
            config.synonyms = tuple(synonyms)
            (config.config_type,) = _unpack_int8(data, offset)
            offset += 1
            config.documentation, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                config.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                config.unknown_tagged_fields = ()
            config.__class__ = DescribeConfigsResourceResult
            configs.append(config)
        result.configs = tuple(configs)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = DescribeConfigsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeConfigsSynonym: (
        FieldFact("name", "string", range(1, 5), range(0), False),
        FieldFact("value", "string", range(1, 5), range(1, 5), False),
        FieldFact("source", "int8", range(1, 5), range(0), False),
    ),
    DescribeConfigsResourceResult: (
        FieldFact("name", "string", range(5), range(0), False),
        FieldFact("value", "string", range(5), range(5), False),
        FieldFact("read_only", "bool", range(5), range(0), False),
        FieldFact("is_default", "bool", range(1), range(0), False),
        FieldFact("config_source", "int8", range(1, 5), range(0), True),
        FieldFact("is_sensitive", "bool", range(5), range(0), False),
        FieldFact("synonyms", "[]DescribeConfigsSynonym", range(1, 5), range(0), True),
        FieldFact("config_type", "int8", range(3, 5), range(0), True),
        FieldFact("documentation", "string", range(3, 5), range(3, 5), True),
    ),
    DescribeConfigsResult: (
        FieldFact("error_code", "int16", range(5), range(0), False),
        FieldFact("error_message", "string", range(5), range(5), False),
        FieldFact("resource_type", "int8", range(5), range(0), False),
        FieldFact("resource_name", "string", range(5), range(0), False),
        FieldFact("configs", "[]DescribeConfigsResourceResult", range(5), range(0), False),
    ),
    DescribeConfigsResponse: (
        FieldFact("throttle_time_ms", "int32", range(5), range(0), False),
        FieldFact("results", "[]DescribeConfigsResult", range(5), range(0), False),
    ),
}

DescribeConfigsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1_2, _encode_v1_2, _encode_v3, _encode_v4),
    decoders=(_decode_v0, _decode_v1_2, _decode_v1_2, _decode_v3, _decode_v4),
    fields=_FIELDS,
)
