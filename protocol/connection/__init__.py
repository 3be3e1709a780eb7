"""Kafka connections without I/O, both sides: bytes in, events out; answers in, bytes out.

The caller owns the socket, the clock and the tasks; a connection owns nothing but state. A client
writes what `send_request` gives, feeds what it read, and takes the responses. A server, for each
read:

1. feeds it to `receive_data`, or calls `receive_eof` if there was nothing to read any more;
2. acts on the events, and collects what `send_response` and `no_response` give;
3. writes that as one piece: one system call for many small answers is what makes a server fast;
4. calls `resume`, and goes on with 2 if that gives events;
5. closes the socket if the state is CLOSED, and reads again if `want_read` says so.

Bytes from the peer never raise: `events` draws what they become instead, and which errors a
caller's own faults raise.
"""

from __future__ import annotations

from klamm.protocol.connection.client import ClientConnection
from klamm.protocol.connection.events import (
    Answerable,
    ClientEvent,
    Encoded,
    LocalProtocolError,
    ProtocolViolation,
    Request,
    Response,
    ServerEvent,
    UnexpectedResponseError,
    UnsupportedApiVersions,
    UnsupportedRequestError,
)
from klamm.protocol.connection.server import MAX_IN_FLIGHT, ServerConnection
from klamm.protocol.connection.states import State

# Theory of operation
#
# 1. A frame is a header and a body. The first four bytes of a request, key and version, tell which
#    header version follows; a response does not say what it is, so a client must remember what it
#    asked. `headers` knows the two exceptions (ApiVersions, ControlledShutdown).
# 2. Kafka answers the requests of a connection in the order in which they came, and clients rely
#    on that more than on correlation ids. So each request gets an ordinal; an answer that is ready
#    before its turn waits here as bytes; a request without an answer (Produce with acks=0) takes
#    its turn and gives no bytes.
# 3. A server holds at most `max_in_flight` requests whose turn has not come. Frames beyond that
#    stay undecoded; `want_read` is false; `resume` hands them out when answers have made room.
#    Pressure is never an error: the peer just finds its socket full.
# 4. There is one way to refuse a request: close. Kafka does so for keys and versions that it does
#    not serve and for bytes that it cannot decode. After the event that says so nothing more is
#    read, but requests before it still get their answers. Only ApiVersions is spared (KIP-511): a
#    client that asks in a version we do not know gets an answer in version 0.
# 5. Everything that may happen in a state stands in the two tables of `states`. What does not
#    stand there raises LocalProtocolError and leaves the connection as it was.

__all__ = [
    "MAX_IN_FLIGHT",
    "Answerable",
    "ClientConnection",
    "ClientEvent",
    "Encoded",
    "LocalProtocolError",
    "ProtocolViolation",
    "Request",
    "Response",
    "ServerConnection",
    "ServerEvent",
    "State",
    "UnexpectedResponseError",
    "UnsupportedApiVersions",
    "UnsupportedRequestError",
]
