"""ClientConnection against bytes made by hand: what it sends, what it takes for an answer."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from connection_pair import framed, unhex
from hypothesis import given
from hypothesis import strategies as st

from klamm.protocol import codec
from klamm.protocol.connection import (
    ClientConnection,
    ClientEvent,
    LocalProtocolError,
    ProtocolViolation,
    Response,
    State,
    UnexpectedResponseError,
)
from klamm.protocol.connection.states import CLIENT_TRANSITIONS, Input
from klamm.protocol.errors import DecodeError, EncodeError
from klamm.protocol.framing import FrameTooLargeError, IncompleteFrameError, NegativeLengthError
from klamm.protocol.generated import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ProduceRequest,
)
from klamm.protocol.generated.api_versions_response import ApiVersion
from klamm.protocol.generated.request_header import RequestHeader

LIST_ALL = ListPartitionReassignmentsRequest(30_000, None)
LIST_V0 = "002e 0000 {:08x} 0001 74 00 | 00007530 00 00"
LIST_V0_NOTHING_MOVING = "{:08x} 00 | 00000000 0000 00 01 00"
NOTHING_MOVING = ListPartitionReassignmentsResponse(0, 0, None, ())


def client(client_id: str | None = "t", **options: int) -> ClientConnection:
    return ClientConnection(client_id, **options)


def waiting(count: int) -> ClientConnection:
    connection = client()
    for _ in range(count):
        connection.send_request(LIST_ALL, 0)
    return connection


def answers(*correlation_ids: int) -> bytes:
    return framed(*(unhex(LIST_V0_NOTHING_MOVING.format(number)) for number in correlation_ids))


def one_violation(events: list[ClientEvent]) -> ProtocolViolation:
    (event,) = events
    assert isinstance(event, ProtocolViolation)
    return event


# -- requests --------------------------------------------------------------------------------------


def test_requests_as_other_clients_send_them() -> None:
    connection = client()
    sent = [connection.send_request(LIST_ALL, 0) for _ in range(3)]
    assert sent == [(number, framed(unhex(LIST_V0.format(number)))) for number in range(3)]
    assert connection.in_flight == (0, 1, 2)


def test_what_is_passed_on_keeps_client_id_and_tags_but_not_the_correlation_id() -> None:
    origin = RequestHeader(3, 9, 77, "other", ((300, b"x"),))
    connection = client()
    connection.send_request(LIST_ALL, 0)
    number, data = connection.send_request(LIST_ALL, 0, header=origin)
    header = "002e 0000 00000001 0005 6f74686572 01 ac02 01 78 | 00007530 00 00"
    assert (number, data) == (1, framed(unhex(header)))
    assert connection.send_request(LIST_ALL, 0)[1] == framed(unhex(LIST_V0.format(2)))


def test_a_body_encoded_once_serves_many_connections() -> None:
    body = codec.encode(LIST_ALL, 0)
    for name in ("t", None):
        by_body = client(name).send_body(ListPartitionReassignmentsRequest, 0, body)
        assert by_body == client(name).send_request(LIST_ALL, 0)


@pytest.mark.parametrize(
    ("client_id", "text"), [(None, "ffff"), ("", "0000"), ("é", "0002 c3a9")], ids=str
)
def test_client_ids(client_id: str | None, text: str) -> None:
    _, sent = client(client_id).send_request(ApiVersionsRequest(), 0)
    assert sent == framed(unhex(f"0012 0000 00000000 {text}"))


def test_controlled_shutdown_v0_has_no_client_id() -> None:
    connection = client()
    _, sent = connection.send_request(ControlledShutdownRequest(2), 0)
    assert sent == framed(unhex("0007 0000 00000000 00000002"))
    (response,) = connection.receive_data(framed(unhex("00000000 0000 00000000")))
    assert response == Response(0, ControlledShutdownResponse())


def test_a_request_without_answer_does_not_wait_for_one() -> None:
    connection = client()
    connection.send_request(ProduceRequest(acks=0), 3, answered=False)
    connection.send_request(LIST_ALL, 0)
    assert connection.in_flight == (1,)
    assert connection.receive_data(answers(1)) == [Response(1, NOTHING_MOVING)]


def test_a_request_that_cannot_be_sent_leaves_no_trace() -> None:
    connection = client()
    with pytest.raises(EncodeError, match="timeout_ms"):
        connection.send_request(ListPartitionReassignmentsRequest(2**40), 0)
    with pytest.raises(EncodeError, match="version"):
        connection.send_request(LIST_ALL, 99)
    with pytest.raises(LocalProtocolError, match="ListPartitionReassignmentsResponse is no"):
        connection.send_request(NOTHING_MOVING, 0)
    assert connection.in_flight == ()
    assert connection.send_request(LIST_ALL, 0) == (0, framed(unhex(LIST_V0.format(0))))


class Huge(bytes):
    """What no frame can hold, without the memory."""

    def __len__(self) -> int:
        return 2**31


def test_a_body_that_no_frame_can_hold() -> None:
    connection = client()
    with pytest.raises(EncodeError, match="frame length"):
        connection.send_body(ListPartitionReassignmentsRequest, 0, Huge())
    assert connection.in_flight == ()


def test_correlation_ids_start_again_after_the_last_one() -> None:
    connection = client()
    connection._next_correlation_id = 2**31 - 1  # nobody waits for two thousand million requests
    assert [connection.send_request(LIST_ALL, 0)[0] for _ in range(2)] == [2**31 - 1, 0]
    events = connection.receive_data(answers(2**31 - 1, 0))
    assert events == [Response(2**31 - 1, NOTHING_MOVING), Response(0, NOTHING_MOVING)]


# -- responses -------------------------------------------------------------------------------------


def test_responses_come_in_order() -> None:
    connection = waiting(3)
    assert connection.receive_data(answers(0, 1)) == [
        Response(0, NOTHING_MOVING),
        Response(1, NOTHING_MOVING),
    ]
    assert connection.in_flight == (2,)


def test_byte_by_byte() -> None:
    connection = waiting(2)
    events = [event for byte in answers(0, 1) for event in connection.receive_data(bytes((byte,)))]
    assert events == [Response(0, NOTHING_MOVING), Response(1, NOTHING_MOVING)]


def test_unknown_tagged_fields_of_the_header_are_no_fault() -> None:
    frame = unhex("00000000 01 05 02 aabb | 00000000 0000 00 01 00")
    assert waiting(1).receive_data(framed(frame)) == [Response(0, NOTHING_MOVING)]


@pytest.mark.parametrize("correlation_id", [1, -1, 2**31 - 1])
def test_a_response_out_of_turn_ends_the_connection(correlation_id: int) -> None:
    connection = waiting(2)
    stream = framed(struct.pack(">i", correlation_id) + unhex("00 00000000 0000 00 01 00"))
    event = one_violation(connection.receive_data(stream + answers(0)))
    assert isinstance(event.error, UnexpectedResponseError)
    assert (event.error.correlation_id, event.error.expected) == (correlation_id, 0)
    assert str(correlation_id) in str(event.error)
    assert connection.state is State.CLOSED
    assert connection.in_flight == (0, 1)


def test_a_response_that_nobody_waits_for_ends_the_connection() -> None:
    connection = waiting(1)
    response, fault = connection.receive_data(answers(0, 0))
    assert response == Response(0, NOTHING_MOVING)
    assert isinstance(fault, ProtocolViolation)
    assert isinstance(fault.error, UnexpectedResponseError)
    assert "no request waits" in str(fault.error)


@pytest.mark.parametrize("length", range(len(answers(0)) - 4))
def test_responses_that_end_too_early(length: int) -> None:
    connection = waiting(1)
    event = one_violation(connection.receive_data(framed(answers(0)[4 : 4 + length])))
    assert isinstance(event.error, DecodeError)
    assert connection.in_flight == (0,)


def test_responses_with_bytes_behind_their_end() -> None:
    event = one_violation(waiting(1).receive_data(framed(answers(0)[4:] + b"\0")))
    assert "1 bytes follow" in str(event.error)


@pytest.mark.parametrize("length", range(len(answers(0))))
def test_streams_that_end_within_a_frame(length: int) -> None:
    connection = waiting(1)
    assert connection.receive_data(answers(0)[:length]) == []
    events = connection.receive_eof()
    assert connection.state is State.CLOSED
    assert connection.in_flight == (0,)
    errors = [event.error for event in events if isinstance(event, ProtocolViolation)]
    assert [type(error) for error in errors] == [IncompleteFrameError] * bool(length)


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        ("ffffffff", NegativeLengthError),
        ("00000401", FrameTooLargeError),
        ("00000000", DecodeError),
    ],
)
def test_lengths_that_cannot_be(stream: str, error: type[DecodeError]) -> None:
    connection = client(max_response_bytes=1024)
    connection.send_request(LIST_ALL, 0)
    assert type(one_violation(connection.receive_data(unhex(stream))).error) is error


@given(garbage=st.binary(max_size=200))
def test_garbage_gives_events_and_nothing_else(garbage: bytes) -> None:
    connection = waiting(5)
    events = connection.receive_data(garbage)
    if connection.state is State.OPEN:
        events += connection.receive_eof()
    assert [type(event) for event in events[:-1]] == [Response] * len(events[:-1])


# -- ApiVersions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(5))
def test_api_versions_refused_in_version_0(version: int) -> None:
    # KIP-511: the server does not know what we asked and answers in the first version.
    connection = client()
    connection.send_request(ApiVersionsRequest("klamm", "1"), version)
    (event,) = connection.receive_data(framed(unhex("00000000 | 0023 00000001 0012 0000 0002")))
    assert event == Response(0, ApiVersionsResponse(35, (ApiVersion(18, 0, 2),)))


@pytest.mark.parametrize("body", ["0000 00000001 0012 0000 0002", "0023 00000002 0012 0000 0002"])
def test_other_answers_in_version_0_are_faults(body: str) -> None:
    connection = client()
    connection.send_request(ApiVersionsRequest("klamm", "1"), 3)
    event = one_violation(connection.receive_data(framed(unhex(f"00000000 {body}"))))
    assert "ApiVersionsResponse" in str(event.error)


def test_error_35_of_other_apis_is_read_as_asked() -> None:
    # In version 0 these bytes would be an answer: error 35 and no partitions.
    connection = client()
    connection.send_request(ControlledShutdownRequest(2), 3)
    event = one_violation(connection.receive_data(framed(unhex("00000000 00 0023 00000000"))))
    assert "null" in str(event.error)


# -- every state with every input ------------------------------------------------------------------

CALLS: dict[Input, Callable[[ClientConnection], object]] = {
    Input.REQUEST: lambda connection: connection.send_request(LIST_ALL, 0),
    Input.DATA: lambda connection: connection.receive_data(b"\0"),
    Input.EOF: lambda connection: connection.receive_eof(),
    Input.VIOLATION: lambda connection: connection.receive_data(b"\xff\xff\xff\xff"),
    Input.CLOSE: lambda connection: connection.close(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("state", [State.OPEN, State.CLOSED])
def test_every_state_takes_what_its_table_says_and_nothing_else(state: State, call: Input) -> None:
    connection = waiting(2)
    if state is State.CLOSED:
        connection.close()
    if (state, call) in CLIENT_TRANSITIONS:
        CALLS[call](connection)
        assert connection.state is CLIENT_TRANSITIONS[state, call]
        return
    named = Input.DATA if call is Input.VIOLATION else call
    with pytest.raises(LocalProtocolError, match=f"{state} takes no {named}"):
        CALLS[call](connection)
    assert (connection.state, connection.in_flight) == (state, (0, 1))
