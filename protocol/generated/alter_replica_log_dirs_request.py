"""AlterReplicaLogDirsRequest: API key 34, versions 0-2, flexible 2, deprecated 0.

Generated from schemas/kafka/AlterReplicaLogDirsRequest.json
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

_pack_int32 = Struct(">i").pack


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDirTopic:
    """Struct; versions 0-2."""

    name: str = ""
    """string; versions 0+; unique in its array; topic name"""

    partitions: tuple[int, ...] = ()
    """[]int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirTopicDraft = draft_of(AlterReplicaLogDirTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDir:
    """Struct; versions 0-2."""

    path: str = ""
    """string; versions 0+; unique in its array"""

    topics: tuple[AlterReplicaLogDirTopic, ...] = ()
    """[]AlterReplicaLogDirTopic; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirDraft = draft_of(AlterReplicaLogDir)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterReplicaLogDirsRequest(Message):
    """Request; API key 34, versions 0-2, flexible 2, deprecated 0."""

    api_key: ClassVar[int] = 34
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    dirs: tuple[AlterReplicaLogDir, ...] = ()
    """[]AlterReplicaLogDir; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterReplicaLogDirsRequestDraft = draft_of(AlterReplicaLogDirsRequest)


def _encode_v0_1(message: AlterReplicaLogDirsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.dirs)))
    for dir in message.dirs:
        if dir.unknown_tagged_fields:
            raise Unfit
        add(string(dir.path))
        add(_pack_int32(len(dir.topics)))
        for topic in dir.topics:
            if topic.unknown_tagged_fields:
                raise Unfit
            add(string(topic.name))
            add(_pack_int32(len(topic.partitions)))
            add(numbers(topic.partitions, "i"))
    return b"".join(chunks)


def _decode_v0_1(data: bytes, offset: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    message = _AlterReplicaLogDirsRequestDraft()
    n, offset = read_length(data, offset, 6)
    dirs = []
    for _ in range(n):
        dir = _AlterReplicaLogDirDraft()
        dir.path, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 6)
        topics = []
        for _ in range(n):
            topic = _AlterReplicaLogDirTopicDraft()
            topic.name, offset = read_string(data, offset)
            n, offset = read_length(data, offset, 4)
            topic.partitions, offset = read_numbers(data, offset, n, "i")
            topic.unknown_tagged_fields = ()
            topic.__class__ = AlterReplicaLogDirTopic
            topics.append(topic)
        dir.topics = tuple(topics)
        dir.unknown_tagged_fields = ()
        dir.__class__ = AlterReplicaLogDir
        dirs.append(dir)
    message.dirs = tuple(dirs)
    message.unknown_tagged_fields = ()
    message.__class__ = AlterReplicaLogDirsRequest
    return message, offset


def _encode_v2(message: AlterReplicaLogDirsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.dirs))
    for dir in message.dirs:
        add(compact_string(dir.path))
        add(compact_length(dir.topics))
        for topic in dir.topics:
            add(compact_string(topic.name))
            add(compact_length(topic.partitions))
            add(numbers(topic.partitions, "i"))
            add(unknown_tags(topic.unknown_tagged_fields))
        add(unknown_tags(dir.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    message = _AlterReplicaLogDirsRequestDraft()
    n, offset = read_compact_length(data, offset, 3)
    dirs = []
    for _ in range(n):
        dir = _AlterReplicaLogDirDraft()
        dir.path, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 3)
        topics = []
        for _ in range(n):
            topic = _AlterReplicaLogDirTopicDraft()
            topic.name, offset = read_compact_string(data, offset)
            n, offset = read_compact_length(data, offset, 4)
            topic.partitions, offset = read_numbers(data, offset, n, "i")
            if data[offset]:
                topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                topic.unknown_tagged_fields = ()
            topic.__class__ = AlterReplicaLogDirTopic
            topics.append(topic)
        dir.topics = tuple(topics)
        if data[offset]:
            dir.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            dir.unknown_tagged_fields = ()
        dir.__class__ = AlterReplicaLogDir
        dirs.append(dir)
    message.dirs = tuple(dirs)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterReplicaLogDirsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlterReplicaLogDirTopic: (
        FieldFact("name", "string", range(3), range(0), False),
        FieldFact("partitions", "[]int32", range(3), range(0), False),
    ),
    AlterReplicaLogDir: (
        FieldFact("path", "string", range(3), range(0), False),
        FieldFact("topics", "[]AlterReplicaLogDirTopic", range(3), range(0), False),
    ),
    AlterReplicaLogDirsRequest: (
        FieldFact("dirs", "[]AlterReplicaLogDir", range(3), range(0), False),
    ),
}

AlterReplicaLogDirsRequest.codec = Codec(
    encoders=(_encode_v0_1, _encode_v0_1, _encode_v2),
    decoders=(_decode_v0_1, _decode_v0_1, _decode_v2),
    fields=_FIELDS,
)
