"""Key 17901, klamm's own: how far the replicas of a request are (KIP-179, version 8)."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
)
from klamm.protocol.generated.partition_assignment_status_response import Progress as WireProgress
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.assign_partitions import SWITCH
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.names import TopicPartitionReplica
from klamm.tools.admin.results import mapped
from klamm.tools.admin.routing import Session

_STATUS = api(
    "partitionAssignmentStatus",
    PartitionAssignmentStatusRequest,
    PartitionAssignmentStatusResponse,
    switch=SWITCH,
)

#: Instead of an id: the most recent request.
_LATEST = -1

#: A partition on its way to a broker.
PartitionReplica = TopicPartitionReplica


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task of some length is: `numerator` units of `denominator`, None while unknown.

    Both may grow while it goes on, and their ratio may fall. `error` is what a task that is over
    has ended with, None if it ended well or goes on; only `complete` says which of the two. How
    long it will take nobody can tell from this.
    """

    numerator: int
    denominator: int | None
    error: AdminError | None
    complete: bool


@dataclass(frozen=True, slots=True)
class Status:
    """The request with this id, and the progress of each replica, in the order of the request."""

    request_id: int
    replicas: Mapping[PartitionReplica, Progress]


class PartitionAssignmentStatusResult:
    """How far a request is; its futures fail with InvalidRequestError if nobody knows it.

    `request_id` is a future of the id, for who has asked for the most recent one.
    """

    def __init__(self, whole: Future[Status]) -> None:
        self._whole = whole
        self.request_id = mapped(whole, lambda status: status.request_id)

    def all(self) -> Future[Mapping[PartitionReplica, Progress]]:
        """Return a future of the progress of every replica, in the order of the request."""
        return mapped(self._whole, lambda status: status.replicas)

    def progress(self, replica: PartitionReplica) -> Future[Progress]:
        """Return a future of the progress of one replica; KeyError if it is not of the request."""
        return mapped(self._whole, lambda status: status.replicas[replica])

    def complete(self) -> Future[bool]:
        """Return a future that tells whether every replica is complete."""
        return mapped(
            self._whole,
            lambda status: all(progress.complete for progress in status.replicas.values()),
        )


async def status(session: Session, request_id: int | None) -> Status:
    """Ask for a request, None for the most recent one; raises AdminError."""
    asked = _LATEST if request_id is None else request_id
    answer = await session.ask(
        _STATUS,
        Place.OFFERING,
        lambda _: PartitionAssignmentStatusRequest(asked),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    return Status(
        answer.request_id,
        {
            PartitionReplica(row.topic, row.partition, row.broker): _progress(row.progress)
            for row in answer.replicas
        },
    )


def _progress(told: WireProgress) -> Progress:
    going_on = (ErrorCode.NONE, ErrorCode.REASSIGNMENT_IN_PROGRESS)
    return Progress(
        told.numerator,
        None if told.denominator < 0 else told.denominator,
        None if told.error_code in going_on else error_of(told.error_code, None),
        told.complete,
    )
