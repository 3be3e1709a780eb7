"""CreatePartitions (key 37).

Behaviour
    * One result per entry, in request order; an entry that is refused does not stop the others.
    * Not the active controller: NOT_CONTROLLER per topic, as there is no top level.
    * A name that occurs twice refuses every entry of it.
    * Without ALTER on the topic: TOPIC_AUTHORIZATION_FAILED.
    * `count` is the number of partitions that the topic is to have. Null assignments let the
      controller choose; a list gives the replicas of each new partition.
    * While a partition of the topic moves: REASSIGNMENT_IN_PROGRESS. Queued for deletion:
      INVALID_TOPIC_EXCEPTION.
    * The response comes when the partitions are durable; those whose brokers are online have a
      leader by then, or get one in the next Commit.
    Source: Kafka 3.9, KafkaApis.handleCreatePartitionsRequest, ZkAdminManager.createPartitions.

Versions 0-3
    2     flexible; no difference otherwise

Left out: `timeout_ms` (nothing here waits for brokers); quotas (version 3).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from klamm.controller.core.events import CreatePartitions
from klamm.controller.core.results import Fault, Refusal, Result
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, error_code
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_partitions_response import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from klamm.protocol.message import Message

API_KEY = 37
VERSIONS = range(4)

DENIED_TEXT = "The topic authorization is failed."


def handle(context: Context, request: CreatePartitionsRequest, version: int) -> Outcome:
    """Refuse doubled names, and hand the rest to the core."""
    if context.state is None:
        refused = (_refused(topic.name, ErrorCode.NOT_CONTROLLER) for topic in request.topics)
        return Answer(_response(refused))
    counts = Counter(topic.name for topic in request.topics)
    refusals = [_check(context, topic, counts[topic.name]) for topic in request.topics]
    events = tuple(
        _event(topic, request.validate_only)
        for topic, refusal in zip(request.topics, refusals, strict=True)
        if refusal is None
    )

    def respond(results: Sequence[Result]) -> Message:
        rest = iter(results)
        return _response(
            refusal if refusal is not None else _result(topic.name, next(rest))
            for topic, refusal in zip(request.topics, refusals, strict=True)
        )

    return Submit(events, respond) if events else Answer(respond(()))


def _check(
    context: Context, topic: CreatePartitionsTopic, entries: int
) -> CreatePartitionsTopicResult | None:
    """Return the refusal of an entry that is wrong whatever the cluster is like, or None."""
    if entries > 1:
        return _refused(topic.name, ErrorCode.INVALID_REQUEST, "Duplicate topic in request.")
    if not context.allows(Operation.ALTER, ResourceType.TOPIC, topic.name):
        return _refused(topic.name, ErrorCode.TOPIC_AUTHORIZATION_FAILED, DENIED_TEXT)
    return None


def _event(topic: CreatePartitionsTopic, validate_only: bool) -> CreatePartitions:
    lists = topic.assignments
    assignments = None if lists is None else tuple(item.broker_ids for item in lists)
    return CreatePartitions(topic.name, topic.count, assignments, validate_only)


def _result(name: str, result: Result) -> CreatePartitionsTopicResult:
    if not isinstance(result, Refusal):
        return CreatePartitionsTopicResult(name, ErrorCode.NONE, None)
    message = None if result.fault is Fault.NOT_CONTROLLER else result.message
    return _refused(name, error_code(result.fault), message)


def _refused(name: str, code: ErrorCode, message: str | None = None) -> CreatePartitionsTopicResult:
    return CreatePartitionsTopicResult(name, code, message)


def _response(results: Iterable[CreatePartitionsTopicResult]) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(results=tuple(results))
