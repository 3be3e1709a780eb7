"""SASL PLAIN (RFC 4616): a user and a password, readable by whoever reads the connection.

Source: Kafka 3.9, PlainSaslServer.java, PlainServerCallbackHandler.java.
"""

from collections.abc import Mapping
from hmac import compare_digest

from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.principals import Principal, user
from klamm.controller.security.scram import ScramCredential

PLAIN = "PLAIN"

#: In the options of PlainLoginModule: user_alice="alice's password".
USER_PREFIX = "user_"

_NUL = "\0"


def users_of(options: Mapping[str, str]) -> Mapping[str, str]:
    """Return the passwords by user that a login module's options hold."""
    return {
        name.removeprefix(USER_PREFIX): password
        for name, password in options.items()
        if name.startswith(USER_PREFIX)
    }


class PlainServer:
    """Takes one message and compares it with the passwords of `users`."""

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = users
        self._principal: Principal | None = None

    @property
    def done(self) -> bool:
        """Whether the peer is known."""
        return self._principal is not None

    @property
    def principal(self) -> Principal:
        """Who the peer is, once it is known."""
        assert self._principal is not None, "who it is is known once it is done"
        return self._principal

    def step(self, data: bytes) -> bytes:
        """Take authorization id, user and password, with a zero byte between."""
        try:
            parts = data.decode().split(_NUL)
        except UnicodeDecodeError:
            raise AuthenticationError("a message is not UTF-8") from None
        if len(parts) != 3:
            raise AuthenticationError(f"a message has {len(parts)} parts where 3 are needed")
        authorization, name, password = parts
        if not name or not password:
            raise AuthenticationError("a message has no user, or no password")
        # An unknown user costs the comparison too: time is not to tell who there is.
        known = self._users.get(name)
        expected = password + _NUL if known is None else known
        if not compare_digest(expected.encode(), password.encode()):
            raise AuthenticationError(f"user {name!r} is unknown or has another password")
        if authorization not in ("", name):
            raise AuthenticationError(f"user {name!r} wants to be {authorization!r}")
        self._principal = user(name)
        return b""

    def found(self, credential: ScramCredential | None) -> bytes:
        """Never needed: the passwords are known from the start."""
        raise AssertionError("PLAIN asks for no credential")


class PlainClient:
    """Sends one message, and takes the server's word for the rest."""

    name = PLAIN

    def __init__(self, username: str, password: str) -> None:
        self._message = f"{_NUL}{username}{_NUL}{password}".encode()
        self._sent = False
        self.done = False

    def step(self, data: bytes) -> bytes:
        """Return the only message; the second call takes the server's empty answer."""
        if self._sent:
            self.done = True
            return b""
        self._sent = True
        return self._message
