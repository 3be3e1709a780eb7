"""PartitionAssignmentStatusResponse: API key 17901, versions 0, flexible 0.

Generated from schemas/klamm/PartitionAssignmentStatusResponse.json
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

_pack_int32_bool_int64x2 = Struct(">i?2q").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2_int16_int64x2_bool_int64 = Struct(">2ih2q?q").pack
_unpack_int16_int64x2_bool_int64 = Struct(">h2q?q").unpack_from
_unpack_int32_bool_int64x2 = Struct(">i?2q").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class Progress:
    """Struct; versions 0+."""

    error_code: int = 0
    """int16; versions 0+"""

    numerator: int = 0
    """int64; versions 0+"""

    denominator: int = -1
    """int64; versions 0+"""

    complete: bool = False
    """bool; versions 0+"""

    updated_time_ms: int = -1
    """int64; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ProgressDraft = draft_of(Progress)


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionReplica:
    """Struct; versions 0."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition: int = 0
    """int32; versions 0+"""

    broker: int = 0
    """int32; versions 0+; broker id"""

    progress: Progress = Progress()
    """Progress; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionReplicaDraft = draft_of(PartitionReplica)


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionAssignmentStatusResponse(Message):
    """Response; API key 17901, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17901
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    request_id: int = -1
    """int32; versions 0+"""

    complete: bool = False
    """bool; versions 0+"""

    created_time_ms: int = -1
    """int64; versions 0+"""

    completed_time_ms: int = -1
    """int64; versions 0+"""

    replicas: tuple[PartitionReplica, ...] = ()
    """[]PartitionReplica; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionAssignmentStatusResponseDraft = draft_of(PartitionAssignmentStatusResponse)


def _encode_v0(message: PartitionAssignmentStatusResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.complete) is not bool:
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(
        _pack_int32_bool_int64x2(
            message.request_id,
            message.complete,
            message.created_time_ms,
            message.completed_time_ms,
        )
    )
    add(compact_length(message.replicas))
    for replica in message.replicas:
        add(compact_string(replica.topic))
        if type(replica.progress.complete) is not bool:
            raise Unfit
        add(
            _pack_int32x2_int16_int64x2_bool_int64(
                replica.partition,
                replica.broker,
                replica.progress.error_code,
                replica.progress.numerator,
                replica.progress.denominator,
                replica.progress.complete,
                replica.progress.updated_time_ms,
            )
        )
        add(unknown_tags(replica.progress.unknown_tagged_fields))
        add(unknown_tags(replica.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[PartitionAssignmentStatusResponse, int]:
    message = _PartitionAssignmentStatusResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    (
        message.request_id,
        message.complete,
        message.created_time_ms,
        message.completed_time_ms,
    ) = _unpack_int32_bool_int64x2(data, offset)
    offset += 21
    n, offset = read_compact_length(data, offset, 38)
    replicas = []
    for _ in range(n):
        replica = _PartitionReplicaDraft()
        replica.topic, offset = read_compact_string(data, offset)
        replica.partition, replica.broker = _unpack_int32x2(data, offset)
        offset += 8
        progress = _ProgressDraft()
        (
            progress.error_code,
            progress.numerator,
            progress.denominator,
            progress.complete,
            progress.updated_time_ms,
        ) = _unpack_int16_int64x2_bool_int64(data, offset)
        offset += 27
        if data[offset]:
            progress.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            progress.unknown_tagged_fields = ()
        progress.__class__ = Progress
        replica.progress = progress
        if data[offset]:
            replica.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            replica.unknown_tagged_fields = ()
        replica.__class__ = PartitionReplica
        replicas.append(replica)
    message.replicas = tuple(replicas)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = PartitionAssignmentStatusResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    Progress: (
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("numerator", "int64", range(1), range(0), False),
        FieldFact("denominator", "int64", range(1), range(0), False),
        FieldFact("complete", "bool", range(1), range(0), False),
        FieldFact("updated_time_ms", "int64", range(1), range(0), False),
    ),
    PartitionReplica: (
        FieldFact("topic", "string", range(1), range(0), False),
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("broker", "int32", range(1), range(0), False),
        FieldFact("progress", "Progress", range(1), range(0), False),
    ),
    PartitionAssignmentStatusResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("request_id", "int32", range(1), range(0), False),
        FieldFact("complete", "bool", range(1), range(0), False),
        FieldFact("created_time_ms", "int64", range(1), range(0), False),
        FieldFact("completed_time_ms", "int64", range(1), range(0), False),
        FieldFact("replicas", "[]PartitionReplica", range(1), range(0), False),
    ),
}

PartitionAssignmentStatusResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
