"""Plays requests on bare connections, in any version, and checks the frames that come back."""

import itertools
import socket
import struct
from types import TracebackType
from typing import Self, TypeVar

from thin_line.world import DEADLINE

from klamm.protocol import codec, headers, registry
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.generated.response_header import ResponseHeader
from klamm.protocol.message import Message

M = TypeVar("M", bound=Message)

_LENGTH = struct.Struct(">i")


class Player:
    """One client: connections by label, correlation ids counted over all of them, as Java does."""

    def __init__(self, client_id: str | None = "player") -> None:
        self._client_id = client_id
        self._numbers = itertools.count()
        self._connections: dict[str, socket.socket] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for connection in self._connections.values():
            connection.close()

    def connect(self, label: str, port: int) -> None:
        """Open a connection and give it a name."""
        self._connections[label] = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)

    def ask(self, label: str, request: Message, version: int, answer: type[M]) -> M:
        """Send a request and return its answer, which must be the next thing that comes."""
        return self.receive(label, self.send(label, request, version), version, answer)

    def send(self, label: str, request: Message, version: int) -> int:
        """Send a request; return its correlation id."""
        number = next(self._numbers)
        key = request.api_key
        header = RequestHeader(key, version, number, self._client_id)
        frame = codec.encode(header, headers.request_header_version(key, version))
        frame += codec.encode(request, version)
        self.send_bytes(label, _LENGTH.pack(len(frame)) + frame)
        return number

    def receive(self, label: str, number: int, version: int, answer: type[M]) -> M:
        """Read one frame: the whole of this answer to the request with this correlation id."""
        frame = self.receive_frame(label)
        wire = headers.response_header_version(answer.api_key, version)
        header, offset = codec.decode_prefix(ResponseHeader, frame, 0, wire)
        assert header == ResponseHeader(number)
        assert registry.response(answer.api_key) is answer
        return codec.decode(answer, frame[offset:], version)

    def send_bytes(self, label: str, data: bytes) -> None:
        """Send bytes as they are."""
        self._connections[label].sendall(data)

    def receive_frame(self, label: str) -> bytes:
        """Read one frame and return it without its length."""
        (length,) = _LENGTH.unpack(self._read(label, _LENGTH.size))
        return self._read(label, length)

    def is_closed(self, label: str) -> bool:
        """Wait for the server to close the connection or to send something."""
        return self._connections[label].recv(1) == b""

    def _read(self, label: str, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self._connections[label].recv(count - len(data))
            assert more, f"the server closed {label!r} after {len(data)} of {count} bytes"
            data += more
        return data
