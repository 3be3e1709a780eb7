"""The way to one node of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import trio

from klamm.protocol.errors import EncodeError
from klamm.protocol.message import Message
from klamm.tools.admin.apis import Api, Make
from klamm.tools.admin.connection import Connection
from klamm.tools.admin.errors import DisconnectedError, UnsendableError
from klamm.tools.admin.properties import Address, AdminOptions
from klamm.tools.admin.security import Security

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)

#: Told of a request before it is sent: node id (None of a bootstrap server), key, version, body.
Record = Callable[[int | None, int, int, Message], None]


@dataclass(slots=True)
class Setup:
    """What all connections of a client have in common."""

    options: AdminOptions
    security: Security
    client_id: str
    record: Record | None = None


class Link:
    """The way to a node: connects when it is first asked, and anew after a failure.

    `node` is its id, None of a bootstrap server. `failures` counts the requests without an answer
    since the last that had one.
    """

    def __init__(self, setup: Setup, address: Address, node: int | None) -> None:
        self.address = address
        self.node = node
        self.failures = 0
        self._setup = setup
        self._connection: Connection | None = None
        self._turn = trio.Lock()
        self._is_retired = False

    def __str__(self) -> str:
        return f"{self.address}" if self.node is None else f"node {self.node} ({self.address})"

    @property
    def is_open(self) -> bool:
        """Tell whether there is a connection that nothing has happened to yet."""
        return self._connection is not None

    @property
    def is_busy(self) -> bool:
        """Tell whether a request would have to wait for another one."""
        return self._turn.locked()

    async def ask(self, api: Api[Q, R], make: Make[Q]) -> R:
        """Send a request in the highest version of both sides, and return its response.

        Raises DisconnectedError, also after the request timeout, AuthenticationError,
        UnsupportedVersionError, UnsendableError.
        """
        async with self._turn:
            try:
                response = await self._ask(api, make)
            except DisconnectedError:
                self.failures += 1
                raise
            finally:
                if self._is_retired:
                    await self.close()
            self.failures = 0
            return response

    async def retire(self) -> None:
        """Close for good: nobody asks the node here any more, though somebody may be at it."""
        self._is_retired = True
        await self.close()

    async def close(self) -> None:
        """Close the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _ask(self, api: Api[Q, R], make: Make[Q]) -> R:
        setup = self._setup
        connection = self._connection
        if connection is None:
            with self._in_time("get ready for requests"):
                connection = await Connection.open(
                    self.address, setup.options, setup.security, setup.client_id
                )
            self._connection = connection
        version = api.version_for(connection.served, str(self))
        request = make(version)
        if setup.record is not None:
            setup.record(self.node, api.key, version, request)
        try:
            with self._in_time(f"answer {api.name}"):
                return await connection.ask(request, version, api.response)
        except EncodeError as error:  # nothing was sent
            raise UnsendableError(f"{api.name}: {error}") from error
        except BaseException:  # a cancellation leaves an answer behind, too
            await self.close()
            raise

    @contextmanager
    def _in_time(self, what: str) -> Iterator[None]:
        milliseconds = self._setup.options.request_timeout_ms
        try:
            with trio.fail_after(milliseconds / 1000):
                yield
        except trio.TooSlowError as error:
            raise DisconnectedError(f"{self} did not {what} in {milliseconds} ms") from error
