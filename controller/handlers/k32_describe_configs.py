"""DescribeConfigs (key 32).

Behaviour
    * One result per resource, in order. No keys, or null, ask for all; unknown ones are left out.
    * TOPIC: every config a topic can have, set or not, the throttles included. An unlawful name
      is INVALID_TOPIC_EXCEPTION, an unknown topic UNKNOWN_TOPIC_OR_PARTITION without a text.
    * BROKER: this node's id, or "" for what is set for all brokers; else INVALID_REQUEST. Kafka
      lists every key that a broker has; here those that the node obeys, those that topics
      inherit, and all that are set. Rates of throttles are listed only when set.
    * BROKER_LOGGER: this node's id, and no loggers, as there are none whose level can be set.
    * Without DESCRIBE_CONFIGS on the topic, or on the cluster for what is none: the code of an
      authorization that failed.
    * A resource of a type that Kafka cannot describe refuses the whole request; the text says
      which, where Kafka has a general one.
    * A secret, and a key that nobody knows, has a null value.
    * A value that IncrementalAlterConfigs has made longer than a response can carry, 32767 bytes,
      is UNKNOWN_SERVER_ERROR for its resource; Kafka answers so for all of the request.
    * Read from ZooKeeper at each request: what IncrementalAlterConfigs has set shows at once.
      Many topics are read together, and with them once the node's configs that they inherit.
    Source: Kafka 3.9, ConfigHelper.handleDescribeConfigsRequest.

Versions 0-4
    0     whether the value is the default, in place of its source
    1     source, synonyms if asked for
    3     type, documentation if asked for

Left out: the configs of client metrics, which ZooKeeper mode has not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from klamm.controller.configs.describe import DescribeBroker, DescribeTopics, Entries, Entry
from klamm.controller.configs.layers import Source
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.topic_names import unlawful
from klamm.controller.handlers.api import Answer, Context, Outcome, Transact, error_code
from klamm.controller.handlers.resources import ResourceType, denied_configs, other_node
from klamm.controller.security.acls import Operation
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from klamm.protocol.primitives import MAX_STRING

API_KEY = 32
VERSIONS = range(5)

#: So many topics are read at once; what ZooKeeper does not show of one fails them all.
TOPICS_AT_ONCE = 500

_KNOWN = frozenset(
    {
        ResourceType.TOPIC,
        ResourceType.BROKER,
        ResourceType.BROKER_LOGGER,
        ResourceType.CLIENT_METRICS,
    }
)


@dataclass(frozen=True, slots=True)
class _Topic:
    """A topic whose configs are to be read."""

    name: str


_Known = Refusal | Entries
_Plan = _Topic | DescribeBroker | _Known


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of an entry the client wants to see."""

    synonyms: bool
    documentation: bool
    version: int


def handle(context: Context, request: DescribeConfigsRequest, version: int) -> Outcome:
    """Read what is asked for and can be answered, and refuse the rest."""
    strange = [each for each in request.resources if each.resource_type not in _KNOWN]
    if strange:
        unknown = ResourceType.UNKNOWN.name
        text = f"Unexpected resource type {unknown} for resource {strange[0].resource_name}"
        refusal = Refusal(Fault.INVALID_REQUEST, text)
        return Answer(_response([_refused(each, refusal) for each in request.resources]))
    plans = [_plan(context, resource) for resource in request.resources]
    asked = _Asked(request.include_synonyms, request.include_documentation, version)

    of_topics = _of_topics(context, plans)
    of_brokers = tuple(plan for plan in plans if isinstance(plan, DescribeBroker))

    def respond(results: Sequence[Any]) -> DescribeConfigsResponse:
        topics = _by_topic(of_topics, results)
        rest = iter(results[len(of_topics) :])
        found: list[_Known] = []
        for plan in plans:
            match plan:
                case _Topic(name):
                    found.append(topics[name])
                case DescribeBroker():
                    found.append(next(rest))
                case known:
                    found.append(known)
        answers = zip(request.resources, found, strict=True)
        return _response([_result(resource, each, asked) for resource, each in answers])

    if of_topics or of_brokers:
        return Transact((*of_topics, *of_brokers), respond)
    return Answer(respond(()))


def _of_topics(context: Context, plans: Sequence[_Plan]) -> tuple[DescribeTopics, ...]:
    """Return what reads all topics that are asked for."""
    names = tuple(dict.fromkeys(plan.name for plan in plans if isinstance(plan, _Topic)))
    return tuple(
        DescribeTopics(names[start : start + TOPICS_AT_ONCE], context.node_id, context.properties)
        for start in range(0, len(names), TOPICS_AT_ONCE)
    )


def _by_topic(asked: Sequence[DescribeTopics], results: Sequence[Any]) -> dict[str, _Known]:
    """Return what was found of each topic; a refusal is that of all topics of its read."""
    found: dict[str, _Known] = {}
    for each, result in zip(asked, results, strict=False):
        if isinstance(result, Refusal):
            found.update(dict.fromkeys(each.topics, result))
        else:
            found.update(zip(each.topics, result, strict=True))
    return found


def _plan(context: Context, resource: DescribeConfigsResource) -> _Plan:
    """Return what to read, or what is known without."""
    name = resource.resource_name
    denied = denied_configs(context, Operation.DESCRIBE_CONFIGS, resource.resource_type, name)
    if denied is not None:
        return denied
    match resource.resource_type:
        case ResourceType.TOPIC:
            if reason := unlawful(name):
                text = f"Topic name is invalid: {reason}"
                return Refusal(Fault.INVALID_TOPIC_EXCEPTION, text)
            if name not in context.metadata.topics:
                return Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "")
            return _Topic(name)
        case ResourceType.BROKER:
            if name == "":
                return DescribeBroker(context.node_id, context.properties, whole_cluster=True)
            problem = other_node(context, name, "Broker", " or empty string,")
            return problem or DescribeBroker(context.node_id, context.properties)
        case ResourceType.BROKER_LOGGER:
            if name == "":
                return Refusal(Fault.INVALID_REQUEST, "Broker id must not be empty")
            return other_node(context, name, "Broker") or ()
        case _:
            if name == "":
                text = "Client metrics subscription name must not be empty"
            else:
                text = "Config type client-metrics is only supported on KRaft clusters"
            return Refusal(Fault.INVALID_REQUEST, text)


def _result(
    resource: DescribeConfigsResource, found: _Known, asked: _Asked
) -> DescribeConfigsResult:
    if isinstance(found, Refusal):
        return _refused(resource, found)
    keys = frozenset(resource.configuration_keys or ())
    shown = [entry for entry in found if not keys or entry.name in keys]
    for entry in shown:
        if entry.value is not None and len(entry.value.encode()) > MAX_STRING:
            text = f"The value of {entry.name} is too long for a response; ask for other keys."
            return _refused(resource, Refusal(Fault.UNKNOWN_SERVER_ERROR, text))
    return DescribeConfigsResult(
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        configs=tuple(_config(entry, asked) for entry in shown),
    )


def _config(entry: Entry, asked: _Asked) -> DescribeConfigsResourceResult:
    synonyms = entry.synonyms if asked.synonyms and asked.version >= 1 else ()
    documented = asked.documentation and asked.version >= 3
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        is_default=asked.version == 0 and entry.source is Source.DEFAULT,
        config_source=entry.source,
        is_sensitive=entry.sensitive,
        synonyms=tuple(
            DescribeConfigsSynonym(synonym.name, synonym.value, synonym.source)
            for synonym in synonyms
        ),
        config_type=entry.kind,
        documentation=entry.doc if documented else None,
    )


def _refused(resource: DescribeConfigsResource, refusal: Refusal) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=error_code(refusal.fault),
        error_message=refusal.message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _response(results: Sequence[DescribeConfigsResult]) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(results=tuple(results))
