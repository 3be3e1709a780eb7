"""Bare connections to a node or broker: one request, or several at once, in any version."""

import socket
from collections import deque

from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.message import Message

#: How long an answer, or the end of a connection, may take on a busy machine.
TIMEOUT_SECONDS = 30.0


class Wire:
    """A socket that speaks Kafka's protocol; answers come in the order of their requests."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS)
        self._protocol = ClientConnection("wire")
        self._came: deque[Message] = deque()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, message: Message, version: int = 0) -> Message:
        """Send a request and return its response."""
        self.send(message, version)
        return self.receive()

    def send(self, message: Message, version: int = 0) -> None:
        _, data = self._protocol.send_request(message, version)
        self.socket.sendall(data)

    def receive(self) -> Message:
        """Return the response that is due next; raises OSError if none comes."""
        while not self._came:
            received = self.socket.recv(65536)
            if not received:
                raise ConnectionError("the server closed the connection instead of answering")
            for event in self._protocol.receive_data(received):
                assert isinstance(event, Response), event
                self._came.append(event.body)
        return self._came.popleft()

    def is_closed(self) -> bool:
        """Wait for the server to close."""
        return self.socket.recv(1) == b""


def ask(port: int, message: Message, version: int) -> Message:
    """Return the answer of whoever listens on this port; raises OSError if none comes."""
    with Wire(port) as wire:
        return wire.ask(message, version)
