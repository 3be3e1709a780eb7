"""What brokers answer, read against what they were told."""

from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import T, broker, cluster, partition, topic

from klamm.controller.core.events import LeaderAcknowledged
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import Awaiting, ClusterState, TopicPartition
from klamm.controller.core.plan import Lead, Refill, Stop
from klamm.controller.node.broker_links import BrokerLinks, Heard
from klamm.controller.node.effects import Journal, Send
from klamm.controller.node.inputs import BrokerAnswer
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.message import Message

U = TopicPartition("u", 0)
IDS = {"t": UUID(int=1), "u": UUID(int=2)}


def state(replicas: tuple[int, ...] = (1, 2)) -> ClusterState:
    topics = (
        replace(topic(name, {0: partition(replicas)}), topic_id=IDS[name]) for name in ("t", "u")
    )
    return cluster((1, 2), *topics)


def heard(response: Message, *, stop: bool = False) -> Heard:
    """Tell broker 1 to lead, or stop, t and u; return what it is heard to answer."""
    now, links = state(), BrokerLinks(by_name("3.9"))
    assert not list(links.put(Refill(1), now))
    for _ in range(3):  # live brokers, leads, notices
        (sent,) = links.send_due(now)
        links.outboxes[1].in_flight = None
    if stop:  # it is a replica no more
        now = state(replicas=(2, 3))
    for name in (T, U):
        message = Stop(name, 1, delete=True) if stop else Lead(name, (1,))
        assert not list(links.put(message, now))
    (sent,) = links.send_due(now)
    assert isinstance(sent, Send)
    return links.answered(BrokerAnswer(1, broker(1).epoch, sent.send, response), now)


def by_id(codes: dict[UUID, ErrorCode]) -> LeaderAndIsrResponse:
    return LeaderAndIsrResponse(
        topics=tuple(
            LeaderAndIsrTopicError(
                topic_id=id_,
                partition_errors=(LeaderAndIsrPartitionError(partition_index=0, error_code=code),),
            )
            for id_, code in codes.items()
        )
    )


def acknowledged(found: Heard) -> list[TopicPartition]:
    assert all(isinstance(fact, LeaderAcknowledged) for fact in found.acknowledged)
    assert {(fact.broker, fact.leader_epoch) for fact in found.acknowledged} <= {(1, 3)}
    return [fact.partition for fact in found.acknowledged]


def texts(found: Heard) -> list[str]:
    return [note.text for note in found.notes if isinstance(note, Journal)]


def test_codes_by_topic_id_go_to_their_topics() -> None:
    found = heard(by_id({IDS["t"]: ErrorCode.NONE, IDS["u"]: ErrorCode.KAFKA_STORAGE_ERROR}))
    assert acknowledged(found) == [T]
    assert texts(found) == ["broker 1 answered LEADER_AND_ISR of u-0 with KAFKA_STORAGE_ERROR"]


def test_an_id_that_nobody_asked_about_is_ignored() -> None:
    found = heard(by_id({UUID(int=9): ErrorCode.KAFKA_STORAGE_ERROR}))
    assert acknowledged(found) == [T, U]
    assert texts(found) == []


@pytest.mark.parametrize("code", [ErrorCode.STALE_BROKER_EPOCH, ErrorCode.STALE_CONTROLLER_EPOCH])
def test_a_refusal_of_the_whole_request_acknowledges_nothing(code: ErrorCode) -> None:
    found = heard(LeaderAndIsrResponse(error_code=code))
    assert acknowledged(found) == []
    assert texts(found) == [f"broker 1 answered LEADER_AND_ISR with {code.name}"]
    assert found.stale_epoch == (code is ErrorCode.STALE_CONTROLLER_EPOCH)


def test_refusals_of_one_code_are_one_line() -> None:
    refused = dict.fromkeys(IDS.values(), ErrorCode.KAFKA_STORAGE_ERROR)
    (line,) = texts(heard(by_id(refused)))
    assert line == "broker 1 answered LEADER_AND_ISR of t-0 and 1 more with KAFKA_STORAGE_ERROR"


def test_a_refusal_that_repeats_is_told_once_until_it_changes() -> None:
    now, links = state(), BrokerLinks(by_name("3.9"))
    assert not list(links.put(Refill(1), now))
    while list(links.send_due(now)):
        links.outboxes[1].in_flight = None

    def told(codes: dict[UUID, ErrorCode], top: ErrorCode = ErrorCode.NONE) -> list[str]:
        assert not list(links.put(Lead(T, (1,)), now))
        (sent,) = links.send_due(now)
        response = replace(by_id(codes), error_code=top)
        return texts(links.answered(BrokerAnswer(1, broker(1).epoch, sent.send, response), now))

    broken, odd = ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR
    line = "broker 1 answered LEADER_AND_ISR of t-0 with "
    assert told({IDS["t"]: broken}) == [f"{line}{broken.name}"]
    assert told({IDS["t"]: broken}) == []
    assert told({IDS["t"]: odd}) == [f"{line}{odd.name}"]
    assert told({IDS["t"]: ErrorCode.NONE}) == []
    assert told({IDS["t"]: odd}) == [f"{line}{odd.name}"], "it had done it in between"
    whole = f"broker 1 answered LEADER_AND_ISR with {odd.name}"
    assert [told({}, odd), told({}, odd), told({}), told({}, odd)] == [[whole], [], [], [whole]]
    assert not list(links.put(Refill(1), now))
    links.outboxes[1].in_flight = None
    while list(links.send_due(now)):
        links.outboxes[1].in_flight = None
    assert told({IDS["t"]: broken}) == [f"{line}{broken.name}"], "it has begun anew"


def test_a_stop_that_failed_is_reported() -> None:
    errors = (StopReplicaPartitionError("t", 0, ErrorCode.KAFKA_STORAGE_ERROR),)
    found = heard(StopReplicaResponse(partition_errors=errors), stop=True)
    assert acknowledged(found) == []
    assert texts(found) == ["broker 1 answered STOP_REPLICA of t-0 with KAFKA_STORAGE_ERROR"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_refused_delete_does_not_overtake_one_that_waits_for_the_leader(waits: bool) -> None:
    now, links = cluster((1, 2), topic("t", {0: partition((2,))})), BrokerLinks(by_name("3.9"))
    assert not list(links.put(Refill(1), now))
    while list(links.send_due(now)):
        links.outboxes[1].in_flight = None
    assert not list(links.put(Stop(T, 1, delete=True), now))
    (sent,) = links.send_due(now)
    refusal = StopReplicaResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
    links.answered(BrokerAnswer(1, broker(1).epoch, sent.send, refusal), now)
    links.resend(replace(now, awaiting={T: Awaiting(2, 4, (1,))} if waits else {}))
    assert links.outboxes[1].stops == ({} if waits else {T: True})


def test_a_response_of_another_kind_is_a_fault_of_the_driver() -> None:
    with pytest.raises(TypeError, match="MetadataResponse"):
        heard(MetadataResponse())
