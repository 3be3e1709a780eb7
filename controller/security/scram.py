"""SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677) as Kafka speaks them, without I/O.

What Kafka does otherwise, and so does this: names and passwords are taken as they are, without
SASLprep; salts may be short; there is no channel binding. What is stricter here: the client's
repetition of its first words is compared with them, a user that is unknown is found out only at the
end, as a wrong password is, and messages and counts of iterations are bounded.
Source: Kafka 3.9, ScramFormatter.java, ScramMessages.java, ScramSaslServer.java,
ScramSaslClient.java, ScramCredentialUtils.java.
"""

import hashlib
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest, digest
from types import MappingProxyType

from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.principals import Principal, user

#: What kafka-configs takes if it is not told, and the least that Kafka allows.
DEFAULT_ITERATIONS = 4096
#: As many as a client carries out, which takes it a second; Kafka's tools make 16384 at most.
MOST_ITERATIONS = 1_000_000
#: To look at one as long as a frame takes a tenth of a second, before anybody has logged in.
MOST_MESSAGE_BYTES = 16 * 1024

_NAME = r"(?:[^=,\0]|=2C|=3D)+"
_PRINTABLE = r"[\x21-\x2B\x2D-\x7E]+"
_BASE64 = r"[A-Za-z0-9+/]+={0,2}"
_EXTENSIONS = r"(?:,[A-Za-z]+=[^,\0]+)*"
_CLIENT_FIRST = re.compile(
    rf"(?P<header>[ny],(?:a=(?P<authorization>{_NAME}))?,)"
    rf"(?P<bare>n=(?P<name>{_NAME}),r=(?P<nonce>{_PRINTABLE})(?P<extensions>{_EXTENSIONS}))"
)
_CLIENT_FINAL = re.compile(
    rf"(?P<unproven>c=(?P<header>{_BASE64}),r=(?P<nonce>{_PRINTABLE}){_EXTENSIONS})"
    rf",p=(?P<proof>{_BASE64})"
)
_SERVER_FIRST = re.compile(
    rf"r=(?P<nonce>{_PRINTABLE}),s=(?P<salt>{_BASE64}),i=(?P<iterations>[0-9]{{1,9}}){_EXTENSIONS}"
)
_SERVER_FINAL = re.compile(rf"(?:e=(?P<error>[^,\0]+)|v=(?P<signature>{_BASE64})){_EXTENSIONS}")


@dataclass(frozen=True, slots=True)
class ScramMechanism:
    """A mechanism: its name, the hash, and its number in keys 50 and 51."""

    name: str
    hash: str
    number: int

    def hmac(self, key: bytes, text: bytes) -> bytes:
        """HMAC."""
        return digest(key, text, self.hash)

    def plain_hash(self, data: bytes) -> bytes:
        """H."""
        return hashlib.new(self.hash, data).digest()

    def salted(self, password: str, salt: bytes, iterations: int) -> bytes:
        """Hi: the password, salted and stretched."""
        return hashlib.pbkdf2_hmac(self.hash, password.encode(), salt, iterations)


SHA_256 = ScramMechanism("SCRAM-SHA-256", "sha256", 1)
SHA_512 = ScramMechanism("SCRAM-SHA-512", "sha512", 2)

SCRAM_MECHANISMS: Mapping[str, ScramMechanism] = MappingProxyType(
    {mechanism.name: mechanism for mechanism in (SHA_256, SHA_512)}
)


@dataclass(frozen=True, slots=True)
class ScramCredential:
    """What a server knows of a password: enough to check it, not enough to use it elsewhere."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def __repr__(self) -> str:
        """Leave the keys out: with them a server can be played."""
        return f"ScramCredential({self.iterations} iterations)"


@dataclass(frozen=True, slots=True)
class CredentialNeeded:
    """A server's mechanism cannot go on without this user's credential."""

    mechanism: ScramMechanism
    user: str


def credential_of(
    mechanism: ScramMechanism, password: str, salt: bytes, iterations: int = DEFAULT_ITERATIONS
) -> ScramCredential:
    """Make the credential of a password."""
    return from_salted(mechanism, mechanism.salted(password, salt, iterations), salt, iterations)


def from_salted(
    mechanism: ScramMechanism, salted: bytes, salt: bytes, iterations: int
) -> ScramCredential:
    """Make the credential of a password that somebody else has salted."""
    client_key = mechanism.hmac(salted, b"Client Key")
    stored_key = mechanism.plain_hash(client_key)
    return ScramCredential(salt, stored_key, mechanism.hmac(salted, b"Server Key"), iterations)


def encode_credential(credential: ScramCredential) -> str:
    """Write a credential as Kafka keeps it in /config/users (ScramCredentialUtils)."""
    keys = {
        "salt": credential.salt,
        "stored_key": credential.stored_key,
        "server_key": credential.server_key,
    }
    parts = [f"{name}={b64encode(value).decode()}" for name, value in keys.items()]
    return ",".join([*parts, f"iterations={credential.iterations}"])


def decode_credential(text: str) -> ScramCredential:
    """Read a credential; raises ValueError, whose text holds none of it."""
    found = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    try:
        salt, stored, server = (
            b64decode(found[name], validate=True) for name in ("salt", "stored_key", "server_key")
        )
        return ScramCredential(salt, stored, server, int(found["iterations"]))
    except (KeyError, ValueError):
        raise ValueError(
            "it is no credential: salt=...,stored_key=...,server_key=...,iterations=N is needed"
        ) from None


class ScramServer:
    """The side that asks. `decoy_key` is a secret of the process, from which unknown users get a
    credential that no password fits.
    """

    def __init__(self, mechanism: ScramMechanism, nonce: str, decoy_key: bytes) -> None:
        self._mechanism = mechanism
        self._nonce = nonce
        self._decoy_key = decoy_key
        self._first: re.Match[str] | None = None
        self._credential: ScramCredential | None = None
        self._known = False
        self._server_first = ""
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

    def step(self, data: bytes) -> bytes | CredentialNeeded:
        """Take the client's first or final message."""
        if self._first is None:
            return self._take_first(data)
        if self._credential is None or self.done:
            raise AuthenticationError("a message comes that was not asked for")
        return self._take_final(data, self._first, self._credential)

    def found(self, credential: ScramCredential | None) -> bytes:
        """Answer the first message, whether there is such a user or not."""
        assert self._first is not None, "a credential is found after it was asked for"
        self._known = credential is not None
        self._credential = credential or self._decoy(_unescaped(self._first["name"]))
        self._nonce = self._first["nonce"] + self._nonce
        salt = b64encode(self._credential.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={self._credential.iterations}"
        return self._server_first.encode()

    def _take_first(self, data: bytes) -> CredentialNeeded:
        first = _match(_CLIENT_FIRST, data, "client's first")
        name = _unescaped(first["name"])
        wanted = _unescaped(first["authorization"] or "")
        if wanted not in ("", name):
            raise AuthenticationError(f"user {name!r} wants to be {wanted!r}")
        if ",tokenauth=true" in first["extensions"].lower():
            raise AuthenticationError("delegation tokens are not supported; log in with a password")
        self._first = first
        return CredentialNeeded(self._mechanism, name)

    def _take_final(self, data: bytes, first: re.Match[str], credential: ScramCredential) -> bytes:
        final = _match(_CLIENT_FINAL, data, "client's final")
        if final["nonce"] != self._nonce:
            raise AuthenticationError("the client repeats another nonce")
        if _decoded(final["header"]) != first["header"].encode():
            raise AuthenticationError("the client repeats other first words")
        signed = ",".join((first["bare"], self._server_first, final["unproven"])).encode()
        signature = self._mechanism.hmac(credential.stored_key, signed)
        client_key = _xor(_decoded(final["proof"]), signature)
        right = compare_digest(self._mechanism.plain_hash(client_key), credential.stored_key)
        name = _unescaped(first["name"])
        if not (right and self._known):
            raise AuthenticationError(f"user {name!r} is unknown or has another password")
        self._principal = user(name)
        return b"v=" + b64encode(self._mechanism.hmac(credential.server_key, signed))

    def _decoy(self, name: str) -> ScramCredential:
        """Return what a user without a credential seems to have: the same each time."""
        salt = digest(self._decoy_key, name.encode(), "sha256")
        key = self._mechanism.hmac(self._decoy_key, salt)
        return ScramCredential(salt[:20], key, key, DEFAULT_ITERATIONS)


class ScramClient:
    """The side that says who it is, and wants a proof that the server knows it."""

    def __init__(self, mechanism: ScramMechanism, username: str, password: str, nonce: str) -> None:
        self.name = mechanism.name
        self.done = False
        self._mechanism = mechanism
        self._password = password
        self._nonce = nonce
        name = username.replace("=", "=3D").replace(",", "=2C")
        self._bare = f"n={name},r={nonce}"
        self._sent_first = False
        self._expected: bytes | None = None

    def step(self, data: bytes) -> bytes:
        """Return the first message, the final one, and nothing after the server's proof."""
        if not self._sent_first:
            self._sent_first = True
            return f"n,,{self._bare}".encode()
        if self._expected is None:
            return self._prove(data)
        if self.done:
            raise AuthenticationError("the server goes on after its end")
        final = _match(_SERVER_FINAL, data, "server's final")
        if final["error"]:
            raise AuthenticationError(f"the server refuses: {final['error']}")
        if not compare_digest(_decoded(final["signature"]), self._expected):
            raise AuthenticationError("the server does not know the password itself")
        self.done = True
        return b""

    def _prove(self, data: bytes) -> bytes:
        first = _match(_SERVER_FIRST, data, "server's first")
        nonce, iterations = first["nonce"], int(first["iterations"])
        if not nonce.startswith(self._nonce) or nonce == self._nonce:
            raise AuthenticationError("the server's nonce does not begin with the client's")
        if iterations < DEFAULT_ITERATIONS:
            raise AuthenticationError(
                f"the server asks for {iterations} iterations, and fewer than"
                f" {DEFAULT_ITERATIONS} give the password away"
            )
        if iterations > MOST_ITERATIONS:
            raise AuthenticationError(f"the server asks for {iterations} iterations, far too many")
        mechanism = self._mechanism
        salt = _decoded(first["salt"])
        salted = mechanism.salted(self._password, salt, iterations)
        client_key = mechanism.hmac(salted, b"Client Key")
        credential = from_salted(mechanism, salted, salt, iterations)
        unproven = f"c={b64encode(b'n,,').decode()},r={nonce}"
        signed = ",".join((self._bare, first[0], unproven)).encode()
        self._expected = mechanism.hmac(credential.server_key, signed)
        proof = _xor(client_key, mechanism.hmac(credential.stored_key, signed))
        return f"{unproven},p={b64encode(proof).decode()}".encode()


def _match(pattern: re.Pattern[str], data: bytes, which: str) -> re.Match[str]:
    if len(data) > MOST_MESSAGE_BYTES:
        raise AuthenticationError(f"the {which} message has {len(data)} bytes, far too many")
    try:
        match = pattern.fullmatch(data.decode())
    except UnicodeDecodeError:
        match = None
    if match is None:
        raise AuthenticationError(f"the {which} message is none of SCRAM")
    return match


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except Base64Error:
        raise AuthenticationError("a message holds what is not base64") from None


def _unescaped(name: str) -> str:
    return name.replace("=2C", ",").replace("=3D", "=")


def _xor(one: bytes, other: bytes) -> bytes:
    if len(one) != len(other):
        raise AuthenticationError(f"a proof has {len(one)} bytes where {len(other)} are needed")
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
