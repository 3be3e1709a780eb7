"""ListPartitionReassignments (key 46, KIP-455).

Behaviour
    * Null topics list every moving partition; no topics, or a topic without indexes, list nothing.
    * Only partitions that are moving are listed: Java tools take any entry for a move. The profile
      kip-455 also lists named ones that are not, with their replicas and two empty lists. Unknown
      topics and partitions are left out and are no error.
    * Replicas is the whole stored list, adding and removing as stored.
    * Without DESCRIBE on the cluster: top level CLUSTER_AUTHORIZATION_FAILED, wherever it is asked;
      the partitions that were named are echoed with empty lists, in the profile kip-455 nothing is.
    * Not the active controller: top level NOT_CONTROLLER with its text and no topics; on success
      the text is empty, null in the profile kip-455. With klamm.request.forwarding.enable the
      server has the controller answer instead (`klamm.controller.runtime.forwarding`).
    * Answered from memory: the state as of the last write that became durable.
    * Version 1 also has the steps that run, sorted, of the partitions that are asked for:
      `current_batch` is null without limits of moves, and empty with limits while no step runs. Of
      each, the replicas that the partition had before the step, and those that it will have after
      it: those that brokers are told of, while `topics` shows the whole move.
    Source: Kafka 3.9, KafkaApis.handleListPartitionReassignmentsRequest; KIP-435, "Public
    Interfaces".

Versions 0-1
    1     served if klamm.kip435.list.v1.enable is set: Kafka may come to have another one

Left out: `timeout_ms` is read and ignored, as Kafka does.
"""

from collections.abc import Iterable, Iterator

from klamm.controller.core.model import Assignment, ClusterState, TopicPartition
from klamm.controller.core.step_views import replicas_after, running_steps
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    NOT_CONTROLLER_TEXT,
    Answer,
    Context,
    Outcome,
)
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    CurrentPartitionReassignmentBatch,
    CurrentTopicReassignmentBatch,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)

API_KEY = 46
VERSIONS = range(2)

NOT_CONTROLLER = ListPartitionReassignmentsResponse(
    error_code=ErrorCode.NOT_CONTROLLER, error_message=NOT_CONTROLLER_TEXT
)


def handle(context: Context, request: ListPartitionReassignmentsRequest, version: int) -> Outcome:
    """Answer from the controller's state."""
    if not context.allows_cluster(Operation.DESCRIBE):
        return Answer(_denied(context, request))
    state = context.state
    if state is None:
        return Answer(NOT_CONTROLLER)
    moving: Iterable[tuple[TopicPartition, Assignment]]
    if request.topics is None:
        moving = ((name, partition.assignment) for name, partition in state.moving())
    else:
        moving = _named(state, request.topics, idle=context.rules.lists_idle)
    return Answer(
        ListPartitionReassignmentsResponse(
            error_message=context.rules.success_text,
            topics=_topics(moving),
            current_batch=_current_batch(state, request.topics) if version >= 1 else None,
        )
    )


def _denied(
    context: Context, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    named = request.topics or () if context.rules.echoes_denied else ()
    return ListPartitionReassignmentsResponse(
        error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        error_message=CLUSTER_DENIED_TEXT,
        topics=tuple(
            OngoingTopicReassignment(
                topic.name,
                tuple(OngoingPartitionReassignment(index) for index in topic.partition_indexes),
            )
            for topic in named
        ),
    )


def _named(
    state: ClusterState, topics: Iterable[ListPartitionReassignmentsTopics], *, idle: bool
) -> Iterator[tuple[TopicPartition, Assignment]]:
    """Yield those of the partitions named that move, or all if `idle`, each once."""
    for name in dict.fromkeys(_names(topics)):
        partition = state.partition(name)
        if partition is not None and (idle or partition.assignment.moving):
            yield name, partition.assignment


def _names(topics: Iterable[ListPartitionReassignmentsTopics]) -> Iterator[TopicPartition]:
    for topic in topics:
        for index in topic.partition_indexes:
            yield TopicPartition(topic.name, index)


def _current_batch(
    state: ClusterState, topics: Iterable[ListPartitionReassignmentsTopics] | None
) -> tuple[CurrentTopicReassignmentBatch, ...] | None:
    """Return the steps that run; None if moves have none, because nothing limits them."""
    if state.limits.none:
        return None
    found: dict[str, list[CurrentPartitionReassignmentBatch]] = {}
    for name, step in running_steps(state, None if topics is None else _names(topics)):
        target = replicas_after(state, name, step)
        entry = CurrentPartitionReassignmentBatch(name.partition, step.before, target)
        found.setdefault(name.topic, []).append(entry)
    return tuple(
        CurrentTopicReassignmentBatch(topic, tuple(steps)) for topic, steps in found.items()
    )


def _topics(
    moving: Iterable[tuple[TopicPartition, Assignment]],
) -> tuple[OngoingTopicReassignment, ...]:
    partitions: dict[str, list[OngoingPartitionReassignment]] = {}
    for name, assignment in moving:
        partitions.setdefault(name.topic, []).append(
            OngoingPartitionReassignment(
                name.partition, assignment.replicas, assignment.adding, assignment.removing
            )
        )
    return tuple(
        OngoingTopicReassignment(topic, tuple(found)) for topic, found in partitions.items()
    )
