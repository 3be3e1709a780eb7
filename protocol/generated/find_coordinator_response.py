"""FindCoordinatorResponse: API key 10, versions 0-6, flexible 3-6.

Generated from schemas/kafka/FindCoordinatorResponse.json
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
    read_nullable_string,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int16_int32 = Struct(">hi").pack
_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_unpack_int16_int32 = Struct(">hi").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class Coordinator:
    """Struct; versions 4-6."""

    key: str = ""
    """string; versions 4+"""

    node_id: int = 0
    """int32; versions 4+; broker id"""

    host: str = ""
    """string; versions 4+"""

    port: int = 0
    """int32; versions 4+"""

    error_code: int = 0
    """int16; versions 4+"""

    error_message: str | None = ""
    """string; versions 4+; nullable 4+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CoordinatorDraft = draft_of(Coordinator)


@quick_new
@dataclass(frozen=True, slots=True)
class FindCoordinatorResponse(Message):
    """Response; API key 10, versions 0-6, flexible 3-6."""

    api_key: ClassVar[int] = 10
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(7)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 1+; ignorable"""

    error_code: int = 0
    """int16; versions 0-3"""

    error_message: str | None = ""
    """string; versions 1-3; nullable 1-3; ignorable"""

    node_id: int = 0
    """int32; versions 0-3; broker id"""

    host: str = ""
    """string; versions 0-3"""

    port: int = 0
    """int32; versions 0-3"""

    coordinators: tuple[Coordinator, ...] = ()
    """[]Coordinator; versions 4+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FindCoordinatorResponseDraft = draft_of(FindCoordinatorResponse)


def _encode_v0(message: FindCoordinatorResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.coordinators != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int16_int32(message.error_code, message.node_id))
    add(string(message.host))
    add(_pack_int32(message.port))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[FindCoordinatorResponse, int]:
    message = _FindCoordinatorResponseDraft()
    message.throttle_time_ms = 0
    message.error_message = ""
    message.coordinators = ()
    message.error_code, message.node_id = _unpack_int16_int32(data, offset)
    offset += 6
    message.host, offset = read_string(data, offset)
    (message.port,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorResponse
    return message, offset


def _encode_v1_2(message: FindCoordinatorResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.coordinators != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(nullable_string(message.error_message))
    add(_pack_int32(message.node_id))
    add(string(message.host))
    add(_pack_int32(message.port))
    return b"".join(chunks)


def _decode_v1_2(data: bytes, offset: int) -> tuple[FindCoordinatorResponse, int]:
    message = _FindCoordinatorResponseDraft()
    message.coordinators = ()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_nullable_string(data, offset)
    (message.node_id,) = _unpack_int32(data, offset)
    offset += 4
    message.host, offset = read_string(data, offset)
    (message.port,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorResponse
    return message, offset


def _encode_v3(message: FindCoordinatorResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.coordinators != ():
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(_pack_int32(message.node_id))
    add(compact_string(message.host))
    add(_pack_int32(message.port))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[FindCoordinatorResponse, int]:
    message = _FindCoordinatorResponseDraft()
    message.coordinators = ()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    (message.node_id,) = _unpack_int32(data, offset)
    offset += 4
    message.host, offset = read_compact_string(data, offset)
    (message.port,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorResponse
    return message, offset


def _encode_v4_6(message: FindCoordinatorResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.error_code != 0 or message.node_id != 0 or message.host != "" or message.port != 0:
        raise Unfit
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.coordinators))
    for coordinator in message.coordinators:
        add(compact_string(coordinator.key))
        add(_pack_int32(coordinator.node_id))
        add(compact_string(coordinator.host))
        add(_pack_int32_int16(coordinator.port, coordinator.error_code))
        add(compact_nullable_string(coordinator.error_message))
        add(unknown_tags(coordinator.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4_6(data: bytes, offset: int) -> tuple[FindCoordinatorResponse, int]:
    message = _FindCoordinatorResponseDraft()
    message.error_code = 0
    message.error_message = ""
    message.node_id = 0
    message.host = ""
    message.port = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 14)
    coordinators = []
    for _ in range(n):
        coordinator = _CoordinatorDraft()
        coordinator.key, offset = read_compact_string(data, offset)
        (coordinator.node_id,) = _unpack_int32(data, offset)
        offset += 4
        coordinator.host, offset = read_compact_string(data, offset)
        coordinator.port, coordinator.error_code = _unpack_int32_int16(data, offset)
        offset += 6
        coordinator.error_message, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            coordinator.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            coordinator.unknown_tagged_fields = ()
        coordinator.__class__ = Coordinator
        coordinators.append(coordinator)
    message.coordinators = tuple(coordinators)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    Coordinator: (
        FieldFact("key", "string", range(4, 7), range(0), False),
        FieldFact("node_id", "int32", range(4, 7), range(0), False),
        FieldFact("host", "string", range(4, 7), range(0), False),
        FieldFact("port", "int32", range(4, 7), range(0), False),
        FieldFact("error_code", "int16", range(4, 7), range(0), False),
        FieldFact("error_message", "string", range(4, 7), range(4, 7), True),
    ),
    FindCoordinatorResponse: (
        FieldFact("throttle_time_ms", "int32", range(1, 7), range(0), True),
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("error_message", "string", range(1, 4), range(1, 4), True),
        FieldFact("node_id", "int32", range(4), range(0), False),
        FieldFact("host", "string", range(4), range(0), False),
        FieldFact("port", "int32", range(4), range(0), False),
        FieldFact("coordinators", "[]Coordinator", range(4, 7), range(0), False),
    ),
}

FindCoordinatorResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1_2,
        _encode_v1_2,
        _encode_v3,
        _encode_v4_6,
        _encode_v4_6,
        _encode_v4_6,
    ),
    decoders=(
        _decode_v0,
        _decode_v1_2,
        _decode_v1_2,
        _decode_v3,
        _decode_v4_6,
        _decode_v4_6,
        _decode_v4_6,
    ),
    fields=_FIELDS,
)
