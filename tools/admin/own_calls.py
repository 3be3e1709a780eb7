"""The calls that only klamm's nodes serve, as far as they came with KIP-179."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NoReturn

from klamm.tools.admin import assignment_status
from klamm.tools.admin.alter_topics import (
    ALTER,
    AlteredTopic,
    AlterTopicsResult,
    alter,
    checked,
)
from klamm.tools.admin.apis import Api, Place
from klamm.tools.admin.assign_partitions import ASSIGN, AssignPartitionsResult, assign
from klamm.tools.admin.assignment_status import PartitionAssignmentStatusResult
from klamm.tools.admin.base import Client
from klamm.tools.admin.names import TopicPartition, TopicPartitionReplica
from klamm.tools.admin.replica_status import ReplicaStatus, of_partitions, of_replicas
from klamm.tools.admin.results import Results
from klamm.tools.admin.routing import Session


class _AgreedError(Exception):
    """A node serves the request, and nothing was sent."""


async def _agree(session: Session, api: Api[Any, Any]) -> None:
    """Find a node that serves a request; raises AdminError if none does."""

    def make(version: int) -> NoReturn:
        # A request is made when its version is agreed on, and that is all that is wanted.
        raise _AgreedError

    try:
        await session.ask(api, Place.OFFERING, make)
    except _AgreedError:
        return


class OwnCalls(Client):
    """The part of `Admin` for KIP-179, both versions.

    With servers that do not offer them, futures fail with UnsupportedVersionError, which names the
    property that is to be set. A change whose answer is lost is asked for again, and then may find
    itself in the way: ReassignmentInProgressError.
    """

    def alter_topics(
        self, altered: Collection[AlteredTopic], timeout_ms: int | None = None
    ) -> AlterTopicsResult:
        """Begin to change partitions, replication factor and replicas of topics.

        Raises ValueError for a topic that is there twice.
        """
        wanted = checked(altered)
        whole = self._calls.one(partial(alter, altered=wanted), timeout_ms)
        return AlterTopicsResult([topic.name for topic in wanted], whole)

    def alter_topics_offered(self, timeout_ms: int | None = None) -> Future[None]:
        """Return a future that fails as `alter_topics` if no node serves it; nothing is sent."""
        return self._calls.one(partial(_agree, api=ALTER), timeout_ms)

    def replica_status(
        self, partitions: Collection[TopicPartition], timeout_ms: int | None = None
    ) -> Results[TopicPartition, tuple[ReplicaStatus, ...]]:
        """Return how far each replica of partitions is behind, as their leaders know it."""
        wanted = [TopicPartition(*name) for name in partitions]
        operation = partial(of_partitions, partitions=wanted)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def replica_status_of(
        self, replicas: Collection[TopicPartitionReplica], timeout_ms: int | None = None
    ) -> Results[TopicPartitionReplica, ReplicaStatus]:
        """Return how far replicas are behind, also those that may not exist.

        InvalidTopicError: no such topic; InvalidPartitionsError: no such partition of it; an
        ApiError with code 25: no such broker; UnknownTopicOrPartitionError: the broker has no
        replica of it; LeaderNotAvailableError: nobody leads the partition.
        """
        wanted = [TopicPartitionReplica(*name) for name in replicas]
        operation = partial(of_replicas, replicas=wanted)
        return self._calls.each(wanted, [(wanted, operation)], timeout_ms)

    def assign_partitions(
        self, targets: Mapping[TopicPartition, Sequence[int]], timeout_ms: int | None = None
    ) -> AssignPartitionsResult:
        """Start moves as one request, of which there is one at a time; it has an id."""
        wanted = {TopicPartition(*name): tuple(brokers) for name, brokers in targets.items()}
        operation = partial(assign, targets=wanted)
        return AssignPartitionsResult([*wanted], self._calls.one(operation, timeout_ms))

    def assign_partitions_offered(self, timeout_ms: int | None = None) -> Future[None]:
        """Return a future that fails as `assign_partitions` if no node serves it."""
        return self._calls.one(partial(_agree, api=ASSIGN), timeout_ms)

    def partition_assignment_status(
        self, request_id: int | None = None, timeout_ms: int | None = None
    ) -> PartitionAssignmentStatusResult:
        """Return how far the moves of a request are, of the most recent one without an id."""
        operation = partial(assignment_status.status, request_id=request_id)
        return PartitionAssignmentStatusResult(self._calls.one(operation, timeout_ms))
