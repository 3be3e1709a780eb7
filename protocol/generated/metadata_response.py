"""MetadataResponse: API key 3, versions 0-13, flexible 9-13.

Generated from schemas/klamm/MetadataResponse.json
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
_pack_bool = Struct(">?").pack
_pack_bool_int32 = Struct(">?i").pack
_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_pack_uuid_bool = Struct(">16s?").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_uuid_bool = Struct(">16s?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataResponseBroker:
    """Struct; versions 0-13."""

    node_id: int = 0
    """int32; versions 0+; unique in its array; broker id"""

    host: str = ""
    """string; versions 0+"""

    port: int = 0
    """int32; versions 0+"""

    rack: str | None = None
    """string; versions 1+; nullable 1+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataResponseBrokerDraft = draft_of(MetadataResponseBroker)


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataResponsePartition:
    """Struct; versions 0-13."""

    error_code: int = 0
    """int16; versions 0+"""

    partition_index: int = 0
    """int32; versions 0+"""

    leader_id: int = 0
    """int32; versions 0+; broker id"""

    leader_epoch: int = -1
    """int32; versions 7+; ignorable"""

    replica_nodes: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    isr_nodes: tuple[int, ...] = ()
    """[]int32; versions 0+; broker id"""

    offline_replicas: tuple[int, ...] = ()
    """[]int32; versions 5+; ignorable; broker id"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataResponsePartitionDraft = draft_of(MetadataResponsePartition)


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataResponseTopic:
    """Struct; versions 0-13."""

    error_code: int = 0
    """int16; versions 0+"""

    name: str | None = ""
    """string; versions 0+; nullable 12+; unique in its array; topic name"""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 10+; ignorable"""

    is_internal: bool = False
    """bool; versions 1+; ignorable"""

    partitions: tuple[MetadataResponsePartition, ...] = ()
    """[]MetadataResponsePartition; versions 0+"""

    topic_authorized_operations: int = -2147483648
    """int32; versions 8+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataResponseTopicDraft = draft_of(MetadataResponseTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataResponse(Message):
    """Response; API key 3, versions 0-13, flexible 9-13."""

    api_key: ClassVar[int] = 3
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(14)
    flexible_from: ClassVar[int | None] = 9
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 3+; ignorable"""

    brokers: tuple[MetadataResponseBroker, ...] = ()
    """[]MetadataResponseBroker; versions 0+"""

    cluster_id: str | None = None
    """string; versions 2+; nullable 2+; ignorable"""

    controller_id: int = -1
    """int32; versions 1+; ignorable; broker id"""

    topics: tuple[MetadataResponseTopic, ...] = ()
    """[]MetadataResponseTopic; versions 0+"""

    cluster_authorized_operations: int = -2147483648
    """int32; versions 8-10"""

    error_code: int = 0
    """int16; versions 13+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataResponseDraft = draft_of(MetadataResponse)


def _encode_v0(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_int32(len(topic.partitions)))
        count = count2 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            if len(replica_nodes) != count or len(isr_nodes) != count2:
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                pack = row_struct(f">hiii{count}ii{count2}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                )
            )
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.throttle_time_ms = 0
    message.cluster_id = None
    message.controller_id = -1
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    n, offset = read_length(data, offset, 10)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        broker.rack = None
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    n, offset = read_length(data, offset, 8)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.is_internal = False
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 10, 4)
            size2 = array_size(data, offset + 10 + size, 4)
            rows, width = read_rows(f">hii{size}s{size2}s", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        raw,
                        raw2,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.leader_epoch = -1
                    partition.offline_replicas = ()
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v1(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
            or type(topic.is_internal) is not bool
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            if len(replica_nodes) != count or len(isr_nodes) != count2:
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                pack = row_struct(f">hiii{count}ii{count2}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                )
            )
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.throttle_time_ms = 0
    message.cluster_id = None
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 9)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 10, 4)
            size2 = array_size(data, offset + 10 + size, 4)
            rows, width = read_rows(f">hii{size}s{size2}s", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        raw,
                        raw2,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.leader_epoch = -1
                    partition.offline_replicas = ()
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v2(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(nullable_string(message.cluster_id))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
            or type(topic.is_internal) is not bool
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            if len(replica_nodes) != count or len(isr_nodes) != count2:
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                pack = row_struct(f">hiii{count}ii{count2}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                )
            )
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.throttle_time_ms = 0
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 9)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 10, 4)
            size2 = array_size(data, offset + 10 + size, 4)
            rows, width = read_rows(f">hii{size}s{size2}s", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        raw,
                        raw2,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.leader_epoch = -1
                    partition.offline_replicas = ()
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v3_4(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(nullable_string(message.cluster_id))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
            or type(topic.is_internal) is not bool
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            if len(replica_nodes) != count or len(isr_nodes) != count2:
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                pack = row_struct(f">hiii{count}ii{count2}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                )
            )
    return b"".join(chunks)


def _decode_v3_4(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 9)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 10, 4)
            size2 = array_size(data, offset + 10 + size, 4)
            rows, width = read_rows(f">hii{size}s{size2}s", data, offset, n - len(partitions))
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        raw,
                        raw2,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.leader_epoch = -1
                    partition.offline_replicas = ()
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v5_6(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(nullable_string(message.cluster_id))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
            or type(topic.is_internal) is not bool
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                count3 = len(offline_replicas)
                pack = row_struct(f">hiii{count}ii{count2}ii{count3}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                    count3,
                    *offline_replicas,
                )
            )
    return b"".join(chunks)


def _decode_v5_6(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 9)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 22)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 10, 4)
            size2 = array_size(data, offset + 10 + size, 4)
            size3 = array_size(data, offset + 10 + size + size2, 4)
            rows, width = read_rows(
                f">hii{size}s{size2}s{size3}s",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        raw,
                        raw2,
                        raw3,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.offline_replicas = _int32s[raw3]
                    partition.leader_epoch = -1
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v7(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(nullable_string(message.cluster_id))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if (
            topic.topic_authorized_operations != -2147483648
            or topic.unknown_tagged_fields
            or topic.name is None
            or type(topic.is_internal) is not bool
        ):
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                count3 = len(offline_replicas)
                pack = row_struct(f">hiiii{count}ii{count2}ii{count3}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    partition.leader_epoch,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                    count3,
                    *offline_replicas,
                )
            )
    return b"".join(chunks)


def _decode_v7(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 9)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 26)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 14, 4)
            size2 = array_size(data, offset + 14 + size, 4)
            size3 = array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}s",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw,
                        raw2,
                        raw3,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.offline_replicas = _int32s[raw3]
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v8(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.brokers)))
    for broker in message.brokers:
        if broker.unknown_tagged_fields:
            raise Unfit
        add(_pack_int32(broker.node_id))
        add(string(broker.host))
        add(_pack_int32(broker.port))
        add(nullable_string(broker.rack))
    add(nullable_string(message.cluster_id))
    add(_pack_int32x2(message.controller_id, len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields or topic.name is None or type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(string(topic.name))
        add(_pack_bool_int32(topic.is_internal, len(topic.partitions)))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            if partition.unknown_tagged_fields:
                raise Unfit
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                count2 = len(isr_nodes)
                count3 = len(offline_replicas)
                pack = row_struct(f">hiiii{count}ii{count2}ii{count3}i").pack
            add(
                pack(
                    partition.error_code,
                    partition.partition_index,
                    partition.leader_id,
                    partition.leader_epoch,
                    count,
                    *replica_nodes,
                    count2,
                    *isr_nodes,
                    count3,
                    *offline_replicas,
                )
            )
        add(_pack_int32(topic.topic_authorized_operations))
    add(_pack_int32(message.cluster_authorized_operations))
    return b"".join(chunks)


def _decode_v8(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 12)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
        offset += 4
        broker.host, offset = read_string(data, offset)
        (broker.port,) = _unpack_int32(data, offset)
        offset += 4
        broker.rack, offset = read_nullable_string(data, offset)
        broker.unknown_tagged_fields = ()
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 13)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 26)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = array_size(data, offset + 14, 4)
            size2 = array_size(data, offset + 14 + size, 4)
            size3 = array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}s",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw,
                        raw2,
                        raw3,
                    ) = row
                    partition.replica_nodes = _int32s[raw]
                    partition.isr_nodes = _int32s[raw2]
                    partition.offline_replicas = _int32s[raw3]
                    partition.unknown_tagged_fields = ()
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                pass
            offset += (len(partitions) - before) * width
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v9(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        add(_pack_int32(broker.node_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(compact_nullable_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.topics))
    for topic in message.topics:
        if topic.name is None or type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_string(topic.name))
        add(_pack_bool(topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32(message.cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v9(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
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
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_compact_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 10)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        topic.topic_id = ZERO_UUID
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_string(data, offset)
        (topic.is_internal,) = _unpack_bool(data, offset)
        offset += 1
        n, offset = read_compact_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw,
                        raw2,
                        raw3,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw]
                    partition.isr_nodes = _compact_int32s[raw2]
                    partition.offline_replicas = _compact_int32s[raw3]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = MetadataResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v10(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        add(_pack_int32(broker.node_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(compact_nullable_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.topics))
    for topic in message.topics:
        if topic.name is None or type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_string(topic.name))
        add(_pack_uuid_bool(topic.topic_id.bytes, topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int32(message.cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v10(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
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
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_compact_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 26)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_string(data, offset)
        raw, topic.is_internal = _unpack_uuid_bool(data, offset)
        offset += 17
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw2]
                    partition.isr_nodes = _compact_int32s[raw3]
                    partition.offline_replicas = _compact_int32s[raw4]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = MetadataResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    (message.cluster_authorized_operations,) = _unpack_int32(data, offset)
    offset += 4
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v11(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648:
        raise Unfit
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        add(_pack_int32(broker.node_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(compact_nullable_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.topics))
    for topic in message.topics:
        if topic.name is None or type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_string(topic.name))
        add(_pack_uuid_bool(topic.topic_id.bytes, topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v11(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
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
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_compact_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 26)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_string(data, offset)
        raw, topic.is_internal = _unpack_uuid_bool(data, offset)
        offset += 17
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw2]
                    partition.isr_nodes = _compact_int32s[raw3]
                    partition.offline_replicas = _compact_int32s[raw4]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = MetadataResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v12(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648:
        raise Unfit
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        add(_pack_int32(broker.node_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(compact_nullable_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.topics))
    for topic in message.topics:
        if type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_nullable_string(topic.name))
        add(_pack_uuid_bool(topic.topic_id.bytes, topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v12(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    message.error_code = 0
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
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
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_compact_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 26)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_nullable_string(data, offset)
        raw, topic.is_internal = _unpack_uuid_bool(data, offset)
        offset += 17
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw2]
                    partition.isr_nodes = _compact_int32s[raw3]
                    partition.offline_replicas = _compact_int32s[raw4]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = MetadataResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


def _encode_v13(message: MetadataResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.cluster_authorized_operations != -2147483648:
        raise Unfit
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.brokers))
    for broker in message.brokers:
        add(_pack_int32(broker.node_id))
        add(compact_string(broker.host))
        add(_pack_int32(broker.port))
        add(compact_nullable_string(broker.rack))
        add(unknown_tags(broker.unknown_tagged_fields))
    add(compact_nullable_string(message.cluster_id))
    add(_pack_int32(message.controller_id))
    add(compact_length(message.topics))
    for topic in message.topics:
        if type(topic.is_internal) is not bool:
            raise Unfit
        add(_pack_int16(topic.error_code))
        add(compact_nullable_string(topic.name))
        add(_pack_uuid_bool(topic.topic_id.bytes, topic.is_internal))
        add(compact_length(topic.partitions))
        count = count2 = count3 = -2
        for partition in topic.partitions:
            replica_nodes = partition.replica_nodes
            isr_nodes = partition.isr_nodes
            offline_replicas = partition.offline_replicas
            if (
                len(replica_nodes) != count
                or len(isr_nodes) != count2
                or len(offline_replicas) != count3
            ):
                count = len(replica_nodes)
                length = compact_length(replica_nodes)
                count2 = len(isr_nodes)
                length2 = compact_length(isr_nodes)
                count3 = len(offline_replicas)
                length3 = compact_length(offline_replicas)
                pack = row_struct(
                    f">hiii{len(length)}s{count}i{len(length2)}s{count2}i{len(length3)}s{count3}iB"
                ).pack
            row = pack(
                partition.error_code,
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                length,
                *replica_nodes,
                length2,
                *isr_nodes,
                length3,
                *offline_replicas,
                0,
            )
            if partition.unknown_tagged_fields:
                row = row[:-1] + unknown_tags(partition.unknown_tagged_fields)
            add(row)
        add(_pack_int32(topic.topic_authorized_operations))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(_pack_int16(message.error_code))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v13(data: bytes, offset: int) -> tuple[MetadataResponse, int]:
    message = _MetadataResponseDraft()
    message.cluster_authorized_operations = -2147483648
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 11)
    brokers = []
    for _ in range(n):
        broker = _MetadataResponseBrokerDraft()
        (broker.node_id,) = _unpack_int32(data, offset)
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
        broker.__class__ = MetadataResponseBroker
        brokers.append(broker)
    message.brokers = tuple(brokers)
    message.cluster_id, offset = read_compact_nullable_string(data, offset)
    (message.controller_id,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 26)
    topics = []
    for _ in range(n):
        topic = _MetadataResponseTopicDraft()
        (topic.error_code,) = _unpack_int16(data, offset)
        offset += 2
        topic.name, offset = read_compact_nullable_string(data, offset)
        raw, topic.is_internal = _unpack_uuid_bool(data, offset)
        offset += 17
        topic.topic_id = UUID(bytes=raw)
        n, offset = read_compact_length(data, offset, 18)
        partitions: list[MetadataResponsePartition] = []
        while len(partitions) < n:
            size = compact_array_size(data, offset + 14, 4)
            size2 = compact_array_size(data, offset + 14 + size, 4)
            size3 = compact_array_size(data, offset + 14 + size + size2, 4)
            rows, width = read_rows(
                f">hiii{size}s{size2}s{size3}sB",
                data,
                offset,
                n - len(partitions),
            )
            before = len(partitions)
            try:
                for row in rows:
                    partition = _MetadataResponsePartitionDraft()
                    (
                        partition.error_code,
                        partition.partition_index,
                        partition.leader_id,
                        partition.leader_epoch,
                        raw2,
                        raw3,
                        raw4,
                        tagged,
                    ) = row
                    partition.replica_nodes = _compact_int32s[raw2]
                    partition.isr_nodes = _compact_int32s[raw3]
                    partition.offline_replicas = _compact_int32s[raw4]
                    partition.unknown_tagged_fields = ()
                    if tagged:
                        break
                    partition.__class__ = MetadataResponsePartition
                    partitions.append(partition)
            except Reshaped:
                tagged = 0
            offset += (len(partitions) - before) * width
            if tagged:
                partition.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                partition.__class__ = MetadataResponsePartition
                partitions.append(partition)
        topic.partitions = tuple(partitions)
        (topic.topic_authorized_operations,) = _unpack_int32(data, offset)
        offset += 4
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataResponseTopic
        topics.append(topic)
    message.topics = tuple(topics)
    (message.error_code,) = _unpack_int16(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    MetadataResponseBroker: (
        FieldFact("node_id", "int32", range(14), range(0), False),
        FieldFact("host", "string", range(14), range(0), False),
        FieldFact("port", "int32", range(14), range(0), False),
        FieldFact("rack", "string", range(1, 14), range(1, 14), True),
    ),
    MetadataResponsePartition: (
        FieldFact("error_code", "int16", range(14), range(0), False),
        FieldFact("partition_index", "int32", range(14), range(0), False),
        FieldFact("leader_id", "int32", range(14), range(0), False),
        FieldFact("leader_epoch", "int32", range(7, 14), range(0), True),
        FieldFact("replica_nodes", "[]int32", range(14), range(0), False),
        FieldFact("isr_nodes", "[]int32", range(14), range(0), False),
        FieldFact("offline_replicas", "[]int32", range(5, 14), range(0), True),
    ),
    MetadataResponseTopic: (
        FieldFact("error_code", "int16", range(14), range(0), False),
        FieldFact("name", "string", range(14), range(12, 14), False),
        FieldFact("topic_id", "uuid", range(10, 14), range(0), True),
        FieldFact("is_internal", "bool", range(1, 14), range(0), True),
        FieldFact("partitions", "[]MetadataResponsePartition", range(14), range(0), False),
        FieldFact("topic_authorized_operations", "int32", range(8, 14), range(0), False),
    ),
    MetadataResponse: (
        FieldFact("throttle_time_ms", "int32", range(3, 14), range(0), True),
        FieldFact("brokers", "[]MetadataResponseBroker", range(14), range(0), False),
        FieldFact("cluster_id", "string", range(2, 14), range(2, 14), True),
        FieldFact("controller_id", "int32", range(1, 14), range(0), True),
        FieldFact("topics", "[]MetadataResponseTopic", range(14), range(0), False),
        FieldFact("cluster_authorized_operations", "int32", range(8, 11), range(0), False),
        FieldFact("error_code", "int16", range(13, 14), range(0), True),
    ),
}

MetadataResponse.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1,
        _encode_v2,
        _encode_v3_4,
        _encode_v3_4,
        _encode_v5_6,
        _encode_v5_6,
        _encode_v7,
        _encode_v8,
        _encode_v9,
        _encode_v10,
        _encode_v11,
        _encode_v12,
        _encode_v13,
    ),
    decoders=(
        _decode_v0,
        _decode_v1,
        _decode_v2,
        _decode_v3_4,
        _decode_v3_4,
        _decode_v5_6,
        _decode_v5_6,
        _decode_v7,
        _decode_v8,
        _decode_v9,
        _decode_v10,
        _decode_v11,
        _decode_v12,
        _decode_v13,
    ),
    fields=_FIELDS,
)
