"""The way to one node of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import trio

from klamm.protocol.message import Message
from klamm.tools.admin.apis import Api, Make
from klamm.tools.admin.connection import Connection
from klamm.tools.admin.errors import DisconnectedError
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

    `node` is its id, None of a bootstrap server.
    """

    def __init__(self, setup: Setup, address: Address, node: int | None) -> None:
        self.address = address
        self.node = node
        self._setup = setup
        self._connection: Connection | None = None
        self._turn = trio.Lock()

    def __str__(self) -> str:
        return f"{self.address}" if self.node is None else f"node {self.node} ({self.address})"

    @property
    def is_open(self) -> bool:
        """Tell whether there is a connection that nothing has happened to yet."""
        return self._connection is not None

    async def ask(self, api: Api[Q, R], make: Make[Q]) -> R:
        """Send a request in the highest version of both sides, and return its response.

        Raises DisconnectedError, also after the request timeout, AuthenticationError,
        UnsupportedVersionError, and EncodeError for values that no version can carry.
        """
        setup = self._setup
        async with self._turn:
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
            except BaseException:  # a cancellation leaves an answer behind, too
                await self.close()
                raise

    async def close(self) -> None:
        """Close the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    @contextmanager
    def _in_time(self, what: str) -> Iterator[None]:
        milliseconds = self._setup.options.request_timeout_ms
        try:
            with trio.fail_after(milliseconds / 1000):
                yield
        except trio.TooSlowError as error:
            raise DisconnectedError(f"{self} did not {what} in {milliseconds} ms") from error
