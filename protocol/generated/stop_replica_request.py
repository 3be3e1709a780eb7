"""StopReplicaRequest: API key 5, versions 0-4, flexible 2-4.

Generated from schemas/kafka/StopReplicaRequest.json
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
    numbers,
    read_compact_length,
    read_compact_string,
    read_length,
    read_numbers,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int32 = Struct(">i").pack
_pack_int32_bool_int32_int64 = Struct(">i?iq").pack
_pack_int32x2_bool = Struct(">2i?").pack
_pack_int32x2_bool_int32 = Struct(">2i?i").pack
_pack_int32x2_int64 = Struct(">2iq").pack
_pack_int32x2_int64_bool = Struct(">2iq?").pack
_pack_int32x2_int64_bool_int32 = Struct(">2iq?i").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool_int32_int64 = Struct(">i?iq").unpack_from
_unpack_int32x2_bool = Struct(">2i?").unpack_from
_unpack_int32x2_int64 = Struct(">2iq").unpack_from
_unpack_int32x2_int64_bool = Struct(">2iq?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaPartitionV0:
    """Struct; versions 0."""

    topic_name: str = ""
    """string; versions 0; topic name"""

    partition_index: int = 0
    """int32; versions 0"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaPartitionV0Draft = draft_of(StopReplicaPartitionV0)


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaTopicV1:
    """Struct; versions 1-2."""

    name: str = ""
    """string; versions 1-2; topic name"""

    partition_indexes: tuple[int, ...] = ()
    """[]int32; versions 1-2"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaTopicV1Draft = draft_of(StopReplicaTopicV1)


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaPartitionState:
    """Struct; versions 3-4."""

    partition_index: int = 0
    """int32; versions 3+"""

    leader_epoch: int = -1
    """int32; versions 3+"""

    delete_partition: bool = False
    """bool; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaPartitionStateDraft = draft_of(StopReplicaPartitionState)


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaTopicState:
    """Struct; versions 3-4."""

    topic_name: str = ""
    """string; versions 3+; topic name"""

    partition_states: tuple[StopReplicaPartitionState, ...] = ()
    """[]StopReplicaPartitionState; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaTopicStateDraft = draft_of(StopReplicaTopicState)


@quick_new
@dataclass(frozen=True, slots=True)
class StopReplicaRequest(Message):
    """Request; API key 5, versions 0-4, flexible 2-4."""

    api_key: ClassVar[int] = 5
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    controller_id: int = 0
    """int32; versions 0+; broker id"""

    is_kraft_controller: bool = False
    """bool; versions 4+"""

    controller_epoch: int = 0
    """int32; versions 0+"""

    broker_epoch: int = -1
    """int64; versions 1+; ignorable"""

    delete_partitions: bool = False
    """bool; versions 0-2"""

    ungrouped_partitions: tuple[StopReplicaPartitionV0, ...] = ()
    """[]StopReplicaPartitionV0; versions 0"""

    topics: tuple[StopReplicaTopicV1, ...] = ()
    """[]StopReplicaTopicV1; versions 1-2"""

    topic_states: tuple[StopReplicaTopicState, ...] = ()
    """[]StopReplicaTopicState; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_StopReplicaRequestDraft = draft_of(StopReplicaRequest)


def _encode_v0(message: StopReplicaRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.topics != ()
        or message.topic_states != ()
        or message.unknown_tagged_fields
        or type(message.delete_partitions) is not bool
    ):
        raise Unfit
    add(
        _pack_int32x2_bool_int32(
            message.controller_id,
            message.controller_epoch,
            message.delete_partitions,
            len(message.ungrouped_partitions),
        )
    )
    for ungrouped_partition in message.ungrouped_partitions:
        if ungrouped_partition.unknown_tagged_fields:
            raise Unfit
        add(string(ungrouped_partition.topic_name))
        add(_pack_int32(ungrouped_partition.partition_index))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[StopReplicaRequest, int]:
    message = _StopReplicaRequestDraft()
    message.is_kraft_controller = False
    message.broker_epoch = -1
    message.topics = ()
    message.topic_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.delete_partitions,
    ) = _unpack_int32x2_bool(data, offset)
    offset += 9
    n, offset = read_length(data, offset, 6)
    ungrouped_partitions = []
    for _ in range(n):
        ungrouped_partition = _StopReplicaPartitionV0Draft()
        ungrouped_partition.topic_name, offset = read_string(data, offset)
        (ungrouped_partition.partition_index,) = _unpack_int32(data, offset)
        offset += 4
        ungrouped_partition.unknown_tagged_fields = ()
        ungrouped_partition.__class__ = StopReplicaPartitionV0
        ungrouped_partitions.append(ungrouped_partition)
    message.ungrouped_partitions = tuple(ungrouped_partitions)
    message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaRequest
    return message, offset


def _encode_v1(message: StopReplicaRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.ungrouped_partitions != ()
        or message.topic_states != ()
        or message.unknown_tagged_fields
        or type(message.delete_partitions) is not bool
    ):
        raise Unfit
    add(
        _pack_int32x2_int64_bool_int32(
            message.controller_id,
            message.controller_epoch,
            message.broker_epoch,
            message.delete_partitions,
            len(message.topics),
        )
    )
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(_pack_int32(len(topic.partition_indexes)))
        add(numbers(topic.partition_indexes, "i"))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[StopReplicaRequest, int]:
    message = _StopReplicaRequestDraft()
    message.is_kraft_controller = False
    message.ungrouped_partitions = ()
    message.topic_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
        message.delete_partitions,
    ) = _unpack_int32x2_int64_bool(data, offset)
    offset += 17
    n, offset = read_length(data, offset, 6)
    topics = []
    for _ in range(n):
        topic = _StopReplicaTopicV1Draft()
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 4)
        topic.partition_indexes, offset = read_numbers(data, offset, n, "i")
        topic.unknown_tagged_fields = ()
        topic.__class__ = StopReplicaTopicV1
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaRequest
    return message, offset


def _encode_v2(message: StopReplicaRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.ungrouped_partitions != ()
        or message.topic_states != ()
        or type(message.delete_partitions) is not bool
    ):
        raise Unfit
    add(
        _pack_int32x2_int64_bool(
            message.controller_id,
            message.controller_epoch,
            message.broker_epoch,
            message.delete_partitions,
        )
    )
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partition_indexes))
        add(numbers(topic.partition_indexes, "i"))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[StopReplicaRequest, int]:
    message = _StopReplicaRequestDraft()
    message.is_kraft_controller = False
    message.ungrouped_partitions = ()
    message.topic_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
        message.delete_partitions,
    ) = _unpack_int32x2_int64_bool(data, offset)
    offset += 17
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _StopReplicaTopicV1Draft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 4)
        topic.partition_indexes, offset = read_numbers(data, offset, n, "i")
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = StopReplicaTopicV1
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaRequest
    return message, offset


def _encode_v3(message: StopReplicaRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.is_kraft_controller is not False
        or message.delete_partitions is not False
        or message.ungrouped_partitions != ()
        or message.topics != ()
    ):
        raise Unfit
    add(_pack_int32x2_int64(message.controller_id, message.controller_epoch, message.broker_epoch))
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(compact_length(topic_state.partition_states))
        for partition_state in topic_state.partition_states:
            if type(partition_state.delete_partition) is not bool:
                raise Unfit
            add(
                _pack_int32x2_bool(
                    partition_state.partition_index,
                    partition_state.leader_epoch,
                    partition_state.delete_partition,
                )
            )
            add(unknown_tags(partition_state.unknown_tagged_fields))
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[StopReplicaRequest, int]:
    message = _StopReplicaRequestDraft()
    message.is_kraft_controller = False
    message.delete_partitions = False
    message.ungrouped_partitions = ()
    message.topics = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32x2_int64(data, offset)
    offset += 16
    n, offset = read_compact_length(data, offset, 3)
    topic_states = []
    for _ in range(n):
        topic_state = _StopReplicaTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 10)
        partition_states: list[StopReplicaPartitionState] = []
        while len(partition_states) < n:
            rows, width = read_rows(">ii?B", data, offset, n - len(partition_states))
            before = len(partition_states)
            for row in rows:
                partition_state = _StopReplicaPartitionStateDraft()
                (
                    partition_state.partition_index,
                    partition_state.leader_epoch,
                    partition_state.delete_partition,
                    tagged,
                ) = row
                partition_state.unknown_tagged_fields = ()
                if tagged:
                    break
                partition_state.__class__ = StopReplicaPartitionState
                partition_states.append(partition_state)
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = StopReplicaPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = StopReplicaTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaRequest
    return message, offset


def _encode_v4(message: StopReplicaRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.delete_partitions is not False
        or message.ungrouped_partitions != ()
        or message.topics != ()
        or type(message.is_kraft_controller) is not bool
    ):
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
        add(compact_length(topic_state.partition_states))
        for partition_state in topic_state.partition_states:
            if type(partition_state.delete_partition) is not bool:
                raise Unfit
            add(
                _pack_int32x2_bool(
                    partition_state.partition_index,
                    partition_state.leader_epoch,
                    partition_state.delete_partition,
                )
            )
            add(unknown_tags(partition_state.unknown_tagged_fields))
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[StopReplicaRequest, int]:
    message = _StopReplicaRequestDraft()
    message.delete_partitions = False
    message.ungrouped_partitions = ()
    message.topics = ()
    (
        message.controller_id,
        message.is_kraft_controller,
        message.controller_epoch,
        message.broker_epoch,
    ) = _unpack_int32_bool_int32_int64(data, offset)
    offset += 17
    n, offset = read_compact_length(data, offset, 3)
    topic_states = []
    for _ in range(n):
        topic_state = _StopReplicaTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 10)
        partition_states: list[StopReplicaPartitionState] = []
        while len(partition_states) < n:
            rows, width = read_rows(">ii?B", data, offset, n - len(partition_states))
            before = len(partition_states)
            for row in rows:
                partition_state = _StopReplicaPartitionStateDraft()
                (
                    partition_state.partition_index,
                    partition_state.leader_epoch,
                    partition_state.delete_partition,
                    tagged,
                ) = row
                partition_state.unknown_tagged_fields = ()
                if tagged:
                    break
                partition_state.__class__ = StopReplicaPartitionState
                partition_states.append(partition_state)
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = StopReplicaPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = StopReplicaTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = StopReplicaRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    StopReplicaPartitionV0: (
        FieldFact("topic_name", "string", range(1), range(0), False),
        FieldFact("partition_index", "int32", range(1), range(0), False),
    ),
    StopReplicaTopicV1: (
        FieldFact("name", "string", range(1, 3), range(0), False),
        FieldFact("partition_indexes", "[]int32", range(1, 3), range(0), False),
    ),
    StopReplicaPartitionState: (
        FieldFact("partition_index", "int32", range(3, 5), range(0), False),
        FieldFact("leader_epoch", "int32", range(3, 5), range(0), False),
        FieldFact("delete_partition", "bool", range(3, 5), range(0), False),
    ),
    StopReplicaTopicState: (
        FieldFact("topic_name", "string", range(3, 5), range(0), False),
        FieldFact("partition_states", "[]StopReplicaPartitionState", range(3, 5), range(0), False),
    ),
    StopReplicaRequest: (
        FieldFact("controller_id", "int32", range(5), range(0), False),
        FieldFact("is_kraft_controller", "bool", range(4, 5), range(0), False),
        FieldFact("controller_epoch", "int32", range(5), range(0), False),
        FieldFact("broker_epoch", "int64", range(1, 5), range(0), True),
        FieldFact("delete_partitions", "bool", range(3), range(0), False),
        FieldFact("ungrouped_partitions", "[]StopReplicaPartitionV0", range(1), range(0), False),
        FieldFact("topics", "[]StopReplicaTopicV1", range(1, 3), range(0), False),
        FieldFact("topic_states", "[]StopReplicaTopicState", range(3, 5), range(0), False),
    ),
}

StopReplicaRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2, _encode_v3, _encode_v4),
    decoders=(_decode_v0, _decode_v1, _decode_v2, _decode_v3, _decode_v4),
    fields=_FIELDS,
)
