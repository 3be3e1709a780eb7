"""Key 19: what is refused on sight, what goes to the core, and what comes back."""

from dataclasses import replace

import pytest
from handlers.worlds import TOPIC_ID, cluster, context, partition, topic

from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.core.events import CreateTopic
from klamm.controller.core.model import Deletion
from klamm.controller.core.results import Done, Fault, Refusal, Result, TopicCreated
from klamm.controller.handlers import k19_create_topics
from klamm.controller.handlers.api import Answer, Context, Submit
from klamm.protocol import codec
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.message import Message

STATE = cluster()


def create(
    *topics: CreatableTopic, active: bool = True, validate_only: bool = False
) -> Submit | Answer:
    request = CreateTopicsRequest(topics=topics, validate_only=validate_only)
    outcome = k19_create_topics.handle(context(STATE, active=active), request, 7)
    assert isinstance(outcome, Submit | Answer)
    return outcome


def shown(response: Message) -> list[tuple[str, int, str | None]]:
    assert isinstance(response, CreateTopicsResponse)
    return [(item.name, item.error_code, item.error_message) for item in response.topics]


def answered(outcome: Submit | Answer, *results: Result) -> list[tuple[str, int, str | None]]:
    return shown(outcome.respond(results) if isinstance(outcome, Submit) else outcome.response)


def test_a_topic_by_counts_carries_the_draws() -> None:
    configs = (CreatableTopicConfig("retention.ms", "1"),)
    outcome = create(CreatableTopic("t", 3, 2, configs=configs), validate_only=True)
    assert isinstance(outcome, Submit)
    # The draws of this context are the greatest below the number of live brokers, here four.
    assert outcome.events == (
        CreateTopic(
            "t",
            3,
            2,
            {},
            {"retention.ms": "1"},
            start=3,
            shift=3,
            validate_only=True,
            topic_id=TOPIC_ID,
        ),
    )


def test_a_topic_by_assignment() -> None:
    assignments = (CreatableReplicaAssignment(1, (3, 1)), CreatableReplicaAssignment(0, (2, 3)))
    outcome = create(CreatableTopic("t", -1, -1, assignments))
    assert isinstance(outcome, Submit)
    [event] = outcome.events
    assert isinstance(event, CreateTopic)
    assert (event.partitions, event.assignment) == (-1, {0: (2, 3), 1: (3, 1)})


def test_success_tells_the_counts_and_no_text() -> None:
    outcome = create(CreatableTopic("t", -1, -1))
    assert isinstance(outcome, Submit)
    response = outcome.respond([TopicCreated(6, 3)])
    assert isinstance(response, CreateTopicsResponse)
    [topic] = response.topics
    assert (topic.error_code, topic.error_message) == (0, None)
    assert (topic.num_partitions, topic.replication_factor) == (6, 3)
    for version in k19_create_topics.VERSIONS:
        again = codec.decode(CreateTopicsResponse, codec.encode(response, version), version)
        assert again.topics[0].name == "t"


def test_refusals_keep_their_places_among_the_others() -> None:
    doubled = "Found multiple entries for this topic."
    outcome = create(
        CreatableTopic("a", 1, 1),
        CreatableTopic("b", 1, 1),
        CreatableTopic("a", 2, 1),
        CreatableTopic("c", 1, 9),
    )
    assert isinstance(outcome, Submit)
    assert [event.name for event in outcome.events if isinstance(event, CreateTopic)] == ["b", "c"]
    refusal = Refusal(Fault.INVALID_REPLICATION_FACTOR, "too many")
    assert answered(outcome, TopicCreated(1, 1), refusal) == [
        ("a", 42, doubled),
        ("b", 0, None),
        ("a", 42, doubled),
        ("c", 38, "too many"),
    ]


@pytest.mark.parametrize(
    ("topic", "code", "text"),
    [
        (CreatableTopic("__cluster_metadata", 1, 1), 42, "Creation of internal topic"),
        (
            CreatableTopic("t", 1, 1, configs=(CreatableTopicConfig("k", None),)),
            40,
            "Null value not supported for topic configs: k",
        ),
        (
            CreatableTopic("t", 1, -1, (CreatableReplicaAssignment(0, (1,)),)),
            42,
            "Both numPartitions or replicationFactor",
        ),
        (
            CreatableTopic("t", -1, 1, (CreatableReplicaAssignment(0, (1,)),)),
            42,
            "Both numPartitions or replicationFactor",
        ),
    ],
)
def test_what_is_wrong_in_itself_never_reaches_the_core(
    topic: CreatableTopic, code: int, text: str
) -> None:
    outcome = create(topic)
    assert isinstance(outcome, Answer)
    [(name, found, message)] = answered(outcome)
    assert (name, found) == (topic.name, code)
    assert message is not None
    assert message.startswith(text)


def test_that_a_topic_exists_is_said_before_what_else_is_wrong() -> None:
    wrong = CreatableTopic("t", 1, -1, (CreatableReplicaAssignment(0, (1,)),))
    there = cluster(topic("t", {0: partition((1,))}))
    queued = replace(cluster(), deleting={"t": Deletion()})
    request = CreateTopicsRequest(topics=(wrong,))
    for state in (there, queued):
        outcome = k19_create_topics.handle(context(state), request, 7)
        assert isinstance(outcome, Submit)
        refusal = Refusal(Fault.TOPIC_ALREADY_EXISTS, "it exists")
        assert answered(outcome, refusal) == [("t", 36, "it exists")]


def test_other_nodes_refuse_topic_by_topic_without_a_text() -> None:
    outcome = create(CreatableTopic("a", 1, 1), CreatableTopic("b", 1, 1), active=False)
    assert answered(outcome) == [("a", 41, None), ("b", 41, None)]


def test_an_office_lost_meanwhile_answers_the_same() -> None:
    outcome = create(CreatableTopic("a", 1, 1))
    assert answered(outcome, Refusal(Fault.NOT_CONTROLLER, "resigned")) == [("a", 41, None)]


def test_a_node_that_assigns_nothing_has_no_draws() -> None:
    with pytest.raises(LookupError, match="below 3"):
        Context(1, "PLAINTEXT", {}).draw(3)


def test_a_result_of_something_else_is_no_answer() -> None:
    outcome = create(CreatableTopic("a", 1, 1))
    with pytest.raises(TypeError, match="topic 'a'"):
        answered(outcome, Done())


def test_an_empty_request_gets_an_empty_answer() -> None:
    assert answered(create()) == []


def test_configs_are_checked_and_the_refusal_waits_for_the_other_checks() -> None:
    configs = (CreatableTopicConfig("retention.ms", "-2"),)
    outcome = create(CreatableTopic("t", 3, 2, configs=configs))
    assert isinstance(outcome, Submit)
    [event] = outcome.events
    assert isinstance(event, CreateTopic)
    assert event.invalid_config == (
        "Invalid value -2 for configuration retention.ms: Value must be at least -1"
    )


def test_success_shows_every_config_of_the_topic() -> None:
    configs = (CreatableTopicConfig("retention.ms", " 5 "),)
    outcome = create(CreatableTopic("t", 1, 1, configs=configs))
    assert isinstance(outcome, Submit)
    response = outcome.respond([TopicCreated(1, 1)])
    assert isinstance(response, CreateTopicsResponse)
    [topic] = response.topics
    assert topic.configs is not None
    found = {config.name: (config.value, config.config_source) for config in topic.configs}
    assert found.keys() == TOPIC_KEYS.keys()
    assert found["retention.ms"] == ("5", 1)
    assert found["segment.bytes"] == ("1073741824", 5)
