"""One request and the one chance to answer it."""

from collections.abc import Callable
from typing import Protocol

from klamm.controller.core.origins import FromClient
from klamm.controller.security.principals import Client
from klamm.protocol.connection import Encoded, Request
from klamm.protocol.message import Message


class AnsweredTwiceError(RuntimeError):
    """A dispatch answered an exchange that it had answered before."""


class Connection(Protocol):
    """What a request came by."""

    peer: str
    client: Client

    def respond(self, request: Request, response: Message | Encoded) -> None:
        """Put an answer in its place; nothing happens if the connection has ended."""

    def close(self, reason: str) -> None:
        """End the connection after what is already due has been written; log the reason."""


class Exchange:
    """A request; `respond` or `disconnect` is called once, at once or later.

    A second call raises AnsweredTwiceError. `on_answer`, if set, is told of the answer just before
    it goes out, or of None if the connection is closed instead.
    """

    __slots__ = ("_connection", "_open", "on_answer", "request")

    def __init__(self, connection: Connection, request: Request) -> None:
        self._connection = connection
        self._open = True
        self.request = request
        self.on_answer: Callable[[Message | Encoded | None], None] | None = None

    @property
    def origin(self) -> FromClient:
        """Who asks, for the journal."""
        header = self.request.header
        return FromClient(
            self._connection.peer,
            header.client_id,
            header.correlation_id,
            header.request_api_key,
            str(self.client.principal),
        )

    @property
    def client(self) -> Client:
        """Who asks, as whom, from where and by which listener."""
        return self._connection.client

    @property
    def peer(self) -> str:
        """Who asks, for the log."""
        return self._connection.peer

    def respond(self, response: Message | Encoded) -> None:
        """Answer."""
        self._once(response)
        self._connection.respond(self.request, response)

    def disconnect(self, reason: str) -> None:
        """Close the connection instead of an answer; the reason is logged."""
        self._once(None)
        self._connection.close(reason)

    def give_up(self, reason: str) -> None:
        """Close the connection, for a fault of ours has come between; answered or not."""
        if self._open:
            self._once(None)
        self._connection.close(reason)

    def _once(self, answer: Message | Encoded | None) -> None:
        if not self._open:
            raise AnsweredTwiceError(
                f"{self._connection.peer}: {label(self.request)} was answered before"
            )
        self._open = False
        if self.on_answer is not None:
            self.on_answer(answer)


def label(request: Request) -> str:
    """Name a request for logs: message, version, and whose it is."""
    header = request.header
    return (
        f"{type(request.body).__name__} v{header.request_api_version}"
        f" (correlation id {header.correlation_id}, client {header.client_id!r})"
    )
