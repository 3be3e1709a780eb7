"""LeaderAndIsrRequest: API key 4, versions 0-7, flexible 4-7.

Generated from schemas/kafka/LeaderAndIsrRequest.json
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
_pack_bool = Struct(">?").pack
_pack_int32 = Struct(">i").pack
_pack_int32_bool_int32_int64_int8 = Struct(">i?iqb").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int32x2_int64 = Struct(">2iq").pack
_pack_int32x2_int64_int32 = Struct(">2iqi").pack
_pack_int32x2_int64_int8 = Struct(">2iqb").pack
_pack_int32x3 = Struct(">3i").pack
_pack_int32x5 = Struct(">5i").pack
_pack_uuid = Struct(">16s").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool_int32_int64_int8 = Struct(">i?iqb").unpack_from
_unpack_int32x2 = Struct(">2i").unpack_from
_unpack_int32x2_int64 = Struct(">2iq").unpack_from
_unpack_int32x2_int64_int8 = Struct(">2iqb").unpack_from
_unpack_int32x4 = Struct(">4i").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrPartitionState:
    """Struct; versions 0+."""

    topic_name: str = ""
    """string; versions 0-1; ignorable; topic name"""

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

    partition_epoch: int = 0
    """int32; versions 0+"""

    replicas: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    adding_replicas: tuple[int, ...] = ()
    """[]int32; versions 3+; ignorable; broker id"""

    removing_replicas: tuple[int, ...] = ()
    """[]int32; versions 3+; ignorable; broker id"""

    is_new: bool = False
    """bool; versions 1+; ignorable"""

    leader_recovery_state: int = 0
    """int8; versions 6+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrPartitionStateDraft = draft_of(LeaderAndIsrPartitionState)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrTopicState:
    """Struct; versions 2-7."""

    topic_name: str = ""
    """string; versions 2+; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 5+; ignorable"""

    partition_states: tuple[LeaderAndIsrPartitionState, ...] = ()
    """[]LeaderAndIsrPartitionState; versions 2+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrTopicStateDraft = draft_of(LeaderAndIsrTopicState)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrLiveLeader:
    """Struct; versions 0-7."""

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    host_name: str = ""
    """string; versions 0+"""

    port: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrLiveLeaderDraft = draft_of(LeaderAndIsrLiveLeader)


@quick_new
@dataclass(frozen=True, slots=True)
class LeaderAndIsrRequest(Message):
    """Request; API key 4, versions 0-7, flexible 4-7."""

    api_key: ClassVar[int] = 4
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(8)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    controller_id: int = 0
    """int32; versions 0+; broker id"""

    is_kraft_controller: bool = False
    """bool; versions 7+"""

    controller_epoch: int = 0
    """int32; versions 0+"""

    broker_epoch: int = -1
    """int64; versions 2+; ignorable"""

    type: int = 0
    """int8; versions 5+"""

    ungrouped_partition_states: tuple[LeaderAndIsrPartitionState, ...] = ()
    """[]LeaderAndIsrPartitionState; versions 0-1"""

    topic_states: tuple[LeaderAndIsrTopicState, ...] = ()
    """[]LeaderAndIsrTopicState; versions 2+"""

    live_leaders: tuple[LeaderAndIsrLiveLeader, ...] = ()
    """[]LeaderAndIsrLiveLeader; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_LeaderAndIsrRequestDraft = draft_of(LeaderAndIsrRequest)


def _encode_v0(message: LeaderAndIsrRequest) -> bytes:
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
        if (
            ungrouped_partition_state.leader_recovery_state != 0
            or ungrouped_partition_state.unknown_tagged_fields
        ):
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
                ungrouped_partition_state.partition_epoch,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
    add(_pack_int32(len(message.live_leaders)))
    for live_leader in message.live_leaders:
        if live_leader.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(live_leader.broker_id))
        add(string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
    message.is_kraft_controller = False
    message.broker_epoch = -1
    message.type = 0
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 30)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _LeaderAndIsrPartitionStateDraft()
        ungrouped_partition_state.adding_replicas = ()
        ungrouped_partition_state.removing_replicas = ()
        ungrouped_partition_state.is_new = False
        ungrouped_partition_state.leader_recovery_state = 0
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
        (ungrouped_partition_state.partition_epoch,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = LeaderAndIsrPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v1(message: LeaderAndIsrRequest) -> bytes:
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
        if (
            ungrouped_partition_state.leader_recovery_state != 0
            or ungrouped_partition_state.unknown_tagged_fields
            or type(ungrouped_partition_state.is_new) is not bool
        ):
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
                ungrouped_partition_state.partition_epoch,
                len(ungrouped_partition_state.replicas),
            )
        )
        add(numbers(ungrouped_partition_state.replicas, "i"))
        add(_pack_bool(ungrouped_partition_state.is_new))
    add(_pack_int32(len(message.live_leaders)))
    for live_leader in message.live_leaders:
        if live_leader.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(live_leader.broker_id))
        add(string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
    message.is_kraft_controller = False
    message.broker_epoch = -1
    message.type = 0
    message.topic_states = ()
    message.controller_id, message.controller_epoch = _unpack_int32x2(data, offset)
    offset += 8
    n, offset = read_length(data, offset, 31)
    ungrouped_partition_states = []
    for _ in range(n):
        ungrouped_partition_state = _LeaderAndIsrPartitionStateDraft()
        ungrouped_partition_state.adding_replicas = ()
        ungrouped_partition_state.removing_replicas = ()
        ungrouped_partition_state.leader_recovery_state = 0
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
        (ungrouped_partition_state.partition_epoch,) = _unpack_int32(data, offset)
        offset += 4
        n, offset = read_length(data, offset, 4)
        ungrouped_partition_state.replicas, offset = read_numbers(data, offset, n, "i")
        (ungrouped_partition_state.is_new,) = _unpack_bool(data, offset)
        offset += 1
        ungrouped_partition_state.unknown_tagged_fields = ()
        ungrouped_partition_state.__class__ = LeaderAndIsrPartitionState
        ungrouped_partition_states.append(ungrouped_partition_state)
    message.ungrouped_partition_states = tuple(ungrouped_partition_states)
    n, offset = read_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v2(message: LeaderAndIsrRequest) -> bytes:
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
        count = count2 = -2
        for partition_state in topic_state.partition_states:
            if (
                partition_state.leader_recovery_state != 0
                or partition_state.unknown_tagged_fields
                or type(partition_state.is_new) is not bool
            ):
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            if len(isr) != count or len(replicas) != count2:
                count = len(isr)
                count2 = len(replicas)
                pack = row_struct(f">iiiii{count}iii{count2}i?").pack
            add(
                pack(
                    partition_state.partition_index,
                    partition_state.controller_epoch,
                    partition_state.leader,
                    partition_state.leader_epoch,
                    count,
                    *isr,
                    partition_state.partition_epoch,
                    count2,
                    *replicas,
                    partition_state.is_new,
                )
            )
    add(_pack_int32(len(message.live_leaders)))
    for live_leader in message.live_leaders:
        if live_leader.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(live_leader.broker_id))
        add(string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
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
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_id = ZERO_UUID
        topic_state.topic_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 29)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = array_size(data, offset + 16, 4)
            size2 = array_size(data, offset + 20 + size, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s?",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw,
                        partition_state.partition_epoch,
                        raw2,
                        partition_state.is_new,
                    ) = row
                    partition_state.isr = _int32s[raw]
                    partition_state.replicas = _int32s[raw2]
                    partition_state.topic_name = ""
                    partition_state.adding_replicas = ()
                    partition_state.removing_replicas = ()
                    partition_state.leader_recovery_state = 0
                    partition_state.unknown_tagged_fields = ()
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                pass
            offset += (len(partition_states) - before) * width
        topic_state.partition_states = tuple(partition_states)
        topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v3(message: LeaderAndIsrRequest) -> bytes:
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
        count = count2 = count3 = count4 = -2
        for partition_state in topic_state.partition_states:
            if (
                partition_state.leader_recovery_state != 0
                or partition_state.unknown_tagged_fields
                or type(partition_state.is_new) is not bool
            ):
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            adding_replicas = partition_state.adding_replicas
            removing_replicas = partition_state.removing_replicas
            if (
                len(isr) != count
                or len(replicas) != count2
                or len(adding_replicas) != count3
                or len(removing_replicas) != count4
            ):
                count = len(isr)
                count2 = len(replicas)
                count3 = len(adding_replicas)
                count4 = len(removing_replicas)
                pack = row_struct(f">iiiii{count}iii{count2}ii{count3}ii{count4}i?").pack
            add(
                pack(
                    partition_state.partition_index,
                    partition_state.controller_epoch,
                    partition_state.leader,
                    partition_state.leader_epoch,
                    count,
                    *isr,
                    partition_state.partition_epoch,
                    count2,
                    *replicas,
                    count3,
                    *adding_replicas,
                    count4,
                    *removing_replicas,
                    partition_state.is_new,
                )
            )
    add(_pack_int32(len(message.live_leaders)))
    for live_leader in message.live_leaders:
        if live_leader.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(live_leader.broker_id))
        add(string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
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
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_id = ZERO_UUID
        topic_state.topic_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 37)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = array_size(data, offset + 16, 4)
            size2 = array_size(data, offset + 20 + size, 4)
            size3 = array_size(data, offset + 20 + size + size2, 4)
            size4 = array_size(data, offset + 20 + size + size2 + size3, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s{size4}s?",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw,
                        partition_state.partition_epoch,
                        raw2,
                        raw3,
                        raw4,
                        partition_state.is_new,
                    ) = row
                    partition_state.isr = _int32s[raw]
                    partition_state.replicas = _int32s[raw2]
                    partition_state.adding_replicas = _int32s[raw3]
                    partition_state.removing_replicas = _int32s[raw4]
                    partition_state.topic_name = ""
                    partition_state.leader_recovery_state = 0
                    partition_state.unknown_tagged_fields = ()
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                pass
            offset += (len(partition_states) - before) * width
        topic_state.partition_states = tuple(partition_states)
        topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v4(message: LeaderAndIsrRequest) -> bytes:
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
        count = count2 = count3 = count4 = -2
        for partition_state in topic_state.partition_states:
            if (
                partition_state.leader_recovery_state != 0
                or type(partition_state.is_new) is not bool
            ):
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            adding_replicas = partition_state.adding_replicas
            removing_replicas = partition_state.removing_replicas
            if (
                len(isr) != count
                or len(replicas) != count2
                or len(adding_replicas) != count3
                or len(removing_replicas) != count4
            ):
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(adding_replicas)
                length3 = compact_length(adding_replicas)
                count4 = len(removing_replicas)
                length4 = compact_length(removing_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}i"
                    f"{len(length4)}s{count4}i?B"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.partition_epoch,
                length2,
                *replicas,
                length3,
                *adding_replicas,
                length4,
                *removing_replicas,
                partition_state.is_new,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_leaders))
    for live_leader in message.live_leaders:
        add(_pack_int32(live_leader.broker_id))
        add(compact_string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
        add(unknown_tags(live_leader.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
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
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_id = ZERO_UUID
        topic_state.topic_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 26)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            size4 = compact_array_size(data, offset + 20 + size + size2 + size3, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s{size4}s?B",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw,
                        partition_state.partition_epoch,
                        raw2,
                        raw3,
                        raw4,
                        partition_state.is_new,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw]
                    partition_state.replicas = _compact_int32s[raw2]
                    partition_state.adding_replicas = _compact_int32s[raw3]
                    partition_state.removing_replicas = _compact_int32s[raw4]
                    partition_state.topic_name = ""
                    partition_state.leader_recovery_state = 0
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = LeaderAndIsrPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_compact_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            live_leader.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v5(message: LeaderAndIsrRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.is_kraft_controller is not False or message.ungrouped_partition_states != ():
        raise Unfit
    add(
        _pack_int32x2_int64_int8(
            message.controller_id,
            message.controller_epoch,
            message.broker_epoch,
            message.type,
        )
    )
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(_pack_uuid(topic_state.topic_id.bytes))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = count4 = -2
        for partition_state in topic_state.partition_states:
            if (
                partition_state.leader_recovery_state != 0
                or type(partition_state.is_new) is not bool
            ):
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            adding_replicas = partition_state.adding_replicas
            removing_replicas = partition_state.removing_replicas
            if (
                len(isr) != count
                or len(replicas) != count2
                or len(adding_replicas) != count3
                or len(removing_replicas) != count4
            ):
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(adding_replicas)
                length3 = compact_length(adding_replicas)
                count4 = len(removing_replicas)
                length4 = compact_length(removing_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}i"
                    f"{len(length4)}s{count4}i?B"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.partition_epoch,
                length2,
                *replicas,
                length3,
                *adding_replicas,
                length4,
                *removing_replicas,
                partition_state.is_new,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_leaders))
    for live_leader in message.live_leaders:
        add(_pack_int32(live_leader.broker_id))
        add(compact_string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
        add(unknown_tags(live_leader.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v5(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
    message.is_kraft_controller = False
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
        message.type,
    ) = _unpack_int32x2_int64_int8(data, offset)
    offset += 17
    n, offset = read_compact_length(data, offset, 19)
    topic_states = []
    for _ in range(n):
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic_state.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 26)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            size4 = compact_array_size(data, offset + 20 + size + size2 + size3, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s{size4}s?B",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw2,
                        partition_state.partition_epoch,
                        raw3,
                        raw4,
                        raw5,
                        partition_state.is_new,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw2]
                    partition_state.replicas = _compact_int32s[raw3]
                    partition_state.adding_replicas = _compact_int32s[raw4]
                    partition_state.removing_replicas = _compact_int32s[raw5]
                    partition_state.topic_name = ""
                    partition_state.leader_recovery_state = 0
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = LeaderAndIsrPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_compact_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            live_leader.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v6(message: LeaderAndIsrRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.is_kraft_controller is not False or message.ungrouped_partition_states != ():
        raise Unfit
    add(
        _pack_int32x2_int64_int8(
            message.controller_id,
            message.controller_epoch,
            message.broker_epoch,
            message.type,
        )
    )
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(_pack_uuid(topic_state.topic_id.bytes))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = count4 = -2
        for partition_state in topic_state.partition_states:
            if type(partition_state.is_new) is not bool:
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            adding_replicas = partition_state.adding_replicas
            removing_replicas = partition_state.removing_replicas
            if (
                len(isr) != count
                or len(replicas) != count2
                or len(adding_replicas) != count3
                or len(removing_replicas) != count4
            ):
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(adding_replicas)
                length3 = compact_length(adding_replicas)
                count4 = len(removing_replicas)
                length4 = compact_length(removing_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}i"
                    f"{len(length4)}s{count4}i?bB"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.partition_epoch,
                length2,
                *replicas,
                length3,
                *adding_replicas,
                length4,
                *removing_replicas,
                partition_state.is_new,
                partition_state.leader_recovery_state,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_leaders))
    for live_leader in message.live_leaders:
        add(_pack_int32(live_leader.broker_id))
        add(compact_string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
        add(unknown_tags(live_leader.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v6(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
    message.is_kraft_controller = False
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.controller_epoch,
        message.broker_epoch,
        message.type,
    ) = _unpack_int32x2_int64_int8(data, offset)
    offset += 17
    n, offset = read_compact_length(data, offset, 19)
    topic_states = []
    for _ in range(n):
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic_state.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 27)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            size4 = compact_array_size(data, offset + 20 + size + size2 + size3, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s{size4}s?bB",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw2,
                        partition_state.partition_epoch,
                        raw3,
                        raw4,
                        raw5,
                        partition_state.is_new,
                        partition_state.leader_recovery_state,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw2]
                    partition_state.replicas = _compact_int32s[raw3]
                    partition_state.adding_replicas = _compact_int32s[raw4]
                    partition_state.removing_replicas = _compact_int32s[raw5]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = LeaderAndIsrPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_compact_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            live_leader.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


def _encode_v7(message: LeaderAndIsrRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.ungrouped_partition_states != () or type(message.is_kraft_controller) is not bool:
        raise Unfit
    add(
        _pack_int32_bool_int32_int64_int8(
            message.controller_id,
            message.is_kraft_controller,
            message.controller_epoch,
            message.broker_epoch,
            message.type,
        )
    )
    add(compact_length(message.topic_states))
    for topic_state in message.topic_states:
        add(compact_string(topic_state.topic_name))
        add(_pack_uuid(topic_state.topic_id.bytes))
        add(compact_length(topic_state.partition_states))
        count = count2 = count3 = count4 = -2
        for partition_state in topic_state.partition_states:
            if type(partition_state.is_new) is not bool:
                raise Unfit
            isr = partition_state.isr
            replicas = partition_state.replicas
            adding_replicas = partition_state.adding_replicas
            removing_replicas = partition_state.removing_replicas
            if (
                len(isr) != count
                or len(replicas) != count2
                or len(adding_replicas) != count3
                or len(removing_replicas) != count4
            ):
                count = len(isr)
                length = compact_length(isr)
                count2 = len(replicas)
                length2 = compact_length(replicas)
                count3 = len(adding_replicas)
                length3 = compact_length(adding_replicas)
                count4 = len(removing_replicas)
                length4 = compact_length(removing_replicas)
                pack = row_struct(
                    f">iiii{len(length)}s{count}ii{len(length2)}s{count2}i{len(length3)}s{count3}i"
                    f"{len(length4)}s{count4}i?bB"
                ).pack
            row = pack(
                partition_state.partition_index,
                partition_state.controller_epoch,
                partition_state.leader,
                partition_state.leader_epoch,
                length,
                *isr,
                partition_state.partition_epoch,
                length2,
                *replicas,
                length3,
                *adding_replicas,
                length4,
                *removing_replicas,
                partition_state.is_new,
                partition_state.leader_recovery_state,
                0,
            )
            if partition_state.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition_state.unknown_tagged_fields)
            add(row)
        add(unknown_tags(topic_state.unknown_tagged_fields))
    add(compact_length(message.live_leaders))
    for live_leader in message.live_leaders:
        add(_pack_int32(live_leader.broker_id))
        add(compact_string(live_leader.host_name))
        add(_pack_int32(live_leader.port))
        add(unknown_tags(live_leader.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v7(data: bytes, offset: int) -> tuple[LeaderAndIsrRequest, int]:
    message = _LeaderAndIsrRequestDraft()
    message.ungrouped_partition_states = ()
    (
        message.controller_id,
        message.is_kraft_controller,
        message.controller_epoch,
        message.broker_epoch,
        message.type,
    ) = _unpack_int32_bool_int32_int64_int8(data, offset)
    offset += 18
    n, offset = read_compact_length(data, offset, 19)
    topic_states = []
    for _ in range(n):
        topic_state = _LeaderAndIsrTopicStateDraft()
        topic_state.topic_name, offset = read_compact_string(data, offset)
        (raw,) = _unpack_uuid(data, offset)
        offset += 16
        topic_state.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 27)
        partition_states: list[LeaderAndIsrPartitionState] = []
        while len(partition_states) < n:
            size = compact_array_size(data, offset + 16, 4)
            size2 = compact_array_size(data, offset + 20 + size, 4)
            size3 = compact_array_size(data, offset + 20 + size + size2, 4)
            size4 = compact_array_size(data, offset + 20 + size + size2 + size3, 4)
            rows, width = read_rows(
                f">iiii{size}si{size2}s{size3}s{size4}s?bB",
                data,
                offset,
                n - len(partition_states),
            )
            before = len(partition_states)
            try:
                for row in rows:
                    partition_state = _LeaderAndIsrPartitionStateDraft()
                    (
                        partition_state.partition_index,
                        partition_state.controller_epoch,
                        partition_state.leader,
                        partition_state.leader_epoch,
                        raw2,
                        partition_state.partition_epoch,
                        raw3,
                        raw4,
                        raw5,
                        partition_state.is_new,
                        partition_state.leader_recovery_state,
                        tagged,
                    ) = row
                    partition_state.isr = _compact_int32s[raw2]
                    partition_state.replicas = _compact_int32s[raw3]
                    partition_state.adding_replicas = _compact_int32s[raw4]
                    partition_state.removing_replicas = _compact_int32s[raw5]
                    partition_state.topic_name = ""
                    partition_state.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition_state.__class__ = LeaderAndIsrPartitionState
                    partition_states.append(partition_state)
            except Reshaped:
                tagged = 0
            offset += (len(partition_states) - before) * width
            if tagged:
                partition_state.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition_state.__class__ = LeaderAndIsrPartitionState
                partition_states.append(partition_state)
        topic_state.partition_states = tuple(partition_states)
        if data[offset]:
            topic_state.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic_state.unknown_tagged_fields = ()
        topic_state.__class__ = LeaderAndIsrTopicState
        topic_states.append(topic_state)
    message.topic_states = tuple(topic_states)
    n, offset = read_compact_length(data, offset, 10)
    live_leaders = []
    for _ in range(n):
        live_leader = _LeaderAndIsrLiveLeaderDraft()
        (live_leader.broker_id,) = _unpack_int32(data, offset)
        offset += 4
        live_leader.host_name, offset = read_compact_string(data, offset)
        (live_leader.port,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            live_leader.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            live_leader.unknown_tagged_fields = ()
        live_leader.__class__ = LeaderAndIsrLiveLeader
        live_leaders.append(live_leader)
    message.live_leaders = tuple(live_leaders)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = LeaderAndIsrRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    LeaderAndIsrPartitionState: (
        FieldFact("topic_name", "string", range(2), range(0), True),
        FieldFact("partition_index", "int32", range(8), range(0), False),
        FieldFact("controller_epoch", "int32", range(8), range(0), False),
        FieldFact("leader", "int32", range(8), range(0), False),
        FieldFact("leader_epoch", "int32", range(8), range(0), False),
        FieldFact("isr", "[]int32", range(8), range(0), False),
        FieldFact("partition_epoch", "int32", range(8), range(0), False),
        FieldFact("replicas", "[]int32", range(8), range(0), False),
        FieldFact("adding_replicas", "[]int32", range(3, 8), range(0), True),
        FieldFact("removing_replicas", "[]int32", range(3, 8), range(0), True),
        FieldFact("is_new", "bool", range(1, 8), range(0), True),
        FieldFact("leader_recovery_state", "int8", range(6, 8), range(0), False),
    ),
    LeaderAndIsrTopicState: (
        FieldFact("topic_name", "string", range(2, 8), range(0), False),
        FieldFact("topic_id", "uuid", range(5, 8), range(0), True),
        FieldFact("partition_states", "[]LeaderAndIsrPartitionState", range(2, 8), range(0), False),
    ),
    LeaderAndIsrLiveLeader: (
        FieldFact("broker_id", "int32", range(8), range(0), False),
        FieldFact("host_name", "string", range(8), range(0), False),
        FieldFact("port", "int32", range(8), range(0), False),
    ),
    LeaderAndIsrRequest: (
        FieldFact("controller_id", "int32", range(8), range(0), False),
        FieldFact("is_kraft_controller", "bool", range(7, 8), range(0), False),
        FieldFact("controller_epoch", "int32", range(8), range(0), False),
        FieldFact("broker_epoch", "int64", range(2, 8), range(0), True),
        FieldFact("type", "int8", range(5, 8), range(0), False),
        FieldFact(
            "ungrouped_partition_states",
            "[]LeaderAndIsrPartitionState",
            range(2),
            range(0),
            False,
        ),
        FieldFact("topic_states", "[]LeaderAndIsrTopicState", range(2, 8), range(0), False),
        FieldFact("live_leaders", "[]LeaderAndIsrLiveLeader", range(8), range(0), False),
    ),
}

LeaderAndIsrRequest.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2,
        _encode_v3,
        _encode_v4,
        _encode_v5,
        _encode_v6,
        _encode_v7,
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
    ),
    fields=_FIELDS,
)
