"""How a node's requests reach the handlers, and what is done with the outcome."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from handlers.worlds import NODE, broker, cluster, partition, topic

from klamm.controller.core.model import ClusterState
from klamm.controller.core.results import Done, Result
from klamm.controller.handlers.api import RequestEvent
from klamm.controller.handlers.table import advertised
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.service import Service
from klamm.protocol.connection import Request
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
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

    def respond(self, request: Request, response: Message) -> None:
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
        self.service = Service(
            self.node,
            lambda events, reply: self.submitted.append((events, reply)),
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
