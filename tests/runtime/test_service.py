"""How a node's requests reach the handlers, and what is done with the outcome."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from handlers.worlds import NODE, broker, cluster, endpoint, partition, topic
from runtime.service_fakes import FakeConnection, FakeNode

from klamm.controller.core.model import Broker
from klamm.controller.core.origins import FromClient
from klamm.controller.core.results import Done, Result
from klamm.controller.handlers import k3_metadata
from klamm.controller.handlers.api import Context, Outcome, RequestEvent, Submit, Timeout, Transact
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.controller.runtime import remembered as remembered_module
from klamm.controller.runtime import service as service_module
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.remembered import Remembered
from klamm.controller.runtime.replies import carry_out
from klamm.controller.runtime.service import Service
from klamm.controller.security.principals import ANONYMOUS, Client
from klamm.controller.store.transaction import Transaction
from klamm.protocol.connection import Encoded, LocalProtocolError, Request
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


class World:
    def __init__(self) -> None:
        self.node = FakeNode()
        self.submitted: list[
            tuple[tuple[RequestEvent, ...], Callable[[Sequence[Result]], None]]
        ] = []
        self.transacted: list[
            tuple[tuple[Transaction[Any], ...], Callable[[Sequence[Any]], None]]
        ] = []
        self.origins: list[FromClient] = []
        self.heard: list[int] = []
        self.looked = 0
        self.service = Service(
            self.node,
            lambda events, reply, origin: self.submitted.append((events, reply)),
            self.transact,
            broker(NODE),
            cluster_id="c",
            listener="PLAINTEXT",
            table=advertised(),
            hear=self.heard.append,
            look_up=self.look_up,
        )

    def look_up(self) -> None:
        self.looked += 1

    def transact(
        self,
        transactions: tuple[Transaction[Any], ...],
        reply: Callable[[Sequence[Any]], None],
        origin: FromClient,
    ) -> None:
        self.transacted.append((transactions, reply))
        self.origins.append(origin)

    def ask(self, body: Message, version: int, size: int = 20) -> FakeConnection:
        connection = FakeConnection()
        header = RequestHeader(body.api_key, version, 5, "me")
        self.service.dispatch(Exchange(connection, Request(0, header, body, size)))
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
    answer = remembered.put(version, one, MetadataResponse(controller_id=7), 20)
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
        remembered.put(12, question, MetadataResponse(), 20)
    known = [remembered.get(context, 12, question) is not None for question in questions]
    assert known == [False, False, False, True]


def test_long_requests_are_not_remembered_and_others_count_with_their_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context, answer = World().service.context(), MetadataResponse()
    questions = [MetadataRequest(topics=(MetadataRequestTopic(name=name),)) for name in "abc"]
    long = remembered_module.MOST_REQUEST_BYTES + 1

    def known(sizes: Sequence[int]) -> list[bool]:
        remembered = Remembered()
        for question, size in zip(questions, sizes, strict=True):
            assert remembered.get(context, 12, question) is None
            remembered.put(12, question, answer, size)
        return [remembered.get(context, 12, question) is not None for question in questions]

    assert known([20, long, 20]) == [True, False, True]
    taken = len(Encoded.of(answer, 12).body) + 20 * remembered_module.DECODED
    monkeypatch.setattr(remembered_module, "MOST_BYTES", 3 * taken)
    assert known([20, 20, 20]) == [True, True, True]
    monkeypatch.setattr(remembered_module, "MOST_BYTES", 3 * taken - 1)
    assert known([20, 20, 20]) == [False, False, True]
    monkeypatch.setattr(remembered_module, "MOST_BYTES", taken - 1)
    assert known([20, 20, 20]) == [False, False, False]


@pytest.mark.parametrize("long", [False, True])
def test_a_long_request_is_answered_anew_each_time(
    long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[MetadataRequest] = []
    handle = k3_metadata.handle

    def noted(context: Context, request: MetadataRequest, version: int) -> Outcome:
        made.append(request)
        return handle(context, request, version)

    handler = replace(HANDLERS[3], handle=noted)
    monkeypatch.setattr(service_module, "HANDLERS", {3: handler})
    world, size = World(), remembered_module.MOST_REQUEST_BYTES + int(long)
    answers = [world.ask(MetadataRequest(topics=None), 12, size).responses for _ in range(3)]
    assert answers[0] == answers[1] == answers[2] != []
    assert len(made) == (3 if long else 1)


def broken(*_: object) -> Message:
    raise ZeroDivisionError("a bug")


def exchange_of(connection: FakeConnection) -> Exchange:
    header = RequestHeader(ALTER.api_key, 0, 5, "me")
    return Exchange(connection, Request(0, header, ALTER))


LATE = [
    Submit((), broken),
    Submit((), broken, Timeout(1.0, lambda _: ALTER)),
    Transact((), broken),
]


@pytest.mark.parametrize("outcome", LATE, ids=["submit", "submit with a timeout", "transact"])
def test_a_fault_in_a_late_answer_costs_the_connection_alone(
    outcome: Submit | Transact, caplog: pytest.LogCaptureFixture
) -> None:
    connection, replies = FakeConnection(), []
    carry_out(
        exchange_of(connection),
        outcome,
        lambda events, reply, origin: replies.append(reply),
        lambda transactions, reply, origin: replies.append(reply),
        lambda timeout, answer: lambda: None,
    )
    replies[0](())
    assert (connection.responses, connection.reasons) == ([], ["a fault of this server"])
    assert "ZeroDivisionError: a bug" in caplog.text
    assert "test: fault while answering AlterPartitionReassignmentsRequest v0" in caplog.text


def test_a_fault_in_what_is_answered_when_the_time_is_up_costs_the_connection_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    connection, answers = FakeConnection(), []

    def expire_later(
        timeout: Timeout, answer: Callable[[Callable[[], Message]], None]
    ) -> Callable[[], None]:
        answers.append(answer)
        return lambda: None

    carry_out(
        exchange_of(connection),
        Submit((), broken, Timeout(1.0, broken)),
        lambda events, reply, origin: None,
        lambda transactions, reply, origin: None,
        expire_later,
    )
    answers[0](broken)
    assert connection.reasons == ["a fault of this server"]
    assert "ZeroDivisionError: a bug" in caplog.text


def test_a_connection_that_cannot_take_an_answer_is_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Picky(FakeConnection):
        def respond(self, request: Request, response: Message | Encoded) -> None:
            raise LocalProtocolError("of another API")

    connection, replies = Picky(), []
    carry_out(
        exchange_of(connection),
        Transact((), lambda results: ALTER),
        lambda events, reply, origin: None,
        lambda transactions, reply, origin: replies.append(reply),
    )
    replies[0](())
    assert connection.reasons == ["a fault of this server"]


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
        lambda transactions, reply, origin: None,
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


def test_each_listener_s_clients_are_told_its_own_endpoints() -> None:
    inside, outside = endpoint(9000), endpoint(9500, "OUTSIDE")
    both = Broker(1, 7, (inside, outside), None)
    world = World()
    world.node.state = replace(STATE, brokers={1: both, 2: broker(2)})
    ports: dict[str, dict[int, int]] = {}
    for listener in ("OUTSIDE", "PLAINTEXT", "OUTSIDE", "OUTSIDE", "PLAINTEXT"):
        connection = FakeConnection(client=Client(ANONYMOUS, "10.0.0.1", listener))
        header = RequestHeader(3, 12, 5, "me")
        request = Request(0, header, MetadataRequest(topics=None), 20)
        world.service.dispatch(Exchange(connection, request))
        [answer] = connection.responses
        assert isinstance(answer, MetadataResponse)
        found = {item.node_id: item.port for item in answer.brokers}
        assert ports.setdefault(listener, found) == found
    assert ports["OUTSIDE"] == {1: 9500}
    assert ports["PLAINTEXT"][1] == 9000
    assert 2 in ports["PLAINTEXT"]
