"""SCRAM against the RFC's example, a stranger's implementation, and all that may go wrong."""

from typing import Any

import pytest
import scramp
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.security.errors import AuthenticationError
from klamm.controller.security.principals import user
from klamm.controller.security.scram import (
    DEFAULT_ITERATIONS,
    SCRAM_MECHANISMS,
    SHA_256,
    SHA_512,
    CredentialNeeded,
    ScramClient,
    ScramCredential,
    ScramMechanism,
    ScramServer,
    credential_of,
    decode_credential,
    encode_credential,
    from_salted,
)

MECHANISMS = pytest.mark.parametrize("mechanism", SCRAM_MECHANISMS.values(), ids=lambda m: m.name)
SALT = b"salt of 16 bytes"
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


def log_in(client: ScramClient, server: ScramServer, credential: ScramCredential | None) -> None:
    """Carry messages to and fro until both are done."""
    needed = server.step(client.step(b""))
    assert isinstance(needed, CredentialNeeded)
    proof = server.step(client.step(server.found(credential)))
    assert isinstance(proof, bytes)
    assert client.step(proof) == b""


@MECHANISMS
@given(name=NAMES, password=NAMES, salt=st.binary(min_size=1, max_size=40))
def test_whoever_knows_the_password_gets_in(
    mechanism: ScramMechanism, name: str, password: str, salt: bytes
) -> None:
    client = ScramClient(mechanism, name, password, "client")
    server = ScramServer(mechanism, "server", b"secret")
    log_in(client, server, credential_of(mechanism, password, salt))
    assert client.done
    assert server.done
    assert server.principal == user(name)


def test_the_example_of_rfc_7677() -> None:
    client = ScramClient(SHA_256, "user", "pencil", "rOprNGfwEbeRWgbNEkqO")
    assert client.step(b"") == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    first = (
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    assert client.step(first) == (
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert client.step(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=") == b""
    assert client.done


@MECHANISMS
def test_a_stranger_s_client_gets_in(mechanism: ScramMechanism) -> None:
    stranger = scramp.ScramClient([mechanism.name], "al=ic,e", "pass word")
    server = ScramServer(mechanism, "server", b"secret")
    needed = server.step(stranger.get_client_first().encode())
    assert needed == CredentialNeeded(mechanism, "al=ic,e")
    first = server.found(credential_of(mechanism, "pass word", SALT))
    stranger.set_server_first(first.decode())
    proof = server.step(stranger.get_client_final().encode())
    assert isinstance(proof, bytes)
    stranger.set_server_final(proof.decode())
    assert server.principal == user("al=ic,e")


@MECHANISMS
def test_a_stranger_s_server_lets_in(mechanism: ScramMechanism) -> None:
    strange: Any = scramp.ScramMechanism(mechanism.name)
    known = strange.make_auth_info("pass word", iteration_count=8192)
    server = strange.make_server(lambda name: known if name == "al=ic,e" else None)
    client = ScramClient(mechanism, "al=ic,e", "pass word", "client")
    server.set_client_first(client.step(b"").decode())
    server.set_client_final(client.step(server.get_server_first().encode()).decode())
    client.step(server.get_server_final().encode())
    assert client.done
    assert ScramCredential(*known) == credential_of(mechanism, "pass word", known[0], 8192)


@pytest.mark.parametrize(
    ("password", "credential"),
    [("wrong", credential_of(SHA_256, "right", SALT)), ("right", None)],
    ids=["wrong password", "unknown user"],
)
def test_an_unknown_user_is_told_the_same_as_a_wrong_password(
    password: str, credential: ScramCredential | None
) -> None:
    client = ScramClient(SHA_256, "alice", password, "client")
    server = ScramServer(SHA_256, "server", b"secret")
    with pytest.raises(AuthenticationError) as refused:
        log_in(client, server, credential)
    assert str(refused.value) == "user 'alice' is unknown or has another password"
    assert not server.done


def test_an_unknown_user_has_the_same_salt_each_time_and_another_one_than_others() -> None:
    def first(name: str) -> bytes:
        server = ScramServer(SHA_256, "server", b"secret")
        server.step(ScramClient(SHA_256, name, "x", "client").step(b""))
        return server.found(None)

    assert first("alice") == first("alice") != first("bob")
    assert f",i={DEFAULT_ITERATIONS}".encode() in first("alice")


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b"", "none of SCRAM"),
        (b"\xff", "none of SCRAM"),
        (b"n,,n=,r=x", "none of SCRAM"),
        (b"n,,n=a", "none of SCRAM"),
        (b"n,,n=a=b,r=x", "none of SCRAM"),
        (b"n,,m=x,n=a,r=x", "none of SCRAM"),
        (b"p=tls-unique,,n=a,r=x", "none of SCRAM"),
        (b"n,a=bob,n=alice,r=x", "user 'alice' wants to be 'bob'"),
        (b"n,,n=alice,r=x,tokenauth=true", "delegation tokens are not supported"),
        (b"n,,n=" + b"a" * 500_000 + b",r=x", "has 500009 bytes, far too many"),
    ],
)
def test_first_messages_that_are_none(message: bytes, why: str) -> None:
    with pytest.raises(AuthenticationError, match=why):
        ScramServer(SHA_256, "server", b"secret").step(message)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda final: final.replace(b"r=client", b"r=another"), "repeats another nonce"),
        (lambda final: final.replace(b"c=biws", b"c=eSws"), "repeats other first words"),
        (lambda final: final[:-4] + b"AAA=", "unknown or has another password"),
        (lambda final: final[: final.index(b",p=")] + b",p=AAAA", "3 bytes where 32"),
        (lambda final: final[: final.index(b",p=")] + b",p=A", "what is not base64"),
        (lambda final: final[: final.index(b",p=")], "none of SCRAM"),
    ],
)
def test_final_messages_that_are_none(spoil: Any, why: str) -> None:  # noqa: ANN401
    client = ScramClient(SHA_256, "alice", "right", "client")
    server = ScramServer(SHA_256, "server", b"secret")
    server.step(client.step(b""))
    final = client.step(server.found(credential_of(SHA_256, "right", SALT)))
    with pytest.raises(AuthenticationError, match=why):
        server.step(spoil(final))


@pytest.mark.parametrize("message", [b"", b"anything"])
def test_a_server_that_is_done_takes_no_more(message: bytes) -> None:
    server = ScramServer(SHA_256, "server", b"secret")
    credential = credential_of(SHA_256, "right", SALT)
    log_in(ScramClient(SHA_256, "alice", "right", "client"), server, credential)
    with pytest.raises(AuthenticationError, match="was not asked for"):
        server.step(message)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (b"r=other,s=AAAA,i=4096", "does not begin with the client's"),
        (b"r=client,s=AAAA,i=4096", "does not begin with the client's"),
        (b"r=clientX,s=AAAA,i=4095", "asks for 4095 iterations"),
        (b"r=clientX,s=AAAA,i=99999999999", "none of SCRAM"),
        (b"r=clientX,s=AAAA,i=999999999", "asks for 999999999 iterations"),
        (b"e=unknown-user", "none of SCRAM"),
    ],
)
def test_servers_that_a_client_does_not_answer(first: bytes, why: str) -> None:
    client = ScramClient(SHA_256, "alice", "right", "client")
    client.step(b"")
    with pytest.raises(AuthenticationError, match=why):
        client.step(first)


@pytest.mark.parametrize(
    ("final", "why"),
    [
        (b"v=AAAA", "does not know the password itself"),
        (b"e=other-error", "the server refuses: other-error"),
        (b"", "none of SCRAM"),
    ],
)
def test_a_client_wants_a_proof(final: bytes, why: str) -> None:
    client = ScramClient(SHA_512, "alice", "right", "client")
    client.step(b"")
    client.step(b"r=clientX,s=AAAA,i=4096")
    with pytest.raises(AuthenticationError, match=why):
        client.step(final)
    assert not client.done


def test_a_credential_is_written_as_kafka_writes_it() -> None:
    # Made by kafka-configs 3.9.1 of password "alice-secret" would have other salts; the form is
    # what counts: ScramCredentialUtils.credentialToString.
    credential = ScramCredential(b"salt", b"stored", b"server", 8192)
    text = "salt=c2FsdA==,stored_key=c3RvcmVk,server_key=c2VydmVy,iterations=8192"
    assert encode_credential(credential) == text
    assert decode_credential(text) == credential
    assert "stored" not in repr(credential)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "salt=c2FsdA==,stored_key=c3RvcmVk,server_key=c2VydmVy",
        "salt=c2FsdA==,stored_key=c3RvcmVk,server_key=c2VydmVy,iterations=many",
        "salt=c2FsdA=,stored_key=c3RvcmVk,server_key=c2VydmVy,iterations=8192",
    ],
)
def test_what_is_no_credential_is_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="it is no credential") as refused:
        decode_credential(text)
    assert "c3RvcmVk" not in str(refused.value)


def test_a_password_that_somebody_else_has_salted() -> None:
    salted = SHA_256.salted("right", SALT, 4096)
    assert from_salted(SHA_256, salted, SALT, 4096) == credential_of(SHA_256, "right", SALT)
