"""The tests' own connection loses no answer."""

import socket
from threading import Thread

import pytest
from wire import Wire

from klamm.protocol.connection import Request, ServerConnection
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse


def serve(listening: socket.socket) -> None:
    """Answer two requests in one piece, and close."""
    protocol, answers = ServerConnection({18: range(4)}), b""
    connection, _ = listening.accept()
    with connection:
        asked: list[Request] = []
        while len(asked) < 2:
            for event in protocol.receive_data(connection.recv(65536)):
                assert isinstance(event, Request)
                asked.append(event)
        for number, request in enumerate(asked):
            response = ApiVersionsResponse(throttle_time_ms=number)
            answers += protocol.send_response(request, response)
        connection.sendall(answers)


def test_two_answers_that_come_at_once_are_two() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        peer = Thread(target=serve, args=(listening,))
        peer.start()
        with Wire(listening.getsockname()[1]) as wire:
            for _ in range(2):
                wire.send(ApiVersionsRequest(), 1)
            answers = [wire.receive() for _ in range(2)]
            with pytest.raises(ConnectionError, match="closed the connection"):
                wire.receive()
        peer.join()
    assert answers == [ApiVersionsResponse(throttle_time_ms=number) for number in range(2)]
