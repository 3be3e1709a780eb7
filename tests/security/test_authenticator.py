"""What is heard and said before a login: Kafka's states, in one piece and byte by byte."""

import struct
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.security.authenticator import (
    MAX_FRAME_BYTES,
    Authenticator,
    MakeMechanism,
    RefusedError,
)
from klamm.controller.security.plain import PlainServer
from klamm.controller.security.principals import user
from klamm.controller.security.scram import (
    SHA_256,
    CredentialNeeded,
    ScramClient,
    ScramServer,
    credential_of,
)
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse
from klamm.protocol.message import Message

TABLE = {3: range(13), 17: range(2), 18: range(5), 36: range(3)}
MECHANISMS: Mapping[str, MakeMechanism] = {
    "PLAIN": lambda: PlainServer({"alice": "right"}),
    "SCRAM-SHA-256": lambda: ScramServer(SHA_256, "server", b"secret"),
}
RIGHT, WRONG = b"\0alice\0right", b"\0alice\0wrong"
CREDENTIAL = credential_of(SHA_256, "right", b"salt")


class Peer:
    """A client without a socket; `piece` is how many bytes it sends at a time."""

    def __init__(self, piece: int = 1 << 20) -> None:
        self.authenticator = Authenticator(MECHANISMS, TABLE)
        self._protocol = ClientConnection("t")
        self._piece = piece

    def send(self, data: bytes) -> bytes:
        """Send bytes and return what comes back."""
        back = b""
        for start in range(0, len(data), self._piece):
            self.authenticator.feed(data[start : start + self._piece])
            while (outcome := self.authenticator.next()) is not None:
                if isinstance(outcome, CredentialNeeded):
                    known = CREDENTIAL if outcome.user == "alice" else None
                    outcome = self.authenticator.found(known)
                back += outcome
        return back

    def ask(self, message: Message, version: int) -> Message:
        return self.read(self.send(self._protocol.send_request(message, version)[1]))

    def encoded(self, message: Message, version: int) -> bytes:
        return self._protocol.send_request(message, version)[1]

    def read(self, data: bytes) -> Message:
        [event] = self._protocol.receive_data(data)
        assert isinstance(event, Response)
        return event.body


def refused(peer: Peer, message: Message, version: int) -> RefusedError:
    with pytest.raises(RefusedError) as error:
        peer.ask(message, version)
    return error.value


@pytest.mark.parametrize("piece", [1, 3, 1000])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_login_by_requests(piece: int, version: int) -> None:
    peer = Peer(piece)
    table = peer.ask(ApiVersionsRequest("test", "1"), 3)
    assert isinstance(table, ApiVersionsResponse)
    assert {key.api_key: range(key.min_version, key.max_version + 1) for key in table.api_keys} == (
        TABLE
    )
    hands = peer.ask(SaslHandshakeRequest("PLAIN"), 1)
    assert hands == SaslHandshakeResponse(ErrorCode.NONE, ("PLAIN", "SCRAM-SHA-256"))
    answer = peer.ask(SaslAuthenticateRequest(RIGHT), version)
    assert answer == SaslAuthenticateResponse(auth_bytes=b"")
    assert peer.authenticator.done
    assert peer.authenticator.principal == user("alice")


@pytest.mark.parametrize("piece", [1, 1000])
def test_a_login_by_bare_tokens(piece: int) -> None:
    peer, client = Peer(piece), ScramClient(SHA_256, "alice", "right", "client")
    peer.ask(SaslHandshakeRequest("SCRAM-SHA-256"), 0)
    token = client.step(b"")
    while not client.done:
        back = peer.send(struct.pack(">i", len(token)) + token)
        assert struct.unpack(">i", back[:4]) == (len(back) - 4,)
        token = client.step(back[4:])
    assert peer.authenticator.principal == user("alice")


def test_plain_by_a_bare_token_is_answered_by_an_empty_one() -> None:
    peer = Peer()
    peer.ask(SaslHandshakeRequest("PLAIN"), 0)
    assert peer.send(struct.pack(">i", len(RIGHT)) + RIGHT) == b"\0\0\0\0"
    assert peer.authenticator.done


def test_what_follows_a_login_is_left_for_others() -> None:
    peer = Peer()
    peer.ask(SaslHandshakeRequest("PLAIN"), 1)
    login = peer.encoded(SaslAuthenticateRequest(RIGHT), 1)
    more = peer.encoded(MetadataRequest(topics=()), 1) + b"\0\0"
    peer.send(login + more)
    assert peer.authenticator.rest() == more
    assert peer.authenticator.rest() == b""


def test_an_unknown_version_of_api_versions_may_be_asked_again() -> None:
    peer = Peer()
    odd = struct.pack(">ihhihb", 11, 18, 99, 7, -1, 0)
    back = peer.send(odd)
    assert back[4:10] == struct.pack(">ih", 7, ErrorCode.UNSUPPORTED_VERSION)
    assert back[10:] == struct.pack(">ihhh", 1, 18, 0, 4), "one entry, key 18"
    assert isinstance(peer.ask(ApiVersionsRequest(), 0), ApiVersionsResponse)


def test_versions_are_those_of_the_release_that_is_shown() -> None:
    peer = Peer()
    peer.authenticator = Authenticator(MECHANISMS, {**TABLE, 18: range(3)})
    back = peer.send(peer.encoded(ApiVersionsRequest(), 3))
    assert back[8:] == struct.pack(">hihhh", ErrorCode.UNSUPPORTED_VERSION, 1, 18, 0, 2)


def test_a_second_api_versions_ends_it() -> None:
    peer = Peer()
    peer.ask(ApiVersionsRequest(), 0)
    error = refused(peer, ApiVersionsRequest(), 0)
    assert str(error) == "ApiVersionsRequest is out of place: handshake is to come"
    assert not error.last_words


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("GSSAPI", "is none that klamm speaks; enabled are PLAIN, SCRAM-SHA-256"),
        ("OAUTHBEARER", "is none that klamm speaks"),
        ("SCRAM-SHA-512", "is not enabled"),
    ],
)
def test_a_mechanism_that_is_not_enabled(name: str, why: str) -> None:
    peer = Peer()
    error = refused(peer, SaslHandshakeRequest(name), 1)
    assert f"mechanism {name!r} {why}" in str(error)
    code = ErrorCode.UNSUPPORTED_SASL_MECHANISM
    answer = SaslHandshakeResponse(code, ("PLAIN", "SCRAM-SHA-256"))
    assert peer.read(error.last_words) == answer


@pytest.mark.parametrize("token", [WRONG, b"\0nobody\0right", b"garbage", b"bob\0alice\0right"])
def test_whatever_is_wrong_the_peer_hears_the_same(token: bytes) -> None:
    peer = Peer()
    peer.ask(SaslHandshakeRequest("PLAIN"), 1)
    error = refused(peer, SaslAuthenticateRequest(token), 1)
    answer = peer.read(error.last_words)
    text = "Authentication failed: Invalid username or password"
    assert answer == SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, text)


@pytest.mark.parametrize(("name", "password"), [("alice", "wrong"), ("nobody", "right")])
def test_scram_fails_at_its_end_alone(name: str, password: str) -> None:
    peer, client = Peer(), ScramClient(SHA_256, name, password, "client")
    peer.ask(SaslHandshakeRequest("SCRAM-SHA-256"), 1)
    first = peer.ask(SaslAuthenticateRequest(client.step(b"")), 1)
    assert isinstance(first, SaslAuthenticateResponse)
    error = refused(peer, SaslAuthenticateRequest(client.step(first.auth_bytes)), 1)
    answer = peer.read(error.last_words)
    assert isinstance(answer, SaslAuthenticateResponse)
    assert answer.error_message == (
        "Authentication failed during authentication due to invalid credentials with SASL"
        " mechanism SCRAM-SHA-256"
    )


def test_a_bare_token_that_is_wrong_has_no_answer() -> None:
    peer = Peer()
    peer.ask(SaslHandshakeRequest("PLAIN"), 0)
    with pytest.raises(RefusedError) as error:
        peer.send(struct.pack(">i", len(WRONG)) + WRONG)
    assert error.value.last_words == b""


@pytest.mark.parametrize("before", [(), ("PLAIN",)])
def test_other_requests_before_a_login_end_it(before: tuple[str, ...]) -> None:
    peer = Peer()
    for name in before:
        peer.ask(SaslHandshakeRequest(name), 1)
    error = refused(peer, MetadataRequest(topics=()), 1)
    assert str(error).startswith("it is not authenticated yet, and sends ")
    assert "Metadata" in str(error) or "API key 3" in str(error)
    assert not error.last_words


def test_tokens_before_a_handshake_end_it() -> None:
    error = refused(Peer(), SaslAuthenticateRequest(RIGHT), 1)
    assert "versions or handshake is to come" in str(error)


def test_a_second_handshake_ends_it() -> None:
    peer = Peer()
    peer.ask(SaslHandshakeRequest("PLAIN"), 1)
    assert "token is to come" in str(refused(peer, SaslHandshakeRequest("PLAIN"), 1))


@pytest.mark.parametrize("length", [MAX_FRAME_BYTES + 1, -1, 0x16030100])
def test_a_frame_that_is_too_long_ends_it_before_it_comes(length: int) -> None:
    with pytest.raises(RefusedError, match="frame length"):
        Peer().send(struct.pack(">i", length))


@given(st.binary())
def test_any_bytes_are_waited_for_answered_or_refused(data: bytes) -> None:
    peer = Peer()
    try:
        peer.send(data)
    except RefusedError as error:
        assert str(error), "a reason is given, and nothing else is raised"
    assert not peer.authenticator.done
