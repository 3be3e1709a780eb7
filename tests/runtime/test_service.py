"""How a node's requests reach the handlers, and what is done with the outcome."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from handlers.worlds import NODE, broker, cluster, partition, topic

from klamm.controller.core.model import ClusterState
from klamm.controller.core.results import Done, Result
from klamm.controller.handlers.api import RequestEvent
from klamm.controller.handlers.table import advertised
from klamm.controller.runtime import remembered as remembered_module
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.remembered import Remembered
from klamm.controller.runtime.service import Service
from klamm.controller.store.transaction import Transaction
from klamm.protocol.codec import decode
from klamm.protocol.connection import Encoded, Request
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.produce_request import ProduceRequest
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import Message

STATE = cluster(topic("t", {0: partition((1, 2))}))
ALTER = AlterPartitionReassignmentsRequest(
    topics=(ReassignableTopic("t", (ReassignablePartition(0, (3,)),)),)
)


@dataclass
class FakeConnection:
    peer: str = "test"
    responses: list[Message] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def respond(self, request: Request, response: Message | Encoded) -> None:
        if isinstance(response, Encoded):
            response = decode(response.kind, response.body, response.version)
        self.responses.append(response)

    def close(self, reason: str) -> None:
        self.reasons.append(reason)


@dataclass
class FakeNode:
    state: ClusterState | None = None


class World:
    def __init__(self) -> None:
        self.node = FakeNode()
        self.submitted: list[
            tuple[tuple[RequestEvent, ...], Callable[[Sequence[Result]], None]]
        ] = []
        self.transacted: list[
            tuple[tuple[Transaction[Any], ...], Callable[[Sequence[Any]], None]]
        ] = []
        self.service = Service(
            self.node,
            lambda events, reply, origin: self.submitted.append((events, reply)),
            lambda transactions, reply: self.transacted.append((transactions, reply)),
            broker(NODE),
            cluster_id="c",
            listener="PLAINTEXT",
            table=advertised(),
        )

    def ask(self, body: Message, version: int) -> FakeConnection:
        connection = FakeConnection()
        header = RequestHeader(body.api_key, version, 5, "me")
        self.service.dispatch(Exchange(connection, Request(0, header, body)))
        return connection

    def metadata(self) -> MetadataResponse:
        [response] = self.ask(MetadataRequest(topics=None), 12).responses
        assert isinstance(response, MetadataResponse)
        return response


def test_before_the_election_a_node_knows_itself_and_refuses() -> None:
    world = World()
    found = world.metadata()
    assert [item.node_id for item in found.brokers] == [NODE]
    assert (found.controller_id, found.cluster_id, found.topics) == (-1, "c", ())
    [response] = world.ask(ALTER, 0).responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert response.error_code == 41
    assert world.submitted == []


def test_in_office_it_shows_the_cluster_and_follows_its_changes() -> None:
    world = World()
    world.node.state = STATE
    assert [item.name for item in world.metadata().topics] == ["t"]
    assert world.metadata().controller_id == NODE
    assert world.service.context() is world.service.context()
    world.node.state = replace(STATE, topics={})
    assert world.metadata().topics == ()
    world.node.state = None
    assert world.metadata().controller_id == -1


def test_a_node_not_yet_registered_is_a_controller_all_the_same() -> None:
    world = World()
    world.node.state = replace(STATE, nodes={})
    controllers = world.service.context().controllers
    assert controllers is not None
    assert list(controllers) == [NODE]


def test_what_is_submitted_is_answered_when_the_results_are_there() -> None:
    world = World()
    world.node.state = STATE
    connection = world.ask(ALTER, 0)
    assert connection.responses == []
    [(events, reply)] = world.submitted
    assert len(events) == 1
    reply([Done()])
    [response] = connection.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert response.responses[0].partitions[0].error_code == 0


def test_what_cannot_be_answered_is_disconnected() -> None:
    connection = World().ask(ProduceRequest(acks=0), 9)
    assert (connection.responses, len(connection.reasons)) == ([], 1)


def test_the_same_question_about_the_same_state_is_answered_from_memory() -> None:
    remembered, version = Remembered(), 12
    one, other = MetadataRequest(topics=None), MetadataRequest(topics=())
    context = World().service.context()
    assert remembered.get(context, version, one) is None
    answer = remembered.put(version, one, MetadataResponse(controller_id=7))
    assert remembered.get(context, version, MetadataRequest(topics=None)) is answer
    assert remembered.get(context, version, other) is None
    assert remembered.get(context, version - 1, one) is None
    assert remembered.get(replace(context, node_id=5), version, one) is None
    assert remembered.get(context, version, one) is None, "it is another context's now"


def test_not_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered_module, "MOST_ANSWERS", 3)
    remembered, context = Remembered(), World().service.context()
    questions = [MetadataRequest(topics=(MetadataRequestTopic(name=name),)) for name in "abcd"]
    for question in questions:
        assert remembered.get(context, 12, question) is None
        remembered.put(12, question, MetadataResponse())
    known = [remembered.get(context, 12, question) is not None for question in questions]
    assert known == [False, False, False, True]


class Clock:
    """Calls what is due when it is told to."""

    def __init__(self) -> None:
        self.due: dict[int, tuple[float, Callable[[], None]]] = {}

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        number = len(self.due)
        self.due[number] = (seconds, call)
        return lambda: self.due.pop(number, None) and None


@pytest.mark.req("R455-14")
def test_a_timeout_is_honoured_only_if_the_switch_is_on() -> None:
    asked = replace(ALTER, timeout_ms=1)
    default, switched, clock = World(), World(), Clock()
    switched.service = Service(
        switched.node,
        lambda events, reply, origin: switched.submitted.append((events, reply)),
        lambda transactions, reply: None,
        broker(NODE),
        cluster_id="c",
        listener="PLAINTEXT",
        table=advertised(),
        later=clock.later,
        honours_timeouts=True,
    )
    for world in (default, switched):
        world.node.state = STATE
    # By default a store may take as long as it likes, and the result is the real one.
    connection = default.ask(asked, 0)
    default.submitted[0][1]([Done()])
    [response] = connection.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert (response.error_code, response.responses[0].partitions[0].error_code) == (0, 0)

    late = switched.ask(asked, 0)
    [(seconds, expire)] = clock.due.values()
    assert seconds == 0.001
    expire()
    [response] = late.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert (response.error_code, response.responses[0].partitions[0].error_code) == (7, 7)
    switched.submitted[0][1]([Done()])
    assert len(late.responses) == 1, "exactly one reply"

    clock.due.clear()
    in_time = switched.ask(asked, 0)
    switched.submitted[1][1]([Done()])
    [response] = in_time.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert response.error_code == 0
    assert not clock.due, "called off"


@pytest.mark.req("R455-15")
def test_every_partition_is_answered_once_in_request_order_and_the_last_entry_counts() -> None:
    world = World()
    world.node.state = STATE
    numbers = (3, 0, 2, 0)
    entries = tuple(ReassignablePartition(n, (at,)) for at, n in enumerate(numbers, start=1))
    connection = world.ask(
        AlterPartitionReassignmentsRequest(topics=(ReassignableTopic("t", entries),)), 0
    )
    [(events, reply)] = world.submitted
    assert [getattr(event, "target", None) for event in events] == [(1,), (4,), (3,)]
    reply([Done()] * len(events))
    [response] = connection.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    [of_topic] = response.responses
    assert [each.partition_index for each in of_topic.partitions] == [3, 0, 2]
