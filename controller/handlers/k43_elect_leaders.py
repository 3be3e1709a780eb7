"""ElectLeaders (key 43, KIP-183 and KIP-460).

Behaviour
    * Election type 0 gives the lead to the first replica, 1 to any live one where nobody leads;
      another type is INVALID_REQUEST, at the top and for every partition. Kafka answers
      UNKNOWN_SERVER_ERROR there, for it cannot read the number.
    * Null partitions are all that there are; of those, partitions that need no election are left
      out of the answer. A partition named twice is answered once.
    * Not the active controller: NOT_CONTROLLER per partition, with a top level of 0.
    * UNKNOWN_TOPIC_OR_PARTITION; INVALID_TOPIC_EXCEPTION: queued for deletion;
      ELECTION_NOT_NEEDED: the first replica leads, or with type 1 a live one;
      PREFERRED_LEADER_NOT_AVAILABLE and ELIGIBLE_LEADERS_NOT_AVAILABLE: there is no candidate.
    * The response comes when the new leaders are durable and Metadata shows them. Where that takes
      longer than `timeout_ms` it is REQUEST_TIMED_OUT, and the elections are held all the same.
    * Without ALTER on the cluster CLUSTER_AUTHORIZATION_FAILED, at the top and for every partition.
    Source: Kafka 3.9, KafkaApis.handleElectLeaders, KafkaController.processReplicaLeaderElection,
    ReplicaManager.electLeaders.

Versions 0-2
    0     preferred leaders only; no error code for the whole response
    1     election type
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from klamm.controller.core.events import ElectPreferred, ElectUnclean
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.preferred import astray
from klamm.controller.core.results import Fault, Refusal, Result
from klamm.controller.core.unclean import leaderless
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Outcome,
    Submit,
    Timeout,
    error_code,
)
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest
from klamm.protocol.generated.elect_leaders_response import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

API_KEY = 43
VERSIONS = range(3)

NONE = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class _Election:
    """What an election type asks of the core, and which partitions need it."""

    event: type[ElectPreferred | ElectUnclean]
    needed: Callable[[ClusterState], Iterable[TopicPartition]]


ELECTIONS: Mapping[int, _Election] = {
    0: _Election(ElectPreferred, astray),
    1: _Election(ElectUnclean, leaderless),
}

TIMED_OUT = Refusal(
    Fault.REQUEST_TIMED_OUT, "The request timed out; the election may still be held."
)


def handle(context: Context, request: ElectLeadersRequest, version: int) -> Outcome:
    """Make one event per partition."""
    named = _named(request)
    if not context.allows_cluster(Operation.ALTER):
        refused = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Answer(_refused(named, refused, top_level=refused if version >= 1 else NONE))
    election = ELECTIONS.get(request.election_type)
    if election is None:
        text = f"There is no election type {request.election_type}: 0 is preferred, 1 is unclean."
        refused = ErrorCode.INVALID_REQUEST
        return Answer(_refused(named, refused, text, top_level=refused))
    every = request.topic_partitions is None
    if context.state is None:
        names = _all(context) if every else named
        return Answer(_refused(names, ErrorCode.NOT_CONTROLLER))
    names = tuple(election.needed(context.state)) if every else named

    def respond(results: Sequence[Result]) -> ElectLeadersResponse:
        return _response(names, results, unneeded=not every)

    if not names:
        return Answer(respond(()))
    late = respond([TIMED_OUT] * len(names))
    timeout = Timeout(request.timeout_ms / 1000, lambda _: late)
    return Submit(tuple(election.event(name) for name in names), respond, timeout)


def _named(request: ElectLeadersRequest) -> tuple[TopicPartition, ...]:
    topics = request.topic_partitions or ()
    names = (TopicPartition(each.topic, number) for each in topics for number in each.partitions)
    return tuple(dict.fromkeys(names))


def _all(context: Context) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(topic.name, number)
        for topic in context.metadata.topics.values()
        for number in topic.partitions
    )


def _refused(
    names: Iterable[TopicPartition],
    code: ErrorCode,
    text: str | None = None,
    *,
    top_level: ErrorCode = NONE,
) -> ElectLeadersResponse:
    refused = ((name, PartitionResult(name.partition, code, text)) for name in names)
    return _grouped(refused, top_level)


def _response(
    names: Sequence[TopicPartition], results: Sequence[Result], *, unneeded: bool
) -> ElectLeadersResponse:
    """Show the results; `unneeded` elections only where they are asked for by name."""
    return _grouped(
        (name, _partition(name.partition, result))
        for name, result in zip(names, results, strict=True)
        if unneeded or not _is(result, Fault.ELECTION_NOT_NEEDED)
    )


def _partition(number: int, result: Result) -> PartitionResult:
    if not isinstance(result, Refusal):
        return PartitionResult(number, NONE, None)
    text = None if result.fault is Fault.NOT_CONTROLLER else result.message
    return PartitionResult(number, error_code(result.fault), text)


def _is(result: Result, fault: Fault) -> bool:
    return isinstance(result, Refusal) and result.fault is fault


def _grouped(
    results: Iterable[tuple[TopicPartition, PartitionResult]], top_level: ErrorCode = NONE
) -> ElectLeadersResponse:
    topics: dict[str, list[PartitionResult]] = defaultdict(list)
    for name, result in results:
        topics[name.topic].append(result)
    return ElectLeadersResponse(
        error_code=top_level,
        replica_election_results=tuple(
            ReplicaElectionResult(topic, tuple(found)) for topic, found in topics.items()
        ),
    )
