"""MetadataRequest: API key 3, versions 0-13, flexible 9-13, deprecated 0-3.

Generated from schemas/klamm/MetadataRequest.json
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
    compact_nullable_length,
    compact_nullable_string,
    compact_string,
    nullable_length,
    read_compact_nullable_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_bool = Struct(">?").pack
_pack_boolx2 = Struct(">2?").pack
_pack_boolx3 = Struct(">3?").pack
_pack_int32 = Struct(">i").pack
_pack_uuid = Struct(">16s").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_boolx2 = Struct(">2?").unpack_from
_unpack_boolx3 = Struct(">3?").unpack_from
_unpack_uuid = Struct(">16s").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataRequestTopic:
    """Struct; versions 0-13."""

    topic_id: UUID = ZERO_UUID
    """uuid; versions 10+; ignorable"""

    name: str | None = ""
    """string; versions 0+; nullable 10+; topic name"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataRequestTopicDraft = draft_of(MetadataRequestTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class MetadataRequest(Message):
    """Request; API key 3, versions 0-13, flexible 9-13, deprecated 0-3."""

    api_key: ClassVar[int] = 3
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(14)
    flexible_from: ClassVar[int | None] = 9
    codec: ClassVar[Codec]

    topics: tuple[MetadataRequestTopic, ...] | None = ()
    """[]MetadataRequestTopic; versions 0+; nullable 1+"""

    allow_auto_topic_creation: bool = True
    """bool; versions 4+"""

    include_cluster_authorized_operations: bool = False
    """bool; versions 8-10"""

    include_topic_authorized_operations: bool = False
    """bool; versions 8+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_MetadataRequestDraft = draft_of(MetadataRequest)


def _encode_v0(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.allow_auto_topic_creation is not True
        or message.include_cluster_authorized_operations is not False
        or message.include_topic_authorized_operations is not False
        or message.unknown_tagged_fields
        or message.topics is None
    ):
        raise Unfit
    add(_pack_int32(len(message.topics)))
    for topic in message.topics:
        if topic.unknown_tagged_fields or topic.name is None:
            raise Unfit
        add(string(topic.name))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    n, offset = read_length(data, offset, 2)
    topics = []
    for _ in range(n):
        topic = _MetadataRequestTopicDraft()
        topic.topic_id = ZERO_UUID
        topic.name, offset = read_string(data, offset)
        topic.unknown_tagged_fields = ()
        topic.__class__ = MetadataRequestTopic
        topics.append(topic)
    message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v1_3(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.allow_auto_topic_creation is not True
        or message.include_cluster_authorized_operations is not False
        or message.include_topic_authorized_operations is not False
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            if topic.unknown_tagged_fields or topic.name is None:
                raise Unfit
            add(string(topic.name))
    return b"".join(chunks)


def _decode_v1_3(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    message.allow_auto_topic_creation = True
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    n, offset = read_nullable_length(data, offset, 2)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            topic.topic_id = ZERO_UUID
            topic.name, offset = read_string(data, offset)
            topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v4_7(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.include_cluster_authorized_operations is not False
        or message.include_topic_authorized_operations is not False
        or message.unknown_tagged_fields
        or type(message.allow_auto_topic_creation) is not bool
    ):
        raise Unfit
    add(nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            if topic.unknown_tagged_fields or topic.name is None:
                raise Unfit
            add(string(topic.name))
    add(_pack_bool(message.allow_auto_topic_creation))
    return b"".join(chunks)


def _decode_v4_7(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    message.include_cluster_authorized_operations = False
    message.include_topic_authorized_operations = False
    n, offset = read_nullable_length(data, offset, 2)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            topic.topic_id = ZERO_UUID
            topic.name, offset = read_string(data, offset)
            topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    (message.allow_auto_topic_creation,) = _unpack_bool(data, offset)
    offset += 1
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v8(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.unknown_tagged_fields
        or type(message.allow_auto_topic_creation) is not bool
        or type(message.include_cluster_authorized_operations) is not bool
        or type(message.include_topic_authorized_operations) is not bool
    ):
        raise Unfit
    add(nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            if topic.unknown_tagged_fields or topic.name is None:
                raise Unfit
            add(string(topic.name))
    add(
        _pack_boolx3(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
        )
    )
    return b"".join(chunks)


def _decode_v8(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    n, offset = read_nullable_length(data, offset, 2)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            topic.topic_id = ZERO_UUID
            topic.name, offset = read_string(data, offset)
            topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ) = _unpack_boolx3(data, offset)
    offset += 3
    message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v9(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        type(message.allow_auto_topic_creation) is not bool
        or type(message.include_cluster_authorized_operations) is not bool
        or type(message.include_topic_authorized_operations) is not bool
    ):
        raise Unfit
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            if topic.name is None:
                raise Unfit
            add(compact_string(topic.name))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(
        _pack_boolx3(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v9(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    n, offset = read_compact_nullable_length(data, offset, 2)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            topic.topic_id = ZERO_UUID
            topic.name, offset = read_compact_string(data, offset)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ) = _unpack_boolx3(data, offset)
    offset += 3
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v10(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        type(message.allow_auto_topic_creation) is not bool
        or type(message.include_cluster_authorized_operations) is not bool
        or type(message.include_topic_authorized_operations) is not bool
    ):
        raise Unfit
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            add(_pack_uuid(topic.topic_id.bytes))
            add(compact_nullable_string(topic.name))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(
        _pack_boolx3(
            message.allow_auto_topic_creation,
            message.include_cluster_authorized_operations,
            message.include_topic_authorized_operations,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v10(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    n, offset = read_compact_nullable_length(data, offset, 18)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            (raw,) = _unpack_uuid(data, offset)
            offset += 16
            topic.topic_id = UUID(bytes=raw)
            topic.name, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    (
        message.allow_auto_topic_creation,
        message.include_cluster_authorized_operations,
        message.include_topic_authorized_operations,
    ) = _unpack_boolx3(data, offset)
    offset += 3
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


def _encode_v11_13(message: MetadataRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.include_cluster_authorized_operations is not False
        or type(message.allow_auto_topic_creation) is not bool
        or type(message.include_topic_authorized_operations) is not bool
    ):
        raise Unfit
    add(compact_nullable_length(message.topics))
    if message.topics is not None:
        for topic in message.topics:
            add(_pack_uuid(topic.topic_id.bytes))
            add(compact_nullable_string(topic.name))
            add(unknown_tags(topic.unknown_tagged_fields))
    add(
        _pack_boolx2(
            message.allow_auto_topic_creation,
            message.include_topic_authorized_operations,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v11_13(data: bytes, offset: int) -> tuple[MetadataRequest, int]:
    message = _MetadataRequestDraft()
    message.include_cluster_authorized_operations = False
    n, offset = read_compact_nullable_length(data, offset, 18)
    if n < 0:
        message.topics = None
    else:
        topics = []
        for _ in range(n):
            topic = _MetadataRequestTopicDraft()
            (raw,) = _unpack_uuid(data, offset)
            offset += 16
            topic.topic_id = UUID(bytes=raw)
            topic.name, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = MetadataRequestTopic
            topics.append(topic)
        message.topics = tuple(topics)
    (
        message.allow_auto_topic_creation,
        message.include_topic_authorized_operations,
    ) = _unpack_boolx2(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = MetadataRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    MetadataRequestTopic: (
        FieldFact("topic_id", "uuid", range(10, 14), range(0), True),
        FieldFact("name", "string", range(14), range(10, 14), False),
    ),
    MetadataRequest: (
        FieldFact("topics", "[]MetadataRequestTopic", range(14), range(1, 14), False),
        FieldFact("allow_auto_topic_creation", "bool", range(4, 14), range(0), False),
        FieldFact("include_cluster_authorized_operations", "bool", range(8, 11), range(0), False),
        FieldFact("include_topic_authorized_operations", "bool", range(8, 14), range(0), False),
    ),
}

MetadataRequest.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1_3,
        _encode_v1_3,
        _encode_v1_3,
        _encode_v4_7,
        _encode_v4_7,
        _encode_v4_7,
        _encode_v4_7,
        _encode_v8,
        _encode_v9,
        _encode_v10,
        _encode_v11_13,
        _encode_v11_13,
        _encode_v11_13,
    ),
    decoders=(
        _decode_v0,
        _decode_v1_3,
        _decode_v1_3,
        _decode_v1_3,
        _decode_v4_7,
        _decode_v4_7,
        _decode_v4_7,
        _decode_v4_7,
        _decode_v8,
        _decode_v9,
        _decode_v10,
        _decode_v11_13,
        _decode_v11_13,
        _decode_v11_13,
    ),
    fields=_FIELDS,
)
