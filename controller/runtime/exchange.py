"""One request and the one chance to answer it."""

from typing import Protocol

from klamm.controller.core.origins import FromClient
from klamm.protocol.connection import Encoded, Request
from klamm.protocol.message import Message


class AnsweredTwiceError(RuntimeError):
    """A dispatch answered an exchange that it had answered before."""


class Connection(Protocol):
    """What a request came by."""

    peer: str

    def respond(self, request: Request, response: Message | Encoded) -> None:
        """Put an answer in its place; nothing happens if the connection has ended."""

    def close(self, reason: str) -> None:
        """End the connection after what is already due has been written; log the reason."""


class Exchange:
    """A request; `respond` or `disconnect` is called once, at once or later.

    A second call raises AnsweredTwiceError.
    """

    __slots__ = ("_connection", "_open", "request")

    def __init__(self, connection: Connection, request: Request) -> None:
        self._connection = connection
        self._open = True
        self.request = request

    @property
    def origin(self) -> FromClient:
        """Who asks, for the journal."""
        header = self.request.header
        return FromClient(
            self._connection.peer, header.client_id, header.correlation_id, header.request_api_key
        )

    @property
    def peer(self) -> str:
        """Who asks, for the log."""
        return self._connection.peer

    def respond(self, response: Message | Encoded) -> None:
        """Answer."""
        self._once()
        self._connection.respond(self.request, response)

    def disconnect(self, reason: str) -> None:
        """Close the connection instead of an answer; the reason is logged."""
        self._once()
        self._connection.close(reason)

    def give_up(self, reason: str) -> None:
        """Close the connection, for a fault of ours has come between; answered or not."""
        self._open = False
        self._connection.close(reason)

    def _once(self) -> None:
        if not self._open:
            raise AnsweredTwiceError(
                f"{self._connection.peer}: {label(self.request)} was answered before"
            )
        self._open = False


def label(request: Request) -> str:
    """Name a request for logs: message, version, and whose it is."""
    header = request.header
    return (
        f"{type(request.body).__name__} v{header.request_api_version}"
        f" (correlation id {header.correlation_id}, client {header.client_id!r})"
    )
