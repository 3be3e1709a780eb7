"""The side of a connection that asks."""

from __future__ import annotations

import struct
from collections import deque
from typing import NamedTuple

from klamm.protocol import codec, headers
from klamm.protocol.connection.events import (
    ClientEvent,
    LocalProtocolError,
    ProtocolViolation,
    Response,
    UnexpectedResponseError,
    violation,
)
from klamm.protocol.connection.states import CLIENT_TRANSITIONS, Input, State, follow
from klamm.protocol.connection.wire import MAX_INT32, check_frame, wire_of
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.errors import DecodeError
from klamm.protocol.framing import MAX_FRAME_BYTES, FrameReader, IncompleteFrameError
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.generated.response_header import ResponseHeader
from klamm.protocol.message import Message

_LENGTH = struct.Struct(">i")
_UNSUPPORTED_VERSION = ErrorCode.UNSUPPORTED_VERSION.to_bytes(2)


class _Awaited(NamedTuple):
    correlation_id: int
    api_key: int
    version: int


class ClientConnection:
    """The side that asks; any number of requests may wait for their answers.

    A caller that wants one request at a time, as Kafka's controller does with each broker, sends
    the next one when `in_flight` is empty.
    """

    def __init__(self, client_id: str | None, *, max_response_bytes: int = MAX_FRAME_BYTES) -> None:
        self._client_id = client_id
        self._reader = FrameReader(max_response_bytes)
        self._state = State.OPEN
        self._next_correlation_id = 0
        self._awaited: deque[_Awaited] = deque()

    @property
    def state(self) -> State:
        """OPEN, or CLOSED after the peer's end or fault, or our `close`."""
        return self._state

    @property
    def in_flight(self) -> tuple[int, ...]:
        """The correlation ids that wait for an answer, oldest first; kept when the end comes."""
        return tuple(awaited.correlation_id for awaited in self._awaited)

    def send_request(
        self,
        message: Message,
        version: int,
        *,
        answered: bool = True,
        header: RequestHeader | None = None,
    ) -> tuple[int, bytes]:
        """Give the correlation id of a request and the bytes to write.

        `answered` is false for requests that get no answer: Produce with acks=0. Client id and
        tagged fields are those of `header` if there is one, for who passes on what others ask.
        Raises EncodeError if the version cannot carry the message.
        """
        body = codec.encode(message, version)
        return self.send_body(type(message), version, body, answered=answered, header=header)

    def send_body(
        self,
        request: type[Message],
        version: int,
        body: bytes,
        *,
        answered: bool = True,
        header: RequestHeader | None = None,
    ) -> tuple[int, bytes]:
        """Do as `send_request` with a body that is encoded already, perhaps for many peers."""
        state = follow(CLIENT_TRANSITIONS, self._state, Input.REQUEST)
        if request.kind != "request":
            raise LocalProtocolError(f"{request.__name__} is no request")
        correlation_id, key = self._next_correlation_id, request.api_key
        client_id = self._client_id if header is None else header.client_id
        tags = () if header is None else header.unknown_tagged_fields
        head = codec.encode(
            RequestHeader(key, version, correlation_id, client_id, tags),
            wire_of(key, version).request_header,
        )
        length = len(head) + len(body)
        check_frame(request, version, length)
        self._state = state
        self._next_correlation_id = _following(correlation_id)
        if answered:
            self._awaited.append(_Awaited(correlation_id, key, version))
        return correlation_id, b"".join((_LENGTH.pack(length), head, body))

    def receive_data(self, data: bytes | bytearray | memoryview) -> list[ClientEvent]:
        """Take bytes from the peer and give the responses that they complete, in order."""
        self._step(Input.DATA)
        self._reader.feed(data)
        events: list[ClientEvent] = []
        try:
            while (frame := self._reader.next_frame()) is not None:
                events.append(self._read_response(frame))
        except DecodeError as error:
            self._step(Input.VIOLATION)
            self._reader.clear()
            events.append(violation(error))
        return events

    def receive_eof(self) -> list[ClientEvent]:
        """Take the peer's end of stream; `in_flight` then tells what was never answered."""
        self._step(Input.EOF)
        pending_bytes = self._reader.pending_bytes
        self._reader.clear()
        return [ProtocolViolation(IncompleteFrameError(pending_bytes))] if pending_bytes else []

    def close(self) -> None:
        """End the connection from our side; `in_flight` then tells what was never answered."""
        self._step(Input.CLOSE)
        self._reader.clear()

    def _step(self, event: Input) -> None:
        self._state = follow(CLIENT_TRANSITIONS, self._state, event)

    def _read_response(self, frame: bytes) -> Response:
        awaited = self._awaited[0] if self._awaited else None
        header_version = wire_of(awaited.api_key, awaited.version).response_header if awaited else 0
        header, offset = codec.decode_prefix(ResponseHeader, frame, 0, header_version)
        if awaited is None or header.correlation_id != awaited.correlation_id:
            expected = awaited.correlation_id if awaited else None
            raise UnexpectedResponseError(header.correlation_id, expected)
        body = _read_response_body(frame[offset:], awaited)
        self._awaited.popleft()
        return Response(header.correlation_id, body)


def _read_response_body(data: bytes, awaited: _Awaited) -> Message:
    response = wire_of(awaited.api_key, awaited.version).response
    try:
        return codec.decode(response, data, awaited.version)
    except DecodeError:
        # Rule 4 from the other side: a server that does not know our version answers in version 0.
        if awaited.api_key == headers.API_VERSIONS and data.startswith(_UNSUPPORTED_VERSION):
            return codec.decode(response, data, 0)
        raise


def _following(correlation_id: int) -> int:
    # After the largest int32 comes 0, never a negative one.
    return (correlation_id + 1) & MAX_INT32
