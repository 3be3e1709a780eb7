"""One request to one node, in the version that the caller wants."""

import socket

from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.message import Message

TIMEOUT_SECONDS = 30.0


def ask(port: int, message: Message, version: int) -> Message:
    """Return the answer of the node that listens on this port; raises OSError if none comes."""
    protocol = ClientConnection("real-brokers")
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as connection:
        _, data = protocol.send_request(message, version)
        connection.sendall(data)
        while received := connection.recv(65536):
            for event in protocol.receive_data(received):
                assert isinstance(event, Response), event
                return event.body
    raise ConnectionError(f"port {port} closed the connection instead of answering {message}")
