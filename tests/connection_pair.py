"""Two connections back to back, and frames made by hand, for the tests of connections."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from klamm.protocol.connection import (
    MAX_IN_FLIGHT,
    ClientConnection,
    ClientEvent,
    ServerConnection,
    ServerEvent,
)
from klamm.protocol.message import Message
from klamm.protocol.registry import API_KEYS, api

EVERYTHING: Mapping[int, range] = {key: api(key).versions for key in API_KEYS}


def framed(*bodies: bytes) -> bytes:
    """Put the length before each body, as it stands on the wire."""
    return b"".join(struct.pack(">i", len(body)) + body for body in bodies)


def unhex(text: str) -> bytes:
    """Read hex digits with spaces and bars between the parts, as documents write them."""
    return bytes.fromhex(text.replace("|", " "))


class ConnectionPair:
    """A client and a server, and the bytes that are on their way between them."""

    def __init__(
        self,
        supported: Mapping[int, range] = EVERYTHING,
        *,
        client_id: str | None = "pair",
        max_in_flight: int = MAX_IN_FLIGHT,
    ) -> None:
        self.client = ClientConnection(client_id)
        self.server = ServerConnection(supported, max_in_flight=max_in_flight)
        self.to_server = bytearray()
        self.to_client = bytearray()

    def send(self, message: Message, version: int, *, answered: bool = True) -> int:
        """Put a request on its way; give its correlation id."""
        correlation_id, data = self.client.send_request(message, version, answered=answered)
        self.to_server += data
        return correlation_id

    def deliver_to_server(self, count: int | None = None) -> list[ServerEvent]:
        """Let the next bytes arrive at the server, all if `count` is None."""
        return self.server.receive_data(_take(self.to_server, count))

    def deliver_to_client(self, count: int | None = None) -> list[ClientEvent]:
        """Let the next bytes arrive at the client, all if `count` is None."""
        return self.client.receive_data(_take(self.to_client, count))


def _take(stream: bytearray, count: int | None) -> bytes:
    taken = bytes(stream[:count])
    del stream[: len(taken)]
    return taken
