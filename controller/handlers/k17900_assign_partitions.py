"""AssignPartitions (key 17900, KIP-179, version 8): one request for many moves, with a number.

Behaviour
    * One row for each broker of each partition, in the order of the request; a partition without
      brokers has one, of broker -1. What is accepted moves though other partitions are refused;
      one is refused as a whole: a broker that is not alive has UNKNOWN_MEMBER_ID in its row, and
      the others OPERATION_NOT_ATTEMPTED. An unknown topic has INVALID_TOPIC_EXCEPTION, an unknown
      partition INVALID_PARTITIONS, a list with a broker twice, a negative one or none
      INVALID_REPLICA_ASSIGNMENT, and so has a partition that is named twice.
    * The number counts up from 1, and is -1 if nothing was accepted. PartitionAssignmentStatus
      tells what has come of it.
    * While anything moves, whoever has begun it: REASSIGNMENT_IN_PROGRESS, at the top level and in
      each row. A plan that one znode does not hold, and one for which there is no number any more:
      INVALID_REQUEST, likewise.
    * Without CLUSTER_ACTION on the cluster: CLUSTER_AUTHORIZATION_FAILED, likewise.
    * Not the active controller, or no longer when it was decided: top level NOT_CONTROLLER and no
      rows. A node out of office passes the request on (`klamm.controller.runtime.forwarding`).
    * The response comes when the moves are recorded, not when they are finished. `timeout_ms` is as
      in 45.

Versions 0. Served if klamm.kip179.assign.enable is set: no release of Kafka has such a key.

Left out: several requests at a time, which the proposal leaves for later.
"""

from collections.abc import Iterable, Sequence

from klamm.controller.core.assigning import NO_BROKER
from klamm.controller.core.events import AssignPartitions
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import (
    AssignedReplica,
    Fault,
    PartitionsAssigned,
    Refusal,
    Result,
)
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    NOT_CONTROLLER_TEXT,
    Answer,
    Context,
    Outcome,
    Submit,
    Timeout,
    error_code,
)
from klamm.controller.handlers.k45_alter_partition_reassignments import TIMED_OUT_TEXT
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)

API_KEY = 17900
VERSIONS = range(1)

NOT_CONTROLLER = AssignPartitionsResponse(
    error_code=ErrorCode.NOT_CONTROLLER, error_message=NOT_CONTROLLER_TEXT
)


def handle(context: Context, request: AssignPartitionsRequest, version: int) -> Outcome:
    """Make one event of the whole request."""
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        return Answer(
            _refused(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT)
        )
    if context.state is None:
        return Answer(NOT_CONTROLLER)

    def respond(results: Sequence[Result]) -> AssignPartitionsResponse:
        return _response(request, results)

    targets = tuple(
        (TopicPartition(each.topic, each.partition), each.brokers) for each in request.assignments
    )
    timeout = None
    if context.honours_timeouts:
        late = _refused(request, ErrorCode.REQUEST_TIMED_OUT, TIMED_OUT_TEXT)
        timeout = Timeout(request.timeout_ms / 1000, lambda _: late)
    return Submit((AssignPartitions(targets),), respond, timeout)


def _response(
    request: AssignPartitionsRequest, results: Sequence[Result]
) -> AssignPartitionsResponse:
    match results:
        case [PartitionsAssigned(request_id, replicas)]:
            return AssignPartitionsResponse(request_id=request_id, results=tuple(_rows(replicas)))
        case [Refusal(Fault.NOT_CONTROLLER)]:
            return NOT_CONTROLLER
        case [Refusal(fault, text)]:
            return _refused(request, error_code(fault), text)
    raise TypeError(f"AssignPartitions came to {results}")


def _rows(replicas: Iterable[AssignedReplica]) -> Iterable[PartitionAssignmentResult]:
    for each in replicas:
        code, text = ErrorCode.NONE, None
        if each.refusal is not None:
            code, text = error_code(each.refusal.fault), each.refusal.message
        yield PartitionAssignmentResult(*each.partition, each.broker, code, text)


def _refused(
    request: AssignPartitionsRequest, code: ErrorCode, text: str
) -> AssignPartitionsResponse:
    """Refuse the whole request, in each of its rows, too."""
    rows = tuple(
        PartitionAssignmentResult(each.topic, each.partition, broker, code, text)
        for each in request.assignments
        for broker in each.brokers or (NO_BROKER,)
    )
    return AssignPartitionsResponse(error_code=code, error_message=text, results=rows)
