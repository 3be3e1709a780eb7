"""ReplicaStatusRequest: API key 17903, versions 0, flexible 0.

Generated from schemas/klamm/ReplicaStatusRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32x2 = Struct(">2i").pack
_unpack_int32x2 = Struct(">2i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ReplicaStatusKey:
    """Struct; versions 0."""

    topic: str = ""
    """string; versions 0+; topic name"""

    partition: int = 0
    """int32; versions 0+"""

    broker: int = 0
    """int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReplicaStatusKeyDraft = draft_of(ReplicaStatusKey)


@quick_new
@dataclass(frozen=True, slots=True)
class ReplicaStatusRequest(Message):
    """Request; API key 17903, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17903
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    replicas: tuple[ReplicaStatusKey, ...] = ()
    """[]ReplicaStatusKey; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReplicaStatusRequestDraft = draft_of(ReplicaStatusRequest)


def _encode_v0(message: ReplicaStatusRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.replicas))
    for replica in message.replicas:
        add(compact_string(replica.topic))
        add(_pack_int32x2(replica.partition, replica.broker))
        add(unknown_tags(replica.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ReplicaStatusRequest, int]:
    message = _ReplicaStatusRequestDraft()
    n, offset = read_compact_length(data, offset, 10)
    replicas = []
    for _ in range(n):
        replica = _ReplicaStatusKeyDraft()
        replica.topic, offset = read_compact_string(data, offset)
        replica.partition, replica.broker = _unpack_int32x2(data, offset)
        offset += 8
        if data[offset]:
            replica.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            replica.unknown_tagged_fields = ()
        replica.__class__ = ReplicaStatusKey
        replicas.append(replica)
    message.replicas = tuple(replicas)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ReplicaStatusRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ReplicaStatusKey: (
        FieldFact("topic", "string", range(1), range(0), False),
        FieldFact("partition", "int32", range(1), range(0), False),
        FieldFact("broker", "int32", range(1), range(0), False),
    ),
    ReplicaStatusRequest: (FieldFact("replicas", "[]ReplicaStatusKey", range(1), range(0), False),),
}

ReplicaStatusRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
