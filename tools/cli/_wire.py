"""One connection to a node, for the few requests that starting a cluster takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import trio

from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.message import Message

_READ_BYTES = 64 * 1024


class Wire:
    """Sends a request and awaits its response; one at a time."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._protocol = ClientConnection("klamm-cli")

    @classmethod
    @asynccontextmanager
    async def open(cls, host: str, port: int) -> AsyncIterator[Self]:
        """Connect, and close at the end of the block; raises OSError."""
        stream = await trio.open_tcp_stream(host, port)
        async with stream:
            yield cls(stream)

    async def ask(self, message: Message, version: int) -> Message:
        """Return the response; raises OSError if the connection ends first."""
        _, data = self._protocol.send_request(message, version)
        try:
            await self._stream.send_all(data)
            while True:
                received = await self._stream.receive_some(_READ_BYTES)
                for event in self._protocol.receive_data(received):
                    if isinstance(event, Response):
                        return event.body
                    raise ConnectionError(f"the connection ended: {event}")
        except trio.BrokenResourceError as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error
