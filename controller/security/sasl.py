"""SASL mechanisms without I/O, both sides: bytes in, bytes out.

    step(data)   the next message for the other side
    done         nothing more is to come; of a server: the peer is `principal`

A client's first `step` takes no bytes; the server's last message goes through `step` too, for it
may be a proof, and what that returns is not sent. Nonces are values that the caller has drawn.

A server's mechanism that needs a credential returns `CredentialNeeded` in place of bytes, and
goes on with `found`. Either side raises AuthenticationError. Its text is for the log: the other
side is told nothing but that it failed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from klamm.controller.security.jaas import JaasError, login_modules
from klamm.controller.security.plain import PLAIN, PlainClient
from klamm.controller.security.principals import Principal
from klamm.controller.security.scram import (
    SCRAM_MECHANISMS,
    CredentialNeeded,
    ScramClient,
    ScramCredential,
)

#: What there is; Kafka has GSSAPI, OAUTHBEARER and delegation tokens besides.
MECHANISMS = (PLAIN, *SCRAM_MECHANISMS)


class MechanismError(ValueError):
    """Properties ask for a mechanism that there is not, or say too little; the text says what."""


class ServerMechanism(Protocol):
    """The side that asks who is there."""

    @property
    def done(self) -> bool:
        """Whether the peer is known."""

    @property
    def principal(self) -> Principal:
        """Who the peer is, once it is known."""

    def step(self, data: bytes) -> "bytes | CredentialNeeded":
        """Take a message of the peer; raises AuthenticationError."""

    def found(self, credential: ScramCredential | None) -> bytes:
        """Go on with the credential that was asked for, None if there is none."""


class ClientMechanism(Protocol):
    """The side that says who it is."""

    @property
    def name(self) -> str:
        """The mechanism's name, for SaslHandshake."""

    @property
    def done(self) -> bool:
        """Whether the server has taken, and maybe proven, what there was to say."""

    def step(self, data: bytes) -> bytes:
        """Take a message of the server, at first none; raises AuthenticationError."""


@dataclass(frozen=True, slots=True)
class Login:
    """What a client logs in with."""

    mechanism: str
    username: str
    password: str

    def __repr__(self) -> str:
        """Leave the password out: this may be logged."""
        return f"Login({self.mechanism}, {self.username!r})"


def client_login(properties: Mapping[str, str]) -> Login:
    """Read Kafka's `sasl.mechanism` and `sasl.jaas.config`; raises MechanismError."""
    mechanism = properties.get("sasl.mechanism", "GSSAPI").strip()
    if mechanism not in MECHANISMS:
        raise MechanismError(
            f"sasl.mechanism={mechanism!r}: klamm speaks {', '.join(MECHANISMS)}; name one of them"
            " that the brokers have enabled"
        )
    text = properties.get("sasl.jaas.config")
    if text is None:
        raise MechanismError(
            f"sasl.jaas.config is missing: {mechanism} needs a user, as in"
            ' org.apache.kafka.common.security.scram.ScramLoginModule required username="alice"'
            ' password="...";'
        )
    return login_of(mechanism, text, "sasl.jaas.config")


def login_of(mechanism: str, text: str, key: str) -> Login:
    """Read user and password of a JAAS configuration; raises MechanismError."""
    try:
        [module] = login_modules(text)
    except JaasError as error:
        raise MechanismError(f"{key}: {error}") from error
    except ValueError:
        raise MechanismError(f"{key}: one login module is needed, and there are more") from None
    missing = [name for name in ("username", "password") if name not in module.options]
    if missing:
        raise MechanismError(f"{key}: {module.name} has no {' and no '.join(missing)}")
    return Login(mechanism, module.options["username"], module.options["password"])


def client_mechanism(properties: Mapping[str, str], nonce: str) -> ClientMechanism:
    """Return the mechanism that Kafka's client properties ask for; raises MechanismError.

    `nonce` is of printable ASCII without commas, and another one each time.
    """
    return mechanism_of(client_login(properties), nonce)


def mechanism_of(login: Login, nonce: str) -> ClientMechanism:
    """Return the client's side of a login."""
    if login.mechanism == PLAIN:
        return PlainClient(login.username, login.password)
    return ScramClient(SCRAM_MECHANISMS[login.mechanism], login.username, login.password, nonce)
