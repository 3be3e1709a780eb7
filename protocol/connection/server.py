"""The side of a connection that answers."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from klamm.protocol import codec, headers, registry
from klamm.protocol.connection.events import (
    Answerable,
    Encoded,
    LocalProtocolError,
    ProtocolViolation,
    Request,
    ServerEvent,
    UnsupportedApiVersions,
    UnsupportedRequestError,
    violation,
)
from klamm.protocol.connection.states import SERVER_TRANSITIONS, Input, State, follow
from klamm.protocol.connection.wire import check_frame, wire_of
from klamm.protocol.errors import DecodeError
from klamm.protocol.framing import (
    LENGTH_BYTES,
    MAX_FRAME_BYTES,
    FrameReader,
    IncompleteFrameError,
)
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import Message

MAX_IN_FLIGHT = 64

#: The longest request that a connection keeps, to know it again.
MAX_KEPT_BYTES = 512

_KEY_AND_VERSION = struct.Struct(">hh")
# Length, correlation id and, from version 1, no tagged fields.
_RESPONSE_HEADERS = (struct.Struct(">ii"), struct.Struct(">iix"))


class ServerConnection:
    """The side that answers.

    `supported` maps API keys to the versions that are served. Raises LocalProtocolError or
    UnknownApiKeyError if there is no codec for one of them, or if no request could ever be read.
    """

    def __init__(
        self,
        supported: Mapping[int, range],
        *,
        max_request_bytes: int = MAX_FRAME_BYTES,
        max_in_flight: int = MAX_IN_FLIGHT,
    ) -> None:
        for key, versions in supported.items():
            _check_supported(key, versions)
        if max_in_flight < 1:
            raise LocalProtocolError(
                f"max_in_flight is {max_in_flight}: a request needs at least 1"
            )
        self._supported = supported
        self._max_in_flight = max_in_flight
        self._reader = FrameReader(max_request_bytes)
        self._state = State.OPEN
        self._received = 0  # the ordinal of the next request
        self._answered = 0  # the ordinal whose answer goes out next
        self._open: dict[int, Answerable] = {}
        self._ready: dict[int, bytes] = {}
        self._before: tuple[bytes, int, Message | None] = (b"", 0, None)

    @property
    def state(self) -> State:
        """Whether more can be read or written; CLOSED is the time to close the socket."""
        return self._state

    @property
    def in_flight(self) -> int:
        """How many requests were handed out whose turn to be answered has not passed."""
        return self._received - self._answered

    @property
    def want_read(self) -> bool:
        """Whether the caller should read from the socket now (rule 3)."""
        return self._state is State.OPEN and self.in_flight < self._max_in_flight

    @property
    def mid_request(self) -> bool:
        """Whether the peer owes the rest of a request that it has begun."""
        return self.want_read and self._reader.pending_bytes > 0

    def receive_data(self, data: bytes | bytearray | memoryview) -> list[ServerEvent]:
        """Take bytes from the peer and give the events that they complete, in order."""
        self._step(Input.DATA)
        self._reader.feed(data)
        return self._take()

    def receive_eof(self) -> list[ServerEvent]:
        """Take the peer's end of stream; answers may still be written until the state is CLOSED."""
        self._step(Input.EOF)
        return self._take()

    def resume(self) -> list[ServerEvent]:
        """Give the events that were held back (rule 3); call it whenever answers were given."""
        return self._take()

    def send_response(self, request: Answerable, message: Message | Encoded) -> bytes:
        """Answer a request; give the bytes that may be written now, which may be none or several.

        Raises LocalProtocolError for a request that is not in flight here or a message of another
        API, EncodeError for a message that the request's version cannot carry; the request can
        then still be answered otherwise.
        """
        self._check_in_flight(request)
        key, version = request.header.request_api_key, request.response_version
        wire = wire_of(key, version)
        if isinstance(message, Encoded):
            kind, of_version = message.kind, message.version
        else:
            kind, of_version = type(message), version
        if kind is not wire.response or of_version != version:
            raise LocalProtocolError(
                f"{kind.__name__} v{of_version} is no answer to API key {key} v{version},"
                f" {wire.response.__name__} is"
            )
        body = message.body if isinstance(message, Encoded) else codec.encode(message, version)
        header = _RESPONSE_HEADERS[wire.response_header]
        length = header.size - LENGTH_BYTES + len(body)
        check_frame(wire.response, version, length)
        return self._answer(request, header.pack(length, request.header.correlation_id) + body)

    def no_response(self, request: Answerable) -> bytes:
        """Let a request pass without an answer; give the bytes of later ones that waited for it."""
        self._check_in_flight(request)
        return self._answer(request, b"")

    def close(self) -> None:
        """End the connection from our side: nothing that waits is handed out any more."""
        self._step(Input.CLOSE)
        self._reader.clear()
        self._answered = self._received

    def _step(self, event: Input) -> None:
        self._state = follow(SERVER_TRANSITIONS, self._state, event)

    def _take(self) -> list[ServerEvent]:
        """Hand out what the reader holds, as far as there is room."""
        events: list[ServerEvent] = []
        while self.in_flight < self._max_in_flight:
            event = self._next_event()
            if event is None:
                break
            events.append(event)
            if isinstance(event, ProtocolViolation):
                self._step(Input.VIOLATION)
                self._reader.clear()
                break
            self._open[self._received] = event
            self._received += 1
        self._settle()
        return events

    def _next_event(self) -> ServerEvent | None:
        try:
            frame = self._reader.next_frame()
        except DecodeError as error:
            return violation(error)
        if frame is not None:
            return self._read_request(frame)
        if self._state is State.PEER_DONE and self._reader.pending_bytes:
            return ProtocolViolation(IncompleteFrameError(self._reader.pending_bytes))
        return None

    def _read_request(self, frame: bytes) -> ServerEvent:
        header = None
        try:
            key, version = _read_key_and_version(frame)
            served = self._supported.get(key)
            if served is None or version not in served:
                header = _read_unserved_header(frame, key, version)
                if key == headers.API_VERSIONS:
                    return UnsupportedApiVersions(self._received, header)
                raise UnsupportedRequestError(header, served)
            wire = wire_of(key, version)
            header, offset = codec.decode_prefix(RequestHeader, frame, 0, wire.request_header)
            body = self._decode(wire.request, frame[offset:], version)
        except DecodeError as error:
            return violation(error, header)
        return Request(self._received, header, body, len(frame))

    def _decode(self, kind: type[Message], data: bytes, version: int) -> Message:
        """Decode, unless it is what the peer asked just before: clients ask the same for hours.

        Messages do not change, so the same bytes may well be the same message. Bytes behind its
        end are passed over, as Kafka does (AbstractRequest.parseRequest): librdkafka 2.16 sends
        some after Metadata v12 of all topics, and after AlterUserScramCredentials.
        """
        known, known_version, before = self._before
        if type(before) is kind and known_version == version and known == data:
            return before
        body, _ = codec.decode_prefix(kind, data, 0, version)
        if len(data) <= MAX_KEPT_BYTES:
            self._before = (data, version, body)
        return body

    def _check_in_flight(self, request: Answerable) -> None:
        self._step(Input.ANSWER)
        if self._open.get(request.ordinal) is not request:
            raise LocalProtocolError(
                f"request {request.ordinal} (correlation id {request.header.correlation_id})"
                " is not in flight on this connection: it was answered, or belongs to another one"
            )

    def _answer(self, request: Answerable, frame: bytes) -> bytes:
        del self._open[request.ordinal]
        if request.ordinal != self._answered:
            self._ready[request.ordinal] = frame
            return b""
        turn = [frame]
        self._answered += 1
        while self._answered in self._ready:
            turn.append(self._ready.pop(self._answered))
            self._answered += 1
        self._settle()
        return b"".join(turn)

    def _settle(self) -> None:
        ended = self._state in (State.PEER_DONE, State.FAILED)
        if ended and not self.in_flight and not self._reader.pending_bytes:
            self._step(Input.DRAINED)


def _check_supported(key: int, versions: range) -> None:
    known = registry.api(key).versions
    if not versions or any(version not in known for version in versions):
        raise LocalProtocolError(
            f"API key {key} cannot be served in {versions}: its codec knows {known};"
            " leave out a key to serve nothing of it"
        )


def _read_key_and_version(frame: bytes) -> tuple[int, int]:
    if len(frame) < _KEY_AND_VERSION.size:
        raise DecodeError(f"a request of {len(frame)} bytes has no API key and version")
    key, version = _KEY_AND_VERSION.unpack_from(frame)
    return key, version


def _read_unserved_header(frame: bytes, key: int, version: int) -> RequestHeader:
    # The header of a key that nobody knows is read for the log only; the client id stands at this
    # place in every header but one.
    known = key in registry.API_KEYS
    header_version = headers.request_header_version(key, version) if known else 1
    return codec.decode_prefix(RequestHeader, frame, 0, header_version)[0]
