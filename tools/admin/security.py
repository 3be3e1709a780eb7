"""TLS and SASL as a client's properties ask for them.

Source: Kafka 3.9, SaslClientAuthenticator.java, ChannelBuilders.java.
"""

from __future__ import annotations

import secrets
import ssl
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from klamm.controller.security.errors import AuthenticationError as MechanismFailure
from klamm.controller.security.sasl import Login, client_login, mechanism_of
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse
from klamm.protocol.message import Message
from klamm.tools.admin.apis import Api, Make, api
from klamm.tools.admin.errors import AuthenticationError
from klamm.tools.admin.properties import AdminOptions, OptionError

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)

# Version 0 would be followed by bare tokens, which Kafka has not needed since 1.0.
_HANDSHAKE = api("saslHandshake", SaslHandshakeRequest, SaslHandshakeResponse, range(1, 2))
_AUTHENTICATE = api("saslAuthenticate", SaslAuthenticateRequest, SaslAuthenticateResponse)

_NONCE_BYTES = 24


@dataclass(frozen=True, slots=True)
class Security:
    """What each connection of a client goes through: a TLS context, a login, both or neither."""

    tls: ssl.SSLContext | None = None
    login: Login | None = None

    @classmethod
    def of(cls, options: AdminOptions) -> Security:
        """Read keys, certificates and login; raises OptionError."""
        try:
            return cls(
                _context(options) if options.security_protocol in ("SSL", "SASL_SSL") else None,
                client_login(options.properties)
                if options.security_protocol.startswith("SASL_")
                else None,
            )
        except ValueError as error:  # what is wrong with a property
            raise OptionError(str(error)) from error


class Asker(Protocol):
    """A connection whose peer does not know yet who we are."""

    async def call(self, api: Api[Q, R], make: Make[Q]) -> R:
        """Ask in the highest version of both sides."""


async def authenticate(connection: Asker, login: Login) -> None:
    """Log in; raises AuthenticationError, and what the connection raises."""
    mechanism = mechanism_of(login, secrets.token_urlsafe(_NONCE_BYTES))
    handshake = await connection.call(_HANDSHAKE, lambda _: SaslHandshakeRequest(mechanism.name))
    if handshake.error_code != ErrorCode.NONE:
        raise AuthenticationError(
            f"the node does not take SASL mechanism {mechanism.name}; it has enabled"
            f" {', '.join(handshake.mechanisms) or 'none'}"
        )
    received = b""
    while True:
        try:
            token = mechanism.step(received)
        except MechanismFailure as error:
            raise AuthenticationError(f"{mechanism.name}: {error}") from error
        if mechanism.done:
            return
        answer = await connection.call(_AUTHENTICATE, partial(_token, token))
        if answer.error_code != ErrorCode.NONE:
            reason = answer.error_message or f"error {answer.error_code}"
            raise AuthenticationError(f"the node refuses user {login.username}: {reason}")
        received = answer.auth_bytes


def _token(token: bytes, version: int) -> SaslAuthenticateRequest:
    return SaslAuthenticateRequest(token)


def _context(options: AdminOptions) -> ssl.SSLContext:
    # It takes the time of an import that clients without TLS do not need.
    from klamm.controller.runtime.tls import client_context

    return client_context(options.properties)
