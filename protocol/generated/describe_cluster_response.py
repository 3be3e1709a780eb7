"""DescribeClusterResponse: API key 60, versions 0-2, flexible 0-2.

Generated from schemas/klamm/DescribeClusterResponse.json
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

_pack_bool = Struct(">?").pack
_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int8 = Struct(">b").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeClusterBroker:
    """Struct; versions 0-2."""

    broker_id: int = 0
    """int32; versions 0+; unique in its array; broker id"""

    host: str = ""
    """string; versions 0+"""

    port: int = 0
    """int32; versions 0+"""

    rack: str | None = None
    """string; versions 0+; nullable 0+"""

    is_fenced: bool = False
    """bool; versions 2+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeClusterBrokerDraft = draft_of(DescribeClusterBroker)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeClusterResponse(Message):
    """Response; API key 60, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 60
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = None
    """string; versions 0+; nullable 0+"""

    endpoint_type: int = 1
    """int8; versions 1+"""

    cluster_id: str = ""
    """string; versions 0+"""

    controller_id: int = -1
    """int32; versions 0+; broker id"""

    brokers: tuple[DescribeClusterBroker, ...] = ()
    """[]DescribeClusterBroker; versions 0+"""

    cluster_authorized_operations: int = -2147483648
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeClusterResponseDraft = draft_of(DescribeClusterResponse)


def _encode_v0(message: DescribeClusterResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.endpoint_type != 1:
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        if broker.is_fenced is not False:
            raise Unfit
        add(_pack_int32(broker.broker_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(_pack_int32(message.cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeClusterResponse, int]:
    message = _DescribeClusterResponseDraft()
    message.endpoint_type = 1
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    message.cluster_id, offset = read_compact_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _DescribeClusterBrokerDraft()
        broker.is_fenced = False
        (broker.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_compact_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            broker.unknown_tagged_fields = ()
        broker.__class__ = DescribeClusterBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterResponse
    return message, offset


def _encode_v1(message: DescribeClusterResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(_pack_int8(message.endpoint_type))
    add(compact_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        if broker.is_fenced is not False:
            raise Unfit
        add(_pack_int32(broker.broker_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(_pack_int32(message.cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DescribeClusterResponse, int]:
    message = _DescribeClusterResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    (message.endpoint_type,) = _unpack_int8(data, offset)
    offset += 1
    message.cluster_id, offset = read_compact_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _DescribeClusterBrokerDraft()
        broker.is_fenced = False
        (broker.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_compact_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            broker.unknown_tagged_fields = ()
        broker.__class__ = DescribeClusterBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterResponse
    return message, offset


def _encode_v2(message: DescribeClusterResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(_pack_int8(message.endpoint_type))
    add(compact_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        if type(broker.is_fenced) is not bool:
            raise Unfit
        add(_pack_int32(broker.broker_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(_pack_bool(broker.is_fenced))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(_pack_int32(message.cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[DescribeClusterResponse, int]:
    message = _DescribeClusterResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    (message.endpoint_type,) = _unpack_int8(data, offset)
    offset += 1
    message.cluster_id, offset = read_compact_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _DescribeClusterBrokerDraft()
        (broker.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_compact_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_compact_nullable_string(data, offset)
        (broker.is_fenced,) = _unpack_bool(data, offset)
        offset += 1
        if data[offset]:
            broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            broker.unknown_tagged_fields = ()
        broker.__class__ = DescribeClusterBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeClusterBroker: (
        FieldFact("broker_id", "int32", range(3), range(0), False),
        FieldFact("host", "string", range(3), range(0), False),
        FieldFact("port", "int32", range(3), range(0), False),
        FieldFact("rack", "string", range(3), range(3), False),
        FieldFact("is_fenced", "bool", range(2, 3), range(0), False),
    ),
    DescribeClusterResponse: (
        FieldFact("throttle_time_ms", "int32", range(3), range(0), False),
        FieldFact("error_code", "int16", range(3), range(0), False),
        FieldFact("error_message", "string", range(3), range(3), False),
        FieldFact("endpoint_type", "int8", range(1, 3), range(0), False),
        FieldFact("cluster_id", "string", range(3), range(0), False),
        FieldFact("controller_id", "int32", range(3), range(0), False),
        FieldFact("brokers", "[]DescribeClusterBroker", range(3), range(0), False),
        FieldFact("cluster_authorized_operations", "int32", range(3), range(0), False),
    ),
}

DescribeClusterResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
