"""AlterPartition on the wire: versions, names and ids, which code goes where."""

from dataclasses import replace
from uuid import UUID

import pytest
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import AlterPartition
from klamm.controller.core.model import ClusterState, Leadership, TopicPartition
from klamm.controller.core.results import NOT_CONTROLLER, Fault, IsrAltered, Refusal, Result
from klamm.controller.handlers.api import Answer, Submit
from klamm.controller.handlers.k56_alter_partition import handle
from klamm.protocol.codec import decode, encode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import alter_partition_request as asked
from klamm.protocol.generated import alter_partition_response as answered
from klamm.protocol.message import Message

IDS = {"a": UUID(int=1), "b": UUID(int=2)}
STATE = cluster(*(replace(topic(n, {0: partition((1, 2))}), topic_id=i) for n, i in IDS.items()))
LED = IsrAltered(Leadership(1, 3, (1, 2), 1, 8, leader_recovery_state=1))


def request(version: int, *names: str, epoch: int = 1001) -> asked.AlterPartitionRequest:
    """Ask for ISR [1,2] of partition 0 of each topic, as broker 1 in this version."""
    part = asked.PartitionData(
        partition_index=0,
        leader_epoch=3,
        new_isr=(1, 2) if version < 3 else (),
        new_isr_with_epochs=(asked.BrokerState(1, 1001), asked.BrokerState(2))
        if version > 2
        else (),
        leader_recovery_state=1 if version > 0 else 0,
        partition_epoch=7,
    )
    return asked.AlterPartitionRequest(
        broker_id=1,
        broker_epoch=epoch,
        topics=tuple(
            asked.TopicData(
                topic_name=name if version < 2 else "",
                topic_id=IDS.get(name, UUID(int=9)) if version > 1 else UUID(int=0),
                partitions=(part,),
            )
            for name in names
        ),
    )


def submitted(version: int, *names: str, state: ClusterState = STATE) -> Submit:
    outcome = handle(context(state), request(version, *names), version)
    assert isinstance(outcome, Submit)
    return outcome


def through(version: int, message: Message) -> answered.AlterPartitionResponse:
    """The response as it arrives."""
    return decode(answered.AlterPartitionResponse, encode(message, version), version)


def respond(version: int, *results: Result) -> answered.AlterPartitionResponse:
    outcome = submitted(version, *("a", "b")[: len(results)])
    return through(version, outcome.respond(results))


@pytest.mark.parametrize("version", range(4))
def test_each_partition_is_an_event_with_what_this_version_says(version: int) -> None:
    a, b = submitted(version, "b", "a").events
    assert a == AlterPartition(
        TopicPartition("b", 0),
        broker=1,
        broker_epoch=1001,
        leader_epoch=3,
        partition_epoch=7,
        isr=(1, 2),
        leader_recovery_state=1 if version > 0 else 0,
        topic_id=IDS["b"] if version > 1 else None,
    )
    assert isinstance(b, AlterPartition)
    assert b.partition == TopicPartition("a", 0)


def test_an_id_that_no_topic_has_is_left_to_the_core() -> None:
    (event,) = submitted(2, "unknown").events
    assert isinstance(event, AlterPartition)
    assert (event.partition.topic, event.topic_id) == ("", UUID(int=9))


@pytest.mark.parametrize("version", range(4))
def test_what_was_altered_is_answered_as_it_is(version: int) -> None:
    response = respond(version, LED, LED)
    assert response.error_code == ErrorCode.NONE
    names = [topic.topic_name for topic in response.topics]
    assert names == (["a", "b"] if version < 2 else ["", ""])
    if version > 1:
        assert [topic.topic_id for topic in response.topics] == list(IDS.values())
    (part,) = response.topics[1].partitions
    assert part == answered.PartitionData(
        partition_index=0,
        leader_id=1,
        leader_epoch=3,
        isr=(1, 2),
        leader_recovery_state=1 if version > 0 else 0,
        partition_epoch=8,
    )


@pytest.mark.parametrize(
    ("fault", "old", "new"),
    [
        (Fault.INELIGIBLE_REPLICA, 55, 107),
        (Fault.OPERATION_NOT_ATTEMPTED, 55, 55),
        (Fault.FENCED_LEADER_EPOCH, 74, 74),
        (Fault.INVALID_UPDATE_VERSION, 95, 95),
        (Fault.INVALID_REQUEST, 42, 42),
        (Fault.UNKNOWN_TOPIC_OR_PARTITION, 3, 3),
        (Fault.UNKNOWN_TOPIC_ID, 100, 100),
        (Fault.NOT_CONTROLLER, 41, 41),
        (Fault.UNKNOWN_SERVER_ERROR, -1, -1),
    ],
)
def test_a_refusal_is_its_partition_s_alone(fault: Fault, old: int, new: int) -> None:
    for version, code in ((0, old), (1, old), (2, new), (3, new)):
        response = respond(version, Refusal(fault, "why"), LED)
        assert response.error_code == ErrorCode.NONE
        (refused,), (done,) = (topic.partitions for topic in response.topics)
        assert (refused.error_code, done.error_code) == (code, 0)


@pytest.mark.parametrize(
    ("result", "code"),
    [(NOT_CONTROLLER, 41), (Refusal(Fault.STALE_BROKER_EPOCH, "why"), 77)],
)
def test_what_is_wrong_with_sender_or_receiver_is_said_once_for_all(
    result: Result, code: int
) -> None:
    """N7: Kafka answers -1 if it was controller and is no more, and goes on."""
    for version in range(4):
        response = respond(version, LED, result)
        assert (response.error_code, response.topics) == (code, ())


def test_elsewhere_than_at_the_controller() -> None:
    outcome = handle(context(STATE, active=False), request(3, "a"), 3)
    assert isinstance(outcome, Answer)
    assert through(3, outcome.response).error_code == ErrorCode.NOT_CONTROLLER


@pytest.mark.parametrize(("epoch", "code"), [(1001, 0), (1000, 77)])
def test_a_request_without_partitions_is_judged_by_its_sender_alone(epoch: int, code: int) -> None:
    outcome = handle(context(STATE), request(3, epoch=epoch), 3)
    assert isinstance(outcome, Answer)
    response = through(3, outcome.response)
    assert (response.error_code, response.topics) == (code, ())
