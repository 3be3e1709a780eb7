"""CreateTopics (key 19).

Behaviour
    * One result per entry, in request order; an entry that is refused does not stop the others.
    * Not the active controller: NOT_CONTROLLER per topic, top level untouched (there is none).
    * A name that occurs twice refuses every entry of it.
    * The response comes when the topic and its first leaders are durable; Kafka also waits until
      its own metadata shows the leaders, here the controller's metadata does so at once.
    Source: Kafka 3.9, KafkaApis.handleCreateTopicsRequest, ZkAdminManager.createTopics.

Versions 0-7
    1     validate only; error messages
    5     partition count and replication factor of the created topic

Left out: `timeout_ms` (nothing here waits for brokers), the effective configs of the created
topic (an empty list), topic ids (zero).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from klamm.controller.core.events import CreateTopic
from klamm.controller.core.results import Fault, Refusal, Result, TopicCreated
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, error_code
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_topics_request import CreatableTopic, CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.message import Message

API_KEY = 19
VERSIONS = range(8)

#: As a count in the request: the configured default, or given by the assignments.
UNSET = -1

#: KRaft's own topic, which no client may create.
CLUSTER_METADATA = "__cluster_metadata"


def handle(context: Context, request: CreateTopicsRequest, version: int) -> Outcome:
    """Refuse what the request alone shows to be wrong, and hand the rest to the core."""
    if context.state is None:
        return Answer(
            _response(_refused(topic, ErrorCode.NOT_CONTROLLER) for topic in request.topics)
        )
    counts = Counter(topic.name for topic in request.topics)
    refusals = [_check(topic, counts[topic.name]) for topic in request.topics]
    brokers = max(1, len(context.state.brokers))
    events = tuple(
        _event(topic, request.validate_only, context.draw(brokers), context.draw(brokers))
        for topic, refusal in zip(request.topics, refusals, strict=True)
        if refusal is None
    )

    def respond(results: Sequence[Result]) -> Message:
        rest = iter(results)
        return _response(
            refusal if refusal is not None else _result(topic, next(rest))
            for topic, refusal in zip(request.topics, refusals, strict=True)
        )

    return Submit(events, respond) if events else Answer(respond(()))


def _check(topic: CreatableTopic, entries: int) -> CreatableTopicResult | None:
    """Return the refusal of an entry that is wrong whatever the cluster is like, or None."""
    if topic.name == CLUSTER_METADATA:
        text = f"Creation of internal topic {CLUSTER_METADATA} is prohibited."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    if entries > 1:
        text = "Found multiple entries for this topic."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    nulls = [config.name for config in topic.configs if config.value is None]
    if nulls:
        text = f"Null value not supported for topic configs: {','.join(nulls)}"
        return _refused(topic, ErrorCode.INVALID_CONFIG, text)
    counted = topic.num_partitions != UNSET or topic.replication_factor != UNSET
    if topic.assignments and counted:
        text = (
            "Both numPartitions or replicationFactor and replicasAssignments were set. "
            "Both cannot be used at the same time."
        )
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    return None


def _event(topic: CreatableTopic, validate_only: bool, start: int, shift: int) -> CreateTopic:
    return CreateTopic(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignment={item.partition_index: item.broker_ids for item in topic.assignments},
        configs={item.name: item.value for item in topic.configs if item.value is not None},
        start=start,
        shift=shift,
        validate_only=validate_only,
    )


def _result(topic: CreatableTopic, result: Result) -> CreatableTopicResult:
    match result:
        case Refusal(Fault.NOT_CONTROLLER):
            return _refused(topic, ErrorCode.NOT_CONTROLLER)
        case Refusal(fault, message):
            return _refused(topic, error_code(fault), message)
        case TopicCreated(partitions, replication_factor):
            return CreatableTopicResult(
                name=topic.name,
                error_message=None,
                num_partitions=partitions,
                replication_factor=replication_factor,
            )
    raise TypeError(f"the creation of topic {topic.name!r} cannot come to {result!r}")


def _refused(
    topic: CreatableTopic, code: ErrorCode, message: str | None = None
) -> CreatableTopicResult:
    return CreatableTopicResult(name=topic.name, error_code=code, error_message=message)


def _response(results: Iterable[CreatableTopicResult]) -> CreateTopicsResponse:
    return CreateTopicsResponse(topics=tuple(results))
