"""Metadata (key 3).

Behaviour
    * Null topics (in version 0: no topics) means all of them, an empty list none.
    * Only brokers with the listener of the request are listed, and the controller id is one of
      them or -1: clients fail or spin on an id that the same response does not list.
    * `replicas` is the whole present set, adding replicas included, in stored order.
    * A partition without a live leader: leader -1 with LEADER_NOT_AVAILABLE; a leader without the
      listener: LISTENER_NOT_FOUND from version 6, LEADER_NOT_AVAILABLE before.
    * Unknown names: UNKNOWN_TOPIC_OR_PARTITION, unlawful ones INVALID_TOPIC_EXCEPTION, unknown
      ids UNKNOWN_TOPIC_ID.
    * Topics that the client may not describe are left out where all are asked for; those named are
      TOPIC_AUTHORIZATION_FAILED, whether or not there are such.
    Source: Kafka 3.9, ZkMetadataCache.getPartitionMetadata, KafkaApis.handleTopicMetadataRequest.

Versions 0-13
    0     dead replicas are filtered out, with REPLICA_NOT_AVAILABLE
    5     offline replicas
    8     authorized operations, if asked for; of the cluster up to version 10
    10    topic ids in responses; asking by id is refused with INVALID_REQUEST until version 12
    13    an error of the whole response (KIP-1102), which is never one: nobody is told to begin
          again at the bootstrap servers

Left out: creation of missing topics (`allow_auto_topic_creation` is read and never acted on).
"""

from uuid import UUID

from klamm.controller.brokers.metadata import PartitionMetadata, TopicMetadata
from klamm.controller.core.model import NO_LEADER
from klamm.controller.core.topic_names import is_internal, unlawful
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.handlers.operations import NOT_ASKED, on_cluster, on_topic
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from klamm.protocol.primitives import ZERO_UUID

API_KEY = 3
VERSIONS = range(14)


def handle(context: Context, request: MetadataRequest, version: int) -> Outcome:
    """Answer from the snapshot."""
    metadata = context.metadata
    brokers = tuple(
        MetadataResponseBroker(broker.id, endpoint.host, endpoint.port, broker.rack)
        for broker in metadata.brokers.values()
        if (endpoint := metadata.endpoint(broker.id, context.listener))
    )
    controller_id = metadata.controller_id
    listed = any(broker.node_id == controller_id for broker in brokers)
    cluster_operations = request.include_cluster_authorized_operations and version <= 10
    return Answer(
        MetadataResponse(
            brokers=brokers,
            cluster_id=metadata.cluster_id,
            controller_id=controller_id if listed else -1,
            topics=_topics(context, request, version),
            cluster_authorized_operations=on_cluster(context) if cluster_operations else NOT_ASKED,
        )
    )


def _topics(
    context: Context, request: MetadataRequest, version: int
) -> tuple[MetadataResponseTopic, ...]:
    operations = request.include_topic_authorized_operations
    if request.topics is None or (version == 0 and not request.topics):
        known = context.metadata.topics.values()
        return tuple(
            _described(context, topic, version, operations)
            for topic in known
            if _may_describe(context, topic.name)
        )
    names: dict[UUID | None, str] = {}
    if any(asked.topic_id != ZERO_UUID for asked in request.topics):
        names = {topic.topic_id: topic.name for topic in context.metadata.topics.values()}
    answers = []
    for asked in request.topics:
        by_id = asked.topic_id != ZERO_UUID
        name = names.get(asked.topic_id) if by_id else asked.name
        topic = context.metadata.topics.get(name) if name is not None else None
        if version < 12 and (by_id or asked.name is None):
            answers.append(_refused(asked, ErrorCode.INVALID_REQUEST, version))
        elif name is not None and not _may_describe(context, name):
            answers.append(_denied(asked))
        elif topic is not None:
            answers.append(_described(context, topic, version, operations))
        else:
            answers.append(_refused(asked, _why_unknown(asked), version))
    return tuple(answers)


def _may_describe(context: Context, name: str) -> bool:
    return context.allows(Operation.DESCRIBE, ResourceType.TOPIC, name)


def _denied(asked: MetadataRequestTopic) -> MetadataResponseTopic:
    """Tell no more than was asked for: not the name of an id, nor whether there is such a topic."""
    by_id = asked.topic_id != ZERO_UUID
    return MetadataResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        name=None if by_id else asked.name,
        topic_id=asked.topic_id,
    )


def _why_unknown(asked: MetadataRequestTopic) -> ErrorCode:
    if asked.topic_id != ZERO_UUID:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if asked.name is None or unlawful(asked.name):
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _refused(asked: MetadataRequestTopic, code: ErrorCode, version: int) -> MetadataResponseTopic:
    """Name the topic as it was asked for; a null name is lawful in responses from version 12."""
    name = asked.name if version >= 12 else asked.name or ""
    if asked.topic_id != ZERO_UUID and version >= 12:
        name = None
    return MetadataResponseTopic(
        error_code=code,
        name=name,
        topic_id=asked.topic_id,
        is_internal=is_internal(asked.name or ""),
    )


def _described(
    context: Context, topic: TopicMetadata, version: int, operations: bool
) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id or ZERO_UUID,
        is_internal=is_internal(topic.name),
        partitions=tuple(
            _partition(context, number, partition, version)
            for number, partition in topic.partitions.items()
        ),
        topic_authorized_operations=on_topic(context, topic.name) if operations else NOT_ASKED,
    )


def _partition(
    context: Context, number: int, partition: PartitionMetadata, version: int
) -> MetadataResponsePartition:
    replicas, isr = partition.replicas, partition.isr
    if version == 0:
        replicas, isr = _with_listener(context, replicas), _with_listener(context, isr)
    leader = partition.leader
    if leader not in context.metadata.brokers:
        leader, code = NO_LEADER, ErrorCode.LEADER_NOT_AVAILABLE
    elif context.metadata.endpoint(leader, context.listener) is None:
        leader, code = NO_LEADER, ErrorCode.LISTENER_NOT_FOUND
        if version < 6:
            code = ErrorCode.LEADER_NOT_AVAILABLE
    elif len(replicas) < len(partition.replicas) or len(isr) < len(partition.isr):
        code = ErrorCode.REPLICA_NOT_AVAILABLE
    else:
        code = ErrorCode.NONE
    return MetadataResponsePartition(
        code, number, leader, partition.leader_epoch, replicas, isr, partition.offline
    )


def _with_listener(context: Context, brokers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(id_ for id_ in brokers if context.metadata.endpoint(id_, context.listener))
