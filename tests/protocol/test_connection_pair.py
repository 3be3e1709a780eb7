"""A client and a server back to back: every API and version, and answers in any order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from connection_pair import EVERYTHING, ConnectionPair
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from klamm.protocol import registry
from klamm.protocol.connection import (
    MAX_IN_FLIGHT,
    ProtocolViolation,
    Request,
    Response,
    State,
    UnsupportedApiVersions,
)
from klamm.protocol.generated import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
)
from klamm.protocol.message import Message


@pytest.mark.parametrize("key", EVERYTHING)
def test_every_api_in_every_version(key: int) -> None:
    pair = ConnectionPair()
    request_type, response_type = registry.request(key), registry.response(key)
    for version in EVERYTHING[key]:
        sent = pair.send(request_type(), version)
        (request,) = pair.deliver_to_server()
        assert isinstance(request, Request)
        assert request.body == request_type()
        header = request.header
        assert (header.request_api_key, header.request_api_version) == (key, version)
        assert header.correlation_id == sent
        pair.to_client += pair.server.send_response(request, response_type())
        assert pair.deliver_to_client() == [Response(sent, response_type())]


def test_a_client_learns_the_versions_of_an_older_server() -> None:
    pair = ConnectionPair({18: range(3)})
    pair.send(ApiVersionsRequest("klamm", "1"), 4)
    (event,) = pair.deliver_to_server()
    assert isinstance(event, UnsupportedApiVersions)
    refusal = ApiVersionsResponse(35, throttle_time_ms=0)
    pair.to_client += pair.server.send_response(event, refusal)
    assert pair.deliver_to_client() == [Response(0, refusal)]
    pair.send(ApiVersionsRequest(), 2)
    assert isinstance(pair.deliver_to_server()[0], Request)


def test_a_server_that_closes_leaves_the_client_knowing_what_was_lost() -> None:
    pair = ConnectionPair({46: range(1)})
    pair.send(ListPartitionReassignmentsRequest(), 0)
    lost = pair.send(MetadataRequest(), 12)
    request, violation = pair.deliver_to_server()
    assert isinstance(violation, ProtocolViolation)
    assert isinstance(request, Request)
    pair.to_client += pair.server.send_response(request, ListPartitionReassignmentsResponse())
    assert pair.server.state is State.CLOSED
    pair.deliver_to_client()
    assert pair.client.receive_eof() == []
    assert pair.client.in_flight == (lost,)


#: Requests of flexible and other headers, and the answer that each of them gets.
Answer = ListPartitionReassignmentsResponse | ApiVersionsResponse | MetadataResponse
KINDS: dict[str, tuple[Message, int, Answer | None]] = {
    "list": (ListPartitionReassignmentsRequest(), 0, ListPartitionReassignmentsResponse()),
    "versions": (ApiVersionsRequest("klamm", "1"), 3, ApiVersionsResponse()),
    "metadata": (MetadataRequest(), 8, MetadataResponse()),
    "produce": (ProduceRequest(acks=0), 3, None),
}


class AnswersInOrder(RuleBasedStateMachine):
    """Whatever is sent, cut, held, and answered in whatever order, answers come in request order.

    The model is the list of what the client still has to receive.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pair = ConnectionPair(max_in_flight=3)
        self.expected: list[Response] = []
        self.kind_of: dict[int, str] = {}
        self.open: list[Request] = []

    def take(self, events: list[object]) -> None:
        for event in events:
            assert isinstance(event, Request)
            assert event.body == KINDS[self.kind_of[event.header.correlation_id]][0]
            self.open.append(event)

    @rule(kind=st.sampled_from(sorted(KINDS)))
    def send(self, kind: str) -> None:
        message, version, answer = KINDS[kind]
        sent = self.pair.send(message, version, answered=answer is not None)
        self.kind_of[sent] = kind
        if answer is not None:
            self.expected.append(Response(sent, replace(answer, throttle_time_ms=sent)))

    @rule(count=st.integers(0, 100))
    def arrive_at_server(self, count: int) -> None:
        self.take([*self.pair.deliver_to_server(count)])

    @rule()
    def resume(self) -> None:
        self.take([*self.pair.server.resume()])

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        self.answer_one(data.draw(st.integers(0, len(self.open) - 1)))

    def answer_one(self, index: int) -> None:
        request = self.open.pop(index)
        sent = request.header.correlation_id
        message = KINDS[self.kind_of[sent]][2]
        if message is None:
            self.pair.to_client += self.pair.server.no_response(request)
        else:
            message = replace(message, throttle_time_ms=sent)
            self.pair.to_client += self.pair.server.send_response(request, message)

    @rule(count=st.integers(0, 100))
    def arrive_at_client(self, count: int) -> None:
        for response in self.pair.deliver_to_client(count):
            assert response == self.expected.pop(0)

    @invariant()
    def the_client_knows_what_it_waits_for(self) -> None:
        waiting = tuple(response.correlation_id for response in self.expected)
        assert self.pair.client.in_flight == waiting

    @invariant()
    def the_server_holds_no_more_than_its_cap(self) -> None:
        server = self.pair.server
        assert len(self.open) <= server.in_flight <= 3
        assert server.want_read == (server.in_flight < 3)

    def teardown(self) -> None:
        self.arrive_at_server(len(self.pair.to_server))
        while self.open:
            self.answer_one(len(self.open) - 1)
            self.resume()
        self.arrive_at_client(len(self.pair.to_client))
        assert self.expected == []
        assert self.pair.server.in_flight == 0


TestAnswersInOrder = AnswersInOrder.TestCase
TestAnswersInOrder.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_one_read_may_bring_as_many_requests_as_the_cap() -> None:
    pair = ConnectionPair()
    for _ in range(MAX_IN_FLIGHT + 1):
        pair.send(ListPartitionReassignmentsRequest(), 0)
    events = pair.deliver_to_server()
    assert len(events) == MAX_IN_FLIGHT
    assert not pair.server.want_read
