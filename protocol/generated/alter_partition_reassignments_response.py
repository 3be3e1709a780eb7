"""AlterPartitionReassignmentsResponse: API key 45, versions 0-1, flexible 0-1.

Generated from schemas/klamm/AlterPartitionReassignmentsResponse.json
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
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32_bool_int16 = Struct(">i?h").pack
_pack_int32_int16 = Struct(">ih").pack
_unpack_int32_bool_int16 = Struct(">i?h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ReassignablePartitionResponse:
    """Struct; versions 0-1."""

    partition_index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReassignablePartitionResponseDraft = draft_of(ReassignablePartitionResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class ReassignableTopicResponse:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[ReassignablePartitionResponse, ...] = ()
    """[]ReassignablePartitionResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReassignableTopicResponseDraft = draft_of(ReassignableTopicResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterPartitionReassignmentsResponse(Message):
    """Response; API key 45, versions 0-1, flexible 0-1."""

    api_key: ClassVar[int] = 45
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    allow_replication_factor_change: bool = True
    """bool; versions 1+; ignorable"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    responses: tuple[ReassignableTopicResponse, ...] = ()
    """[]ReassignableTopicResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterPartitionReassignmentsResponseDraft = draft_of(AlterPartitionReassignmentsResponse)


def _encode_v0(message: AlterPartitionReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.responses))
    for response in message.responses:
        add(compact_string(response.name))
        add(compact_length(response.partitions))
        for partition in response.partitions:
            add(_pack_int32_int16(partition.partition_index, partition.error_code))
            add(compact_nullable_string(partition.error_message))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    message = _AlterPartitionReassignmentsResponseDraft()
    message.allow_replication_factor_change = True
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    responses = []
    for _ in range(n):
        response = _ReassignableTopicResponseDraft()
        response.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 8)
        partitions = []
        for _ in range(n):
            partition = _ReassignablePartitionResponseDraft()
            partition.partition_index, partition.error_code = _unpack_int32_int16(data, offset)
            offset += 6
            partition.error_message, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
            partition.__class__ = ReassignablePartitionResponse
            partitions.append(partition)
        response.partitions = tuple(partitions)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = ReassignableTopicResponse
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionReassignmentsResponse
    return message, offset


def _encode_v1(message: AlterPartitionReassignmentsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.allow_replication_factor_change) is not bool:
        raise Unfit
    add(
        _pack_int32_bool_int16(
            message.throttle_time_ms,
            message.allow_replication_factor_change,
            message.error_code,
        )
    )
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.responses))
    for response in message.responses:
        add(compact_string(response.name))
        add(compact_length(response.partitions))
        for partition in response.partitions:
            add(_pack_int32_int16(partition.partition_index, partition.error_code))
            add(compact_nullable_string(partition.error_message))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(response.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    message = _AlterPartitionReassignmentsResponseDraft()
    (
        message.throttle_time_ms,
        message.allow_replication_factor_change,
        message.error_code,
    ) = _unpack_int32_bool_int16(data, offset)
    offset += 7
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 3)
    responses = []
    for _ in range(n):
        response = _ReassignableTopicResponseDraft()
        response.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 8)
        partitions = []
        for _ in range(n):
            partition = _ReassignablePartitionResponseDraft()
            partition.partition_index, partition.error_code = _unpack_int32_int16(data, offset)
            offset += 6
            partition.error_message, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
            partition.__class__ = ReassignablePartitionResponse
            partitions.append(partition)
        response.partitions = tuple(partitions)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = ReassignableTopicResponse
        responses.append(response)
    message.responses = tuple(responses)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterPartitionReassignmentsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ReassignablePartitionResponse: (
        FieldFact("partition_index", "int32", range(2), range(0), False),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
    ),
    ReassignableTopicResponse: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("partitions", "[]ReassignablePartitionResponse", range(2), range(0), False),
    ),
    AlterPartitionReassignmentsResponse: (
        FieldFact("throttle_time_ms", "int32", range(2), range(0), False),
        FieldFact("allow_replication_factor_change", "bool", range(1, 2), range(0), True),
        FieldFact("error_code", "int16", range(2), range(0), False),
        FieldFact("error_message", "string", range(2), range(2), False),
        FieldFact("responses", "[]ReassignableTopicResponse", range(2), range(0), False),
    ),
}

AlterPartitionReassignmentsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
