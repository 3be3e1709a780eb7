"""ControlledShutdownResponse: API key 7, versions 0-3, flexible 3.

Generated from schemas/kafka/ControlledShutdownResponse.json
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
_pack_int32 = Struct(">i").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class RemainingPartition:
    """Struct; versions 0-3."""

    topic_name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partition_index: int = 0
    """int32; versions 0+; unique in its array"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_RemainingPartitionDraft = draft_of(RemainingPartition)


@quick_new
@dataclass(frozen=True, slots=True)
class ControlledShutdownResponse(Message):
    """Response; API key 7, versions 0-3, flexible 3."""

    api_key: ClassVar[int] = 7
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    error_code: int = 0
    """int16; versions 0+"""

    remaining_partitions: tuple[RemainingPartition, ...] = ()
    """[]RemainingPartition; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ControlledShutdownResponseDraft = draft_of(ControlledShutdownResponse)


def _encode_v0_2(message: ControlledShutdownResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, len(message.remaining_partitions)))
    for remaining_partition in message.remaining_partitions:
        if remaining_partition.unknown_tagged_fields:
            raise Unfit
        add(string(remaining_partition.topic_name))
        add(_pack_int32(remaining_partition.partition_index))
    return b"".join(chunks)


def _decode_v0_2(data: bytes, offset: int) -> tuple[ControlledShutdownResponse, int]:
    message = _ControlledShutdownResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_length(data, offset, 6)
    remaining_partitions = []
    for _ in range(n):
        remaining_partition = _RemainingPartitionDraft()
        remaining_partition.topic_name, offset = read_string(data, offset)
        (remaining_partition.partition_index,) = _unpack_int32(data, offset)
        offset += 4
        remaining_partition.unknown_tagged_fields = ()
        remaining_partition.__class__ = RemainingPartition
        remaining_partitions.append(remaining_partition)
    message.remaining_partitions = tuple(remaining_partitions)
    message.unknown_tagged_fields = ()
    message.__class__ = ControlledShutdownResponse
    return message, offset


def _encode_v3(message: ControlledShutdownResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int16(message.error_code))
    add(compact_length(message.remaining_partitions))
    for remaining_partition in message.remaining_partitions:
        add(compact_string(remaining_partition.topic_name))
        add(_pack_int32(remaining_partition.partition_index))
        add(unknown_tags(remaining_partition.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[ControlledShutdownResponse, int]:
    message = _ControlledShutdownResponseDraft()
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    n, offset = read_compact_length(data, offset, 6)
    remaining_partitions = []
    for _ in range(n):
        remaining_partition = _RemainingPartitionDraft()
        remaining_partition.topic_name, offset = read_compact_string(data, offset)
        (remaining_partition.partition_index,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            remaining_partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            remaining_partition.unknown_tagged_fields = ()
        remaining_partition.__class__ = RemainingPartition
        remaining_partitions.append(remaining_partition)
    message.remaining_partitions = tuple(remaining_partitions)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ControlledShutdownResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    RemainingPartition: (
        FieldFact("topic_name", "string", range(4), range(0), False),
        FieldFact("partition_index", "int32", range(4), range(0), False),
    ),
    ControlledShutdownResponse: (
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("remaining_partitions", "[]RemainingPartition", range(4), range(0), False),
    ),
}

ControlledShutdownResponse.codec = Codec(
    encoders=(_encode_v0_2, _encode_v0_2, _encode_v0_2, _encode_v3),
    decoders=(_decode_v0_2, _decode_v0_2, _decode_v0_2, _decode_v3),
    fields=_FIELDS,
)
