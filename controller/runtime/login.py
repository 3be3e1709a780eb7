"""TLS and SASL on the way to a server: how nodes and tools get to be let in."""

import logging
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.authentication import SecurityError
from klamm.controller.runtime.complaints import Complaints
from klamm.controller.runtime.conversation import Connect, LinkLostError, connect_tcp, converse
from klamm.controller.runtime.listeners import PLAINTEXT, PROTOCOLS, Listener
from klamm.controller.runtime.tls import client_context, handshake_failure
from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.sasl import (
    MECHANISMS,
    Login,
    MechanismError,
    client_login,
    login_of,
    mechanism_of,
)
from klamm.protocol.connection import ClientConnection
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse

LOG = logging.getLogger("klamm.links")


class NotAdmittedError(LinkLostError):
    """A server does not let us in, or is not who it should be; the text says why."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What a client shows and asks for, by the protocol of the endpoint that it connects to."""

    tls: ssl.SSLContext | None = None
    login: Login | None = None
    client_id: str | None = None
    complain: Complaints = field(default_factory=lambda: Complaints(LOG), compare=False)

    async def connect(self, endpoint: Endpoint) -> trio.abc.Stream:
        """Open a connection that is ready for requests; raises OSError and NotAdmittedError.

        Who is not let in once is not let in later either, until somebody learns of it: so that is
        a warning in the log, however the caller takes it.
        """
        protocol = endpoint.security_protocol
        stream = await connect_tcp(endpoint)
        try:
            if protocol in ("SSL", "SASL_SSL"):
                stream = await self._wrap(stream, endpoint)
            if protocol in ("SASL_PLAINTEXT", "SASL_SSL"):
                await self._log_in(stream)
        except NotAdmittedError as error:
            where = f"{endpoint.host}:{endpoint.port}"
            self.complain(logging.WARNING, "%s does not let us in: %s", where, error)
            await trio.aclose_forcefully(stream)
            raise
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        return stream

    async def _wrap(self, stream: trio.abc.Stream, endpoint: Endpoint) -> trio.abc.Stream:
        if self.tls is None:
            raise NotAdmittedError(
                f"{endpoint.host}:{endpoint.port} wants TLS, which is not set up"
            )
        secured = trio.SSLStream(
            stream, self.tls, server_hostname=endpoint.host, https_compatible=True
        )
        try:
            await secured.do_handshake()
        except trio.BrokenResourceError as error:
            raise NotAdmittedError(f"TLS handshake: {handshake_failure(error)}") from error
        return secured

    async def _log_in(self, stream: trio.abc.Stream) -> None:
        if self.login is None:
            raise NotAdmittedError("it wants a login by SASL, which is not set up")
        mechanism = mechanism_of(self.login, secrets.token_urlsafe(24))
        protocol = ClientConnection(self.client_id)
        shaken = await converse(stream, protocol, SaslHandshakeRequest(mechanism.name), 1)
        assert isinstance(shaken, SaslHandshakeResponse)
        if shaken.error_code:
            enabled = ", ".join(shaken.mechanisms)
            raise NotAdmittedError(f"it does not take {mechanism.name}, but {enabled}")
        try:
            token = mechanism.step(b"")
            while not mechanism.done:
                answer = await converse(stream, protocol, SaslAuthenticateRequest(token), 0)
                assert isinstance(answer, SaslAuthenticateResponse)
                if answer.error_code:
                    raise NotAdmittedError(answer.error_message or f"error {answer.error_code}")
                token = mechanism.step(answer.auth_bytes)
        except AuthenticationError as error:
            raise NotAdmittedError(f"{mechanism.name}: {error}") from error


def connect_between_brokers(
    properties: Mapping[str, str], listener: Listener, client_id: str
) -> Connect:
    """Return how to reach brokers at this listener; raises SecurityError or TlsError."""
    if not (listener.uses_tls or listener.uses_sasl):
        return connect_tcp
    tls = client_context(properties, listener.prefix) if listener.uses_tls else None
    login = _login_between(properties, listener) if listener.uses_sasl else None
    return Pass(tls, login, client_id).connect


def _login_between(properties: Mapping[str, str], listener: Listener) -> Login:
    key = "sasl.mechanism.inter.broker.protocol"
    mechanism = properties.get(key, "GSSAPI").strip()
    if mechanism not in MECHANISMS:
        raise SecurityError(f"{key}={mechanism!r}: one of {', '.join(MECHANISMS)} is needed")
    key = f"{listener.prefix}{mechanism.lower()}.sasl.jaas.config"
    if key not in properties:
        raise SecurityError(
            f"{key} is missing: it has the username and password by which nodes log in to brokers"
        )
    try:
        return login_of(mechanism, properties[key], key)
    except MechanismError as error:
        raise SecurityError(str(error)) from error


def connect_as_client(properties: Mapping[str, str], client_id: str | None = None) -> Connect:
    """Return how a client with Kafka's properties connects; raises MechanismError or TlsError.

    The endpoint has to say the protocol that `security.protocol` names.
    """
    protocol = client_protocol(properties)
    tls = client_context(properties) if protocol in ("SSL", "SASL_SSL") else None
    login = client_login(properties) if protocol in ("SASL_PLAINTEXT", "SASL_SSL") else None
    return Pass(tls, login, client_id).connect


def client_protocol(properties: Mapping[str, str]) -> str:
    """Return Kafka's `security.protocol`; raises SecurityError if it is none."""
    protocol = properties.get("security.protocol", PLAINTEXT).strip().upper()
    if protocol not in PROTOCOLS:
        raise SecurityError(
            f"security.protocol={protocol!r}: one of {', '.join(PROTOCOLS)} is needed"
        )
    return protocol
