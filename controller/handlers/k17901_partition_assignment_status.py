"""PartitionAssignmentStatus (key 17901, KIP-179, version 8): what has come of AssignPartitions.

Behaviour
    * One row for each broker of each accepted partition: REASSIGNMENT_IN_PROGRESS while it is on
      its way, 0 when it has come in sync, NO_REASSIGNMENT_IN_PROGRESS if its move was cancelled or
      given another target, UNKNOWN_TOPIC_OR_PARTITION if there is no such partition any more.
    * Numerator and denominator count records; the denominator is -1 while it is unknown or nothing
      is to be copied. Both are the controller's last word, about a second old. The denominator
      grows with the log, so that a share may fall.
    * -1 asks for the request with the highest number that is kept. One that is not kept, or not any
      more: INVALID_REQUEST.
    * CLUSTER_AUTHORIZATION_FAILED without DESCRIBE on the cluster.
    * Any node answers, from ZooKeeper, even while there is no controller.

Versions 0. Served if klamm.kip179.assign.enable is set: no release of Kafka has such a key.

Left out: nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.status import ON_ITS_WAY
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    Answer,
    Context,
    Outcome,
    Transact,
    error_code,
)
from klamm.controller.security.acls import Operation
from klamm.controller.store.port import Children, Read, ReadChildren, ReadData, Znode
from klamm.controller.store.transaction import Decision, Found
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import decode_reassign_partitions
from klamm.controller.znodes.status import (
    ReplicaStatus,
    StatusHeader,
    cut,
    decode_status_chunk,
    decode_status_header,
    request_id,
)
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    PartitionReplica,
    Progress,
)
from klamm.protocol.message import Message

API_KEY = 17901
VERSIONS = range(1)

#: As a request's number: the highest that is kept.
LATEST = -1

_Rows = tuple[ReplicaStatus, ...]
_Answer = Message | Transact


@dataclass(frozen=True, slots=True)
class FindLatest:
    """Reads which numbers are kept, and decides for the highest; None if there is none."""

    @property
    def reads(self) -> tuple[Read, ...]:
        """The names of all requests."""
        return (ReadChildren(paths.REASSIGN_STATUS),)

    def decide(self, found: tuple[Found, ...]) -> Decision[int | None]:
        """Take the highest number."""
        (listed,) = found
        names = listed.names if isinstance(listed, Children) else ()
        numbers = map(request_id, names)
        return Decision(max((number for number in numbers if number is not None), default=None))


@dataclass(frozen=True, slots=True)
class ReadHeader:
    """Reads a request's header; None if it is not kept."""

    request_id: int

    @property
    def reads(self) -> tuple[Read, ...]:
        """The header."""
        return (ReadData(paths.status_header(self.request_id)),)

    def decide(self, found: tuple[Found, ...]) -> Decision[StatusHeader | None]:
        """Take it as it is; raises ZnodeError."""
        (header,) = found
        if not isinstance(header, Znode):
            return Decision(None)
        return Decision(decode_status_header(header.data, header.path))


@dataclass(frozen=True, slots=True)
class ReadRows:
    """Reads a request's rows.

    Right after it was accepted they may not be written yet; then none of its moves has begun, and
    they are those of /admin/reassign_partitions, which for that reason is read before them. A
    request that was complete has lost rows only if it is being removed: None then.
    """

    header: StatusHeader

    @property
    def reads(self) -> tuple[Read, ...]:
        """The orders, and every chunk."""
        id_ = self.header.request_id
        chunks = (ReadData(paths.status_chunk(id_, n)) for n in range(self.header.chunks))
        return (ReadData(paths.REASSIGN_PARTITIONS), *chunks)

    def decide(self, found: tuple[Found, ...]) -> Decision[_Rows | None]:
        """Put the chunks together; raises ZnodeError."""
        orders, *chunks = found
        rows: list[ReplicaStatus] = []
        for number, chunk in enumerate(chunks):
            if isinstance(chunk, Znode):
                rows.extend(decode_status_chunk(chunk.data, chunk.path).replicas)
            elif self.header.complete:
                return Decision(None)
            elif isinstance(orders, Znode):
                rows.extend(_ordered(orders, number, self.header.created_ms))
        return Decision(tuple(rows))


def _ordered(orders: Znode, number: int, created_ms: int) -> _Rows:
    """The rows that this chunk of the request is to have."""
    entries = decode_reassign_partitions(orders.data, orders.path).entries
    chunks = cut(
        ReplicaStatus(each.topic, each.partition, broker, ON_ITS_WAY, created_ms)
        for each in entries
        for broker in each.replicas
    )
    return chunks[number] if number < len(chunks) else ()


def handle(context: Context, request: PartitionAssignmentStatusRequest, version: int) -> Outcome:
    """Read the request's header, then its rows."""
    if not context.allows_cluster(Operation.DESCRIBE):
        return Answer(_refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT))
    if request.request_id == LATEST:
        return Transact((FindLatest(),), _unless_refused(_found_latest))
    return Transact((ReadHeader(request.request_id),), _unless_refused(_found(request.request_id)))


def _unless_refused(go_on: Callable[[Any], _Answer]) -> Callable[[Sequence[Any]], _Answer]:
    """Go on with the one result of a transaction, or answer why there is none."""

    def respond(results: Sequence[Any]) -> _Answer:
        (result,) = results
        if isinstance(result, Refusal):
            return _refused(error_code(result.fault), result.message)
        return go_on(result)

    return respond


def _found_latest(latest: int | None) -> _Answer:
    if latest is None:
        return _unknown(LATEST)
    return Transact((ReadHeader(latest),), _unless_refused(_found(latest)))


def _found(request_id: int) -> Callable[[StatusHeader | None], _Answer]:
    def go_on(header: StatusHeader | None) -> _Answer:
        if header is None:
            return _unknown(request_id)
        return Transact((ReadRows(header),), _unless_refused(lambda rows: _status(header, rows)))

    return go_on


def _status(header: StatusHeader, rows: _Rows | None) -> PartitionAssignmentStatusResponse:
    if rows is None:
        return _unknown(header.request_id)
    return PartitionAssignmentStatusResponse(
        request_id=header.request_id,
        complete=header.complete,
        created_time_ms=header.created_ms,
        completed_time_ms=header.completed_ms,
        replicas=tuple(
            PartitionReplica(
                row.topic,
                row.partition,
                row.broker,
                Progress(row.error, row.numerator, row.denominator, row.complete, row.updated_ms),
            )
            for row in rows
        ),
    )


def _unknown(request_id: int) -> PartitionAssignmentStatusResponse:
    code = error_code(Fault.INVALID_REQUEST)
    return _refused(code, f"Unknown reassignment request id {request_id}.")


def _refused(code: ErrorCode, text: str) -> PartitionAssignmentStatusResponse:
    return PartitionAssignmentStatusResponse(error_code=code, error_message=text)
