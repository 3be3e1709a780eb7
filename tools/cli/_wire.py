"""One connection to a node, for the few requests that starting a cluster takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import trio

from klamm.controller.runtime.conversation import LinkLostError, converse
from klamm.protocol.connection import ClientConnection
from klamm.protocol.message import Message


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
        try:
            return await converse(self._stream, self._protocol, message, version)
        except LinkLostError as error:
            raise ConnectionError(f"the connection ended: {error}") from error
        except trio.BrokenResourceError as error:
            raise ConnectionError(f"the connection broke: {error.__cause__ or error}") from error
