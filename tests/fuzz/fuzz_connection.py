"""Any bytes from a peer give events or a documented `DecodeError`, in bounded time and memory.

`check` is the fuzz target, and holds every input to more than that:

- how the bytes are cut, how many requests may be in flight and in which order they are answered
  makes no difference to the events;
- a violation is the last event, its text is short, and the connection takes no more data;
- whatever was decoded can be encoded again, and then means the same.

An input has a head of four bytes: the side (odd: a client is fed; the rest gives the size of the
pieces), for a client the API key and the version of what it asked three times; then the stream.
Three engines use it: the corpus and seeded mutations in `test_fuzz_connection.py`, and libFuzzer,
guided by coverage, in `guided.py`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from klamm.protocol import codec, registry
from klamm.protocol.connection import (
    ClientConnection,
    ClientEvent,
    LocalProtocolError,
    ProtocolViolation,
    Request,
    Response,
    ServerConnection,
    ServerEvent,
    State,
)
from klamm.protocol.errors import DecodeError
from klamm.protocol.message import Message
from klamm.protocol.registry import API_KEYS, api

MAX_FRAME_BYTES = 1 << 20
LONGEST_TEXT = 2000
ASKED = 3

_HEAD = struct.Struct(">BHB")
_KEYS = tuple(API_KEYS)
_SUPPORTED = {key: api(key).versions for key in _KEYS}


def server_input(stream: bytes, *, pieces: int = 0) -> bytes:
    """Give the input that feeds `stream` to a server."""
    return _HEAD.pack(pieces << 1, 0, 0) + stream


def client_input(key: int, version: int, stream: bytes, *, pieces: int = 0) -> bytes:
    """Give the input that feeds `stream` to a client that asked this version three times."""
    return _HEAD.pack(pieces << 1 | 1, key, version) + stream


def check(data: bytes) -> None:
    """Raise unless the connections treat this input as the module says."""
    if len(data) < _HEAD.size:
        return
    side, key, version = _HEAD.unpack_from(data)
    stream, size = data[_HEAD.size :], (side >> 1) + 1
    if side & 1:
        _check_client(stream, size, key, version)
    else:
        _check_server(stream, size)


def _check_server(stream: bytes, size: int) -> None:
    whole = _serve(stream, max(len(stream), 1), max_in_flight=len(stream) + 1)
    cut = _serve(stream, size, max_in_flight=1 + size % 4)
    assert _seen(whole) == _seen(cut), "cuts or pressure changed the events"
    for event in whole:
        if isinstance(event, Request):
            _check_meaning(event.body, event.header.request_api_version)


def _serve(stream: bytes, size: int, max_in_flight: int) -> list[ServerEvent]:
    connection = ServerConnection(
        _SUPPORTED, max_request_bytes=MAX_FRAME_BYTES, max_in_flight=max_in_flight
    )
    events: list[ServerEvent] = []
    for start in range(0, len(stream), size):
        if connection.state is not State.OPEN:
            break
        events += _answered(connection, connection.receive_data(stream[start : start + size]))
    if connection.state is State.OPEN:
        events += _answered(connection, connection.receive_eof())
    assert connection.state is State.CLOSED, "all is answered and the peer is done"
    assert connection.in_flight == 0
    _check_closed(events, lambda: connection.receive_data(b""))
    return events


def _answered(connection: ServerConnection, events: list[ServerEvent]) -> list[ServerEvent]:
    """Let all events pass unanswered, the last one first, and so all that were held back."""
    taken: list[ServerEvent] = []
    while events:
        taken += events
        for event in reversed(events):
            if not isinstance(event, ProtocolViolation):
                connection.no_response(event)
        events = connection.resume()
    return taken


def _check_client(stream: bytes, size: int, key: int, version: int) -> None:
    if key not in API_KEYS:
        key = _KEYS[key % len(_KEYS)]
    version %= len(_SUPPORTED[key])
    whole = _ask(stream, max(len(stream), 1), key, version)
    cut = _ask(stream, size, key, version)
    assert _seen(whole) == _seen(cut), "cuts changed the events"
    for event in whole:
        if isinstance(event, Response):
            # A refused ApiVersions comes in version 0 and has nothing that others could not carry.
            _check_meaning(event.body, version)


def _ask(stream: bytes, size: int, key: int, version: int) -> list[ClientEvent]:
    connection = ClientConnection("fuzz", max_response_bytes=MAX_FRAME_BYTES)
    for _ in range(ASKED):
        connection.send_body(registry.request(key), _SUPPORTED[key][version], b"")
    events: list[ClientEvent] = []
    for start in range(0, len(stream), size):
        if connection.state is not State.OPEN:
            break
        events += connection.receive_data(stream[start : start + size])
    if connection.state is State.OPEN:
        events += connection.receive_eof()
    answered = [event.correlation_id for event in events if isinstance(event, Response)]
    assert [*answered, *connection.in_flight] == list(range(ASKED))
    _check_closed(events, lambda: connection.receive_data(b""))
    return events


def _check_closed(
    events: list[ServerEvent] | list[ClientEvent], receive: Callable[[], object]
) -> None:
    for event in events[:-1]:
        assert not isinstance(event, ProtocolViolation), "something follows a violation"
    for event in events[-1:]:
        if isinstance(event, ProtocolViolation):
            assert isinstance(event.error, DecodeError)
            assert len(str(event.error)) <= LONGEST_TEXT
    try:
        receive()
    except LocalProtocolError:
        return
    raise AssertionError("a closed connection takes data")


def _seen(events: list[ServerEvent] | list[ClientEvent]) -> list[object]:
    """Make events comparable: errors are equal if they say the same."""
    return [
        (type(event.error), str(event.error), event.header)
        if isinstance(event, ProtocolViolation)
        else event
        for event in events
    ]


def _check_meaning(message: Message, version: int) -> None:
    again = codec.decode(type(message), codec.encode(message, version), version)
    assert again == message, "encoded again it means something else"
