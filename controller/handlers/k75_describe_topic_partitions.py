"""DescribeTopicPartitions (key 75, KIP-966): Metadata of topics, a page at a time.

Behaviour
    * Topics come sorted by name, and of each its partitions by number; no topics ask for all. A
      response has at most as many partitions as the client wants, and never more than 2000
      (max.request.partition.size.limit); its cursor says where the next one begins.
    * A request with a cursor goes on there: what is before it is left out. A cursor whose topic is
      not among those asked for, or of a negative partition, is INVALID_REQUEST for every topic.
    * Unknown names: UNKNOWN_TOPIC_OR_PARTITION, unlawful ones INVALID_TOPIC_EXCEPTION.
    * A partition without a live leader has leader -1 and no error of its own.
    * Eligible leader replicas are empty lists, not null, over which Java's client falls:
      ZooKeeper mode has none.
    * Topics that the client may not describe are TOPIC_AUTHORIZATION_FAILED, last, if it named
      them, else left out.
    Source: Kafka 4.0, DescribeTopicPartitionsRequestHandler.java, KRaftMetadataCache.
    getDescribeTopicPartitionsResponse.

Versions 0. Kafka has it from 3.8 on, in KRaft mode only: shown as of release 4.0.
"""

from collections.abc import Iterable

from klamm.controller.brokers.metadata import PartitionMetadata, TopicMetadata
from klamm.controller.core.model import NO_LEADER
from klamm.controller.core.topic_names import is_internal, unlawful
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.handlers.operations import on_topic
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_topic_partitions_request import (
    DescribeTopicPartitionsRequest,
)
from klamm.protocol.generated.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from klamm.protocol.primitives import ZERO_UUID

API_KEY = 75
VERSIONS = range(1)

#: The most partitions of one response: Kafka's default of max.request.partition.size.limit.
MOST_PARTITIONS = 2000


def handle(context: Context, request: DescribeTopicPartitionsRequest, version: int) -> Outcome:
    """Answer from the snapshot."""
    cursor, everything = request.cursor, not request.topics
    known = context.metadata.topics
    asked = known.keys() if everything else {topic.name for topic in request.topics}
    if cursor is not None:
        named = everything or cursor.topic_name in asked
        if not named or cursor.partition_index < 0:
            return Answer(_invalid(topic.name for topic in request.topics))
        asked = {name for name in asked if name >= cursor.topic_name}
    allowed = {
        name for name in asked if context.allows(Operation.DESCRIBE, ResourceType.TOPIC, name)
    }
    start = (cursor.topic_name, cursor.partition_index) if cursor is not None else ("", 0)
    most = max(min(request.response_partition_limit, MOST_PARTITIONS), 1)
    topics, following = _page(context, sorted(allowed), start, most)
    hidden = () if everything else sorted(asked - allowed)
    refused = (_refused(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED) for name in hidden)
    return Answer(
        DescribeTopicPartitionsResponse(topics=(*topics, *refused), next_cursor=following)
    )


def _page(
    context: Context, names: Iterable[str], start: tuple[str, int], most: int
) -> tuple[list[DescribeTopicPartitionsResponseTopic], Cursor | None]:
    """Return topics with at most so many partitions, from `start` on, and where the rest begins."""
    found: list[DescribeTopicPartitionsResponseTopic] = []
    for name in names:
        if most == 0:
            return found, Cursor(name, 0)
        topic = context.metadata.topics.get(name)
        if topic is None:
            found.append(_refused(name, _why_unknown(name)))
            continue
        first = start[1] if name == start[0] else 0
        numbers = sorted(number for number in topic.partitions if number >= first)
        found.append(_described(context, topic, numbers[:most]))
        if len(numbers) > most:
            return found, Cursor(name, numbers[most])
        most -= len(numbers)
    return found, None


def _why_unknown(name: str) -> ErrorCode:
    if unlawful(name):
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _described(
    context: Context, topic: TopicMetadata, numbers: Iterable[int]
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id or ZERO_UUID,
        is_internal=is_internal(topic.name),
        partitions=tuple(_partition(context, each, topic.partitions[each]) for each in numbers),
        topic_authorized_operations=on_topic(context, topic.name),
    )


def _partition(
    context: Context, number: int, partition: PartitionMetadata
) -> DescribeTopicPartitionsResponsePartition:
    leads = context.metadata.endpoint(partition.leader, context.listener) is not None
    return DescribeTopicPartitionsResponsePartition(
        partition_index=number,
        leader_id=partition.leader if leads else NO_LEADER,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        eligible_leader_replicas=(),
        last_known_elr=(),
        offline_replicas=partition.offline,
    )


def _refused(name: str, code: ErrorCode) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(code, name, is_internal=is_internal(name))


def _invalid(names: Iterable[str]) -> DescribeTopicPartitionsResponse:
    refused = (_refused(name, ErrorCode.INVALID_REQUEST) for name in names)
    return DescribeTopicPartitionsResponse(topics=tuple(refused))
