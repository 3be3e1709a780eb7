"""AlterTopics (private key 17902, KIP-179 in its current text).

Behaviour
    * Partition count, replication factor and replicas of topics change together, as one move of
      each topic. -1 as a count leaves it as it is; an empty assignment lets the controller choose
      replicas that are needed, by rules that balance no load; all of these together change nothing.
    * Every topic is answered once, in the order in which the request first names it. One that is
      named twice is refused with INVALID_REQUEST, and nothing of it is done: what is meant is not
      known.
    * Errors are per topic and stop no other one.
    * Only one reassignment at a time: REASSIGNMENT_IN_PROGRESS for every topic that would have to
      move something while anything moves; the topics of one request are one reassignment.
    * Without CLUSTER_ACTION on the cluster: CLUSTER_AUTHORIZATION_FAILED at the top level and for
      every topic, wherever it is asked, and nothing is written.
    * A node out of office has the controller answer (`klamm.controller.runtime.forwarding`). If
      there is none: top level NOT_CONTROLLER and no topics.
    * The response comes when the change has begun and is durable, not when it is finished. From
      then on it is an ordinary reassignment: 46 lists it and 45 cancels it.
    Source: KIP-179, "AlterTopicsRequest and AlterTopicsResponse". Its error width is an int32
    there and an int16 everywhere else in Kafka, and here.

Version 0, behind klamm.kip179.alter.enable.

    * `timeout_ms` is read and ignored by the controller. With klamm.reassignment.timeout.enable it
      is honoured: then the top level and every topic are REQUEST_TIMED_OUT, and what was asked for
      goes on.

Left out: nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from klamm.controller.core.events import AlterTopic
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
from klamm.controller.handlers.k45_alter_partition_reassignments import TIMED_OUT_TEXT
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_topics_request import AlteredTopic, AlterTopicsRequest
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse

API_KEY = 17902
VERSIONS = range(1)

NOT_CONTROLLER = AlterTopicsResponse(
    error_code=ErrorCode.NOT_CONTROLLER, error_message=NOT_CONTROLLER_TEXT
)


def handle(context: Context, request: AlterTopicsRequest, version: int) -> Outcome:
    """Make one event per topic; results come back in the same order."""
    counts = Counter(topic.name for topic in request.topics)
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        denied = Refusal(Fault.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT)
        return Answer(_failed(denied, counts))
    if context.state is None:
        return Answer(NOT_CONTROLLER)
    asked = [topic for topic in request.topics if counts[topic.name] == 1]
    events = tuple(_event(topic, place) for place, topic in enumerate(asked))

    def respond(results: Sequence[Result]) -> AlterTopicsResponse:
        by_name = {event.name: each for event, each in zip(events, results, strict=True)}
        for result in by_name.values():
            if isinstance(result, Refusal) and result.fault is Fault.NOT_CONTROLLER:
                return NOT_CONTROLLER
        return AlterTopicsResponse(
            topics=tuple(_result(name, counts[name], by_name) for name in counts)
        )

    if not events:
        return Answer(respond(()))
    timeout = None
    if context.honours_timeouts:
        late = _failed(Refusal(Fault.REQUEST_TIMED_OUT, TIMED_OUT_TEXT), counts)
        timeout = Timeout(request.timeout_ms / 1000, lambda _: late)
    return Submit(events, respond, timeout)


def _event(topic: AlteredTopic, place: int) -> AlterTopic:
    lists = tuple((each.partition, each.brokers) for each in topic.partition_assignment)
    return AlterTopic(topic.name, topic.partitions, topic.replicas, lists, place)


def _result(name: str, entries: int, by_name: Mapping[str, Result]) -> AlteredTopicResult:
    if entries > 1:
        text = f"Topic {name} is named {entries} times in the request; name it once."
        return _refused(name, Refusal(Fault.INVALID_REQUEST, text))
    result = by_name[name]
    if isinstance(result, Refusal):
        return _refused(name, result)
    return AlteredTopicResult(name, ErrorCode.NONE, None)


def _refused(name: str, refusal: Refusal) -> AlteredTopicResult:
    return AlteredTopicResult(name, error_code(refusal.fault), refusal.message)


def _failed(refusal: Refusal, names: Iterable[str]) -> AlterTopicsResponse:
    """Return what a request comes to of which nothing is known topic by topic."""
    response = AlterTopicsResponse(topics=tuple(_refused(name, refusal) for name in names))
    code = error_code(refusal.fault)
    return replace(response, error_code=code, error_message=refusal.message)
