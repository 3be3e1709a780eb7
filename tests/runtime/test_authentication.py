"""A server's entrance over sockets: who gets in as whom, and what becomes of all others."""

import ssl
import struct
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from runtime.peers import TABLE, Peer, answer_at_once

from klamm.controller.core.model import Endpoint
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.runtime.authentication import (
    Entrance,
    SecurityError,
    guard_of,
    no_credentials,
)
from klamm.controller.runtime.conversation import LinkLostError
from klamm.controller.runtime.credentials import find_credential
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.limits import DEFAULT_LIMITS
from klamm.controller.runtime.listeners import Listener
from klamm.controller.runtime.login import (
    NotAdmittedError,
    Pass,
    connect_as_client,
    connect_between_brokers,
)
from klamm.controller.runtime.server import serve
from klamm.controller.security.authenticator import RefusedError
from klamm.controller.security.credentials import FindCredential
from klamm.controller.security.principals import ANONYMOUS, Client, user
from klamm.controller.security.scram import (
    SHA_256,
    CredentialNeeded,
    ScramCredential,
    credential_of,
)
from klamm.protocol.connection import ClientConnection
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.tools.certificates import Authority

HOST = "127.0.0.1"
MODULES = "org.apache.kafka.common.security"
PLAIN_JAAS = f'{MODULES}.plain.PlainLoginModule required username="alice" password="right" '
SCRAM_JAAS = f'{MODULES}.scram.ScramLoginModule required username="alice" password="right";'
CREDENTIAL = credential_of(SHA_256, "right", b"salt")

AUTHORITY = Authority.create()
STRANGER = Authority.create("a stranger")


async def find(needed: CredentialNeeded) -> ScramCredential | None:
    await trio.lowlevel.checkpoint()
    return CREDENTIAL if needed.user == "alice" else None


def store(folder: Path, name: str, pem: str, prefix: str = "ssl.keystore") -> dict[str, str]:
    """Write a PEM store and return the properties that name it."""
    file = folder / f"{name}.pem"
    file.write_text(pem)
    return {f"{prefix}.type": "PEM", f"{prefix}.location": str(file)}


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    """A server's key, and the authority that it trusts in."""
    trust = store(tmp_path, "trust", AUTHORITY.pem, "ssl.truststore")
    return {**store(tmp_path, "server", AUTHORITY.issue("server", [HOST]).pem), **trust}


@pytest.fixture
def trust(tmp_path: Path) -> dict[str, str]:
    return store(tmp_path, "client-trust", AUTHORITY.pem, "ssl.truststore")


class Server:
    """Serves on a port, and notes who has asked."""

    def __init__(self, protocol: str, port: int) -> None:
        self.endpoint = Endpoint(protocol, protocol, HOST, port)
        self.clients: list[Client] = []

    def dispatch(self, exchange: Exchange) -> None:
        self.clients.append(exchange.client)
        answer_at_once(exchange)

    async def ask(self, properties: Mapping[str, str]) -> Client:
        """Connect by client properties, ask, and return who the server took us for."""
        protocol = self.endpoint.security_protocol
        given = {"security.protocol": protocol, **properties}
        async with await connect_as_client(given)(self.endpoint) as stream:
            peer = Peer(stream)
            await peer.ask(1, 2)
            assert await peer.answers(2) == [1, 2]
        return self.clients[-1]


@asynccontextmanager
async def serving(
    protocol: str, properties: Mapping[str, str], seconds: float = 30.0
) -> AsyncIterator[Server]:
    guard = guard_of(Listener(protocol, protocol), properties)
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host=HOST)
        server = Server(protocol, listeners[0].socket.getsockname()[1])
        entrance = Entrance(guard, TABLE, find, seconds)
        await nursery.start(serve, listeners, TABLE, server.dispatch, DEFAULT_LIMITS, entrance)
        yield server
        nursery.cancel_scope.cancel()


def sasl(protocol: str, mechanism: str, jaas: str) -> dict[str, str]:
    """Return the properties of a listener with one mechanism."""
    key = f"listener.name.{protocol.lower()}.{mechanism.lower()}.sasl.jaas.config"
    return {"sasl.enabled.mechanisms": mechanism, key: jaas}


def login(mechanism: str, jaas: str) -> dict[str, str]:
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas}


async def test_anybody_comes_in_by_plaintext() -> None:
    async with serving("PLAINTEXT", {}) as server:
        assert await server.ask({}) == Client(ANONYMOUS, HOST, "PLAINTEXT")


async def test_tls(keys: dict[str, str], trust: dict[str, str]) -> None:
    async with serving("SSL", keys) as server:
        assert await server.ask(trust) == Client(ANONYMOUS, HOST, "SSL")


@pytest.mark.parametrize(("rules", "name"), [(None, "CN=alice"), (r"RULE:^CN=(.*)$/$1/U", "ALICE")])
async def test_a_certificate_names_its_owner(
    keys: dict[str, str], trust: dict[str, str], tmp_path: Path, rules: str | None, name: str
) -> None:
    more = {"ssl.client.auth": "required"}
    if rules is not None:
        more["ssl.principal.mapping.rules"] = rules
    own = store(tmp_path, "alice", AUTHORITY.issue("alice").pem)
    async with serving("SSL", {**keys, **more}) as server:
        assert (await server.ask({**trust, **own})).principal == user(name)


@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
@pytest.mark.parametrize(
    ("mechanism", "jaas"),
    [("PLAIN", PLAIN_JAAS + 'user_alice="right";'), ("SCRAM-SHA-256", SCRAM_JAAS)],
)
async def test_sasl(
    keys: dict[str, str], trust: dict[str, str], protocol: str, mechanism: str, jaas: str
) -> None:
    async with serving(protocol, {**keys, **sasl(protocol, mechanism, jaas)}) as server:
        client = await server.ask({**trust, **login(mechanism, jaas)})
        assert client == Client(user("alice"), HOST, protocol)


async def test_nodes_log_in_to_each_other(keys: dict[str, str]) -> None:
    listener = Listener("SASL_SSL", "SASL_SSL")
    properties = {
        **keys,
        **sasl("SASL_SSL", "SCRAM-SHA-256", SCRAM_JAAS),
        "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-256",
    }
    connect = connect_between_brokers(properties, listener, "900")
    async with serving("SASL_SSL", properties) as server:
        stream = await connect(server.endpoint)
        peer = Peer(stream)
        await peer.ask(7)
        assert await peer.answers(1) == [7]
        assert server.clients[-1].principal == user("alice")
        await stream.aclose()


@pytest.mark.parametrize(
    ("name", "password"), [("alice", "wrong"), ("nobody", "right")], ids=["password", "user"]
)
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
async def test_a_wrong_login_is_told_so_and_closed(
    name: str, password: str, mechanism: str, caplog: pytest.LogCaptureFixture
) -> None:
    jaas = f'a.B required username="{name}" password="{password}";'
    asked = sasl("SASL_PLAINTEXT", mechanism, PLAIN_JAAS + 'user_alice="right";')
    async with serving("SASL_PLAINTEXT", asked) as server:
        with pytest.raises(NotAdmittedError, match="Authentication failed"):
            await server.ask(login(mechanism, jaas))
        await logged(caplog, f"not let in: {mechanism}: user '{name}' is unknown or has another")
        assert not server.clients


async def test_whoever_fails_waits_even_if_there_is_nothing_to_hear() -> None:
    asked = sasl("SASL_PLAINTEXT", "PLAIN", PLAIN_JAAS + 'user_alice="right";')
    asked |= {"connection.failed.authentication.delay.ms": "300"}
    async with (
        serving("SASL_PLAINTEXT", asked) as server,
        await trio.open_tcp_stream(HOST, server.endpoint.port) as stream,
    ):
        shake = ClientConnection("t").send_request(SaslHandshakeRequest("PLAIN"), 0)[1]
        await stream.send_all(shake)
        assert await stream.receive_some()
        began = trio.current_time()
        await stream.send_all(b"\0\0\0\x0c\0alice\0wrong")
        assert not await stream.receive_some()
        assert trio.current_time() - began >= 0.3


async def logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Wait until the server has said so."""
    with trio.fail_after(20):
        while text not in caplog.text:
            await trio.sleep(0.01)


async def test_the_longest_frame_before_a_login(caplog: pytest.LogCaptureFixture) -> None:
    asked = sasl("SASL_PLAINTEXT", "SCRAM-SHA-256", SCRAM_JAAS)
    asked |= {"sasl.server.max.receive.size": "30"}
    asked |= {"connection.failed.authentication.delay.ms": "0"}
    async with serving("SASL_PLAINTEXT", asked) as server:
        with pytest.raises(LinkLostError):
            await server.ask(login("SCRAM-SHA-256", SCRAM_JAAS))
        await logged(caplog, "above the limit of 30 bytes")


async def test_a_mechanism_that_is_not_enabled(caplog: pytest.LogCaptureFixture) -> None:
    asked = sasl("SASL_PLAINTEXT", "SCRAM-SHA-256", SCRAM_JAAS)
    async with serving("SASL_PLAINTEXT", asked) as server:
        with pytest.raises(NotAdmittedError, match="does not take PLAIN, but SCRAM-SHA-256"):
            await server.ask(login("PLAIN", PLAIN_JAAS + ";"))
        await logged(caplog, "mechanism 'PLAIN' is not enabled")


async def test_an_expired_certificate_of_a_server(
    trust: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expired = AUTHORITY.issue("server", [HOST], lasts=timedelta(minutes=-1))
    async with serving("SSL", store(tmp_path, "expired", expired.pem)) as server:
        with pytest.raises(NotAdmittedError, match="certificate has expired"):
            await server.ask(trust)
        await logged(caplog, "not let in: TLS handshake:")


@pytest.mark.parametrize("hosts", [["localhost"], ["10.0.0.1"]])
async def test_a_certificate_of_another_host(
    trust: dict[str, str], tmp_path: Path, hosts: list[str]
) -> None:
    other = store(tmp_path, "other", AUTHORITY.issue("server", hosts).pem)
    async with serving("SSL", other) as server:
        with pytest.raises(NotAdmittedError, match="IP address mismatch"):
            await server.ask(trust)
        unchecked = {"ssl.endpoint.identification.algorithm": ""}
        assert await server.ask({**trust, **unchecked}) is not None


async def test_a_server_of_another_authority(keys: dict[str, str], tmp_path: Path) -> None:
    stranger = store(tmp_path, "stranger", STRANGER.pem, "ssl.truststore")
    async with serving("SSL", keys) as server:
        with pytest.raises(NotAdmittedError, match="unable to get local issuer certificate"):
            await server.ask(stranger)


@pytest.mark.parametrize("bad", ["none", "another authority", "expired"])
async def test_clients_without_a_good_certificate(
    keys: dict[str, str],
    trust: dict[str, str],
    tmp_path: Path,
    bad: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    certificates = {
        "another authority": STRANGER.issue("alice"),
        "expired": AUTHORITY.issue("alice", lasts=timedelta(minutes=-1)),
    }
    own = store(tmp_path, "own", certificates[bad].pem) if bad in certificates else {}
    async with serving("SSL", {**keys, "ssl.client.auth": "required"}) as server:
        # With TLS 1.3 a client hears of it at its first read.
        with pytest.raises((NotAdmittedError, trio.BrokenResourceError, AssertionError)):
            await server.ask({**trust, **own})
        await logged(caplog, "not let in: TLS handshake:")
        assert not server.clients


def unreadable(pem: str) -> str:
    """Spell the subject alice by letters that its type of text cannot have, and sign that.

    OpenSSL does not mind, whoever parses does.
    """
    key, begin, end = pem.partition("-----BEGIN CERTIFICATE")
    certificate = x509.load_pem_x509_certificate(f"{begin}{end}".encode())
    old, whole = certificate.tbs_certificate_bytes, certificate.public_bytes(Encoding.DER)
    signed = old.replace(b"\x0c\x05alice", b"\x13\x05al\xfcce")
    rest = whole[whole.index(old) + len(old) :]
    signature = AUTHORITY.itself.key.sign(signed, ECDSA(SHA256()))
    bits = b"\x03" + bytes([len(signature) + 1]) + b"\0" + signature
    body = signed + rest[: 2 + rest[1]] + bits
    return key + ssl.DER_cert_to_PEM_cert(b"\x30\x82" + struct.pack(">H", len(body)) + body)


@pytest.mark.parametrize(
    ("pem", "rules"),
    [
        (AUTHORITY.issue("bob").pem, "RULE:^CN=alice$/alice/"),
        (unreadable(AUTHORITY.issue("alice").pem), ""),
    ],
    ids=["no rule fits", "unreadable"],
)
async def test_a_good_certificate_that_names_nobody(
    keys: dict[str, str],
    trust: dict[str, str],
    tmp_path: Path,
    pem: str,
    rules: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = {**keys, "ssl.client.auth": "required", "ssl.principal.mapping.rules": rules}
    own = store(tmp_path, "own", pem)
    async with serving("SSL", asked) as server:
        with pytest.raises((NotAdmittedError, trio.BrokenResourceError, AssertionError)):
            await server.ask({**trust, **own})
        await logged(caplog, "not let in: its certificate names nobody: ")
        assert not server.clients
        assert "Traceback" not in caplog.text


async def test_a_client_without_tls_at_a_listener_with(
    keys: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving("SSL", keys) as server:
        stream = await trio.open_tcp_stream(HOST, server.endpoint.port)
        async with stream:
            peer = Peer(stream)
            await peer.ask(1)
            with trio.fail_after(20):
                while await stream.receive_some():  # an alert, and then the end
                    pass
        await logged(caplog, "the other side seems to speak without TLS")


async def test_a_client_with_tls_at_a_listener_without(
    trust: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with serving("PLAINTEXT", {}) as server:
        endpoint = Endpoint("SSL", "SSL", HOST, server.endpoint.port)
        with pytest.raises(LinkLostError):
            await connect_as_client({"security.protocol": "SSL", **trust})(endpoint)
        await logged(caplog, "it seems to speak TLS, and this listener does not")


async def test_a_client_with_tls_at_a_listener_with_sasl_alone(
    trust: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    asked = sasl("SASL_PLAINTEXT", "SCRAM-SHA-256", SCRAM_JAAS)
    async with serving("SASL_PLAINTEXT", asked) as server:
        endpoint = Endpoint("SSL", "SSL", HOST, server.endpoint.port)
        with pytest.raises(LinkLostError):
            await connect_as_client({"security.protocol": "SSL", **trust})(endpoint)
        await logged(caplog, "frame length")


@pytest.mark.parametrize("protocol", ["SSL", "SASL_PLAINTEXT", "SASL_SSL"])
async def test_whoever_says_nothing_is_closed_in_time(
    keys: dict[str, str], protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    asked = {**keys, **sasl(protocol, "SCRAM-SHA-256", SCRAM_JAAS)}
    async with serving(protocol, asked, seconds=0.05) as server:
        stream = await trio.open_tcp_stream(HOST, server.endpoint.port)
        async with stream:
            with trio.fail_after(20):
                assert await stream.receive_some() == b""
        await logged(caplog, "it has not said who it is within 0.05 s")


async def test_a_server_that_ends_closes_those_that_have_not_come_in(keys: dict[str, str]) -> None:
    async with serving("SSL", keys) as server:
        stream = await trio.open_tcp_stream(HOST, server.endpoint.port)
        await trio.testing.wait_all_tasks_blocked()
    async with stream:
        with trio.fail_after(20):
            assert await stream.receive_some() == b""


async def test_what_comes_with_the_last_token_is_served() -> None:
    asked = sasl("SASL_PLAINTEXT", "PLAIN", PLAIN_JAAS + 'user_alice="right";')
    async with serving("SASL_PLAINTEXT", asked) as server:
        stream = await trio.open_tcp_stream(HOST, server.endpoint.port)
        async with stream:
            protocol = ClientConnection("t")
            data = b"".join(
                protocol.send_request(message, version)[1]
                for message, version in (
                    (SaslHandshakeRequest("PLAIN"), 1),
                    (SaslAuthenticateRequest(b"\0alice\0right"), 1),
                    (ListPartitionReassignmentsRequest(timeout_ms=9), 0),
                )
            )
            await stream.send_all(data)
            events: list[object] = []
            with trio.fail_after(20):
                while len(events) < 3:
                    events += protocol.receive_data(await stream.receive_some())
        assert server.clients == [Client(user("alice"), HOST, "SASL_PLAINTEXT")]


@pytest.mark.parametrize(
    ("protocol", "properties", "why"),
    [
        ("SASL_PLAINTEXT", {}, "sasl.enabled.mechanisms='GSSAPI': klamm speaks PLAIN, SCRAM"),
        (
            "SASL_PLAINTEXT",
            {"sasl.enabled.mechanisms": "PLAIN,OAUTHBEARER"},
            "listener.name.sasl_plaintext.plain.sasl.jaas.config is missing: PLAIN needs users",
        ),
        (
            "SASL_PLAINTEXT",
            {"sasl.enabled.mechanisms": "SCRAM-SHA-256,OAUTHBEARER"},
            "and not OAUTHBEARER",
        ),
        ("PLAINTEXT", {"ssl.principal.mapping.rules": "x"}, "'x' begins no rule"),
        (
            "PLAINTEXT",
            {"sasl.server.max.receive.size": "1k"},
            "sasl.server.max.receive.size='1k': a whole number is needed",
        ),
        ("SSL", {"connections.max.reauth.ms": "60000"}, "a login lasts as long as its connection"),
        ("SSL", {"principal.builder.class": "a.B"}, "principal.builder.class='a.B': klamm cannot"),
        (
            "SASL_SSL",
            {"listener.name.sasl_ssl.plain.sasl.server.callback.handler.class": "a.B"},
            "cannot load Java's classes; leave it out",
        ),
    ],
)
def test_properties_that_guard_nothing(protocol: str, properties: dict[str, str], why: str) -> None:
    with pytest.raises(SecurityError) as refused:
        guard_of(Listener(protocol, protocol), properties)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({}, "sasl.mechanism.inter.broker.protocol='GSSAPI'"),
        (
            {"sasl.mechanism.inter.broker.protocol": "PLAIN"},
            "listener.name.sasl_plaintext.plain.sasl.jaas.config is missing",
        ),
    ],
)
def test_nodes_that_could_not_log_in(properties: dict[str, str], why: str) -> None:
    with pytest.raises(SecurityError) as refused:
        connect_between_brokers(properties, Listener("SASL_PLAINTEXT", "SASL_PLAINTEXT"), "900")
    assert why in str(refused.value)


@pytest.mark.parametrize("protocol", ["SSL", "SASL_PLAINTEXT"])
async def test_what_is_not_set_up_is_said(protocol: str) -> None:
    async with serving("PLAINTEXT", {}) as server:
        endpoint = Endpoint(protocol, protocol, HOST, server.endpoint.port)
        with pytest.raises(NotAdmittedError, match="which is not set up"):
            await Pass().connect(endpoint)


def test_an_unknown_protocol_of_a_client() -> None:
    with pytest.raises(SecurityError, match=r"security\.protocol='TLS'"):
        connect_as_client({"security.protocol": "TLS"})


class Transactor:
    """Answers a lookup by what it was made with."""

    def __init__(self, result: object) -> None:
        self._result = result
        self.asked: list[object] = []

    def __call__(
        self, transactions: tuple[Any, ...], on_reply: Callable[[Sequence[Any]], None]
    ) -> None:
        self.asked += transactions
        on_reply([self._result])


@pytest.mark.parametrize("result", [CREDENTIAL, None])
async def test_a_credential_is_read_from_zookeeper(result: ScramCredential | None) -> None:
    transact = Transactor(result)
    assert await find_credential(transact, CredentialNeeded(SHA_256, "alice")) is result
    assert transact.asked == [FindCredential("alice", SHA_256)]


async def test_without_zookeeper_nobody_is_told_that_a_password_is_wrong() -> None:
    refusal = Refusal(Fault.UNKNOWN_SERVER_ERROR, "the session is over")
    with pytest.raises(RefusedError, match="'alice' cannot be read: the session") as refused:
        await find_credential(Transactor(refusal), CredentialNeeded(SHA_256, "alice"))
    assert refused.value.last_words == b""
    with pytest.raises(RefusedError, match="nobody to ask"):
        await no_credentials(CredentialNeeded(SHA_256, "alice"))
