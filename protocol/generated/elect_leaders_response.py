"""ElectLeadersResponse: API key 43, versions 0-2, flexible 2.

Generated from schemas/kafka/ElectLeadersResponse.json
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

_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32_int16_int32 = Struct(">ihi").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionResult:
    """Struct; versions 0-2."""

    partition_id: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionResultDraft = draft_of(PartitionResult)


@quick_new
@dataclass(frozen=True, slots=True)
class ReplicaElectionResult:
    """Struct; versions 0-2."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition_result: tuple[PartitionResult, ...] = ()
    """[]PartitionResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReplicaElectionResultDraft = draft_of(ReplicaElectionResult)


@quick_new
@dataclass(frozen=True, slots=True)
class ElectLeadersResponse(Message):
    """Response; API key 43, versions 0-2, flexible 2."""

    api_key: ClassVar[int] = 43
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 1+"""

    replica_election_results: tuple[ReplicaElectionResult, ...] = ()
    """[]ReplicaElectionResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ElectLeadersResponseDraft = draft_of(ElectLeadersResponse)


def _encode_v0(message: ElectLeadersResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.error_code != 0 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.replica_election_results)))
    for replica_election_result in message.replica_election_results:
        if replica_election_result.unknown_tagged_fields:
            raise Unfit
        add(string(replica_election_result.topic))
        add(_pack_int32(len(replica_election_result.partition_result)))
        for partition_result in replica_election_result.partition_result:
            if partition_result.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32_int16(partition_result.partition_id, partition_result.error_code))
            add(nullable_string(partition_result.error_message))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ElectLeadersResponse, int]:
    message = _ElectLeadersResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 6)
    replica_election_results = []
    for _ in range(n):
        replica_election_result = _ReplicaElectionResultDraft()
        replica_election_result.topic, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 8)
        partition_result = []
        for _ in range(n):
            partition_result2 = _PartitionResultDraft()
            (
                partition_result2.partition_id,
                partition_result2.error_code,
            ) = _unpack_int32_int16(data, offset)
            offset += 6
            partition_result2.error_message, offset = read_nullable_string(data, offset)
            partition_result2.unknown_tagged_fields = ()
            partition_result2.__class__ = PartitionResult
            partition_result.append(partition_result2)
        replica_election_result.partition_result = tuple(partition_result)
        replica_election_result.unknown_tagged_fields = ()
        replica_election_result.__class__ = ReplicaElectionResult
        replica_election_results.append(replica_election_result)
    message.replica_election_results = tuple(replica_election_results)
    message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersResponse
    return message, offset


def _encode_v1(message: ElectLeadersResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(
        _pack_int32_int16_int32(
            message.throttle_time_ms,
            message.error_code,
            len(message.replica_election_results),
        )
    )
    for replica_election_result in message.replica_election_results:
        if replica_election_result.unknown_tagged_fields:
            raise Unfit
        add(string(replica_election_result.topic))
        add(_pack_int32(len(replica_election_result.partition_result)))
        for partition_result in replica_election_result.partition_result:
            if partition_result.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32_int16(partition_result.partition_id, partition_result.error_code))
            add(nullable_string(partition_result.error_message))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ElectLeadersResponse, int]:
    message = _ElectLeadersResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_length(data, offset, 6)
    replica_election_results = []
    for _ in range(n):
        replica_election_result = _ReplicaElectionResultDraft()
        replica_election_result.topic, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 8)
        partition_result = []
        for _ in range(n):
            partition_result2 = _PartitionResultDraft()
            (
                partition_result2.partition_id,
                partition_result2.error_code,
            ) = _unpack_int32_int16(data, offset)
            offset += 6
            partition_result2.error_message, offset = read_nullable_string(data, offset)
            partition_result2.unknown_tagged_fields = ()
            partition_result2.__class__ = PartitionResult
            partition_result.append(partition_result2)
        replica_election_result.partition_result = tuple(partition_result)
        replica_election_result.unknown_tagged_fields = ()
        replica_election_result.__class__ = ReplicaElectionResult
        replica_election_results.append(replica_election_result)
    message.replica_election_results = tuple(replica_election_results)
    message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersResponse
    return message, offset


def _encode_v2(message: ElectLeadersResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_length(message.replica_election_results))
    for replica_election_result in message.replica_election_results:
        add(compact_string(replica_election_result.topic))
        add(compact_length(replica_election_result.partition_result))
        for partition_result in replica_election_result.partition_result:
            add(_pack_int32_int16(partition_result.partition_id, partition_result.error_code))
            add(compact_nullable_string(partition_result.error_message))
            add(unknown_tags(partition_result.unknown_tagged_fields))
        add(unknown_tags(replica_election_result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[ElectLeadersResponse, int]:
    message = _ElectLeadersResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    n, offset = read_compact_length(data, offset, 3)
    replica_election_results = []
    for _ in range(n):
        replica_election_result = _ReplicaElectionResultDraft()
        replica_election_result.topic, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 8)
        partition_result = []
        for _ in range(n):
            partition_result2 = _PartitionResultDraft()
            (
                partition_result2.partition_id,
                partition_result2.error_code,
            ) = _unpack_int32_int16(data, offset)
            offset += 6
            partition_result2.error_message, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                partition_result2.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition_result2.unknown_tagged_fields = ()
            partition_result2.__class__ = PartitionResult
            partition_result.append(partition_result2)
        replica_election_result.partition_result = tuple(partition_result)
        if data[offset]:
            replica_election_result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            replica_election_result.unknown_tagged_fields = ()
        replica_election_result.__class__ = ReplicaElectionResult
        replica_election_results.append(replica_election_result)
    message.replica_election_results = tuple(replica_election_results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ElectLeadersResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    PartitionResult: (
        FieldFact("partition_id", "int32", range(3), range(0), False),
        FieldFact("error_code", "int16", range(3), range(0), False),
        FieldFact("error_message", "string", range(3), range(3), False),
    ),
    ReplicaElectionResult: (
        FieldFact("topic", "string", range(3), range(0), False),
        FieldFact("partition_result", "[]PartitionResult", range(3), range(0), False),
    ),
    ElectLeadersResponse: (
        FieldFact("throttle_time_ms", "int32", range(3), range(0), False),
        FieldFact("error_code", "int16", range(1, 3), range(0), False),
        FieldFact("replica_election_results", "[]ReplicaElectionResult", range(3), range(0), False),
    ),
}

ElectLeadersResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
