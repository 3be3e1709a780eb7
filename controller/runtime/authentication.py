"""TLS and SASL at the door of a server.

A server's `Entrance` turns the stream of a connection into one whose peer is known. Until then the
peer has cost little: bounded memory (a TLS record, 512 KiB of SASL) and bounded time. Whoever
fails to say who he is waits for a moment before he hears it, so that guessing takes time.

Credentials of SCRAM are read from ZooKeeper when somebody logs in by them: one that was changed or
taken away counts at once, and nothing is kept.
"""

import secrets
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import trio

from klamm.controller.runtime.conversation import READ_BYTES
from klamm.controller.runtime.listeners import Listener
from klamm.controller.runtime.tls import handshake_failure, server_context, subject_der
from klamm.controller.runtime.turnstile import PacedStream, Turnstile
from klamm.controller.security.authenticator import (
    MAX_FRAME_BYTES,
    Authenticator,
    MakeMechanism,
    RefusedError,
)
from klamm.controller.security.jaas import JaasError, login_modules
from klamm.controller.security.mapping import (
    MappingError,
    PrincipalMapper,
    parse_rules,
    subject_text,
)
from klamm.controller.security.plain import PLAIN, PlainServer, users_of
from klamm.controller.security.principals import ANONYMOUS, Client, user
from klamm.controller.security.sasl import MECHANISMS
from klamm.controller.security.scram import (
    SCRAM_MECHANISMS,
    CredentialNeeded,
    ScramCredential,
    ScramServer,
)

#: How long a peer may take to say who it is, TLS included.
ADMISSION_SECONDS = 30.0
#: The default of Kafka's connection.failed.authentication.delay.ms.
FAILURE_MS = 100

#: Looks a credential up; raises RefusedError if nobody can tell.
FindCredential = Callable[[CredentialNeeded], Awaitable[ScramCredential | None]]

#: Unknown users seem to have a credential; it is made from this.
_DECOY_KEY = secrets.token_bytes(32)


_NO_CLASSES = "klamm cannot load Java's classes"

#: What Kafka would obey, by the end of the key: values that change nothing, and why not others.
_NOT_OBEYED = {
    "connections.max.reauth.ms": (("0",), "here a login lasts as long as its connection"),
    "principal.builder.class": (
        ("org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder", ""),
        _NO_CLASSES,
    ),
    "sasl.server.callback.handler.class": (("",), _NO_CLASSES),
}


class SecurityError(ValueError):
    """Properties ask for a security that cannot be; the text names the property."""


async def no_credentials(needed: CredentialNeeded) -> ScramCredential | None:
    """Stand in where there is no ZooKeeper to ask."""
    raise RefusedError(f"there is nobody to ask for the credential of {needed.user!r}")


@dataclass(frozen=True, slots=True)
class Admitted:
    """A connection whose peer is known, and what has been read of it beyond."""

    stream: trio.abc.Stream
    client: Client
    rest: bytes = b""


@dataclass(frozen=True, slots=True)
class Guard:
    """What one listener asks of its peers.

    `max_frame_bytes` is the longest message before a login, `failure_seconds` how long a peer
    waits to hear that it has failed.
    """

    listener: str
    tls: ssl.SSLContext | None = None
    mapper: PrincipalMapper = field(default_factory=PrincipalMapper)
    mechanisms: Mapping[str, MakeMechanism] = field(default_factory=dict)
    max_frame_bytes: int = MAX_FRAME_BYTES
    failure_seconds: float = FAILURE_MS / 1000


def guard_of(listener: Listener, properties: Mapping[str, str]) -> Guard:
    """Return what Kafka's properties have a listener ask; raises SecurityError or TlsError."""
    _refuse_what_is_not_obeyed(properties)
    tls = None
    if listener.uses_tls:
        if listener.protocol == "SASL_SSL":
            # As in Kafka, who logs in by SASL needs a certificate only if this listener says so.
            properties = {k: v for k, v in properties.items() if k != "ssl.client.auth"}
        tls = server_context(properties, listener.prefix)
    try:
        mapper = parse_rules(_of(properties, listener.prefix, "ssl.principal.mapping.rules") or "")
    except MappingError as error:
        raise SecurityError(f"ssl.principal.mapping.rules: {error}") from error
    mechanisms = _mechanisms(listener, properties) if listener.uses_sasl else {}
    most = _number(properties, "sasl.server.max.receive.size", MAX_FRAME_BYTES)
    failure_ms = _number(properties, "connection.failed.authentication.delay.ms", FAILURE_MS)
    return Guard(listener.name, tls, mapper, mechanisms, most, failure_ms / 1000)


def _number(properties: Mapping[str, str], key: str, default: int) -> int:
    text = properties.get(key, str(default)).strip()
    if not (text.isascii() and text.isdecimal()):
        raise SecurityError(f"{key}={text!r}: a whole number is needed, 0 or more")
    return int(text)


def _refuse_what_is_not_obeyed(properties: Mapping[str, str]) -> None:
    """Raise SecurityError for properties without which peers would get in otherwise."""
    for name, value in properties.items():
        for key, (harmless, why) in _NOT_OBEYED.items():
            if name.endswith(key) and value.strip() not in harmless:
                raise SecurityError(f"{name}={value.strip()!r}: {why}; leave it out")


def _of(properties: Mapping[str, str], prefix: str, name: str) -> str | None:
    return properties.get(prefix + name, properties.get(name))


def _mechanisms(listener: Listener, properties: Mapping[str, str]) -> Mapping[str, MakeMechanism]:
    key = "sasl.enabled.mechanisms"
    text = _of(properties, listener.prefix, key) or "GSSAPI"
    found: dict[str, MakeMechanism] = {}
    for name in (part.strip() for part in text.split(",")):
        if name not in MECHANISMS:
            raise SecurityError(
                f"{key}={text!r}: klamm speaks {', '.join(MECHANISMS)}, and not {name}; name only"
                " those"
            )
        found[name] = _plain(listener, properties) if name == PLAIN else _scram(name)
    return found


def _plain(listener: Listener, properties: Mapping[str, str]) -> MakeMechanism:
    key = f"{listener.prefix}plain.sasl.jaas.config"
    text = properties.get(key)
    if text is None:
        raise SecurityError(
            f"{key} is missing: PLAIN needs users, as in org.apache.kafka.common.security.plain."
            'PlainLoginModule required user_alice="...";'
        )
    try:
        users = {
            name: word
            for each in login_modules(text)
            for name, word in users_of(each.options).items()
        }
    except JaasError as error:
        raise SecurityError(f"{key}: {error}") from error
    return lambda: PlainServer(users)


def _scram(name: str) -> MakeMechanism:
    mechanism = SCRAM_MECHANISMS[name]
    return lambda: ScramServer(mechanism, secrets.token_urlsafe(24), _DECOY_KEY)


class Entrance:
    """Lets peers in by a listener. `advertised` is what ApiVersions shows before a login."""

    def __init__(
        self,
        guard: Guard,
        advertised: Mapping[int, range],
        find_credential: FindCredential = no_credentials,
        seconds: float = ADMISSION_SECONDS,
    ) -> None:
        self._guard = guard
        self._advertised = advertised
        self._find = find_credential
        self._seconds = seconds
        self._turnstile = Turnstile()

    async def admit(self, stream: trio.abc.Stream, host: str) -> Admitted:
        """Find out who the peer is; raises RefusedError, and then it has heard its last words."""
        guard = self._guard
        client = Client(ANONYMOUS, host, guard.listener)
        if guard.tls is None and not guard.mechanisms:
            return Admitted(stream, client)
        paced = PacedStream(stream, self._turnstile)
        admitted = Admitted(paced, client)
        try:
            with trio.fail_after(self._seconds):
                if guard.tls is not None:
                    admitted = await self._wrap(paced, guard.tls, client)
                if guard.mechanisms:
                    admitted = await self._authenticate(admitted)
        except trio.TooSlowError:
            raise RefusedError(f"it has not said who it is within {self._seconds:g} s") from None
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise RefusedError(f"the connection was lost: {error.__cause__ or error}") from error
        paced.known = True
        # Without TLS the socket itself goes on, which is read in a faster way.
        return replace(admitted, stream=stream) if guard.tls is None else admitted

    async def _wrap(
        self, stream: trio.abc.Stream, context: ssl.SSLContext, client: Client
    ) -> Admitted:
        secured = trio.SSLStream(stream, context, server_side=True, https_compatible=True)
        try:
            await secured.do_handshake()
        except trio.BrokenResourceError as error:
            raise RefusedError(f"TLS handshake: {handshake_failure(error)}") from error
        certificate = secured.getpeercert(binary_form=True)
        if certificate is None:
            return Admitted(secured, client)
        try:
            name = self._guard.mapper.name(subject_text(subject_der(certificate)))
        except ValueError as error:  # no rule fits; or OpenSSL takes what others cannot read
            raise RefusedError(f"its certificate names nobody: {error}") from error
        return Admitted(secured, replace(client, principal=user(name)))

    async def _authenticate(self, admitted: Admitted) -> Admitted:
        stream = admitted.stream
        authenticator = Authenticator(
            self._guard.mechanisms, self._advertised, self._guard.max_frame_bytes
        )
        try:
            while not authenticator.done:
                outcome = authenticator.next()
                if isinstance(outcome, CredentialNeeded):
                    outcome = authenticator.found(await self._find(outcome))
                if outcome is not None:
                    await stream.send_all(outcome)
                    continue
                data = await stream.receive_some(READ_BYTES)
                if not data:
                    raise RefusedError("it has left without a login")
                authenticator.feed(data)
        except RefusedError as refused:
            # Whether there is something to hear or not: who tries again has to wait for the end.
            await trio.sleep(self._guard.failure_seconds)
            if refused.last_words:
                await stream.send_all(refused.last_words)
            raise
        client = replace(admitted.client, principal=authenticator.principal)
        return Admitted(stream, client, authenticator.rest())
