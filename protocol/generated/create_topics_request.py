"""CreateTopicsRequest: API key 19, versions 0-7, flexible 5-7, deprecated 0-1.

Generated from schemas/kafka/CreateTopicsRequest.json
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
_pack_int32 = Struct(">i").pack
_pack_int32_bool = Struct(">i?").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int32_int16_int32 = Struct(">ihi").pack
_unpack_int32 = Struct(">i").unpack_from
_unpack_int32_bool = Struct(">i?").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class CreatableReplicaAssignment:
    """Struct; versions 0-7."""

    partition_index: int = 0
    """int32; versions 0+; unique in its array"""

    broker_ids: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatableReplicaAssignmentDraft = draft_of(CreatableReplicaAssignment)


@quick_new
@dataclass(frozen=True, slots=True)
class CreatableTopicConfig:
    """Struct; versions 0-7."""

    name: str = ""
    """string; versions 0+; unique in its array"""

    value: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatableTopicConfigDraft = draft_of(CreatableTopicConfig)


@quick_new
@dataclass(frozen=True, slots=True)
class CreatableTopic:
    """Struct; versions 0-7."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    num_partitions: int = 0
    """int32; versions 0+"""

    replication_factor: int = 0
    """int16; versions 0+"""

    assignments: tuple[CreatableReplicaAssignment, ...] = ()
    """[]CreatableReplicaAssignment; versions 0+"""

    configs: tuple[CreatableTopicConfig, ...] = ()
    """[]CreatableTopicConfig; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreatableTopicDraft = draft_of(CreatableTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class CreateTopicsRequest(Message):
    """Request; API key 19, versions 0-7, flexible 5-7, deprecated 0-1."""

    api_key: ClassVar[int] = 19
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(8)
    flexible_from: ClassVar[int | None] = 5
    codec: ClassVar[Codec]

    topics: tuple[CreatableTopic, ...] = ()
    """[]CreatableTopic; versions 0+"""

    timeout_ms: int = 60000
    """int32; versions 0+"""

    validate_only: bool = False
    """bool; versions 1+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreateTopicsRequestDraft = draft_of(CreateTopicsRequest)


def _encode_v0(message: CreateTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.validate_only is not False or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(
            _pack_int32_int16_int32(
                topic.num_partitions,
                topic.replication_factor,
                len(topic.assignments),
            )
        )
        count = -2
        for assignment in topic.assignments:
            if assignment.unknown_tagged_fields:
                raise Unfit
            broker_ids = assignment.broker_ids
            if len(broker_ids) != count:
                count = len(broker_ids)
                pack = row_struct(f">ii{count}i").pack
            add(pack(assignment.partition_index, count, *broker_ids))
        add(_pack_int32(len(topic.configs)))
        for config in topic.configs:
            if config.unknown_tagged_fields:
                raise Unfit
            add(string(config.name))
            add(nullable_string(config.value))
    add(_pack_int32(message.timeout_ms))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[CreateTopicsRequest, int]:
    message = _CreateTopicsRequestDraft()
    message.validate_only = False
    n, offset = read_length(data, offset, 16)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicDraft()
        topic.name, offset = read_string(data, offset)
        topic.num_partitions, topic.replication_factor = _unpack_int32_int16(data, offset)
        offset += 6
        n, offset = read_length(data, offset, 8)
        assignments: list[CreatableReplicaAssignment] = []
        while len(assignments) < n:
            size = array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}s", data, offset, n - len(assignments))
            before = len(assignments)
            try:
                for row in rows:
                    assignment = _CreatableReplicaAssignmentDraft()
                    assignment.partition_index, raw = row
                    assignment.broker_ids = _int32s[raw]
                    assignment.unknown_tagged_fields = ()
                    assignment.__class__ = CreatableReplicaAssignment
                    assignments.append(assignment)
            except Reshaped:
                pass
            offset += (len(assignments) - before) * width
        topic.assignments = tuple(assignments)
        n, offset = read_length(data, offset, 4)
        configs = []
        for _ in range(n):
            config = _CreatableTopicConfigDraft()
            config.name, offset = read_string(data, offset)
            config.value, offset = read_nullable_string(data, offset)
            config.unknown_tagged_fields = ()
            config.__class__ = CreatableTopicConfig
            configs.append(config)
        topic.configs = tuple(configs)
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopic
        topics.append(topic)
    message.topics = tuple(topics)
    (message.timeout_ms,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsRequest
    return message, offset


def _encode_v1_4(message: CreateTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields or type(message.validate_only) is not bool:
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields:
            raise Unfit
        add(string(topic.name))
        add(
            _pack_int32_int16_int32(
                topic.num_partitions,
                topic.replication_factor,
                len(topic.assignments),
            )
        )
        count = -2
        for assignment in topic.assignments:
            if assignment.unknown_tagged_fields:
                raise Unfit
            broker_ids = assignment.broker_ids
            if len(broker_ids) != count:
                count = len(broker_ids)
                pack = row_struct(f">ii{count}i").pack
            add(pack(assignment.partition_index, count, *broker_ids))
        add(_pack_int32(len(topic.configs)))
        for config in topic.configs:
            if config.unknown_tagged_fields:
                raise Unfit
            add(string(config.name))
            add(nullable_string(config.value))
    add(_pack_int32_bool(message.timeout_ms, message.validate_only))
    return b"".join(chunks)


def _decode_v1_4(data: bytes, offset: int) -> tuple[CreateTopicsRequest, int]:
    message = _CreateTopicsRequestDraft()
    n, offset = read_length(data, offset, 16)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicDraft()
        topic.name, offset = read_string(data, offset)
        topic.num_partitions, topic.replication_factor = _unpack_int32_int16(data, offset)
        offset += 6
        n, offset = read_length(data, offset, 8)
        assignments: list[CreatableReplicaAssignment] = []
        while len(assignments) < n:
            size = array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}s", data, offset, n - len(assignments))
            before = len(assignments)
            try:
                for row in rows:
                    assignment = _CreatableReplicaAssignmentDraft()
                    assignment.partition_index, raw = row
                    assignment.broker_ids = _int32s[raw]
                    assignment.unknown_tagged_fields = ()
                    assignment.__class__ = CreatableReplicaAssignment
                    assignments.append(assignment)
            except Reshaped:
                pass
            offset += (len(assignments) - before) * width
        topic.assignments = tuple(assignments)
        n, offset = read_length(data, offset, 4)
        configs = []
        for _ in range(n):
            config = _CreatableTopicConfigDraft()
            config.name, offset = read_string(data, offset)
            config.value, offset = read_nullable_string(data, offset)
            config.unknown_tagged_fields = ()
            config.__class__ = CreatableTopicConfig
            configs.append(config)
        topic.configs = tuple(configs)
        topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.timeout_ms, message.validate_only = _unpack_int32_bool(data, offset)
    offset += 5
    message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsRequest
    return message, offset


def _encode_v5_7(message: CreateTopicsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.validate_only) is not bool:
        raise Unfit
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(_pack_int32_int16(topic.num_partitions, topic.replication_factor))
        add(compact_length(topic.assignments))
        count = -2
        for assignment in topic.assignments:
            broker_ids = assignment.broker_ids
            if len(broker_ids) != count:
                count = len(broker_ids)
                length = compact_length(broker_ids)
                pack = row_struct(f">i{len(length)}s{count}iB").pack
            row = pack(assignment.partition_index, length, *broker_ids, 0)
            if assignment.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(assignment.unknown_tagged_fields)
            add(row)
        add(compact_length(topic.configs))
        for config in topic.configs:
            add(compact_string(config.name))
            add(compact_nullable_string(config.value))
            add(unknown_tags(config.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32_bool(message.timeout_ms, message.validate_only))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v5_7(data: bytes, offset: int) -> tuple[CreateTopicsRequest, int]:
    message = _CreateTopicsRequestDraft()
    n, offset = read_compact_length(data, offset, 10)
    topics = []
    for _ in range(n):
        topic = _CreatableTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        topic.num_partitions, topic.replication_factor = _unpack_int32_int16(data, offset)
        offset += 6
        n, offset = read_compact_length(data, offset, 6)
        assignments: list[CreatableReplicaAssignment] = []
        while len(assignments) < n:
            size = compact_array_size(data, offset + 4, 4)
            rows, width = read_rows(f">i{size}sB", data, offset, n - len(assignments))
            before = len(assignments)
            try:
                for row in rows:
                    assignment = _CreatableReplicaAssignmentDraft()
                    assignment.partition_index, raw, tagged = row
                    assignment.broker_ids = _compact_int32s[raw]
                    assignment.unknown_tagged_fields = ()
                    if tagged:
                        break
                    assignment.__class__ = CreatableReplicaAssignment
                    assignments.append(assignment)
            except Reshaped:
                tagged = 0
            offset += (len(assignments) - before) * width
            if tagged:
                assignment.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                assignment.__class__ = CreatableReplicaAssignment
                assignments.append(assignment)
        topic.assignments = tuple(assignments)
        n, offset = read_compact_length(data, offset, 3)
        configs = []
        for _ in range(n):
            config = _CreatableTopicConfigDraft()
            config.name, offset = read_compact_string(data, offset)
            config.value, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                config.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                config.unknown_tagged_fields = ()
            config.__class__ = CreatableTopicConfig
            configs.append(config)
        topic.configs = tuple(configs)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = CreatableTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.timeout_ms, message.validate_only = _unpack_int32_bool(data, offset)
    offset += 5
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreateTopicsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    CreatableReplicaAssignment: (
        FieldFact("partition_index", "int32", range(8), range(0), False),
        FieldFact("broker_ids", "[]int32", range(8), range(0), False),
    ),
    CreatableTopicConfig: (
        FieldFact("name", "string", range(8), range(0), False),
        FieldFact("value", "string", range(8), range(8), False),
    ),
    CreatableTopic: (
        FieldFact("name", "string", range(8), range(0), False),
        FieldFact("num_partitions", "int32", range(8), range(0), False),
        FieldFact("replication_factor", "int16", range(8), range(0), False),
        FieldFact("assignments", "[]CreatableReplicaAssignment", range(8), range(0), False),
        FieldFact("configs", "[]CreatableTopicConfig", range(8), range(0), False),
    ),
    CreateTopicsRequest: (
        FieldFact("topics", "[]CreatableTopic", range(8), range(0), False),
        FieldFact("timeout_ms", "int32", range(8), range(0), False),
        FieldFact("validate_only", "bool", range(1, 8), range(0), False),
    ),
}

CreateTopicsRequest.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1_4,
        _encode_v1_4,
        _encode_v1_4,
        _encode_v1_4,
        _encode_v5_7,
        _encode_v5_7,
        _encode_v5_7,
    ),
    decoders=(
        _decode_v0,
        _decode_v1_4,
        _decode_v1_4,
        _decode_v1_4,
        _decode_v1_4,
        _decode_v5_7,
        _decode_v5_7,
        _decode_v5_7,
    ),
    fields=_FIELDS,
)
