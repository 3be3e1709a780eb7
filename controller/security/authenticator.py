"""What a server hears and says before it knows who is there: SASL over Kafka's requests.

    ApiVersions (18)       once, before the handshake; an unknown version may be asked again
    SaslHandshake (17)     v1: tokens follow in SaslAuthenticate; v0: tokens follow bare
    SaslAuthenticate (36)  token by token, until the mechanism is done

Anything else ends the connection without an answer. A mechanism that is not enabled is answered
with those that are, and ends it; so does a failed authentication, which is answered by the same
words whatever was wrong. The caller holds these last words back for a while, as Kafka does, so
that guessing takes time.
Source: Kafka 3.9, SaslServerAuthenticator.java. Left out: GSSAPI without a handshake, delegation
tokens, and authenticating anew on the same connection (KIP-368).
"""

import struct
from collections.abc import Callable, Mapping
from enum import Enum, auto
from types import MappingProxyType

from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.plain import PLAIN
from klamm.controller.security.principals import Principal
from klamm.controller.security.sasl import MECHANISMS, ServerMechanism
from klamm.controller.security.scram import CredentialNeeded, ScramCredential
from klamm.protocol.connection import (
    ProtocolViolation,
    Request,
    ServerConnection,
    UnsupportedApiVersions,
    UnsupportedRequestError,
)
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.errors import DecodeError
from klamm.protocol.framing import FrameReader
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse
from klamm.protocol.message import Message

#: The default of Kafka's sasl.server.max.receive.size.
MAX_FRAME_BYTES = 512 * 1024

_HANDSHAKE, _API_VERSIONS, _AUTHENTICATE = 17, 18, 36
#: In these versions, unless the release that is shown has fewer.
_SERVED: Mapping[int, range] = MappingProxyType(
    {_HANDSHAKE: range(2), _API_VERSIONS: range(5), _AUTHENTICATE: range(3)}
)
_LENGTH = struct.Struct(">i")

#: Makes the server's side of a mechanism, for one connection.
MakeMechanism = Callable[[], ServerMechanism]


class RefusedError(Exception):
    """A peer is not let in. The text is for the log; `last_words` are for the peer."""

    def __init__(self, text: str, last_words: bytes = b"") -> None:
        super().__init__(text)
        self.last_words = last_words


class _State(Enum):
    """What may come next."""

    VERSIONS_OR_HANDSHAKE = auto()
    HANDSHAKE = auto()
    TOKEN = auto()
    BARE_TOKEN = auto()
    DONE = auto()


class Authenticator:
    """One connection's, until its peer is known.

    The caller feeds what it reads and asks for `next` until that is None: bytes are to be written,
    a credential is to be looked up and handed to `found`, whose bytes are to be written. Once it
    is `done`, `rest` is what the peer has sent beyond. Raises RefusedError, after which nothing
    more is to be asked.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, MakeMechanism],
        advertised: Mapping[int, range],
        max_frame_bytes: int = MAX_FRAME_BYTES,
    ) -> None:
        self._mechanisms = mechanisms
        self._advertised = advertised
        self._frames = FrameReader(max_frame_bytes)
        self._served = {key: advertised.get(key, served) for key, served in _SERVED.items()}
        self._requests = ServerConnection(
            self._served, max_request_bytes=max_frame_bytes, max_in_flight=1
        )
        self._state = _State.VERSIONS_OR_HANDSHAKE
        self._name = ""
        self._mechanism: ServerMechanism | None = None
        self._request: Request | None = None

    @property
    def done(self) -> bool:
        """Whether the peer is known."""
        return self._state is _State.DONE

    @property
    def principal(self) -> Principal:
        """Who the peer is, once it is known."""
        assert self._mechanism is not None, "who it is is known once it is done"
        return self._mechanism.principal

    def rest(self) -> bytes:
        """Return the bytes that belong to what comes after."""
        return self._frames.take_rest()

    def feed(self, data: bytes | bytearray) -> None:
        """Take bytes of the peer."""
        self._frames.feed(data)

    def next(self) -> bytes | CredentialNeeded | None:
        """Return what to write or to look up; None if more bytes are needed, or it is done."""
        if self.done:
            return None
        try:
            frame = self._frames.next_frame()
        except DecodeError as error:
            raise RefusedError(str(error)) from error
        if frame is None:
            return None
        if self._state is _State.BARE_TOKEN:
            return self._step(frame)
        [event] = self._requests.receive_data(_LENGTH.pack(len(frame)) + frame)
        match event:
            case UnsupportedApiVersions():
                return self._requests.send_response(event, _unsupported_api_versions(self._served))
            case Request():
                self._request = event
                return self._take(event.body)
            case ProtocolViolation():
                early = isinstance(event.error, UnsupportedRequestError)
                before = "it is not authenticated yet, and sends " if early else ""
                raise RefusedError(f"{before}{event.error}")

    def found(self, credential: ScramCredential | None) -> bytes:
        """Go on with the credential that was needed, None if there is none."""
        assert self._mechanism is not None, "a mechanism has asked for it"
        return self._answer(self._mechanism.found(credential))

    def _take(self, body: Message) -> bytes | CredentialNeeded:
        match self._state, body:
            case _State.VERSIONS_OR_HANDSHAKE, ApiVersionsRequest():
                self._state = _State.HANDSHAKE
                return self._respond(ApiVersionsResponse(api_keys=_entries(self._advertised)))
            case (_State.VERSIONS_OR_HANDSHAKE | _State.HANDSHAKE, SaslHandshakeRequest()):
                return self._shake_hands(body.mechanism)
            case _State.TOKEN, SaslAuthenticateRequest():
                return self._step(body.auth_bytes)
        raise RefusedError(
            f"{type(body).__name__} is out of place: {self._state.name.lower().replace('_', ' ')}"
            " is to come"
        )

    def _shake_hands(self, name: str) -> bytes:
        assert self._request is not None
        enabled = tuple(self._mechanisms)
        make = self._mechanisms.get(name)
        if make is None:
            code = ErrorCode.UNSUPPORTED_SASL_MECHANISM
            why = "is not enabled" if name in MECHANISMS else "is none that klamm speaks"
            raise RefusedError(
                f"mechanism {name!r} {why}; enabled are {', '.join(enabled)}",
                self._respond(SaslHandshakeResponse(code, enabled)),
            )
        self._name, self._mechanism = name, make()
        with_requests = self._request.header.request_api_version >= 1
        self._state = _State.TOKEN if with_requests else _State.BARE_TOKEN
        return self._respond(SaslHandshakeResponse(ErrorCode.NONE, enabled))

    def _step(self, token: bytes) -> bytes | CredentialNeeded:
        assert self._mechanism is not None, "a handshake has chosen one"
        try:
            reply = self._mechanism.step(token)
        except AuthenticationError as error:
            raise RefusedError(f"{self._name}: {error}", self._failure()) from error
        return reply if isinstance(reply, CredentialNeeded) else self._answer(reply)

    def _answer(self, token: bytes) -> bytes:
        assert self._mechanism is not None
        bare = self._state is _State.BARE_TOKEN
        if self._mechanism.done:
            self._state = _State.DONE
        if bare:
            return _LENGTH.pack(len(token)) + token
        return self._respond(SaslAuthenticateResponse(auth_bytes=token))

    def _failure(self) -> bytes:
        """Say that it failed, in Kafka's words, which are the same for every cause."""
        if self._state is _State.BARE_TOKEN:
            return b""
        text = (
            "Authentication failed: Invalid username or password"
            if self._name == PLAIN
            else "Authentication failed during authentication due to invalid credentials with SASL"
            f" mechanism {self._name}"
        )
        code = ErrorCode.SASL_AUTHENTICATION_FAILED
        return self._respond(SaslAuthenticateResponse(code, text))

    def _respond(self, response: Message) -> bytes:
        assert self._request is not None, "something was asked"
        return self._requests.send_response(self._request, response)


def _unsupported_api_versions(served: Mapping[int, range]) -> ApiVersionsResponse:
    own = {_API_VERSIONS: served[_API_VERSIONS]}
    return ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, _entries(own))


def _entries(table: Mapping[int, range]) -> tuple[ApiVersion, ...]:
    return tuple(ApiVersion(key, table[key].start, table[key].stop - 1) for key in sorted(table))
