"""Keys 20 and 37: what is refused on sight, what goes to the core, and what comes back."""

from dataclasses import replace
from uuid import UUID

import pytest
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import CreatePartitions, DeleteTopic, RequestEvent
from klamm.controller.core.model import ClusterState, Deletion
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal, Result
from klamm.controller.handlers import k3_metadata, k20_delete_topics, k37_create_partitions
from klamm.controller.handlers.api import Answer, Submit
from klamm.protocol import codec
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_partitions_response import CreatePartitionsResponse
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID

ID = UUID(int=7)
STATE = cluster(
    replace(topic("t", {0: partition((1, 2))}), topic_id=ID), topic("u", {0: partition((1,))})
)

Shown = list[tuple[str | None, UUID, int, str | None]]


def outcome_of(request: Message, version: int, *, active: bool = True) -> Submit | Answer:
    module = (
        k20_delete_topics if isinstance(request, DeleteTopicsRequest) else k37_create_partitions
    )
    outcome = module.handle(context(STATE, active=active), request, version)
    assert isinstance(outcome, Submit | Answer)
    return outcome


def events(outcome: Submit | Answer) -> tuple[RequestEvent, ...]:
    return outcome.events if isinstance(outcome, Submit) else ()


def response(outcome: Submit | Answer, *results: Result) -> Message:
    return outcome.respond(results) if isinstance(outcome, Submit) else outcome.response


def shown(message: Message) -> Shown:
    assert isinstance(message, DeleteTopicsResponse)
    return [
        (item.name, item.topic_id, item.error_code, item.error_message)
        for item in message.responses
    ]


def grown(message: Message) -> list[tuple[str, int, str | None]]:
    assert isinstance(message, CreatePartitionsResponse)
    return [(item.name, item.error_code, item.error_message) for item in message.results]


# --- DeleteTopics ----------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(6))
def test_topics_by_name_in_every_version(version: int) -> None:
    asked = DeleteTopicsRequest(topic_names=("t", "nobody"))
    request = codec.decode(DeleteTopicsRequest, codec.encode(asked, version), version)
    outcome = outcome_of(request, version)
    assert events(outcome) == (DeleteTopic("t"), DeleteTopic("nobody"))
    unknown = Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "unknown")
    answer = codec.encode(response(outcome, Done(), unknown), version)
    text = "unknown" if version >= 5 else None
    assert shown(codec.decode(DeleteTopicsResponse, answer, version)) == [
        ("t", ZERO_UUID, 0, None),
        ("nobody", ZERO_UUID, 3, text),
    ]


def test_topics_by_name_or_id() -> None:
    asked = DeleteTopicsRequest(
        topics=(
            DeleteTopicState("u"),
            DeleteTopicState(None, ID),
            DeleteTopicState(None, UUID(int=9)),
            DeleteTopicState("u", ID),
            DeleteTopicState(None),
        )
    )
    request = codec.decode(DeleteTopicsRequest, codec.encode(asked, 6), 6)
    outcome = outcome_of(request, 6)
    assert events(outcome) == (DeleteTopic("u"), DeleteTopic("t"))
    answer = codec.encode(response(outcome, Done(), Done()), 6)
    assert shown(codec.decode(DeleteTopicsResponse, answer, 6)) == [
        ("u", ZERO_UUID, 0, None),
        ("t", ID, 0, None),
        (None, UUID(int=9), 100, "This server does not host this topic ID."),
        ("u", ID, 42, "Topic name and topic ID can not both be specified."),
        (None, ZERO_UUID, 42, "Neither a topic name nor a topic ID is specified."),
    ]


def test_a_topic_that_is_named_twice_is_deleted_once() -> None:
    states = (DeleteTopicState("t"), DeleteTopicState("u"), DeleteTopicState(None, ID))
    outcome = outcome_of(DeleteTopicsRequest(topics=states), 6)
    assert events(outcome) == (DeleteTopic("t"), DeleteTopic("u"))
    late = Refusal(Fault.REQUEST_TIMED_OUT, "later")
    assert shown(response(outcome, late, Done())) == [
        ("t", ZERO_UUID, 7, "later"),
        ("u", ZERO_UUID, 0, None),
        ("t", ID, 7, "later"),
    ]


def test_after_the_timeout_each_topic_is_answered_by_what_clients_see_of_it() -> None:
    asked = DeleteTopicsRequest(topic_names=("t", "u", "nobody"), timeout_ms=1500)
    outcome = outcome_of(asked, 5)
    assert isinstance(outcome, Submit)
    assert outcome.timeout is not None
    assert outcome.timeout.seconds == 1.5
    started = replace(STATE, deleting={"t": Deletion(), "u": Deletion({1: frozenset({0})})})
    waits = "Topic 't' is marked for deletion, which waits for its reassignment to end."
    unknown = "This server does not host this topic-partition."
    assert shown(outcome.timeout.response(context(started))) == [
        ("t", ZERO_UUID, 7, waits),
        ("u", ZERO_UUID, 0, None),
        ("nobody", ZERO_UUID, 3, unknown),
    ]
    lost = outcome.timeout.response(context(started, active=False))
    assert [code for _, _, code, _ in shown(lost)] == [41, 41, 3]


@pytest.mark.parametrize(("version", "code"), [(0, 42), (2, 42), (3, 73), (6, 73)])
def test_deletion_that_is_disabled(version: int, code: int) -> None:
    outcome = outcome_of(DeleteTopicsRequest(topic_names=("t",)), version)
    disabled = Refusal(Fault.TOPIC_DELETION_DISABLED, "Topic deletion is disabled.")
    [(_, _, found, text)] = shown(response(outcome, disabled))
    assert (found, text) == (code, "Topic deletion is disabled.")


def test_other_nodes_refuse_topic_by_topic_without_a_text() -> None:
    states = (DeleteTopicState("t"), DeleteTopicState(None, ID))
    request = DeleteTopicsRequest(topics=states)
    refused = [("t", ZERO_UUID, 41, None), (None, ID, 41, None)]
    assert shown(response(outcome_of(request, 6, active=False))) == refused
    lost = outcome_of(request, 6)
    assert shown(response(lost, NOT_CONTROLLER)) == refused


def test_an_empty_request_gets_an_empty_answer() -> None:
    assert shown(response(outcome_of(DeleteTopicsRequest(), 6))) == []
    assert grown(response(outcome_of(CreatePartitionsRequest(), 3))) == []


def test_a_topic_whose_deletion_has_started_is_unknown_to_clients() -> None:
    started = replace(STATE, deleting={"t": Deletion({1: frozenset({0})})})
    queued = replace(STATE, deleting={"t": Deletion()})
    assert names(started) == ["u"]
    assert names(queued) == ["t", "u"]
    state = DeleteTopicState(None, ID)
    outcome = k20_delete_topics.handle(context(started), DeleteTopicsRequest(topics=(state,)), 6)
    assert isinstance(outcome, Answer)
    assert [code for _, _, code, _ in shown(outcome.response)] == [ErrorCode.UNKNOWN_TOPIC_ID]


def names(state: ClusterState) -> list[str | None]:
    outcome = k3_metadata.handle(context(state), MetadataRequest(topics=None), 12)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, MetadataResponse)
    return [item.name for item in outcome.response.topics]


# --- CreatePartitions ------------------------------------------------------------------------


@pytest.mark.parametrize("version", k37_create_partitions.VERSIONS)
def test_growing_in_every_version(version: int) -> None:
    lists = (CreatePartitionsAssignment((1, 2)), CreatePartitionsAssignment((2, 1)))
    asked = CreatePartitionsRequest(
        topics=(CreatePartitionsTopic("t", 3, lists), CreatePartitionsTopic("u", 2, None)),
        validate_only=True,
    )
    request = codec.decode(CreatePartitionsRequest, codec.encode(asked, version), version)
    outcome = outcome_of(request, version)
    assert events(outcome) == (
        CreatePartitions("t", 3, ((1, 2), (2, 1)), validate_only=True),
        CreatePartitions("u", 2, None, validate_only=True),
    )
    refusal = Refusal(Fault.INVALID_PARTITIONS, "no")
    answer = codec.encode(response(outcome, Done(), refusal), version)
    assert grown(codec.decode(CreatePartitionsResponse, answer, version)) == [
        ("t", 0, None),
        ("u", 37, "no"),
    ]


def test_a_name_that_occurs_twice_refuses_its_entries_and_no_other() -> None:
    topics = tuple(CreatePartitionsTopic(name, 9) for name in ("t", "u", "t"))
    outcome = outcome_of(CreatePartitionsRequest(topics=topics), 3)
    assert [event.topic for event in events(outcome) if isinstance(event, CreatePartitions)] == [
        "u"
    ]
    doubled = ("t", 42, "Duplicate topic in request.")
    assert grown(response(outcome, Done())) == [doubled, ("u", 0, None), doubled]


def test_an_empty_assignment_is_no_assignment_by_the_controller() -> None:
    request = CreatePartitionsRequest(topics=(CreatePartitionsTopic("t", 2, ()),))
    assert events(outcome_of(request, 3)) == (CreatePartitions("t", 2, ()),)


def test_only_the_controller_grows_topics() -> None:
    request = CreatePartitionsRequest(topics=(CreatePartitionsTopic("t", 2, None),))
    assert grown(response(outcome_of(request, 3, active=False))) == [("t", 41, None)]
    assert grown(response(outcome_of(request, 3), NOT_CONTROLLER)) == [("t", 41, None)]
