"""ReportFetchProgressRequest: API key 17905, versions 0, flexible 0.

Generated from schemas/klamm/ReportFetchProgressRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int32_int64 = Struct(">iq").pack
_pack_int32_int64x2 = Struct(">i2q").pack
_unpack_int32_int64 = Struct(">iq").unpack_from
_unpack_int32_int64x2 = Struct(">i2q").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class FetchingFollower:
    """Struct; versions 0."""

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    end_offset: int = 0
    """int64; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FetchingFollowerDraft = draft_of(FetchingFollower)


@quick_new
@dataclass(frozen=True, slots=True)
class FetchedPartition:
    """Struct; versions 0."""

    partition_index: int = 0
    """int32; versions 0+"""

    leader_start_offset: int = 0
    """int64; versions 0+"""

    leader_end_offset: int = 0
    """int64; versions 0+"""

    followers: tuple[FetchingFollower, ...] = ()
    """[]FetchingFollower; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FetchedPartitionDraft = draft_of(FetchedPartition)


@quick_new
@dataclass(frozen=True, slots=True)
class FetchedTopic:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+; topic name"""

    partitions: tuple[FetchedPartition, ...] = ()
    """[]FetchedPartition; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FetchedTopicDraft = draft_of(FetchedTopic)


@quick_new
@dataclass(frozen=True, slots=True)
class ReportFetchProgressRequest(Message):
    """Request; API key 17905, versions 0, flexible 0."""

    api_key: ClassVar[int] = 17905
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    broker_id: int = 0
    """int32; versions 0+; broker id"""

    broker_epoch: int = -1
    """int64; versions 0+"""

    topics: tuple[FetchedTopic, ...] = ()
    """[]FetchedTopic; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ReportFetchProgressRequestDraft = draft_of(ReportFetchProgressRequest)


def _encode_v0(message: ReportFetchProgressRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int64(message.broker_id, message.broker_epoch))
    add(compact_length(message.topics))
    for topic in message.topics:
        add(compact_string(topic.name))
        add(compact_length(topic.partitions))
        for partition in topic.partitions:
            add(
                _pack_int32_int64x2(
                    partition.partition_index,
                    partition.leader_start_offset,
                    partition.leader_end_offset,
                )
            )
            add(compact_length(partition.followers))
            for follower in partition.followers:
                add(_pack_int32_int64(follower.broker_id, follower.end_offset))
                add(unknown_tags(follower.unknown_tagged_fields))
            add(unknown_tags(partition.unknown_tagged_fields))
        add(unknown_tags(topic.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[ReportFetchProgressRequest, int]:
    message = _ReportFetchProgressRequestDraft()
    message.broker_id, message.broker_epoch = _unpack_int32_int64(data, offset)
    offset += 12
    n, offset = read_compact_length(data, offset, 3)
    topics = []
    for _ in range(n):
        topic = _FetchedTopicDraft()
        topic.name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 22)
        partitions = []
        for _ in range(n):
            partition = _FetchedPartitionDraft()
            (
                partition.partition_index,
                partition.leader_start_offset,
                partition.leader_end_offset,
            ) = _unpack_int32_int64x2(data, offset)
            offset += 20
            n, offset = read_compact_length(data, offset, 13)
            followers: list[FetchingFollower] = []
            while len(followers) < n:
                rows, width = read_rows(">iqB", data, offset, n - len(followers))
                before = len(followers)
                for row in rows:
                    follower = _FetchingFollowerDraft()
                    follower.broker_id, follower.end_offset, tagged = row
                    follower.unknown_tagged_fields = ()
                    if tagged:
                        break
                    follower.__class__ = FetchingFollower
                    followers.append(follower)
                offset += (len(followers) - before) * width
                if tagged:
                    follower.unknown_tagged_fields, offset = read_unknown_tags(
                        data,
                        offset + width - 1,
                    )
                    follower.__class__ = FetchingFollower
                    followers.append(follower)
            partition.followers = tuple(followers)
            if data[offset]:
                partition.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                partition.unknown_tagged_fields = ()
            partition.__class__ = FetchedPartition
            partitions.append(partition)
        topic.partitions = tuple(partitions)
        if data[offset]:
            topic.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            topic.unknown_tagged_fields = ()
        topic.__class__ = FetchedTopic
        topics.append(topic)
    message.topics = tuple(topics)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ReportFetchProgressRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    FetchingFollower: (
        FieldFact("broker_id", "int32", range(1), range(0), False),
        FieldFact("end_offset", "int64", range(1), range(0), False),
    ),
    FetchedPartition: (
        FieldFact("partition_index", "int32", range(1), range(0), False),
        FieldFact("leader_start_offset", "int64", range(1), range(0), False),
        FieldFact("leader_end_offset", "int64", range(1), range(0), False),
        FieldFact("followers", "[]FetchingFollower", range(1), range(0), False),
    ),
    FetchedTopic: (
        FieldFact("name", "string", range(1), range(0), False),
        FieldFact("partitions", "[]FetchedPartition", range(1), range(0), False),
    ),
    ReportFetchProgressRequest: (
        FieldFact("broker_id", "int32", range(1), range(0), False),
        FieldFact("broker_epoch", "int64", range(1), range(0), False),
        FieldFact("topics", "[]FetchedTopic", range(1), range(0), False),
    ),
}

ReportFetchProgressRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
