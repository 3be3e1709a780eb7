"""LeaderAndIsrResponse: API key 4, versions 0-7, flexible 4-7.

Generated from schemas/kafka/LeaderAndIsrResponse.json
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
    compact_string,
    read_compact_length,
    read_compact_string,
    read_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int16 = Struct(">h").pack
_pack_int16_int32 = Struct(">hi").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_uuid = Struct(">16s").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrPartitionError:
    """Struct; versions 0+."""

    topic_name: str = ""
    """string; versions 0-4; ignorable; topic name"""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrPartitionErrorDraft = draft_of(LeaderAndIsrPartitionError)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrTopicError:
    """Struct; versions 5-7."""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 5+; unique in its array"""

    partition_errors: tuple[LeaderAndIsrPartitionError, ...] = ()
    """[]LeaderAndIsrPartitionError; versions 5+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrTopicErrorDraft = draft_of(LeaderAndIsrTopicError)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrResponse(Message):
    """Response; API key 4, versions 0-7, flexible 4-7."""

    api_key: ClassVar[int] = 4
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(8)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    partition_errors: tuple[LeaderAndIsrPartitionError, ...] = ()
    """[]LeaderAndIsrPartitionError; versions 0-4"""

    topics: tuple[LeaderAndIsrTopicError, ...] = ()
    """[]LeaderAndIsrTopicError; versions 5+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrResponseDraft = draft_of(LeaderAndIsrResponse)


def _encode_v0_3(message: LeaderAndIsrResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.topics != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, len(message.partition_errors)))
    for partition_error in message.partition_errors:
        if partition_error.unknown_tagged_fields:
            raise Unfit
        add(string(partition_error.topic_name))
        add(_pack_int32_int16(partition_error.partition_index, partition_error.error_code))
    return b"".join(chunks)


def _decode_v0_3(data: bytes, offset: int) -> tuple[LeaderAndIsrResponse, int]:
    message = _LeaderAndIsrResponseDraft()
    message.topics = ()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 8)
    partition_errors = []
    for _ in range(n):
        partition_error = _LeaderAndIsrPartitionErrorDraft()
        partition_error.topic_name, offset = read_string(data, offset)
        (
            partition_error.partition_index,
            partition_error.error_code,
        ) = _unpack_int32_int16(data, offset)
        offset += 6
        partition_error.unknown_tagged_fields = ()
        partition_error.__class__ = LeaderAndIsrPartitionError
        partition_errors.append(partition_error)
    message.partition_errors = tuple(partition_errors)
    message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrResponse
    return message, offset


def _encode_v4(message: LeaderAndIsrResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.topics != ():
        raise Unfit
    add(_pack_int16(message.error_code))
    add(compact_length(message.partition_errors))
    for partition_error in message.partition_errors:
        add(compact_string(partition_error.topic_name))
        add(_pack_int32_int16(partition_error.partition_index, partition_error.error_code))
        add(unknown_tags(partition_error.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[LeaderAndIsrResponse, int]:
    message = _LeaderAndIsrResponseDraft()
    message.topics = ()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_compact_length(data, offset, 8)
    partition_errors = []
    for _ in range(n):
        partition_error = _LeaderAndIsrPartitionErrorDraft()
        partition_error.topic_name, offset = read_compact_string(data, offset)
        (
            partition_error.partition_index,
            partition_error.error_code,
        ) = _unpack_int32_int16(data, offset)
        offset += 6
        if data[offset]:
            partition_error.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            partition_error.unknown_tagged_fields = ()
        partition_error.__class__ = LeaderAndIsrPartitionError
        partition_errors.append(partition_error)
    message.partition_errors = tuple(partition_errors)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrResponse
    return message, offset


def _encode_v5_7(message: LeaderAndIsrResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.partition_errors != ():
        raise Unfit
    add(_pack_int16(message.error_code))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(_pack_uuid(topic.topic_id.bytes))
        add(compact_length(topic.partition_errors))
        for partition_error in topic.partition_errors:
            add(_pack_int32_int16(partition_error.partition_index, partition_error.error_code))
            add(unknown_tags(partition_error.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v5_7(data: bytes, offset: int) -> tuple[LeaderAndIsrResponse, int]:
    message = _LeaderAndIsrResponseDraft()
    message.partition_errors = ()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_compact_length(data, offset, 18)
    topics = []
    for _ in range(n):
        topic = _LeaderAndIsrTopicErrorDraft()
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 7)
        partition_errors: list[LeaderAndIsrPartitionError] = []
        while len(partition_errors) < n:
            rows, width = read_rows(">ihB", data, offset, n - len(partition_errors))
            before = len(partition_errors)
            for row in rows:
                partition_error = _LeaderAndIsrPartitionErrorDraft()
                partition_error.partition_index, partition_error.error_code, tagged = row
                partition_error.topic_name = ""
                partition_error.unknown_tagged_fields = ()
                if tagged:
                    break
                partition_error.__class__ = LeaderAndIsrPartitionError
                partition_errors.append(partition_error)
            offset += (len(partition_errors) - before) * width
            if tagged:
                partition_error.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_error.__class__ = LeaderAndIsrPartitionError
                partition_errors.append(partition_error)
        topic.partition_errors = tuple(partition_errors)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = LeaderAndIsrTopicError
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    LeaderAndIsrPartitionError: (
        FieldFact("topic_name", "string", range(5), range(0), True),
        FieldFact("partition_index", "int32", range(8), range(0), False),
        FieldFact("error_code", "int16", range(8), range(0), False),
    ),
    LeaderAndIsrTopicError: (
        FieldFact("topic_id", "uuid", range(5, 8), range(0), False),
        FieldFact("partition_errors", "[]LeaderAndIsrPartitionError", range(5, 8), range(0), False),
    ),
    LeaderAndIsrResponse: (
        FieldFact("error_code", "int16", range(8), range(0), False),
        FieldFact("partition_errors", "[]LeaderAndIsrPartitionError", range(5), range(0), False),
        FieldFact("topics", "[]LeaderAndIsrTopicError", range(5, 8), range(0), False),
    ),
}

LeaderAndIsrResponse.codec = Codec(
    encoders=(
        _encode_v0_3,
        _encode_v0_3,
        _encode_v0_3,
        _encode_v0_3,
        _encode_v4,
        _encode_v5_7,
        _encode_v5_7,
        _encode_v5_7,
    ),
    decoders=(
        _decode_v0_3,
        _decode_v0_3,
        _decode_v0_3,
        _decode_v0_3,
        _decode_v4,
        _decode_v5_7,
        _decode_v5_7,
        _decode_v5_7,
    ),
    fields=_FIELDS,
)
