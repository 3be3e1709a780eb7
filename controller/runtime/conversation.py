"""One request and its answer over a stream, for those who have one in flight at a time."""

from collections.abc import Awaitable, Callable

import trio

from klamm.controller.core.model import Endpoint
from klamm.protocol.connection import ClientConnection, ProtocolViolation
from klamm.protocol.message import Message

READ_BYTES = 64 * 1024

Connect = Callable[[Endpoint], Awaitable[trio.abc.Stream]]


class LinkLostError(Exception):
    """A request got no answer; the text says why."""


async def connect_tcp(endpoint: Endpoint) -> trio.abc.Stream:
    """Open a TCP connection; raises OSError."""
    return await trio.open_tcp_stream(endpoint.host, endpoint.port)


async def converse(
    stream: trio.abc.Stream, protocol: ClientConnection, message: Message, version: int
) -> Message:
    """Send a request and return its response; no other may be in flight.

    Raises LinkLostError if the other side ends the connection or breaks the protocol,
    BrokenResourceError if the stream breaks, EncodeError if the version cannot carry the request.
    """
    _, data = protocol.send_request(message, version)
    await stream.send_all(data)
    while True:
        received = await stream.receive_some(READ_BYTES)
        if not received:
            raise LinkLostError("it closed the connection")
        for event in protocol.receive_data(received):
            if isinstance(event, ProtocolViolation):
                raise LinkLostError(str(event.error))
            return event.body
