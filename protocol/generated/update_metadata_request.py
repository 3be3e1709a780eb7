"""UpdateMetadataRequest: API key 6, versions 0-8, flexible 6-8.

Generated from schemas/kafka/UpdateMetadataRequest.json
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
    compact_nullable_string,
    compact_string,
    expect_end,
    nullable_string,
    numbers,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_numbers,
    read_string,
    read_tags,
    read_unknown_tags,
    string,
    tags,
    unknown_tags,
)
from klamm.protocol.rows import (
    Reshaped,
    array_size,
    arrays,
    compact_array_size,
    read_rows,
    row_struct,
)

_compact_int32s = arrays("i", compact=True, nullable=False)
_int32s = arrays("i", compact=False, nullable=False)
_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32_bool_int32_int64 = Struct(">i?iq").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int32x2_int64 = Struct(">2iq").pack
_pack_int32x2_int64_int32 = Struct(">2iqi").pack
_pack_int32x3 = Struct(">3i").pack
_pack_int32x5 = Struct(">5i").pack
_pack_int8 = Struct(">b").pack
_pack_uuid = Struct(">16s").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool_int32_int64 = Struct(">i?iq").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from
_unpack_int32x2_int64 = Struct(">2iq").unpack_from
_unpack_int32x4 = Struct(">4i").unpack_from
_unpack_int8 = Struct(">b").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataPartitionState:
    """Struct; versions 0+."""

    topic_name: str = ""
    """string; versions 0-4; ignorable; topic name"""

    partition_index: int = 0
    """int32; versions 0+"""

    controller_epoch: int = 0
    """int32; versions 0+"""

    leader: int = 0
    """int32; versions 0+; broker id"""

    leader_epoch: int = 0
    """int32; versions 0+"""

    isr: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    zk_version: int = 0
    """int32; versions 0+"""

    replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    offline_replicas: tuple[int, ...] = ()
    """[]int32; versions 4+; ignorable; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataPartitionStateDraft = draft_of(UpdateMetadataPartitionState)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataTopicState:
    """Struct; versions 5-8."""

    topic_name: str = ""
    """string; versions 5+; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 7+; ignorable"""

    partition_states: tuple[UpdateMetadataPartitionState, ...] = ()
    """[]UpdateMetadataPartitionState; versions 5+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataTopicStateDraft = draft_of(UpdateMetadataTopicState)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataEndpoint:
    """Struct; versions 1-8."""

    port: int = 0
    """int32; versions 1+"""

    host: str = ""
    """string; versions 1+"""

    listener: str = ""
    """string; versions 3+; ignorable"""

    security_protocol: int = 0
    """int16; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataEndpointDraft = draft_of(UpdateMetadataEndpoint)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataBroker:
    """Struct; versions 0-8."""

    id: int = 0
    """int32; versions 0+; broker id"""

    v0_host: str = ""
    """string; versions 0; ignorable"""

    v0_port: int = 0
    """int32; versions 0; ignorable"""

    endpoints: tuple[UpdateMetadataEndpoint, ...] = ()
    """[]UpdateMetadataEndpoint; versions 1+; ignorable"""

    rack: str | None = ""
    """string; versions 2+; nullable 0+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataBrokerDraft = draft_of(UpdateMetadataBroker)


@quick_new
@dataclass(frozen=True, slots=True)
class UpdateMetadataRequest(Message):
    """Request; API key 6, versions 0-8, flexible 6-8."""

    api_key: ClassVar[int] = 6
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(9)
    flexible_from: ClassVar[int | None] = 6
    codec: ClassVar[Codec]

    controller_id: int = 0
    """int32; versions 0+; broker id"""

    is_kraft_controller: bool = False
    """bool; versions 8+"""

    type: int = 0
    """int8; versions 8+; tag 0 in 8+"""

    controller_epoch: int = 0
    """int32; versions 0+"""

    broker_epoch: int = -1
    """int64; versions 5+; ignorable"""

    ungrouped_partition_states: tuple[UpdateMetadataPartitionState, ...] = ()
    """[]UpdateMetadataPartitionState; versions 0-4"""

    topic_states: tuple[UpdateMetadataTopicState, ...] = ()
    """[]UpdateMetadataTopicState; versions 5+"""

    live_brokers: tuple[UpdateMetadataBroker, ...] = ()
    """[]UpdateMetadataBroker; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UpdateMetadataRequestDraft = draft_of(UpdateMetadataRequest)


def _encode_v0(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.topic_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x3(
            message.controller_id,
            message.controller_epoch,
            len(message.ungrouped_partition_states),
        )
    )
    for ungrouped_partition_state in message.ungrouped_partition_states:
        if ungrouped_partition_state.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition_state.topic_name))
        add(
            _pack_int32x5(
                ungrouped_partition_state.partition_index,
                ungrouped_partition_state.controller_epoch,
                ungrouped_partition_state.leader,
                ungrouped_partition_state.leader_epoch,
                len(ungrouped_partition_state.isr),
            )
        )
        add(numbers(ungrouped_partition_state.isr, "i"))
        add(
            _pack_int32x2(
                ungrouped_partition_state.zk_version,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(live_broker.id))
        add(string(live_broker.v0_host))
        add(_pack_int32(live_broker.v0_port))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.broker_epoch = -1
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 30)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _UpdateMetadataPartitionStateDraft()
        ungrouped_partition_state.offline_replicas = ()
        ungrouped_partition_state.topic_name, offset = read_string(data, offset)
        (
            ungrouped_partition_state.partition_index,
            ungrouped_partition_state.controller_epoch,
            ungrouped_partition_state.leader,
            ungrouped_partition_state.leader_epoch,
        ) = _unpack_int32x4(data, offset)
        offset += 16
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.isr, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.zk_version,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = UpdateMetadataPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.endpoints = ()
        live_broker.rack = ""
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        live_broker.v0_host, offset = read_string(data, offset)
        (live_broker.v0_port,) = _unpack_int32(data, offset)
        offset += 4
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v1(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.topic_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x3(
            message.controller_id,
            message.controller_epoch,
            len(message.ungrouped_partition_states),
        )
    )
    for ungrouped_partition_state in message.ungrouped_partition_states:
        if ungrouped_partition_state.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition_state.topic_name))
        add(
            _pack_int32x5(
                ungrouped_partition_state.partition_index,
                ungrouped_partition_state.controller_epoch,
                ungrouped_partition_state.leader,
                ungrouped_partition_state.leader_epoch,
                len(ungrouped_partition_state.isr),
            )
        )
        add(numbers(ungrouped_partition_state.isr, "i"))
        add(
            _pack_int32x2(
                ungrouped_partition_state.zk_version,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32x2(live_broker.id, len(live_broker.endpoints)))
        for endpoint in live_broker.endpoints:
            if endpoint.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(endpoint.port))
            add(string(endpoint.host))
            add(_pack_int16(endpoint.security_protocol))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.broker_epoch = -1
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 30)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _UpdateMetadataPartitionStateDraft()
        ungrouped_partition_state.offline_replicas = ()
        ungrouped_partition_state.topic_name, offset = read_string(data, offset)
        (
            ungrouped_partition_state.partition_index,
            ungrouped_partition_state.controller_epoch,
            ungrouped_partition_state.leader,
            ungrouped_partition_state.leader_epoch,
        ) = _unpack_int32x4(data, offset)
        offset += 16
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.isr, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.zk_version,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = UpdateMetadataPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 8)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.rack = ""
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 8)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            endpoint.listener = ""
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v2(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.topic_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x3(
            message.controller_id,
            message.controller_epoch,
            len(message.ungrouped_partition_states),
        )
    )
    for ungrouped_partition_state in message.ungrouped_partition_states:
        if ungrouped_partition_state.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition_state.topic_name))
        add(
            _pack_int32x5(
                ungrouped_partition_state.partition_index,
                ungrouped_partition_state.controller_epoch,
                ungrouped_partition_state.leader,
                ungrouped_partition_state.leader_epoch,
                len(ungrouped_partition_state.isr),
            )
        )
        add(numbers(ungrouped_partition_state.isr, "i"))
        add(
            _pack_int32x2(
                ungrouped_partition_state.zk_version,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32x2(live_broker.id, len(live_broker.endpoints)))
        for endpoint in live_broker.endpoints:
            if endpoint.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(endpoint.port))
            add(string(endpoint.host))
            add(_pack_int16(endpoint.security_protocol))
        add(nullable_string(live_broker.rack))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.broker_epoch = -1
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 30)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _UpdateMetadataPartitionStateDraft()
        ungrouped_partition_state.offline_replicas = ()
        ungrouped_partition_state.topic_name, offset = read_string(data, offset)
        (
            ungrouped_partition_state.partition_index,
            ungrouped_partition_state.controller_epoch,
            ungrouped_partition_state.leader,
            ungrouped_partition_state.leader_epoch,
        ) = _unpack_int32x4(data, offset)
        offset += 16
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.isr, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.zk_version,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = UpdateMetadataPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 8)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            endpoint.listener = ""
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_nullable_string(data, offset)
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v3(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.topic_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x3(
            message.controller_id,
            message.controller_epoch,
            len(message.ungrouped_partition_states),
        )
    )
    for ungrouped_partition_state in message.ungrouped_partition_states:
        if ungrouped_partition_state.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition_state.topic_name))
        add(
            _pack_int32x5(
                ungrouped_partition_state.partition_index,
                ungrouped_partition_state.controller_epoch,
                ungrouped_partition_state.leader,
                ungrouped_partition_state.leader_epoch,
                len(ungrouped_partition_state.isr),
            )
        )
        add(numbers(ungrouped_partition_state.isr, "i"))
        add(
            _pack_int32x2(
                ungrouped_partition_state.zk_version,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32x2(live_broker.id, len(live_broker.endpoints)))
        for endpoint in live_broker.endpoints:
            if endpoint.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(endpoint.port))
            add(string(endpoint.host))
            add(string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
        add(nullable_string(live_broker.rack))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.broker_epoch = -1
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 30)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _UpdateMetadataPartitionStateDraft()
        ungrouped_partition_state.offline_replicas = ()
        ungrouped_partition_state.topic_name, offset = read_string(data, offset)
        (
            ungrouped_partition_state.partition_index,
            ungrouped_partition_state.controller_epoch,
            ungrouped_partition_state.leader,
            ungrouped_partition_state.leader_epoch,
        ) = _unpack_int32x4(data, offset)
        offset += 16
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.isr, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.zk_version,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = UpdateMetadataPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 10)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_string(data, offset)
            endpoint.listener, offset = read_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_nullable_string(data, offset)
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v4(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.topic_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x3(
            message.controller_id,
            message.controller_epoch,
            len(message.ungrouped_partition_states),
        )
    )
    for ungrouped_partition_state in message.ungrouped_partition_states:
        if ungrouped_partition_state.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition_state.topic_name))
        add(
            _pack_int32x5(
                ungrouped_partition_state.partition_index,
                ungrouped_partition_state.controller_epoch,
                ungrouped_partition_state.leader,
                ungrouped_partition_state.leader_epoch,
                len(ungrouped_partition_state.isr),
            )
        )
        add(numbers(ungrouped_partition_state.isr, "i"))
        add(
            _pack_int32x2(
                ungrouped_partition_state.zk_version,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
        add(_pack_int32(len(ungrouped_partition_state.offline_replicas)))
        add(numbers(ungrouped_partition_state.offline_replicas, "i"))
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32x2(live_broker.id, len(live_broker.endpoints)))
        for endpoint in live_broker.endpoints:
            if endpoint.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(endpoint.port))
            add(string(endpoint.host))
            add(string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
        add(nullable_string(live_broker.rack))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.broker_epoch = -1
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 34)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _UpdateMetadataPartitionStateDraft()
        ungrouped_partition_state.topic_name, offset = read_string(data, offset)
        (
            ungrouped_partition_state.partition_index,
            ungrouped_partition_state.controller_epoch,
            ungrouped_partition_state.leader,
            ungrouped_partition_state.leader_epoch,
        ) = _unpack_int32x4(data, offset)
        offset += 16
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.isr, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.zk_version,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.offline_replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = UpdateMetadataPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 10)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_string(data, offset)
            endpoint.listener, offset = read_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_nullable_string(data, offset)
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v5(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.ungrouped_partition_states != ()
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(
        _pack_int32x2_int64_int32(
            message.controller_id,
            message.controller_epoch,
            message.broker_epoch,
            len(message.topic_states),
        )
    )
    for topic_state in message.topic_states:
        if topic_state.unknown_tagged_fields:
            raise Unfit
        add(string(topic_state.topic_name))
        add(_pack_int32(len(topic_state.partition_states)))
        count = count2 = count3 = -2
        for partition_state in topic_state.partition_states:
            if partition_state.unknown_tagged_fields:
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            offline_replicas = partition_state.offline_replicas
            if len(isr) != count or len(replicas) != count2 or len(offline_replicas) != count3:
                count = len(isr)
                count2 = len(replicas)
                count3 = len(offline_replicas)
                pack = row_struct(f">iiiii{count}iii{count2}ii{count3}i").pack
            add(
                pack(
                    partition_state.partition_index,
                    partition_state.controller_epoch,
                    partition_state.leader,
                    partition_state.leader_epoch,
                    count,
                    *isr,
                    partition_state.zk_version,
                    count2,
                    *replicas,
                    count3,
                    *offline_replicas,
                )
            )
    add(_pack_int32(len(message.live_brokers)))
    for live_broker in message.live_brokers:
        if live_broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32x2(live_broker.id, len(live_broker.endpoints)))
        for endpoint in live_broker.endpoints:
            if endpoint.unknown_tagged_fields:
                raise Unfit
            add(_pack_int32(endpoint.port))
            add(string(endpoint.host))
            add(string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
        add(nullable_string(live_broker.rack))
    return b"".join(chunks)


def _decode_v5(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32x2_int64(data, offset)
    offset += 16
    n, offset = read_length(data, offset, 6)
    topic_states = []
    for _ in range(n):
        topic_state = _UpdateMetadataTopicStateDraft()
        topic_state.topic_id = ZERO_UUID
        topic_state.topic_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 32)
        partition_states: list[UpdateMetadataPartitionState] = []
        while len(partition_states) < n:
            size = array_size(data, offset + 16, 4)
            size2 = array_size(data, offset + 20 + size, 4)
            size3 = array_size(data, offset + 20 + size + size2, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _UpdateMetadataPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw,
                        partition_state.zk_version,
                        raw2,
                        raw3,
                    ) = row
                    partition_state.isr = _int32s[raw]
                    partition_state.replicas = _int32s[raw2]
                    partition_state.offline_replicas = _int32s[raw3]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    partition_state.__class__ = UpdateMetadataPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                pass
            offset += (len(partition_states) - before) * width
        topic_state.partition_states = tuple(partition_states)
        topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = UpdateMetadataTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_length(data, offset, 10)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 10)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_string(data, offset)
            endpoint.listener, offset = read_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_nullable_string(data, offset)
        live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v6(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.ungrouped_partition_states != ()
    ):
        raise Unfit
    add(_pack_int32x2_int64(message.controller_id, message.controller_epoch, message.broker_epoch))
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = -2
        for partition_state in topic_state.partition_states:
            isr = partition_state.isr
            replicas = partition_state.replicas
            offline_replicas = partition_state.offline_replicas
            if len(isr) != count or len(replicas) != count2 or len(offline_replicas) != count3:
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.zk_version,
                length2,
                *replicas,
                length3,
                *offline_replicas,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_brokers))
    for live_broker in message.live_brokers:
        add(_pack_int32(live_broker.id))
        add(compact_length(live_broker.endpoints))
        for endpoint in live_broker.endpoints:
            add(_pack_int32(endpoint.port))
            add(compact_string(endpoint.host))
            add(compact_string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
            add(unknown_tags(endpoint.unknown_tagged_fields))
        add(compact_nullable_string(live_broker.rack))
        add(unknown_tags(live_broker.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32x2_int64(data, offset)
    offset += 16
    n, offset = read_compact_length(data, offset, 3)
    topic_states = []
    for _ in range(n):
        topic_state = _UpdateMetadataTopicStateDraft()
        topic_state.topic_id = ZERO_UUID
        topic_state.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 24)
        partition_states: list[UpdateMetadataPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}sB",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _UpdateMetadataPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw,
                        partition_state.zk_version,
                        raw2,
                        raw3,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw]
                    partition_state.replicas = _compact_int32s[raw2]
                    partition_state.offline_replicas = _compact_int32s[raw3]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = UpdateMetadataPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = UpdateMetadataPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = UpdateMetadataTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 7)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_compact_length(data, offset, 9)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_compact_string(data, offset)
            endpoint.listener, offset = read_compact_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            if data[offset]:
                endpoint.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            live_broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v7(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.type != 0
        or message.ungrouped_partition_states != ()
    ):
        raise Unfit
    add(_pack_int32x2_int64(message.controller_id, message.controller_epoch, message.broker_epoch))
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(_pack_uuid(topic_state.topic_id.bytes))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = -2
        for partition_state in topic_state.partition_states:
            isr = partition_state.isr
            replicas = partition_state.replicas
            offline_replicas = partition_state.offline_replicas
            if len(isr) != count or len(replicas) != count2 or len(offline_replicas) != count3:
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.zk_version,
                length2,
                *replicas,
                length3,
                *offline_replicas,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_brokers))
    for live_broker in message.live_brokers:
        add(_pack_int32(live_broker.id))
        add(compact_length(live_broker.endpoints))
        for endpoint in live_broker.endpoints:
            add(_pack_int32(endpoint.port))
            add(compact_string(endpoint.host))
            add(compact_string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
            add(unknown_tags(endpoint.unknown_tagged_fields))
        add(compact_nullable_string(live_broker.rack))
        add(unknown_tags(live_broker.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v7(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.is_kraft_controller = False
    message.type = 0
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32x2_int64(data, offset)
    offset += 16
    n, offset = read_compact_length(data, offset, 19)
    topic_states = []
    for _ in range(n):
        topic_state = _UpdateMetadataTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic_state.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 24)
        partition_states: list[UpdateMetadataPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}sB",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _UpdateMetadataPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw2,
                        partition_state.zk_version,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw2]
                    partition_state.replicas = _compact_int32s[raw3]
                    partition_state.offline_replicas = _compact_int32s[raw4]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = UpdateMetadataPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = UpdateMetadataPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = UpdateMetadataTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 7)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_compact_length(data, offset, 9)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_compact_string(data, offset)
            endpoint.listener, offset = read_compact_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            if data[offset]:
                endpoint.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            live_broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = UpdateMetadataRequest
    return message, offset


def _encode_v8(message: UpdateMetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.ungrouped_partition_states != () or type(message.is_kraft_controller) is not bool:
        raise Unfit
    add(
        _pack_int32_bool_int32_int64(
            message.controller_id,
            message.is_kraft_controller,
            message.controller_epoch,
            message.broker_epoch,
        )
    )
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(_pack_uuid(topic_state.topic_id.bytes))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = -2
        for partition_state in topic_state.partition_states:
            isr = partition_state.isr
            replicas = partition_state.replicas
            offline_replicas = partition_state.offline_replicas
            if len(isr) != count or len(replicas) != count2 or len(offline_replicas) != count3:
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.zk_version,
                length2,
                *replicas,
                length3,
                *offline_replicas,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_brokers))
    for live_broker in message.live_brokers:
        add(_pack_int32(live_broker.id))
        add(compact_length(live_broker.endpoints))
        for endpoint in live_broker.endpoints:
            add(_pack_int32(endpoint.port))
            add(compact_string(endpoint.host))
            add(compact_string(endpoint.listener))
            add(_pack_int16(endpoint.security_protocol))
            add(unknown_tags(endpoint.unknown_tagged_fields))
        add(compact_nullable_string(live_broker.rack))
        add(unknown_tags(live_broker.unknown_tagged_fields))
    tagged: list[tuple[int, bytes]] = []
    if message.type != 0:
        parts: list[bytes] = []
        parts.append(_pack_int8(message.type))
        tagged.append((0, b"".join(parts)))
    add(tags(tagged, message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v8(data: bytes, offset: int) -> tuple[UpdateMetadataRequest, int]:
    message = _UpdateMetadataRequestDraft()
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.is_kraft_controller,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32_bool_int32_int64(data, offset)
    offset += 17
    n, offset = read_compact_length(data, offset, 19)
    topic_states = []
    for _ in range(n):
        topic_state = _UpdateMetadataTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic_state.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 24)
        partition_states: list[UpdateMetadataPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}sB",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _UpdateMetadataPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw2,
                        partition_state.zk_version,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw2]
                    partition_state.replicas = _compact_int32s[raw3]
                    partition_state.offline_replicas = _compact_int32s[raw4]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = UpdateMetadataPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = UpdateMetadataPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = UpdateMetadataTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 7)
    live_brokers = []
    for _ in range(n):
        live_broker = _UpdateMetadataBrokerDraft()
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        (live_broker.id,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_compact_length(data, offset, 9)
        endpoints = []
        for _ in range(n):
            endpoint = _UpdateMetadataEndpointDraft()
            (endpoint.port,) = _unpack_int32(data, offset)
            offset += 4
            endpoint.host, offset = read_compact_string(data, offset)
            endpoint.listener, offset = read_compact_string(data, offset)
            (endpoint.security_protocol,) = _unpack_int16(data, offset)
            offset += 2
            if data[offset]:
                endpoint.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                endpoint.unknown_tagged_fields = ()
            endpoint.__class__ = UpdateMetadataEndpoint
            endpoints.append(endpoint)
        live_broker.endpoints = tuple(endpoints)
        live_broker.rack, offset = read_compact_nullable_string(data, offset)
        if data[offset]:
            live_broker.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_broker.unknown_tagged_fields = ()
        live_broker.__class__ = UpdateMetadataBroker
        live_brokers.append(live_broker)
    message.live_brokers = tuple(live_brokers)
    message.type = 0
    unknown = []
    found, behind = read_tags(data, offset)
    for tag, start, end in found:
        offset = start
        if tag == 0:
            (message.type,) = _unpack_int8(data, offset)
            offset += 1
            expect_end(tag, offset, end)
        else:
            unknown.append((tag, data[start:end]))
    message.unknown_tagged_fields = tuple(unknown)
    offset = behind
    message.__class__ = UpdateMetadataRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    UpdateMetadataPartitionState: (
        FieldFact("topic_name", "string", range(5), range(0), True),
        FieldFact("partition_index", "int32", range(9), range(0), False),
        FieldFact("controller_epoch", "int32", range(9), range(0), False),
        FieldFact("leader", "int32", range(9), range(0), False),
        FieldFact("leader_epoch", "int32", range(9), range(0), False),
        FieldFact("isr", "[]int32", range(9), range(0), False),
        FieldFact("zk_version", "int32", range(9), range(0), False),
        FieldFact("replicas", "[]int32", range(9), range(0), False),
        FieldFact("offline_replicas", "[]int32", range(4, 9), range(0), True),
    ),
    UpdateMetadataTopicState: (
        FieldFact("topic_name", "string", range(5, 9), range(0), False),
        FieldFact("topic_id", "uuid", range(7, 9), range(0), True),
        FieldFact(
            "partition_states",
            "[]UpdateMetadataPartitionState",
            range(5, 9),
            range(0),
            False,
        ),
    ),
    UpdateMetadataEndpoint: (
        FieldFact("port", "int32", range(1, 9), range(0), False),
        FieldFact("host", "string", range(1, 9), range(0), False),
        FieldFact("listener", "string", range(3, 9), range(0), True),
        FieldFact("security_protocol", "int16", range(1, 9), range(0), False),
    ),
    UpdateMetadataBroker: (
        FieldFact("id", "int32", range(9), range(0), False),
        FieldFact("v0_host", "string", range(1), range(0), True),
        FieldFact("v0_port", "int32", range(1), range(0), True),
        FieldFact("endpoints", "[]UpdateMetadataEndpoint", range(1, 9), range(0), True),
        FieldFact("rack", "string", range(2, 9), range(2, 9), True),
    ),
    UpdateMetadataRequest: (
        FieldFact("controller_id", "int32", range(9), range(0), False),
        FieldFact("is_kraft_controller", "bool", range(8, 9), range(0), False),
        FieldFact("type", "int8", range(8, 9), range(0), False, 0),
        FieldFact("controller_epoch", "int32", range(9), range(0), False),
        FieldFact("broker_epoch", "int64", range(5, 9), range(0), True),
        FieldFact(
            "ungrouped_partition_states",
            "[]UpdateMetadataPartitionState",
            range(5),
            range(0),
            False,
        ),
        FieldFact("topic_states", "[]UpdateMetadataTopicState", range(5, 9), range(0), False),
        FieldFact("live_brokers", "[]UpdateMetadataBroker", range(9), range(0), False),
    ),
}

UpdateMetadataRequest.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2,
        _encode_v3,
        _encode_v4,
        _encode_v5,
        _encode_v6,
        _encode_v7,
        _encode_v8,
    ),
    decoders=(
        _decode_v0,
        _decode_v1,
        _decode_v2,
        _decode_v3,
        _decode_v4,
        _decode_v5,
        _decode_v6,
        _decode_v7,
        _decode_v8,
    ),
    fields=_FIELDS,
)
