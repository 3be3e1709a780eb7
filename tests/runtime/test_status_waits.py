"""ReplicaStatus at a node: it is answered once brokers have been polled, by what is known then."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from handlers.denials import Denies
from handlers.worlds import NODE, broker, cluster, partition, topic
from runtime.service_fakes import FakeConnection, FakeNode

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import NOT_CONTROLLER, Result
from klamm.controller.handlers.copies import ReplicaStatus
from klamm.controller.handlers.table import advertised
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.service import Service
from klamm.controller.security.authorizer import ALLOW_ALL, Authorizer
from klamm.protocol.connection import Request
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatusResponse
from klamm.protocol.generated.request_header import RequestHeader

T = TopicPartition("t", 0)
STATE = cluster(topic("t", {0: partition((1, 2))}))
STATUS = ReplicaStatusRequest((ReplicaStatusKey("t", 0, 2),))


@dataclass
class Known:
    status_ms: int = 1

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        return ReplicaStatus(self.status_ms, lag=7)

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        raise AssertionError(f"nobody has told {reports}")


@dataclass
class World:
    """A service whose polls and submissions are done when the test says so."""

    authorizer: Authorizer = ALLOW_ALL
    node: FakeNode = field(default_factory=lambda: FakeNode(STATE))
    copies: Known = field(default_factory=Known)
    polls: list[tuple[list[TopicPartition], Callable[[], None]]] = field(default_factory=list)
    submitted: list[Callable[[Sequence[Result]], None]] = field(default_factory=list)

    def ask(self, polling: bool = True) -> FakeConnection:
        service = Service(
            self.node,
            lambda events, reply, origin: self.submitted.append(reply),
            lambda transactions, reply, origin: None,
            broker(NODE),
            cluster_id="c",
            listener="PLAINTEXT",
            table=advertised(),
            authorizer=lambda: self.authorizer,
            copies=self.copies,
            look=self._look if polling else None,
        )
        connection = FakeConnection()
        header = RequestHeader(STATUS.api_key, 0, 5, "me")
        service.dispatch(Exchange(connection, Request(0, header, STATUS, 20)))
        return connection

    def _look(self, names: Iterable[TopicPartition], then: Callable[[], None]) -> None:
        self.polls.append((list(names), then))


def answer(connection: FakeConnection) -> ReplicaStatusResponse:
    [response] = connection.responses
    assert isinstance(response, ReplicaStatusResponse)
    return response


def test_it_waits_for_the_poll_and_for_the_node_to_have_heard_of_it() -> None:
    world = World()
    connection = world.ask()
    [(names, polled)] = world.polls
    assert names == [T]
    assert connection.responses == []
    polled()
    assert connection.responses == []
    world.copies.status_ms = 2
    [heard] = world.submitted
    heard(())
    assert [row.status_time for row in answer(connection).replicas] == [2]


def test_an_office_that_ends_meanwhile_ends_the_waiting() -> None:
    world = World()
    connection = world.ask()
    [(_, polled)] = world.polls
    polled()
    world.node.state = None
    world.submitted[0]((NOT_CONTROLLER,))
    assert answer(connection).error_code == 41


def test_without_polls_there_is_nothing_to_wait_for() -> None:
    assert [row.lag for row in answer(World().ask(polling=False)).replicas] == [7]


def test_nobody_is_polled_for_those_who_may_not_know() -> None:
    world = World(Denies())
    assert answer(world.ask()).error_code == 31
    assert world.polls == []


def test_nobody_is_polled_by_who_is_not_controller() -> None:
    world = World()
    world.node.state = None
    assert answer(world.ask()).error_code == 41
    assert world.polls == []
