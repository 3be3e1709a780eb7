"""LeaderAndIsr and StopReplica of any version: what they ask for, and answers in their layout.

Both requests have changed their grouping over time: flat, by topic, by topic id. Here they become
mappings by partition. A partition named twice keeps its last entry, and is answered once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.primitives import ZERO_UUID

#: As the leader epoch of a StopReplica: older versions carry none; the topic is being deleted.
NO_EPOCH = -1
EPOCH_DURING_DELETE = -2

ControlRequest = LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest
ControlResponse = LeaderAndIsrResponse | UpdateMetadataResponse | StopReplicaResponse

#: LeaderAndIsr answers are grouped by topic id from this version on.
_BY_TOPIC_ID = 5


@dataclass(frozen=True, slots=True)
class Order:
    """LeaderAndIsr for one partition; `topic_id` is None if the request has none."""

    topic_id: UUID | None
    state: LeaderAndIsrPartitionState


@dataclass(frozen=True, slots=True)
class Stop:
    """StopReplica for one partition."""

    leader_epoch: int
    delete: bool


def named(request: ControlRequest) -> Iterable[TopicPartition]:
    """Return the partitions whose replicas a request may change."""
    match request:
        case LeaderAndIsrRequest():
            return orders(request)
        case StopReplicaRequest():
            return stops(request)
        case UpdateMetadataRequest():
            return ()


def orders(request: LeaderAndIsrRequest) -> dict[TopicPartition, Order]:
    """Read a LeaderAndIsr request: one by one below version 2, then by topic."""
    read = {
        TopicPartition(state.topic_name, state.partition_index): Order(None, state)
        for state in request.ungrouped_partition_states
    }
    for topic in request.topic_states:
        topic_id = None if topic.topic_id == ZERO_UUID else topic.topic_id
        for state in topic.partition_states:
            name = TopicPartition(topic.topic_name, state.partition_index)
            read[name] = Order(topic_id, state)
    return read


def orders_answered(
    version: int,
    asked: Mapping[TopicPartition, Order],
    codes: Mapping[TopicPartition, ErrorCode],
    error: ErrorCode = ErrorCode.NONE,
) -> LeaderAndIsrResponse:
    """Answer a LeaderAndIsr request: a code for each partition asked for."""
    if version < _BY_TOPIC_ID:
        named = tuple(LeaderAndIsrPartitionError(*name, codes[name]) for name in asked)
        return LeaderAndIsrResponse(error, partition_errors=named)
    topics: defaultdict[UUID, list[LeaderAndIsrPartitionError]] = defaultdict(list)
    for name, order in asked.items():
        topics[order.topic_id or ZERO_UUID].append(
            LeaderAndIsrPartitionError("", name.partition, codes[name])
        )
    by_id = (LeaderAndIsrTopicError(id_, tuple(errors)) for id_, errors in topics.items())
    return LeaderAndIsrResponse(error, topics=tuple(by_id))


def stops(request: StopReplicaRequest) -> dict[TopicPartition, Stop]:
    """Read a StopReplica request: one delete flag for all below version 3, no leader epochs."""
    for_all = Stop(NO_EPOCH, request.delete_partitions)
    read = {
        TopicPartition(partition.topic_name, partition.partition_index): for_all
        for partition in request.ungrouped_partitions
    }
    for topic in request.topics:
        for number in topic.partition_indexes:
            read[TopicPartition(topic.name, number)] = for_all
    for states in request.topic_states:
        for state in states.partition_states:
            name = TopicPartition(states.topic_name, state.partition_index)
            read[name] = Stop(state.leader_epoch, state.delete_partition)
    return read


def stops_answered(
    codes: Iterable[tuple[TopicPartition, ErrorCode]], error: ErrorCode = ErrorCode.NONE
) -> StopReplicaResponse:
    """Answer a StopReplica request."""
    errors = tuple(StopReplicaPartitionError(*name, code) for name, code in codes)
    return StopReplicaResponse(error, errors)
