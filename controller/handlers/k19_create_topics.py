"""CreateTopics (key 19).

Behaviour
    * One result per entry, in request order; an entry that is refused does not stop the others.
    * Not the active controller: NOT_CONTROLLER per topic, top level untouched (there is none).
    * A name that occurs twice refuses every entry of it.
    * Without CREATE on the cluster or on the topic: TOPIC_AUTHORIZATION_FAILED. Without
      DESCRIBE_CONFIGS on the topic it is created, and the response says nothing of it but its id.
    * The response comes when the topic and its first leaders are durable; Kafka also waits until
      its own metadata shows the leaders, here the controller's metadata does so at once.
    Source: Kafka 3.9, KafkaApis.handleCreateTopicsRequest, ZkAdminManager.createTopics.

Versions 0-7
    1     validate only; error messages
    5     partition count, replication factor and configs of the created topic
    7     its id, if topics have ids

Left out: `timeout_ms` (nothing here waits for brokers); of the created topic's configs those that
it inherits from what was set on brokers while they run: only what this node was started with
counts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from klamm.controller.configs import check_topic, topic_values
from klamm.controller.configs.layers import BrokerConfigs
from klamm.controller.core.events import CreateTopic
from klamm.controller.core.results import Fault, Refusal, Result, TopicCreated, shortened
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, error_code
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_topics_request import CreatableTopic, CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID

API_KEY = 19
VERSIONS = range(8)

#: As a count in the request: the configured default, or given by the assignments.
UNSET = -1

#: KRaft's own topic, which no client may create.
CLUSTER_METADATA = "__cluster_metadata"

DENIED_TEXT = "Authorization failed."


def handle(context: Context, request: CreateTopicsRequest, version: int) -> Outcome:
    """Refuse what the request alone shows to be wrong, and hand the rest to the core."""
    if context.state is None:
        return Answer(
            _response(_refused(topic, ErrorCode.NOT_CONTROLLER) for topic in request.topics)
        )
    counts = Counter(topic.name for topic in request.topics)
    known = context.state.topics.keys() | context.state.deleting.keys()
    refusals = [
        _check(context, topic, counts[topic.name], exists=topic.name in known)
        for topic in request.topics
    ]
    brokers = max(1, len(context.state.brokers))
    events = tuple(
        _event(context, topic, request.validate_only, brokers)
        for topic, refusal in zip(request.topics, refusals, strict=True)
        if refusal is None
    )

    def respond(results: Sequence[Result]) -> Message:
        rest = iter(results)
        return _response(
            refusal if refusal is not None else _result(context, topic, next(rest))
            for topic, refusal in zip(request.topics, refusals, strict=True)
        )

    return Submit(events, respond) if events else Answer(respond(()))


def _check(
    context: Context, topic: CreatableTopic, entries: int, *, exists: bool
) -> CreatableTopicResult | None:
    """Return the refusal of an entry that is wrong whatever the cluster is like, or None.

    A topic that exists is refused for that before its configs and counts are looked at; the core
    says so.
    """
    if topic.name == CLUSTER_METADATA:
        text = f"Creation of internal topic {CLUSTER_METADATA} is prohibited."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    if entries > 1:
        text = "Found multiple entries for this topic."
        return _refused(topic, ErrorCode.INVALID_REQUEST, text)
    if not (
        context.allows_cluster(Operation.CREATE)
        or context.allows(Operation.CREATE, ResourceType.TOPIC, topic.name)
    ):
        return _refused(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED, DENIED_TEXT)
    if exists:
        return None
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


def _event(
    context: Context, topic: CreatableTopic, validate_only: bool, brokers: int
) -> CreateTopic:
    configs = _configs(topic)
    return CreateTopic(
        name=topic.name,
        partitions=topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignment={item.partition_index: item.broker_ids for item in topic.assignments},
        configs=configs,
        start=context.draw(brokers),
        shift=context.draw(brokers),
        validate_only=validate_only,
        topic_id=context.draw_topic_id(),
        invalid_config=check_topic(configs, BrokerConfigs(static=context.properties)),
    )


def _configs(topic: CreatableTopic) -> dict[str, str]:
    return {item.name: item.value for item in topic.configs if item.value is not None}


def _result(context: Context, topic: CreatableTopic, result: Result) -> CreatableTopicResult:
    match result:
        case Refusal(Fault.NOT_CONTROLLER):
            return _refused(topic, ErrorCode.NOT_CONTROLLER)
        case Refusal(fault, message):
            return _refused(topic, error_code(fault), message)
        case TopicCreated(topic_id=topic_id) if not context.allows(
            Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, topic.name
        ):
            return CreatableTopicResult(
                name=topic.name,
                topic_id=topic_id or ZERO_UUID,
                error_message=None,
                topic_config_error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
                num_partitions=UNSET,
                replication_factor=UNSET,
            )
        case TopicCreated(partitions, replication_factor, topic_id):
            return CreatableTopicResult(
                name=topic.name,
                topic_id=topic_id or ZERO_UUID,
                error_message=None,
                num_partitions=partitions,
                replication_factor=replication_factor,
                configs=tuple(
                    CreatableTopicConfigs(entry.name, entry.value, entry.read_only, entry.source)
                    for entry in topic_values(
                        _configs(topic), BrokerConfigs(static=context.properties)
                    )
                ),
            )
    raise TypeError(f"the creation of topic {topic.name!r} cannot come to {result!r}")


def _refused(
    topic: CreatableTopic, code: ErrorCode, message: str | None = None
) -> CreatableTopicResult:
    text = None if message is None else shortened(message)
    return CreatableTopicResult(name=topic.name, error_code=code, error_message=text)


def _response(results: Iterable[CreatableTopicResult]) -> CreateTopicsResponse:
    return CreateTopicsResponse(topics=tuple(results))
