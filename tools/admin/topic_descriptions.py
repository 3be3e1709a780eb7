"""What topics there are and what they look like: key 75 where nodes serve it, else Metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from klamm.protocol.generated.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from klamm.protocol.generated.describe_topic_partitions_response import (
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from klamm.protocol.primitives import ZERO_UUID
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, UnsupportedVersionError, error_of, raise_for
from klamm.tools.admin.routing import Session

# From 4 on a request can say that it does not want to create topics.
_LIST = api("listTopics", MetadataRequest, MetadataResponse, range(4, 14))
_METADATA = api("describeTopics", MetadataRequest, MetadataResponse, range(4, 14))
_DESCRIBE = api("describeTopics", DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse)

#: How many partitions a response may have; what nodes allow (max.request.partition.size.limit).
_PAGE = 2000


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """A partition as the asked node knows it; `leader` is None while there is none.

    `leader_epoch` is None where the node does not tell it. `eligible_leader_replicas` and
    `last_known_elr` (KIP-966) are None in clusters that do not know them.
    """

    index: int
    leader: int | None
    leader_epoch: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline_replicas: tuple[int, ...]
    eligible_leader_replicas: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """A topic and its partitions in the order of their numbers.

    `topic_id` is None in clusters that have none.
    """

    name: str
    topic_id: UUID | None
    internal: bool
    partitions: Mapping[int, PartitionDescription]


async def names(session: Session, internal: bool) -> tuple[str, ...]:
    """Return the names of all topics, sorted."""
    answer = await session.ask(_LIST, Place.ANY, lambda _: MetadataRequest(None, False))
    raise_for(answer.error_code)
    return tuple(
        sorted(
            topic.name
            for topic in answer.topics
            if topic.name and not topic.error_code and (internal or not topic.is_internal)
        )
    )


async def describe(
    session: Session, wanted: Collection[str]
) -> dict[str, TopicDescription | AdminError]:
    """Return each topic or what is wrong with it."""
    try:
        return await _by_pages(session, wanted)
    except UnsupportedVersionError:  # before Kafka 3.8, and with ZooKeeper
        return await _by_metadata(session, wanted)


async def _by_pages(
    session: Session, wanted: Collection[str]
) -> dict[str, TopicDescription | AdminError]:
    topics = tuple(TopicRequest(name) for name in sorted(set(wanted)))
    parts: dict[str, list[DescribeTopicPartitionsResponseTopic]] = {}
    cursor: Cursor | None = None
    while True:
        answer = await session.ask(_DESCRIBE, Place.ANY, partial(_page, topics, cursor))
        for topic in answer.topics:
            parts.setdefault(topic.name or "", []).append(topic)
        if (end := answer.next_cursor) is None:
            return {name: _joined(name, found) for name, found in parts.items()}
        cursor = Cursor(end.topic_name, end.partition_index)


async def _by_metadata(
    session: Session, wanted: Collection[str]
) -> dict[str, TopicDescription | AdminError]:
    topics = tuple(MetadataRequestTopic(name=name) for name in wanted)
    answer = await session.ask(_METADATA, Place.ANY, lambda _: MetadataRequest(topics, False))
    raise_for(answer.error_code)
    return {
        topic.name: error_of(topic.error_code, None) if topic.error_code else _topic(topic)
        for topic in answer.topics
        if topic.name is not None
    }


def _page(
    topics: tuple[TopicRequest, ...], cursor: Cursor | None, version: int
) -> DescribeTopicPartitionsRequest:
    return DescribeTopicPartitionsRequest(topics, _PAGE, cursor)


def _joined(
    name: str, parts: list[DescribeTopicPartitionsResponseTopic]
) -> TopicDescription | AdminError:
    """Put the pages of a topic together; an error on one of them is the topic's."""
    for part in parts:
        if part.error_code:
            return error_of(part.error_code, None)
    partitions = [_paged(partition) for part in parts for partition in part.partitions]
    return _description(name, parts[0].topic_id, parts[0].is_internal, partitions)


def _topic(topic: MetadataResponseTopic) -> TopicDescription:
    partitions = [_partition(partition) for partition in topic.partitions]
    return _description(topic.name or "", topic.topic_id, topic.is_internal, partitions)


def _description(
    name: str, topic_id: UUID, internal: bool, partitions: list[PartitionDescription]
) -> TopicDescription:
    partitions.sort(key=lambda partition: partition.index)
    known_id = None if topic_id == ZERO_UUID else topic_id
    by_number = {partition.index: partition for partition in partitions}
    return TopicDescription(name, known_id, internal, by_number)


def _paged(partition: DescribeTopicPartitionsResponsePartition) -> PartitionDescription:
    return PartitionDescription(
        partition.partition_index,
        _known(partition.leader_id),
        _known(partition.leader_epoch),
        partition.replica_nodes,
        partition.isr_nodes,
        partition.offline_replicas,
        partition.eligible_leader_replicas,
        partition.last_known_elr,
    )


def _partition(partition: MetadataResponsePartition) -> PartitionDescription:
    return PartitionDescription(
        partition.partition_index,
        _known(partition.leader_id),
        _known(partition.leader_epoch),
        partition.replica_nodes,
        partition.isr_nodes,
        partition.offline_replicas,
    )


def _known(number: int) -> int | None:
    return None if number < 0 else number
