"""ProduceResponse: API key 0, versions 0-11, flexible 9-11.

Generated from schemas/kafka/ProduceResponse.json
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
    expect_end,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_string,
    read_tags,
    read_unknown_tags,
    string,
    tags,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int32 = Struct(">i").pack
_pack_int32_int16_int64 = Struct(">ihq").pack
_pack_int32_int16_int64x2 = Struct(">ih2q").pack
_pack_int32_int16_int64x3 = Struct(">ih3q").pack
_pack_int32_int16_int64x3_int32 = Struct(">ih3qi").pack
_pack_int32x2 = Struct(">2i").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_int16_int64x3 = Struct(">ih3q").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class BatchIndexAndErrorMessage:
    """Struct; versions 8-11."""

    batch_index: int = 0
    """int32; versions 8+"""

    batch_index_error_message: str | None = None
    """string; versions 8+; nullable 8+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_BatchIndexAndErrorMessageDraft = draft_of(BatchIndexAndErrorMessage)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderIdAndEpoch:
    """Struct; versions 10-11."""

    leader_id: int = -1
    """int32; versions 10+; broker id"""

    leader_epoch: int = -1
    """int32; versions 10+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderIdAndEpochDraft = draft_of(LeaderIdAndEpoch)


@quick_new
@dataclass(frozen=True, slots=True)
class PartitionProduceResponse:
    """Struct; versions 0-11."""

    index: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    base_offset: int = 0
    """int64; versions 0+"""

    log_append_time_ms: int = -1
    """int64; versions 2+; ignorable"""

    log_start_offset: int = -1
    """int64; versions 5+; ignorable"""

    record_errors: tuple[BatchIndexAndErrorMessage, ...] = ()
    """[]BatchIndexAndErrorMessage; versions 8+; ignorable"""

    error_message: str | None = None
    """string; versions 8+; nullable 8+; ignorable"""

    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    """LeaderIdAndEpoch; versions 10+; tag 0 in 10+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_PartitionProduceResponseDraft = draft_of(PartitionProduceResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class TopicProduceResponse:
    """Struct; versions 0-11."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partition_responses: tuple[PartitionProduceResponse, ...] = ()
    """[]PartitionProduceResponse; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_TopicProduceResponseDraft = draft_of(TopicProduceResponse)


@quick_new
@dataclass(frozen=True, slots=True)
class NodeEndpoint:
    """Struct; versions 10-11."""

    node_id: int = 0
    """int32; versions 10+; unique in its array; broker id"""

    host: str = ""
    """string; versions 10+"""

    port: int = 0
    """int32; versions 10+"""

    rack: str | None = None
    """string; versions 10+; nullable 10+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_NodeEndpointDraft = draft_of(NodeEndpoint)


@quick_new
@dataclass(frozen=True, slots=True)
class ProduceResponse(Message):
    """Response; API key 0, versions 0-11, flexible 9-11."""

    api_key: ClassVar[int] = 0
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(12)
    flexible_from: ClassVar[int | None] = 9
    codec: ClassVar[Codec]

    responses: tuple[TopicProduceResponse, ...] = ()
    """[]TopicProduceResponse; versions 0+"""

    throttle_time_ms: int = 0
    """int32; versions 1+; ignorable"""

    node_endpoints: tuple[NodeEndpoint, ...] = ()
    """[]NodeEndpoint; versions 10+; tag 0 in 10+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ProduceResponseDraft = draft_of(ProduceResponse)


def _encode_v0(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(string(response.name))
        add(_pack_int32(len(response.partition_responses)))
        for partition_response in response.partition_responses:
            if (
                partition_response.current_leader != LeaderIdAndEpoch()
                or partition_response.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                )
            )
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.throttle_time_ms = 0
    message.node_endpoints = ()
    n, offset = read_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 14)
        partition_responses: list[PartitionProduceResponse] = []
        while len(partition_responses) < n:
            rows, width = read_rows(">ihq", data, offset, n - len(partition_responses))
            before = len(partition_responses)
            for row in rows:
                partition_response = _PartitionProduceResponseDraft()
                (
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                ) = row
                partition_response.log_append_time_ms = -1
                partition_response.log_start_offset = -1
                partition_response.record_errors = ()
                partition_response.error_message = None
                partition_response.current_leader = LeaderIdAndEpoch()
                partition_response.unknown_tagged_fields = ()
                partition_response.__class__ = PartitionProduceResponse
                partition_responses.append(partition_response)
            offset += (len(partition_responses) - before) * width
        response.partition_responses = tuple(partition_responses)
        response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v1(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(string(response.name))
        add(_pack_int32(len(response.partition_responses)))
        for partition_response in response.partition_responses:
            if (
                partition_response.current_leader != LeaderIdAndEpoch()
                or partition_response.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                )
            )
    add(_pack_int32(message.throttle_time_ms))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.node_endpoints = ()
    n, offset = read_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 14)
        partition_responses: list[PartitionProduceResponse] = []
        while len(partition_responses) < n:
            rows, width = read_rows(">ihq", data, offset, n - len(partition_responses))
            before = len(partition_responses)
            for row in rows:
                partition_response = _PartitionProduceResponseDraft()
                (
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                ) = row
                partition_response.log_append_time_ms = -1
                partition_response.log_start_offset = -1
                partition_response.record_errors = ()
                partition_response.error_message = None
                partition_response.current_leader = LeaderIdAndEpoch()
                partition_response.unknown_tagged_fields = ()
                partition_response.__class__ = PartitionProduceResponse
                partition_responses.append(partition_response)
            offset += (len(partition_responses) - before) * width
        response.partition_responses = tuple(partition_responses)
        response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v2_4(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(string(response.name))
        add(_pack_int32(len(response.partition_responses)))
        for partition_response in response.partition_responses:
            if (
                partition_response.current_leader != LeaderIdAndEpoch()
                or partition_response.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64x2(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                )
            )
    add(_pack_int32(message.throttle_time_ms))
    return b"".join(chunks)


def _decode_v2_4(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.node_endpoints = ()
    n, offset = read_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 22)
        partition_responses: list[PartitionProduceResponse] = []
        while len(partition_responses) < n:
            rows, width = read_rows(">ihqq", data, offset, n - len(partition_responses))
            before = len(partition_responses)
            for row in rows:
                partition_response = _PartitionProduceResponseDraft()
                (
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                ) = row
                partition_response.log_start_offset = -1
                partition_response.record_errors = ()
                partition_response.error_message = None
                partition_response.current_leader = LeaderIdAndEpoch()
                partition_response.unknown_tagged_fields = ()
                partition_response.__class__ = PartitionProduceResponse
                partition_responses.append(partition_response)
            offset += (len(partition_responses) - before) * width
        response.partition_responses = tuple(partition_responses)
        response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v5_7(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(string(response.name))
        add(_pack_int32(len(response.partition_responses)))
        for partition_response in response.partition_responses:
            if (
                partition_response.current_leader != LeaderIdAndEpoch()
                or partition_response.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64x3(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                    partition_response.log_start_offset,
                )
            )
    add(_pack_int32(message.throttle_time_ms))
    return b"".join(chunks)


def _decode_v5_7(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.node_endpoints = ()
    n, offset = read_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 30)
        partition_responses: list[PartitionProduceResponse] = []
        while len(partition_responses) < n:
            rows, width = read_rows(">ihqqq", data, offset, n - len(partition_responses))
            before = len(partition_responses)
            for row in rows:
                partition_response = _PartitionProduceResponseDraft()
                (
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                    partition_response.log_start_offset,
                ) = row
                partition_response.record_errors = ()
                partition_response.error_message = None
                partition_response.current_leader = LeaderIdAndEpoch()
                partition_response.unknown_tagged_fields = ()
                partition_response.__class__ = PartitionProduceResponse
                partition_responses.append(partition_response)
            offset += (len(partition_responses) - before) * width
        response.partition_responses = tuple(partition_responses)
        response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v8(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != () or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.responses)))
    for response in message.responses:
        if response.unknown_tagged_fields:
            raise Unfit
        add(string(response.name))
        add(_pack_int32(len(response.partition_responses)))
        for partition_response in response.partition_responses:
            if (
                partition_response.current_leader != LeaderIdAndEpoch()
                or partition_response.unknown_tagged_fields
            ):
                raise Unfit
            add(
                _pack_int32_int16_int64x3_int32(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                    partition_response.log_start_offset,
                    len(partition_response.record_errors),
                )
            )
            for record_error in partition_response.record_errors:
                if record_error.unknown_tagged_fields:
                    raise Unfit
                add(_pack_int32(record_error.batch_index))
                add(nullable_string(record_error.batch_index_error_message))
            add(nullable_string(partition_response.error_message))
    add(_pack_int32(message.throttle_time_ms))
    return b"".join(chunks)


def _decode_v8(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.node_endpoints = ()
    n, offset = read_length(data, offset, 6)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 36)
        partition_responses = []
        for _ in range(n):
            partition_response = _PartitionProduceResponseDraft()
            partition_response.current_leader = LeaderIdAndEpoch()
            (
                partition_response.index,
                partition_response.error_code,
                partition_response.base_offset,
                partition_response.log_append_time_ms,
                partition_response.log_start_offset,
            ) = _unpack_int32_int16_int64x3(data, offset)
            offset += 30
            n, offset = read_length(data, offset, 6)
            record_errors = []
            for _ in range(n):
                record_error = _BatchIndexAndErrorMessageDraft()
                (record_error.batch_index,) = _unpack_int32(data, offset)
                offset += 4
                record_error.batch_index_error_message, offset = read_nullable_string(data, offset)
                record_error.unknown_tagged_fields = ()
                record_error.__class__ = BatchIndexAndErrorMessage
                record_errors.append(record_error)
            partition_response.record_errors = tuple(record_errors)
            partition_response.error_message, offset = read_nullable_string(data, offset)
            partition_response.unknown_tagged_fields = ()
            partition_response.__class__ = PartitionProduceResponse
            partition_responses.append(partition_response)
        response.partition_responses = tuple(partition_responses)
        response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v9(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.node_endpoints != ():
        raise Unfit
    add(compact_length(message.responses))
    for response in message.responses:
        add(compact_string(response.name))
        add(compact_length(response.partition_responses))
        for partition_response in response.partition_responses:
            if partition_response.current_leader != LeaderIdAndEpoch():
                raise Unfit
            add(
                _pack_int32_int16_int64x3(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                    partition_response.log_start_offset,
                )
            )
            add(compact_length(partition_response.record_errors))
            for record_error in partition_response.record_errors:
                add(_pack_int32(record_error.batch_index))
                add(compact_nullable_string(record_error.batch_index_error_message))
                add(unknown_tags(record_error.unknown_tagged_fields))
            add(compact_nullable_string(partition_response.error_message))
            add(unknown_tags(partition_response.unknown_tagged_fields))
        add(unknown_tags(response.unknown_tagged_fields))
    add(_pack_int32(message.throttle_time_ms))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v9(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    message.node_endpoints = ()
    n, offset = read_compact_length(data, offset, 3)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 33)
        partition_responses = []
        for _ in range(n):
            partition_response = _PartitionProduceResponseDraft()
            partition_response.current_leader = LeaderIdAndEpoch()
            (
                partition_response.index,
                partition_response.error_code,
                partition_response.base_offset,
                partition_response.log_append_time_ms,
                partition_response.log_start_offset,
            ) = _unpack_int32_int16_int64x3(data, offset)
            offset += 30
            n, offset = read_compact_length(data, offset, 6)
            record_errors = []
            for _ in range(n):
                record_error = _BatchIndexAndErrorMessageDraft()
                (record_error.batch_index,) = _unpack_int32(data, offset)
                offset += 4
                record_error.batch_index_error_message, offset = read_compact_nullable_string(
                    data,
                    offset,
                )
                if data[offset]:
                    record_error.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    record_error.unknown_tagged_fields = ()
                record_error.__class__ = BatchIndexAndErrorMessage
                record_errors.append(record_error)
            partition_response.record_errors = tuple(record_errors)
            partition_response.error_message, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                partition_response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition_response.unknown_tagged_fields = ()
            partition_response.__class__ = PartitionProduceResponse
            partition_responses.append(partition_response)
        response.partition_responses = tuple(partition_responses)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ProduceResponse
    return message, offset


def _encode_v10_11(message: ProduceResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.responses))
    for response in message.responses:
        add(compact_string(response.name))
        add(compact_length(response.partition_responses))
        for partition_response in response.partition_responses:
            add(
                _pack_int32_int16_int64x3(
                    partition_response.index,
                    partition_response.error_code,
                    partition_response.base_offset,
                    partition_response.log_append_time_ms,
                    partition_response.log_start_offset,
                )
            )
            add(compact_length(partition_response.record_errors))
            for record_error in partition_response.record_errors:
                add(_pack_int32(record_error.batch_index))
                add(compact_nullable_string(record_error.batch_index_error_message))
                add(unknown_tags(record_error.unknown_tagged_fields))
            add(compact_nullable_string(partition_response.error_message))
            tagged: list[tuple[int, bytes]] = []
            if partition_response.current_leader != LeaderIdAndEpoch():
                parts: list[bytes] = []
                parts.append(
                    _pack_int32x2(
                        partition_response.current_leader.leader_id,
                        partition_response.current_leader.leader_epoch,
                    )
                )
                parts.append(unknown_tags(partition_response.current_leader.unknown_tagged_fields))
                tagged.append((0, b"".join(parts)))
            add(tags(tagged, partition_response.unknown_tagged_fields))
        add(unknown_tags(response.unknown_tagged_fields))
    add(_pack_int32(message.throttle_time_ms))
    tagged2: list[tuple[int, bytes]] = []
    if message.node_endpoints != ():
        parts2: list[bytes] = []
        parts2.append(compact_length(message.node_endpoints))
        for node_endpoint in message.node_endpoints:
            parts2.append(_pack_int32(node_endpoint.node_id))
            parts2.append(compact_string(node_endpoint.host))
            parts2.append(_pack_int32(node_endpoint.port))
            parts2.append(compact_nullable_string(node_endpoint.rack))
            parts2.append(unknown_tags(node_endpoint.unknown_tagged_fields))
        tagged2.append((0, b"".join(parts2)))
    add(tags(tagged2, message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v10_11(data: bytes, offset: int) -> tuple[ProduceResponse, int]:
    message = _ProduceResponseDraft()
    n, offset = read_compact_length(data, offset, 3)
    responses = []
    for _ in range(n):
        response = _TopicProduceResponseDraft()
        response.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 33)
        partition_responses = []
        for _ in range(n):
            partition_response = _PartitionProduceResponseDraft()
            (
                partition_response.index,
                partition_response.error_code,
                partition_response.base_offset,
                partition_response.log_append_time_ms,
                partition_response.log_start_offset,
            ) = _unpack_int32_int16_int64x3(data, offset)
            offset += 30
            n, offset = read_compact_length(data, offset, 6)
            record_errors = []
            for _ in range(n):
                record_error = _BatchIndexAndErrorMessageDraft()
                (record_error.batch_index,) = _unpack_int32(data, offset)
                offset += 4
                record_error.batch_index_error_message, offset = read_compact_nullable_string(
                    data,
                    offset,
                )
                if data[offset]:
                    record_error.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    record_error.unknown_tagged_fields = ()
                record_error.__class__ = BatchIndexAndErrorMessage
                record_errors.append(record_error)
            partition_response.record_errors = tuple(record_errors)
            partition_response.error_message, offset = read_compact_nullable_string(data, offset)
            partition_response.current_leader = LeaderIdAndEpoch()
            unknown = []
            found, behind = read_tags(data, offset)
            for tag, start, end in found:
                offset = start
                if tag == 0:
                    current_leader = _LeaderIdAndEpochDraft()
                    (
                        current_leader.leader_id,
                        current_leader.leader_epoch,
                    ) = _unpack_int32x2(data, offset)
                    offset += 8
                    if data[offset]:
                        current_leader.unknown_tagged_fields, offset = read_unknown_tags(
                            data,
                            offset,
                        )
                    else:
                        offset += 1
                        current_leader.unknown_tagged_fields = ()
                    current_leader.__class__ = LeaderIdAndEpoch
                    partition_response.current_leader = current_leader
                    expect_end(tag, offset, end)
                else:
                    unknown.append((tag, data[start:end]))
            partition_response.unknown_tagged_fields = tuple(unknown)
            offset = behind
            partition_response.__class__ = PartitionProduceResponse
            partition_responses.append(partition_response)
        response.partition_responses = tuple(partition_responses)
        if data[offset]:
            response.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            response.unknown_tagged_fields = ()
        response.__class__ = TopicProduceResponse
        responses.append(response)
    message.responses = tuple(responses)
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.node_endpoints = ()
    unknown2 = []
    found2, behind2 = read_tags(data, offset)
    for tag2, start2, end2 in found2:
        offset = start2
        if tag2 == 0:
            n, offset = read_compact_length(data, offset, 11)
            node_endpoints = []
            for _ in range(n):
                node_endpoint = _NodeEndpointDraft()
                (node_endpoint.node_id,) = _unpack_int32(data, offset)
                offset += 4
                node_endpoint.host, offset = read_compact_string(data, offset)
                (node_endpoint.port,) = _unpack_int32(data, offset)
                offset += 4
                node_endpoint.rack, offset = read_compact_nullable_string(data, offset)
                if data[offset]:
                    node_endpoint.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
                else:
                    offset += 1
                    node_endpoint.unknown_tagged_fields = ()
                node_endpoint.__class__ = NodeEndpoint
                node_endpoints.append(node_endpoint)
            message.node_endpoints = tuple(node_endpoints)
            expect_end(tag2, offset, end2)
        else:
            unknown2.append((tag2, data[start2:end2]))
    message.unknown_tagged_fields = tuple(unknown2)
    offset = behind2
    message.__class__ = ProduceResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    BatchIndexAndErrorMessage: (
        FieldFact("batch_index", "int32", range(8, 12), range(0), False),
        FieldFact("batch_index_error_message", "string", range(8, 12), range(8, 12), False),
    ),
    LeaderIdAndEpoch: (
        FieldFact("leader_id", "int32", range(10, 12), range(0), False),
        FieldFact("leader_epoch", "int32", range(10, 12), range(0), False),
    ),
    PartitionProduceResponse: (
        FieldFact("index", "int32", range(12), range(0), False),
        FieldFact("error_code", "int16", range(12), range(0), False),
        FieldFact("base_offset", "int64", range(12), range(0), False),
        FieldFact("log_append_time_ms", "int64", range(2, 12), range(0), True),
        FieldFact("log_start_offset", "int64", range(5, 12), range(0), True),
        FieldFact("record_errors", "[]BatchIndexAndErrorMessage", range(8, 12), range(0), True),
        FieldFact("error_message", "string", range(8, 12), range(8, 12), True),
        FieldFact("current_leader", "LeaderIdAndEpoch", range(10, 12), range(0), False, 0),
    ),
    TopicProduceResponse: (
        FieldFact("name", "string", range(12), range(0), False),
        FieldFact("partition_responses", "[]PartitionProduceResponse", range(12), range(0), False),
    ),
    NodeEndpoint: (
        FieldFact("node_id", "int32", range(10, 12), range(0), False),
        FieldFact("host", "string", range(10, 12), range(0), False),
        FieldFact("port", "int32", range(10, 12), range(0), False),
        FieldFact("rack", "string", range(10, 12), range(10, 12), False),
    ),
    ProduceResponse: (
        FieldFact("responses", "[]TopicProduceResponse", range(12), range(0), False),
        FieldFact("throttle_time_ms", "int32", range(1, 12), range(0), True),
        FieldFact("node_endpoints", "[]NodeEndpoint", range(10, 12), range(0), False, 0),
    ),
}

ProduceResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2_4,
        _encode_v2_4,
        _encode_v2_4,
        _encode_v5_7,
        _encode_v5_7,
        _encode_v5_7,
        _encode_v8,
        _encode_v9,
        _encode_v10_11,
        _encode_v10_11,
    ),
    decoders=(
        _decode_v0,
        _decode_v1,
        _decode_v2_4,
        _decode_v2_4,
        _decode_v2_4,
        _decode_v5_7,
        _decode_v5_7,
        _decode_v5_7,
        _decode_v8,
        _decode_v9,
        _decode_v10_11,
        _decode_v10_11,
    ),
    fields=_FIELDS,
)
