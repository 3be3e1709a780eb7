"""What connections give to their callers: events, and the errors of both sides.

Whose fault it is decides how it shows. The peer's bytes never raise: what cannot be understood
becomes a last event, `ProtocolViolation`, whose `error` is a `DecodeError` with these leaves::

    DecodeError                     undecodable header or body
    +-- framing.FrameError          lengths that cannot be, or a stream that ends within a frame
    +-- UnsupportedRequestError     a key or version that this server does not serve
    +-- UnexpectedResponseError     a response that is not the one whose turn it is

Our own faults are raised and change nothing: `LocalProtocolError` for a call that the state does
not allow, `EncodeError` for a message that its version cannot carry.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass

from klamm.protocol import codec, registry
from klamm.protocol.errors import DecodeError, ProtocolError
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import Message


class LocalProtocolError(ProtocolError):
    """This side called a connection in a way that its state does not allow; nothing changed."""


class UnsupportedRequestError(DecodeError):
    """The peer sent a key or version that this server does not serve; Kafka closes for that."""

    def __init__(self, header: RequestHeader, served: range | None) -> None:
        key, version = header.request_api_key, header.request_api_version
        name = registry.API_KEYS.get(key, "unknown")
        versions = f"versions {served[0]}-{served[-1]}" if served else "nothing of it"
        super().__init__(
            f"client {reprlib.repr(header.client_id)} sent API key {key} ({name})"
            f" version {version}; this server serves {versions}"
        )
        self.header = header
        self.served = served


class UnexpectedResponseError(DecodeError):
    """The peer answered something else than the oldest request that waits."""

    def __init__(self, correlation_id: int, expected: int | None) -> None:
        waits = "no request waits" if expected is None else f"{expected} is the one that waits"
        super().__init__(f"a response has correlation id {correlation_id}, but {waits}")
        self.correlation_id = correlation_id
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Encoded:
    """A response in the bytes of one version, for who gives the same answer again and again."""

    kind: type[Message]
    version: int
    body: bytes

    @classmethod
    def of(cls, message: Message, version: int) -> Encoded:
        """Encode a response; raises EncodeError."""
        return cls(type(message), version, codec.encode(message, version))


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be answered; `ordinal` counts the requests of its connection from 0.

    `size` is its bytes on the wire, without their length: decoded it takes many times as many.
    """

    ordinal: int
    header: RequestHeader
    body: Message
    size: int = 0

    @property
    def response_version(self) -> int:
        """The version that the answer is written in."""
        return self.header.request_api_version


@dataclass(frozen=True, slots=True)
class UnsupportedApiVersions:
    """ApiVersions in a version that is not served, its body unread.

    Rule 4: answer with error 35 and one entry, key 18 with the range that is served. Whatever was
    asked, the answer is written in version 0, the only one that every client can read.
    """

    ordinal: int
    header: RequestHeader

    @property
    def response_version(self) -> int:
        """The version that the answer is written in."""
        return 0


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """The last event of a connection: the peer's bytes cannot be understood from here on.

    `header` is that of the request at fault, where it could be read, for the log.
    """

    error: DecodeError
    header: RequestHeader | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to the request that was sent with this correlation id."""

    correlation_id: int
    body: Message


def violation(error: DecodeError, header: RequestHeader | None = None) -> ProtocolViolation:
    """Make the last event from an error that was caught, which is a value from here on.

    Its traceback and causes are dropped. They would keep all frames that it came through, and so
    the bytes of the request and the list that holds this very event, in a reference loop.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None
    return ProtocolViolation(error, header)


Answerable = Request | UnsupportedApiVersions
ServerEvent = Request | UnsupportedApiVersions | ProtocolViolation
ClientEvent = Response | ProtocolViolation
