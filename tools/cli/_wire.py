"""One connection to a node, for the few requests that starting a cluster takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.conversation import Connect, LinkLostError, connect_tcp, converse
from klamm.controller.runtime.listeners import PLAINTEXT
from klamm.protocol.connection import ClientConnection
from klamm.protocol.message import Message


class Wire:
    """Sends a request and awaits its response; one at a time."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._protocol = ClientConnection("klamm-cli")

    @classmethod
    @asynccontextmanager
    async def open(
        cls, host: str, port: int, protocol: str = PLAINTEXT, connect: Connect = connect_tcp
    ) -> AsyncIterator[Self]:
        """Connect, and close at the end of the block; raises OSError."""
        try:
            stream = await connect(Endpoint(protocol, protocol, host, port))
        except LinkLostError as error:
            raise ConnectionError(f"it does not let us in: {error}") from error
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
