"""StopReplicaResponse: API key 5, versions 0-4, flexible 2-4.

Generated from schemas/kafka/StopReplicaResponse.json
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
    read_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int16_int32 = Struct(">hi").pack
_pack_int32_int16 = Struct(">ih").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaPartitionError:
    """Struct; versions 0-4."""

    topic_name: str = ""
    """string; versions 0+; topic name"""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaPartitionErrorDraft = draft_of(StopReplicaPartitionError)


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaResponse(Message):
    """Response; API key 5, versions 0-4, flexible 2-4."""

    api_key: ClassVar[int] = 5
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    partition_errors: tuple[StopReplicaPartitionError, ...] = ()
    """[]StopReplicaPartitionError; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaResponseDraft = draft_of(StopReplicaResponse)


def _encode_v0_1(message: StopReplicaResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, len(message.partition_errors)))
    for partition_error in message.partition_errors:
        if partition_error.unknown_tagged_fields:
            raise Unfit
        add(string(partition_error.topic_name))
        add(_pack_int32_int16(partition_error.partition_index, partition_error.error_code))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[StopReplicaResponse, int]:
    message = _StopReplicaResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 8)
    partition_errors = []
    for _ in range(n):
        partition_error = _StopReplicaPartitionErrorDraft()
        partition_error.topic_name, offset = read_string(data, offset)
        (
            partition_error.partition_index,
            partition_error.error_code,
        ) = _unpack_int32_int16(data, offset)
        offset += 6
        partition_error.unknown_tagged_fields = ()
        partition_error.__class__ = StopReplicaPartitionError
        partition_errors.append(partition_error)
    message.partition_errors = tuple(partition_errors)
    message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaResponse
    return message, offset


def _encode_v2_4(message: StopReplicaResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int16(message.error_code))
    add(compact_length(message.partition_errors))
    for partition_error in message.partition_errors:
        add(compact_string(partition_error.topic_name))
        add(_pack_int32_int16(partition_error.partition_index, partition_error.error_code))
        add(unknown_tags(partition_error.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_4(data: bytes, offset: int) -> tuple[StopReplicaResponse, int]:
    message = _StopReplicaResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_compact_length(data, offset, 8)
    partition_errors = []
    for _ in range(n):
        partition_error = _StopReplicaPartitionErrorDraft()
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
        partition_error.__class__ = StopReplicaPartitionError
        partition_errors.append(partition_error)
    message.partition_errors = tuple(partition_errors)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    StopReplicaPartitionError: (
        FieldFact("topic_name", "string", range(5), range(0), False),
        FieldFact("partition_index", "int32", range(5), range(0), False),
        FieldFact("error_code", "int16", range(5), range(0), False),
    ),
    StopReplicaResponse: (
        FieldFact("error_code", "int16", range(5), range(0), False),
        FieldFact("partition_errors", "[]StopReplicaPartitionError", range(5), range(0), False),
    ),
}

StopReplicaResponse.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2_4, _encode_v2_4, _encode_v2_4),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2_4, _decode_v2_4, _decode_v2_4),
    fields=_FIELDS,
)
