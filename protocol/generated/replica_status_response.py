"""ReplicaStatusResponse: API key 17903, versions 0, flexible 0.

Generated from schemas/klamm/ReplicaStatusResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32_int16 = Struct(">ih").pack
_pack_int32x2_int16_int64x5 = Struct(">2ih5q").pack
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int32x2_int16_int64x5 = Struct(">2ih5q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ReplicaStatus:
    """Struct; versions 0."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition: int = 0
    """int32; versions 0+"""

    broker: int = 0
    """int32; versions 0+; broker id"""

    error_code: int = 0
    """int16; versions 0+"""

    status_time: int = -1
    """int64; versions 0+"""

    isr_time: int = -1
    """int64; versions 0+"""

    follower_time: int = -1
    """int64; versions 0+"""

    lag: int = -1
    """int64; versions 0+"""

    max_lag: int = -1
    """int64; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReplicaStatusDraft = draft_of(ReplicaStatus)


@quick_new
@dataclass(frozen=True, slots=True)
class ReplicaStatusResponse(Message):
    """Response; API key 17903, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17903
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

    replicas: tuple[ReplicaStatus, ...] = ()
    """[]ReplicaStatus; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReplicaStatusResponseDraft = draft_of(ReplicaStatusResponse)


def _encode_v0(message: ReplicaStatusResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.replicas))
    for replica in message.replicas:
        add(compact_string(replica.topic))
        add(
            _pack_int32x2_int16_int64x5(
                replica.partition,
                replica.broker,
                replica.error_code,
                replica.status_time,
                replica.isr_time,
                replica.follower_time,
                replica.lag,
                replica.max_lag,
            )
        )
        add(unknown_tags(replica.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ReplicaStatusResponse, int]:
    message = _ReplicaStatusResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 52)
    replicas = []
    for _ in range(n):
        replica = _ReplicaStatusDraft()
        replica.topic, offset = read_compact_string(data, offset)
        (
            replica.partition,
            replica.broker,
            replica.error_code,
            replica.status_time,
            replica.isr_time,
            replica.follower_time,
            replica.lag,
            replica.max_lag,
        ) = _unpack_int32x2_int16_int64x5(data, offset)
        offset += 50
        if data[offset]:
            replica.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            replica.unknown_tagged_fields = ()
        replica.__class__ = ReplicaStatus
        replicas.append(replica)
    message.replicas = tuple(replicas)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ReplicaStatusResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ReplicaStatus: (
        FieldFact("topic", "string", range(1), range(0), False),
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("broker", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("status_time", "int64", range(1), range(0), False),
        FieldFact("isr_time", "int64", range(1), range(0), False),
        FieldFact("follower_time", "int64", range(1), range(0), False),
        FieldFact("lag", "int64", range(1), range(0), False),
        FieldFact("max_lag", "int64", range(1), range(0), False),
    ),
    ReplicaStatusResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("replicas", "[]ReplicaStatus", range(1), range(0), False),
    ),
}

ReplicaStatusResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
