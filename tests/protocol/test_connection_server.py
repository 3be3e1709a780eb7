"""ServerConnection against bytes made by hand: what it hands out, answers, refuses, holds."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from connection_pair import EVERYTHING, framed, unhex
from hypothesis import given
from hypothesis import strategies as st

from klamm.protocol import codec
from klamm.protocol.connection import (
    Encoded,
    LocalProtocolError,
    ProtocolViolation,
    Request,
    ServerConnection,
    ServerEvent,
    State,
    UnsupportedApiVersions,
    UnsupportedRequestError,
)
from klamm.protocol.connection.states import SERVER_TRANSITIONS, Input
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.errors import DecodeError, EncodeError, UnknownApiKeyError
from klamm.protocol.framing import FrameTooLargeError, IncompleteFrameError, NegativeLengthError
from klamm.protocol.generated import (
    AlterPartitionReassignmentsRequest,
    ApiVersionsResponse,
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    MetadataResponse,
    ResponseHeader,
)
from klamm.protocol.generated.alter_partition_reassignments_request import (
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.api_versions_response import ApiVersion

# Requests of a client "t" and an answer, spelled out; kafka-python 3.0.12 encodes the same bytes.
ALTER_V0 = unhex(
    "002d 0000 00000008 0001 74 00 |"
    "00007530 02 04 666f6f 03 00000000 03 00000002 00000003 00 00000001 00 00 00 00"
)
LIST_V0 = unhex("002e 0000 00000007 0001 74 00 | 00007530 00 00")
LIST_V0_NOTHING_MOVING = unhex("00000007 00 | 00000000 0000 00 01 00")
NOTHING_MOVING = ListPartitionReassignmentsResponse(0, 0, None, ())
# Error 35 and one entry, key 18 with versions 0 to 4, in the layout of version 0.
API_VERSIONS_REFUSED = unhex("0023 00000001 0012 0000 0004")
SERVED = {key: EVERYTHING[key] for key in (3, 7, 18, 45, 46)} | {45: range(1)}


def server(**options: int) -> ServerConnection:
    return ServerConnection(SERVED, **options)


def request_bytes(key: int, version: int, correlation_id: int, rest: str) -> bytes:
    return struct.pack(">hhi", key, version, correlation_id) + unhex(rest)


def list_bytes(correlation_id: int) -> bytes:
    return request_bytes(46, 0, correlation_id, "0001 74 00 00007530 00 00")


def one_request(connection: ServerConnection, frame: bytes) -> Request:
    (event,) = connection.receive_data(framed(frame))
    assert isinstance(event, Request)
    return event


def one_violation(events: list[ServerEvent]) -> ProtocolViolation:
    (event,) = events
    assert isinstance(event, ProtocolViolation)
    return event


def refused(connection: ServerConnection, frame: bytes) -> ProtocolViolation:
    event = one_violation(connection.receive_data(framed(frame)))
    assert_state(connection, State.CLOSED)
    return event


def assert_state(connection: ServerConnection, state: State) -> None:
    # A function, so that a type checker does not take the state for settled after the first call.
    assert connection.state is state


def answer(correlation_id: int) -> bytes:
    return framed(struct.pack(">i", correlation_id) + LIST_V0_NOTHING_MOVING[4:])


# -- real dialogues --------------------------------------------------------------------------------


def test_a_request_tells_its_bytes_on_the_wire() -> None:
    events = server().receive_data(framed(ALTER_V0) + framed(LIST_V0))
    sizes = [event.size for event in events if isinstance(event, Request)]
    assert sizes == [len(ALTER_V0), len(LIST_V0)]


def test_alter_as_clients_send_it() -> None:
    request = one_request(server(), ALTER_V0)
    assert request.ordinal == 0
    assert (request.header.request_api_key, request.header.request_api_version) == (45, 0)
    assert (request.header.correlation_id, request.header.client_id) == (8, "t")
    topic = ReassignableTopic(
        "foo", (ReassignablePartition(0, (2, 3)), ReassignablePartition(1, None))
    )
    assert request.body == AlterPartitionReassignmentsRequest(30_000, topics=(topic,))


def test_list_and_its_answer() -> None:
    connection = server()
    request = one_request(connection, LIST_V0)
    assert request.body == ListPartitionReassignmentsRequest(30_000, None)
    assert connection.send_response(request, NOTHING_MOVING) == framed(LIST_V0_NOTHING_MOVING)
    assert connection.in_flight == 0


@pytest.mark.parametrize("version", EVERYTHING[18])
def test_answers_to_api_versions_never_have_tags_in_their_header(version: int) -> None:
    rest = "0001 74 00 02 61 02 31 00" if version >= 3 else "0001 74"
    connection = server()
    request = one_request(connection, request_bytes(18, version, 3, rest))
    message = ApiVersionsResponse(0, (ApiVersion(18, 0, 4),))
    body = codec.encode(message, version)
    assert connection.send_response(request, message) == framed(b"\0\0\0\3" + body)


@pytest.mark.parametrize("version", [5, 99, 32767, -1])
def test_unknown_versions_of_api_versions_are_answered_in_version_0(version: int) -> None:
    # Above version 2 the header is flexible; the body is whatever that version may mean.
    rest = "0001 74 00 deadbeef" if version > 0 else "0001 74"
    connection = server()
    (event,) = connection.receive_data(framed(request_bytes(18, version, 9, rest)))
    assert isinstance(event, UnsupportedApiVersions)
    assert event.header.request_api_version == version
    message = ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, (ApiVersion(18, 0, 4),))
    sent = connection.send_response(event, message)
    assert sent == framed(b"\0\0\0\x09" + API_VERSIONS_REFUSED)
    assert_state(connection, State.OPEN)
    assert one_request(connection, request_bytes(18, 0, 10, "0001 74")).ordinal == 1


def test_controlled_shutdown_v0_has_no_client_id() -> None:
    connection = server()
    request = one_request(connection, request_bytes(7, 0, 5, "00000002"))
    assert request.body == ControlledShutdownRequest(2)
    sent = connection.send_response(request, ControlledShutdownResponse())
    assert sent == framed(unhex("00000005 0000 00000000"))


@pytest.mark.parametrize(("client_id", "text"), [("ffff", None), ("0000", ""), ("0002 c3a9", "é")])
def test_client_ids(client_id: str, text: str | None) -> None:
    frame = request_bytes(46, 0, 1, f"{client_id} 00 00007530 00 00")
    assert one_request(server(), frame).header.client_id == text


def test_unknown_tagged_fields_of_the_header_are_kept() -> None:
    frame = request_bytes(46, 0, 1, "0001 74 02 05 01 aa 07 00 00007530 00 00")
    header = one_request(server(), frame).header
    assert header.unknown_tagged_fields == ((5, b"\xaa"), (7, b""))


@pytest.mark.parametrize(
    ("version", "request_rest", "header_version"),
    [(8, "0001 74 ffffffff 00 00 00", 0), (9, "0001 74 00 00 00 00 00 00", 1)],
)
def test_response_headers_are_those_of_the_codec(
    version: int, request_rest: str, header_version: int
) -> None:
    connection = server()
    request = one_request(connection, request_bytes(3, version, 77, request_rest))
    sent = connection.send_response(request, MetadataResponse())
    header = codec.encode(ResponseHeader(77), header_version)
    assert sent == framed(header + codec.encode(MetadataResponse(), version))


# -- hostile bytes ---------------------------------------------------------------------------------


def test_byte_by_byte() -> None:
    connection = server()
    events: list[ServerEvent] = []
    for byte in framed(ALTER_V0, LIST_V0):
        events += connection.receive_data(bytes((byte,)))
    assert [type(event) for event in events] == [Request, Request]
    assert events == server().receive_data(framed(ALTER_V0, LIST_V0))


@pytest.mark.parametrize("length", range(1, len(framed(ALTER_V0))))
def test_streams_that_end_within_a_frame(length: int) -> None:
    connection = server()
    assert connection.receive_data(framed(ALTER_V0)[:length]) == []
    assert connection.want_read
    event = one_violation(connection.receive_eof())
    assert isinstance(event.error, IncompleteFrameError)
    assert event.error.received == length
    assert_state(connection, State.CLOSED)


@pytest.mark.parametrize("length", range(len(ALTER_V0)))
def test_requests_that_end_too_early(length: int) -> None:
    event = refused(server(), ALTER_V0[:length])
    # The header has 12 bytes; of shorter ones nothing can be said in the log.
    assert (event.header is None) == (length < 12)


@pytest.mark.parametrize(
    ("data", "version"),
    [
        (ALTER_V0 + b"\0", 0),
        # What librdkafka 2.16.1 sends for all topics.
        (bytes.fromhex("0003000c00000003000772646b61666b610000000000010000"), 12),
    ],
)
def test_bytes_behind_the_end_of_a_request_are_passed_over(data: bytes, version: int) -> None:
    [event] = server().receive_data(framed(data))
    assert isinstance(event, Request)
    assert event.header.request_api_version == version


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        ("ffffffff", NegativeLengthError),
        ("80000000", NegativeLengthError),
        ("7fffffff", FrameTooLargeError),
        ("00000401", FrameTooLargeError),
        ("16030100", FrameTooLargeError),  # TLS, where none is spoken
        ("00000000", DecodeError),
        ("00000003 002e00", DecodeError),
    ],
)
def test_lengths_that_cannot_be(stream: str, error: type[DecodeError]) -> None:
    connection = server(max_request_bytes=1024)
    event = one_violation(connection.receive_data(unhex(stream)))
    assert type(event.error) is error
    assert event.header is None
    assert_state(connection, State.CLOSED)


@given(garbage=st.binary(max_size=200))
def test_garbage_gives_events_and_nothing_else(garbage: bytes) -> None:
    connection = server()
    events = connection.receive_data(garbage)
    if connection.state is State.OPEN:
        events += connection.receive_eof()
    for event in events[:-1]:
        assert not isinstance(event, ProtocolViolation)


@pytest.mark.req("R455-28")
def test_null_topics_in_45_close_the_connection_and_no_other() -> None:
    null_topics = request_bytes(45, 0, 4, "0001 74 00 00007530 00 00")
    event = refused(server(), null_topics)
    assert "null" in str(event.error)
    assert event.header is not None
    assert (event.header.request_api_key, event.header.correlation_id) == (45, 4)
    assert one_request(server(), ALTER_V0).header.correlation_id == 8


@pytest.mark.parametrize(
    ("key", "version", "text"),
    [
        (45, 1, r"'t' sent API key 45 \(AlterPartitionReassignments\) version 1; .* versions 0-0"),
        (45, -1, r"API key 45 .* version -1; .* versions 0-0"),
        (0, 3, r"'t' sent API key 0 \(Produce\) version 3; this server serves nothing of it"),
        (9999, 3, r"'t' sent API key 9999 \(unknown\) version 3; .* nothing of it"),
    ],
)
def test_keys_and_versions_that_are_not_served(key: int, version: int, text: str) -> None:
    event = refused(server(), request_bytes(key, version, 1, "0001 74 00"))
    assert isinstance(event.error, UnsupportedRequestError)
    assert event.error.header is event.header
    with pytest.raises(UnsupportedRequestError, match=text):
        raise event.error


def test_a_long_client_id_does_not_flood_the_log() -> None:
    event = refused(server(), request_bytes(9999, 0, 1, "7fff" + "78" * 32767))
    assert len(str(event.error)) < 200
    assert event.header is not None
    assert event.header.client_id == "x" * 32767


def test_requests_before_a_fault_are_still_answered() -> None:
    connection = server()
    events = connection.receive_data(framed(list_bytes(1), list_bytes(2), b"?", list_bytes(3)))
    first, second, fault = events
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert isinstance(fault, ProtocolViolation)
    assert (connection.state, connection.want_read) == (State.FAILED, False)
    with pytest.raises(LocalProtocolError, match="failed"):
        connection.receive_data(framed(list_bytes(4)))
    assert connection.send_response(first, NOTHING_MOVING) == answer(1)
    assert_state(connection, State.FAILED)
    assert connection.send_response(second, NOTHING_MOVING) == answer(2)
    assert_state(connection, State.CLOSED)


def test_a_fault_leaves_nothing_for_the_garbage_collector() -> None:
    connection = server()
    events = connection.receive_data(framed(ALTER_V0[:-1]))
    error = one_violation(events).error
    assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None)


# -- order and pressure ----------------------------------------------------------------------------


def three_requests(connection: ServerConnection) -> tuple[Request, Request, Request]:
    events = connection.receive_data(framed(list_bytes(1), list_bytes(2), list_bytes(3)))
    requests = tuple(event for event in events if isinstance(event, Request))
    assert [request.ordinal for request in requests] == [0, 1, 2]
    first, second, third = requests
    return first, second, third


def test_answers_leave_in_request_order() -> None:
    connection = server()
    first, second, third = three_requests(connection)
    assert connection.send_response(third, NOTHING_MOVING) == b""
    assert connection.send_response(second, NOTHING_MOVING) == b""
    assert connection.in_flight == 3
    assert connection.send_response(first, NOTHING_MOVING) == answer(1) + answer(2) + answer(3)
    assert connection.in_flight == 0


def test_a_request_without_answer_takes_its_turn() -> None:
    connection = server()
    first, second, third = three_requests(connection)
    assert connection.no_response(second) == b""
    assert connection.send_response(third, NOTHING_MOVING) == b""
    assert connection.send_response(first, NOTHING_MOVING) == answer(1) + answer(3)
    assert connection.in_flight == 0


def test_requests_above_the_cap_are_held_back() -> None:
    connection = server(max_in_flight=2)
    stream = framed(list_bytes(1), list_bytes(2), list_bytes(3), list_bytes(4), b"?")
    first, second = connection.receive_data(stream)
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert (connection.want_read, connection.resume()) == (False, [])
    # Room is made by a turn that has passed, not by an answer that waits for its own.
    assert connection.send_response(second, NOTHING_MOVING) == b""
    assert (connection.want_read, connection.resume()) == (False, [])
    connection.send_response(first, NOTHING_MOVING)
    assert (connection.want_read, connection.in_flight) == (True, 0)
    third, fourth = connection.resume()
    assert isinstance(third, Request)
    assert isinstance(fourth, Request)
    assert (connection.want_read, connection.in_flight) == (False, 2)
    assert_state(connection, State.OPEN)
    connection.send_response(third, NOTHING_MOVING)
    assert isinstance(connection.resume()[0], ProtocolViolation)
    assert connection.send_response(fourth, NOTHING_MOVING) == answer(4)
    assert_state(connection, State.CLOSED)


@pytest.mark.parametrize("rest", [b"", b"\0\0"], ids=["whole", "cut"])
def test_held_requests_outlive_the_end_of_the_stream(rest: bytes) -> None:
    connection = server(max_in_flight=1)
    (first,) = connection.receive_data(framed(list_bytes(1), list_bytes(2)) + rest)
    assert isinstance(first, Request)
    assert connection.receive_eof() == []
    assert (connection.state, connection.want_read) == (State.PEER_DONE, False)
    assert connection.send_response(first, NOTHING_MOVING) == answer(1)
    assert_state(connection, State.PEER_DONE)
    (second,) = connection.resume()
    assert isinstance(second, Request)
    assert connection.send_response(second, NOTHING_MOVING) == answer(2)
    assert [type(event) for event in connection.resume()] == [ProtocolViolation] * bool(rest)
    assert_state(connection, State.CLOSED)


def test_the_end_of_a_quiet_stream_closes() -> None:
    connection = server()
    assert connection.receive_eof() == []
    assert_state(connection, State.CLOSED)
    assert connection.resume() == []


# -- our own faults --------------------------------------------------------------------------------


def test_a_request_is_answered_once() -> None:
    connection = server()
    first, second, _ = three_requests(connection)
    connection.send_response(first, NOTHING_MOVING)
    connection.send_response(second, NOTHING_MOVING)
    for request in (first, second):
        with pytest.raises(LocalProtocolError, match=r"request \d \(correlation id \d\)"):
            connection.send_response(request, NOTHING_MOVING)
        with pytest.raises(LocalProtocolError, match="is not in flight"):
            connection.no_response(request)
    assert connection.in_flight == 1


def test_a_request_of_another_connection_is_refused() -> None:
    connection, other = server(), server()
    mine, _, _ = three_requests(connection)
    theirs, _, _ = three_requests(other)
    with pytest.raises(LocalProtocolError, match="belongs to another"):
        connection.send_response(theirs, NOTHING_MOVING)
    assert connection.send_response(mine, NOTHING_MOVING) == answer(1)


def test_an_answer_in_bytes_is_sent_as_it_is_but_only_to_who_asked_for_it() -> None:
    connection = server()
    [request] = connection.receive_data(framed(LIST_V0))
    assert isinstance(request, Request)
    wrong = (
        Encoded.of(MetadataResponse(), 0),
        Encoded(ListPartitionReassignmentsResponse, 1, b""),
    )
    for answer in wrong:
        with pytest.raises(LocalProtocolError, match="ListPartitionReassignmentsResponse is"):
            connection.send_response(request, answer)
    answer = Encoded.of(NOTHING_MOVING, 0)
    assert connection.send_response(request, answer) == framed(LIST_V0_NOTHING_MOVING)


def test_the_same_bytes_are_the_same_message_but_not_of_another_key_or_version() -> None:
    connection = server()
    metadata = [unhex(f"0003 000{version} 00000001 0001 74 | 00000000") for version in (1, 2)]
    shutdown = unhex("0007 0001 00000001 0001 74 | 00000000")
    sent = [LIST_V0, LIST_V0, metadata[0], metadata[1], metadata[0], LIST_V0]
    events = connection.receive_data(b"".join(map(framed, sent)))
    bodies = [event.body for event in events if isinstance(event, Request)]
    assert len(bodies) == len(sent)
    assert bodies[0] is bodies[1]
    assert bodies[2] is not bodies[3]
    assert bodies[5] == bodies[0]
    for data, body in zip(sent, bodies, strict=True):
        assert one_request(server(), data).body == body
    [event] = server().receive_data(framed(shutdown))
    assert isinstance(event, Request)
    mixed = server()
    kinds = [type(one_request(mixed, data).body) for data in (metadata[0], shutdown)]
    assert kinds == [type(bodies[2]), type(event.body)]


def begun(connection: ServerConnection) -> bool:
    return connection.mid_request


def test_a_request_that_is_begun_and_not_ended_is_told_of() -> None:
    connection = ServerConnection(SERVED, max_in_flight=1)
    data = framed(LIST_V0)
    assert not begun(connection)
    assert connection.receive_data(data[:7]) == []
    assert begun(connection)
    [request] = connection.receive_data(data[7:])
    assert not begun(connection)
    assert isinstance(request, Request)
    # What is there but waits for its turn is not the peer's debt.
    assert connection.receive_data(data + data[:5]) == []
    assert not begun(connection)
    connection.send_response(request, NOTHING_MOVING)
    [request] = connection.resume()
    assert isinstance(request, Request)
    connection.send_response(request, NOTHING_MOVING)
    assert connection.resume() == []
    assert begun(connection)


def test_an_answer_that_cannot_be_sent_leaves_the_request_open() -> None:
    connection = server()
    first, _, _ = three_requests(connection)
    with pytest.raises(LocalProtocolError, match="ListPartitionReassignmentsResponse is"):
        connection.send_response(first, ApiVersionsResponse())
    with pytest.raises(EncodeError, match="error_code"):
        connection.send_response(first, ListPartitionReassignmentsResponse(error_code=99_999))
    assert connection.in_flight == 3
    assert connection.send_response(first, NOTHING_MOVING) == answer(1)


@pytest.mark.parametrize("versions", [range(0), range(2, 4), range(-1, 1)])
def test_only_what_the_codec_knows_can_be_served(versions: range) -> None:
    with pytest.raises(LocalProtocolError, match="API key 45"):
        ServerConnection({45: versions})
    with pytest.raises(UnknownApiKeyError, match="9999"):
        ServerConnection({9999: range(1)})


def test_no_room_for_any_request_is_refused() -> None:
    with pytest.raises(LocalProtocolError, match="max_in_flight is 0"):
        server(max_in_flight=0)


def test_close_drops_what_waits() -> None:
    connection = server(max_in_flight=1)
    (first,) = connection.receive_data(framed(list_bytes(1), list_bytes(2)))
    connection.close()
    connection.close()
    assert (connection.state, connection.in_flight, connection.resume()) == (State.CLOSED, 0, [])
    assert isinstance(first, Request)
    with pytest.raises(LocalProtocolError, match="closed"):
        connection.send_response(first, NOTHING_MOVING)


# -- every state with every input ------------------------------------------------------------------

REACH: dict[State, Callable[[ServerConnection], object]] = {
    State.OPEN: lambda connection: None,
    State.PEER_DONE: lambda connection: connection.receive_eof(),
    State.FAILED: lambda connection: connection.receive_data(framed(b"?")),
    State.CLOSED: lambda connection: connection.close(),
}

CALLS: dict[Input, Callable[[ServerConnection, Request], object]] = {
    Input.DATA: lambda connection, _: connection.receive_data(b"\0"),
    Input.EOF: lambda connection, _: connection.receive_eof(),
    Input.ANSWER: lambda connection, first: connection.send_response(first, NOTHING_MOVING),
    Input.CLOSE: lambda connection, _: connection.close(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("state", State)
def test_every_state_takes_what_its_table_says_and_nothing_else(state: State, call: Input) -> None:
    connection = server()
    first, second, third = three_requests(connection)
    REACH[state](connection)
    assert_state(connection, state)

    if (state, call) in SERVER_TRANSITIONS:
        CALLS[call](connection, first)
        assert_state(connection, SERVER_TRANSITIONS[state, call])
        return

    before = (connection.state, connection.in_flight, connection.want_read)
    with pytest.raises(LocalProtocolError, match=f"{state} takes no {call}"):
        CALLS[call](connection, first)
    assert (connection.state, connection.in_flight, connection.want_read) == before
    if state is not State.CLOSED:
        sent = [connection.send_response(r, NOTHING_MOVING) for r in (third, second, first)]
        assert sent == [b"", b"", answer(1) + answer(2) + answer(3)]
        assert_state(connection, State.CLOSED)
