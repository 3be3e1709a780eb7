"""CreateTopicsResponse: API key 19, versions 0-7, flexible 5-7.

Generated from schemas/kafka/CreateTopicsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal
from uuid import UUID

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    ZERO_UUID,
    Unfit,
    compact_length,
    compact_nullable_length,
    compact_nullable_string,
    compact_string,
    expect_end,
    nullable_string,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_string,
    read_tags,
    read_unknown_tags,
    string,
    tags,
    unknown_tags,
)

_pack_bool_int8_bool = Struct(">?b?").pack
_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2 = Struct(">2i").pack
_pack_uuid_int16 = Struct(">16sh").pack
_unpack_bool_int8_bool = Struct(">?b?").unpack_from
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_uuid_int16 = Struct(">16sh").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class CreatableTopicConfigs:
    """Struct; versions 5-7."""

    name: str = ""
    """string; versions 5+"""

    value: str | None = ""
    """string; versions 5+; nullable 5+"""

    read_only: bool = False
    """bool; versions 5+"""

    config_source: int = -1
    """int8; versions 5+; ignorable"""

    is_sensitive: bool = False
    """bool; versions 5+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatableTopicConfigsDraft = draft_of(CreatableTopicConfigs)


@quick_new
@dataclass(frozen=True, slots=True)
class CreatableTopicResult:
    """Struct; versions 0-7."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 7+; ignorable"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 1+; nullable 0+; ignorable"""

    topic_config_error_code: int = 0
    """int16; versions 5+; tag 0 in 5+; ignorable"""

    num_partitions: int = -1
    """int32; versions 5+; ignorable"""

    replication_factor: int = -1
    """int16; versions 5+; ignorable"""

    configs: tuple[CreatableTopicConfigs, ...] | None = ()
    """[]CreatableTopicConfigs; versions 5+; nullable 5+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatableTopicResultDraft = draft_of(CreatableTopicResult)


@quick_new
@dataclass(frozen=True, slots=True)
class CreateTopicsResponse(Message):
    """Response; API key 19, versions 0-7, flexible 5-7."""

    api_key: ClassVar[int] = 19
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(8)
    flexible_from: ClassVar[int | None] = 5
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 2+; ignorable"""

    topics: tuple[CreatableTopicResult, ...] = ()
    """[]CreatableTopicResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreateTopicsResponseDraft = draft_of(CreateTopicsResponse)


def _encode_v0(message: CreateTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int16(topic.error_code))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[CreateTopicsResponse, int]:
    message = _CreateTopicsResponseDraft()
    message.throttle_time_ms = 0
    n, offset = read_length(data, offset, 4)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicResultDraft()
        topic.topic_id = ZERO_UUID
        topic.error_message = ""
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = ()
        topic.name, offset = read_string(data, offset)
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsResponse
    return message, offset


def _encode_v1(message: CreateTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int16(topic.error_code))
        add(nullable_string(topic.error_message))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[CreateTopicsResponse, int]:
    message = _CreateTopicsResponseDraft()
    message.throttle_time_ms = 0
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicResultDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = ()
        topic.name, offset = read_string(data, offset)
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.error_message, offset = read_nullable_string(data, offset)
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsResponse
    return message, offset


def _encode_v2_4(message: CreateTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int16(topic.error_code))
        add(nullable_string(topic.error_message))
    return b"".join(chunks)


def _decode_v2_4(data: bytes, offset: int) -> tuple[CreateTopicsResponse, int]:
    message = _CreateTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicResultDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = ()
        topic.name, offset = read_string(data, offset)
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.error_message, offset = read_nullable_string(data, offset)
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsResponse
    return message, offset


def _encode_v5_6(message: CreateTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_int16(topic.error_code))
        add(compact_nullable_string(topic.error_message))
        add(_pack_int32_int16(topic.num_partitions, topic.replication_factor))
        add(compact_nullable_length(topic.configs))
        if topic.configs is not None:
            for config in topic.configs:
                if type(config.read_only) is not bool or type(config.is_sensitive) is not bool:
                    raise Unfit
                add(compact_string(config.name))
                add(compact_nullable_string(config.value))
                add(
                    _pack_bool_int8_bool(
                        config.read_only,
                        config.config_source,
                        config.is_sensitive,
                    )
                )
                add(unknown_tags(config.unknown_tagged_fields))
        tagged: list[tuple[int, bytes]] = []
        if topic.topic_config_error_code != 0:
            parts: list[bytes] = []
            parts.append(_pack_int16(topic.topic_config_error_code))
            tagged.append((0, b"".join(parts)))
        add(tags(tagged, topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v5_6(data: bytes, offset: int) -> tuple[CreateTopicsResponse, int]:
    message = _CreateTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 12)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicResultDraft()
        topic.topic_id = ZERO_UUID
        topic.name, offset = read_compact_string(data, offset)
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.error_message, offset = read_compact_nullable_string(data, offset)
        topic.num_partitions, topic.replication_factor = _unpack_int32_int16(data, offset)
        offset += 6
        n, offset = read_compact_nullable_length(data, offset, 6)
        if n < 0:
            topic.configs = None
        else:
            configs = []
            for _ in range(n):
                config = _CreatableTopicConfigsDraft()
                config.name, offset = read_compact_string(data, offset)
                config.value, offset = read_compact_nullable_string(data, offset)
                (
                    config.read_only,
                    config.config_source,
                    config.is_sensitive,
                ) = _unpack_bool_int8_bool(data, offset)
                offset += 3
                if data[offset]:
                    config.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    config.unknown_tagged_fields = ()
                config.__class__ = CreatableTopicConfigs
                configs.append(config)
            topic.configs = tuple(configs)
        topic.topic_config_error_code = 0
        unknown = []
        found, behind = read_tags(data, offset)
        for tag, start, end in found:
            offset = start
            if tag == 0:
                (topic.topic_config_error_code,) = _unpack_int16(data, offset)
                offset += 2
                expect_end(tag, offset, end)
            else:
                unknown.append((tag, data[start:end]))
        topic.unknown_tagged_fields = tuple(unknown)
        offset = behind
        topic.__class__ = CreatableTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsResponse
    return message, offset


def _encode_v7(message: CreateTopicsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_uuid_int16(topic.topic_id.bytes, topic.error_code))
        add(compact_nullable_string(topic.error_message))
        add(_pack_int32_int16(topic.num_partitions, topic.replication_factor))
        add(compact_nullable_length(topic.configs))
        if topic.configs is not None:
            for config in topic.configs:
                if type(config.read_only) is not bool or type(config.is_sensitive) is not bool:
                    raise Unfit
                add(compact_string(config.name))
                add(compact_nullable_string(config.value))
                add(
                    _pack_bool_int8_bool(
                        config.read_only,
                        config.config_source,
                        config.is_sensitive,
                    )
                )
                add(unknown_tags(config.unknown_tagged_fields))
        tagged: list[tuple[int, bytes]] = []
        if topic.topic_config_error_code != 0:
            parts: list[bytes] = []
            parts.append(_pack_int16(topic.topic_config_error_code))
            tagged.append((0, b"".join(parts)))
        add(tags(tagged, topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v7(data: bytes, offset: int) -> tuple[CreateTopicsResponse, int]:
    message = _CreateTopicsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 28)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicResultDraft()
        topic.name, offset = read_compact_string(data, offset)
        raw, topic.error_code = _unpack_uuid_int16(data, offset)
        offset += 18
        topic.topic_id = UUID(bytes=raw)
        topic.error_message, offset = read_compact_nullable_string(data, offset)
        topic.num_partitions, topic.replication_factor = _unpack_int32_int16(data, offset)
        offset += 6
        n, offset = read_compact_nullable_length(data, offset, 6)
        if n < 0:
            topic.configs = None
        else:
            configs = []
            for _ in range(n):
                config = _CreatableTopicConfigsDraft()
                config.name, offset = read_compact_string(data, offset)
                config.value, offset = read_compact_nullable_string(data, offset)
                (
                    config.read_only,
                    config.config_source,
                    config.is_sensitive,
                ) = _unpack_bool_int8_bool(data, offset)
                offset += 3
                if data[offset]:
                    config.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    config.unknown_tagged_fields = ()
                config.__class__ = CreatableTopicConfigs
                configs.append(config)
            topic.configs = tuple(configs)
        topic.topic_config_error_code = 0
        unknown = []
        found, behind = read_tags(data, offset)
        for tag, start, end in found:
            offset = start
            if tag == 0:
                (topic.topic_config_error_code,) = _unpack_int16(data, offset)
                offset += 2
                expect_end(tag, offset, end)
            else:
                unknown.append((tag, data[start:end]))
        topic.unknown_tagged_fields = tuple(unknown)
        offset = behind
        topic.__class__ = CreatableTopicResult
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    CreatableTopicConfigs: (
        FieldFact("name", "string", range(5, 8), range(0), False),
        FieldFact("value", "string", range(5, 8), range(5, 8), False),
        FieldFact("read_only", "bool", range(5, 8), range(0), False),
        FieldFact("config_source", "int8", range(5, 8), range(0), True),
        FieldFact("is_sensitive", "bool", range(5, 8), range(0), False),
    ),
    CreatableTopicResult: (
        FieldFact("name", "string", range(8), range(0), False),
        FieldFact("topic_id", "uuid", range(7, 8), range(0), True),
        FieldFact("error_code", "int16", range(8), range(0), False),
        FieldFact("error_message", "string", range(1, 8), range(1, 8), True),
        FieldFact("topic_config_error_code", "int16", range(5, 8), range(0), True, 0),
        FieldFact("num_partitions", "int32", range(5, 8), range(0), True),
        FieldFact("replication_factor", "int16", range(5, 8), range(0), True),
        FieldFact("configs", "[]CreatableTopicConfigs", range(5, 8), range(5, 8), True),
    ),
    CreateTopicsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2, 8), range(0), True),
        FieldFact("topics", "[]CreatableTopicResult", range(8), range(0), False),
    ),
}

CreateTopicsResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2_4,
        _encode_v2_4,
        _encode_v2_4,
        _encode_v5_6,
        _encode_v5_6,
        _encode_v7,
    ),
    decoders=(
        _decode_v0,
        _decode_v1,
        _decode_v2_4,
        _decode_v2_4,
        _decode_v2_4,
        _decode_v5_6,
        _decode_v5_6,
        _decode_v7,
    ),
    fields=_FIELDS,
)
