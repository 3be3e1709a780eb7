"""Keys 45, 46 and klamm's own 17904."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.describe_reassignments_request import (
    DescribeReassignmentsRequest,
    DescribeReassignmentsTopic,
)
from klamm.protocol.generated.describe_reassignments_response import (
    DescribedPartitionReassignment,
    DescribeReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import (
    AdminError,
    UnsupportedVersionError,
    error_of,
    raise_for,
)
from klamm.tools.admin.names import Everything, TopicPartition, by_topic
from klamm.tools.admin.routing import Session

T = TypeVar("T")

#: The replicas that a partition is to have, in order; None cancels.
Target = Sequence[int] | None

_ALTER = api(
    "alterPartitionReassignments",
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
)
# Version 1 is klamm's alone and tells of batches; 0 is the one that clusters share.
_LIST = api(
    "listPartitionReassignments",
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    range(1),
)
_LIST_BATCH = api(
    "listPartitionReassignments",
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    range(1, 2),
)
_DESCRIBE = api(
    "describeReassignments", DescribeReassignmentsRequest, DescribeReassignmentsResponse
)


@dataclass(frozen=True, slots=True)
class PartitionReassignment:
    """A partition that moves: its replicas now, those among them that come, those that go.

    Each in the order that the controller tells. A cancel takes `adding_replicas` away again.
    """

    replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...]
    removing_replicas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """A step of a move that runs, by KIP-435: the replicas before it, and those after it."""

    current_brokers: tuple[int, ...]
    target_brokers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StepDetails:
    """How far a move is that is made in steps, for moves are limited.

    `first_replicas` are those before its first step, `hosted_replicas` those that brokers are told
    of. `number` is the step that runs or is next, from 1 on, `most` the last one's at most. `kind`
    (leader, fill or swap), `adding` and `since_ms`, in milliseconds since the epoch, are of the one
    that runs; else `waits` says why it does not: offline, target-offline, not-in-sync or deferred.
    """

    first_replicas: tuple[int, ...]
    hosted_replicas: tuple[int, ...]
    number: int
    most: int
    kind: str | None = None
    adding: tuple[int, ...] = ()
    since_ms: int | None = None
    waits: str | None = None


@dataclass(frozen=True, slots=True)
class ReassignmentDetails:
    """What only klamm's controller tells of a move.

    `original_replicas` are those before the move in their order, None if nothing moves or if the
    controller does not know the order: the one that began the move does. `step_replicas` is the
    target of the step that is being done, None where moves have one step. `waiting_for` says in
    words what holds the move up, None if replicas have but to copy. `owed_deletes` are brokers that
    have not confirmed yet that they deleted a replica. `step` is there if the move is made in steps
    and the controller tells of them.
    """

    original_replicas: tuple[int, ...] | None
    step_replicas: tuple[int, ...] | None
    waiting_for: str | None
    owed_deletes: tuple[int, ...]
    step: StepDetails | None = None


def checked(targets: Mapping[TopicPartition, Target]) -> dict[TopicPartition, Target]:
    """Return a copy; raises ValueError for a target without replicas, which is no cancel."""
    for name, target in targets.items():
        if target is not None and not target:
            raise ValueError(
                f"{TopicPartition(*name)}: a target needs a replica at least; None cancels"
            )
    return {
        TopicPartition(*name): None if target is None else tuple(target)
        for name, target in targets.items()
    }


async def alter(
    session: Session,
    targets: Mapping[TopicPartition, Target],
    allow_replication_factor_change: bool,
) -> dict[TopicPartition, AdminError | None]:
    """Start or cancel moves; the outcome of each."""

    def make(version: int) -> AlterPartitionReassignmentsRequest:
        if version < 1 and not allow_replication_factor_change:
            # KIP-860; the words are those of Java's client.
            raise UnsupportedVersionError(
                "The broker does not support the AllowReplicationFactorChange option for the"
                " AlterPartitionReassignments API. Consider re-sending the request without the"
                " option or updating the server version"
            )
        topics = [
            ReassignableTopic(
                topic,
                tuple(
                    ReassignablePartition(number, _wire(targets[TopicPartition(topic, number)]))
                    for number in numbers
                ),
            )
            for topic, numbers in by_topic(targets).items()
        ]
        return AlterPartitionReassignmentsRequest(
            session.timeout_ms, allow_replication_factor_change, tuple(topics)
        )

    answer = await session.ask(
        _ALTER, Place.CONTROLLER, make, lambda response: [response.error_code]
    )
    if answer.error_code:
        return dict.fromkeys(targets, error_of(answer.error_code, answer.error_message))
    return {
        TopicPartition(topic.name, partition.partition_index): error_of(
            partition.error_code, partition.error_message
        )
        if partition.error_code
        else None
        for topic in answer.responses
        for partition in topic.partitions
    }


async def list_(
    session: Session, partitions: Collection[TopicPartition] | Everything
) -> dict[TopicPartition, PartitionReassignment]:
    """Return the partitions that move, of those asked for."""
    topics = _topics(partitions, ListPartitionReassignmentsTopics)
    answer = await session.ask(
        _LIST,
        Place.CONTROLLER,
        lambda _: ListPartitionReassignmentsRequest(session.timeout_ms, topics),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    return {
        TopicPartition(topic.name, partition.partition_index): PartitionReassignment(
            partition.replicas, partition.adding_replicas, partition.removing_replicas
        )
        for topic in answer.topics
        for partition in topic.partitions
    }


async def list_batch(
    session: Session, partitions: Collection[TopicPartition] | Everything
) -> dict[TopicPartition, BatchEntry] | None:
    """Return the steps that run, of those asked for; None if moves are not limited."""
    topics = _topics(partitions, ListPartitionReassignmentsTopics)
    answer = await session.ask(
        _LIST_BATCH,
        Place.CONTROLLER,
        lambda _: ListPartitionReassignmentsRequest(session.timeout_ms, topics),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    if answer.current_batch is None:
        return None
    return {
        TopicPartition(topic.name, partition.partition_index): BatchEntry(
            partition.current_brokers, partition.target_brokers
        )
        for topic in answer.current_batch
        for partition in topic.partitions
    }


async def describe(
    session: Session, partitions: Collection[TopicPartition] | Everything
) -> dict[TopicPartition, ReassignmentDetails]:
    """Return what klamm's controller tells of the moves among the partitions."""
    topics = _topics(partitions, DescribeReassignmentsTopic)
    answer = await session.ask(
        _DESCRIBE,
        Place.CONTROLLER,
        lambda _: DescribeReassignmentsRequest(topics),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    return {
        TopicPartition(topic.name, partition.partition_index): ReassignmentDetails(
            partition.original_replicas,
            partition.step_replicas,
            partition.waiting_for,
            partition.owed_deletes,
            _step(partition),
        )
        for topic in answer.topics
        for partition in topic.partitions
    }


def _step(partition: DescribedPartitionReassignment) -> StepDetails | None:
    first, hosted = partition.first_replicas, partition.hosted_replicas
    if first is None or hosted is None:
        return None
    return StepDetails(
        first,
        hosted,
        partition.step_number,
        partition.most_steps,
        partition.step_kind,
        partition.step_adding or (),
        partition.step_since_ms if partition.step_since_ms >= 0 else None,
        partition.wait_reason,
    )


def _wire(target: Target) -> tuple[int, ...] | None:
    return None if target is None else tuple(target)


def _topics(
    partitions: Collection[TopicPartition] | Everything, kind: Callable[[str, tuple[int, ...]], T]
) -> tuple[T, ...] | None:
    """Return a request's words for the partitions; None means all."""
    if isinstance(partitions, Everything):
        return None
    return tuple(kind(topic, tuple(numbers)) for topic, numbers in by_topic(partitions).items())
