"""AlterPartitionReassignments (key 45, KIP-455).

Behaviour
    * Null replicas cancel a move, a list is a new target; an empty list is a target that the core
      refuses, never a cancel.
    * Every partition is answered once, in the order in which the request first names it; one
      named twice takes its last entry. A topic without partitions is not echoed.
    * Errors are per partition and stop nobody else; the top level stays 0 with an empty text, a
      null one in the profile kip-455.
    * Without ALTER on the cluster: CLUSTER_AUTHORIZATION_FAILED at the top level and for every
      partition, wherever it is asked, and nothing is written.
    * Not the active controller, or no longer when it was decided: top level NOT_CONTROLLER with
      its text and no responses. That holds for the whole request even if a part of it was done:
      clients look for 41 nowhere else, and a repeated request does no harm. With
      klamm.request.forwarding.enable a node out of office has the controller answer instead
      (`klamm.controller.runtime.forwarding`).
    * The response comes when the moves are recorded, not when they are finished.
    Source: Kafka 3.9, KafkaApis.handleAlterPartitionReassignmentsRequest.

Versions 0-1. A null topics array is malformed: the connection refuses it before it comes here.
    1     AllowReplicationFactorChange (KIP-860, Kafka 4.1): false refuses targets of another size
          than where the partition is, or is moving to, with INVALID_REPLICATION_FACTOR; the
          response repeats it

    * `timeout_ms` is read and ignored, as Kafka does. With klamm.reassignment.timeout.enable it is
      honoured: then the top level and every partition are REQUEST_TIMED_OUT, and what was asked
      for goes on.

Left out: nothing.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import Fault, Refusal, Result
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
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)

API_KEY = 45
VERSIONS = range(2)

TIMED_OUT_TEXT = "The request timed out; what it asks for may still be done."

NOT_CONTROLLER = AlterPartitionReassignmentsResponse(
    error_code=ErrorCode.NOT_CONTROLLER, error_message=NOT_CONTROLLER_TEXT
)


def handle(context: Context, request: AlterPartitionReassignmentsRequest, version: int) -> Outcome:
    """Make one event per partition; results come back in the same order."""
    if not context.allows_cluster(Operation.ALTER):
        return Answer(_denied(request))
    if context.state is None:
        return Answer(NOT_CONTROLLER)
    targets: dict[TopicPartition, tuple[int, ...] | None] = {}
    for topic in request.topics:
        for partition in topic.partitions:
            name = TopicPartition(topic.name, partition.partition_index)
            targets[name] = partition.replicas
    allowed = request.allow_replication_factor_change

    def respond(results: Sequence[Result]) -> AlterPartitionReassignmentsResponse:
        response = _response(context, tuple(targets), results)
        return replace(response, allow_replication_factor_change=allowed)

    if not targets:
        return Answer(respond(()))
    events = tuple(AlterReassignment(name, to, not allowed) for name, to in targets.items())
    timeout = None
    if context.honours_timeouts:
        late: Result = Refusal(Fault.REQUEST_TIMED_OUT, TIMED_OUT_TEXT)
        response = replace(
            respond([late] * len(targets)),
            error_code=ErrorCode.REQUEST_TIMED_OUT,
            error_message=TIMED_OUT_TEXT,
        )
        timeout = Timeout(request.timeout_ms / 1000, lambda _: response)
    return Submit(events, respond, timeout)


def _denied(request: AlterPartitionReassignmentsRequest) -> AlterPartitionReassignmentsResponse:
    code, text = ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_code=code,
        error_message=text,
        responses=tuple(
            ReassignableTopicResponse(
                topic.name,
                tuple(
                    ReassignablePartitionResponse(partition.partition_index, code, text)
                    for partition in topic.partitions
                ),
            )
            for topic in request.topics
        ),
    )


def _response(
    context: Context, names: Sequence[TopicPartition], results: Sequence[Result]
) -> AlterPartitionReassignmentsResponse:
    partitions: dict[str, list[ReassignablePartitionResponse]] = defaultdict(list)
    for name, result in zip(names, results, strict=True):
        if isinstance(result, Refusal) and result.fault is Fault.NOT_CONTROLLER:
            return NOT_CONTROLLER
        partitions[name.topic].append(_partition(name.partition, result))
    return AlterPartitionReassignmentsResponse(
        error_message=context.rules.success_text,
        responses=tuple(
            ReassignableTopicResponse(topic, tuple(answers))
            for topic, answers in partitions.items()
        ),
    )


def _partition(number: int, result: Result) -> ReassignablePartitionResponse:
    if isinstance(result, Refusal):
        return ReassignablePartitionResponse(number, error_code(result.fault), result.message)
    return ReassignablePartitionResponse(number, ErrorCode.NONE, None)
