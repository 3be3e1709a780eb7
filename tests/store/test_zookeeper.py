"""What only the real store has: options, hosts, threads."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kazoo.client import KazooClient
from kazoo.security import make_digest_acl
from store_worlds import Client

from klamm.controller.store.options import Tls, ZookeeperOptions
from klamm.controller.store.port import (
    Committed,
    Create,
    ReadData,
    Refused,
    SessionEvent,
    SessionState,
    StoreEvent,
    Unknown,
    Unreadable,
    UpdateDone,
    Znode,
)
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.tools.embedded.zookeeper import HOST, EmbeddedZookeeper

# Self-signed, for localhost and 127.0.0.1, until 2126: openssl req -x509 -newkey rsa:2048 -nodes
# -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1
CERTIFICATE = str(Path(__file__).parent / "tls" / "cert.pem")
KEY = str(Path(__file__).parent / "tls" / "key.pem")


@contextlib.contextmanager
def client_of(options: ZookeeperOptions) -> Iterator[Client]:
    client = Client(lambda post: ZookeeperStore(options, post))
    yield client
    client.store.close()
    if not client.lost:
        client.wait_state(SessionState.LOST)


def test_a_digest_opens_what_is_closed_to_others(
    chroot: str, zookeeper_chroot: str, zookeeper_admin: KazooClient
) -> None:
    acl = make_digest_acl("klamm", "secret", all=True)
    zookeeper_admin.create(f"{zookeeper_chroot}/closed", b"inside", acl=[acl])
    with client_of(ZookeeperOptions(chroot)) as anonymous:
        anonymous.wait_state(SessionState.CONNECTED)
        assert anonymous.read(ReadData("/closed")) == [Unreadable("/closed", "NOAUTH")]
        assert anonymous.update(Create("/closed/x", None)) == Refused("/closed/x: NOAUTH")
        assert anonymous.commit(Create("/closed/x", None)) == Refused("/closed/x: NOAUTH")
    options = ZookeeperOptions(chroot, auth=(("digest", "klamm:secret"),))
    with client_of(options) as known:
        known.wait_state(SessionState.CONNECTED)
        assert known.data("/closed") == b"inside"


class TlsFront:
    """A TLS listener before ZooKeeper, for one connection."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        self.client_certificate: object = None
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE, KEY)
        context.load_verify_locations(CERTIFICATE)
        context.verify_mode = ssl.CERT_OPTIONAL
        with contextlib.suppress(OSError):  # a handshake that the client gives up, or the end
            raw, _ = self._listener.accept()
            with (
                context.wrap_socket(raw, server_side=True) as outside,
                socket.create_connection((HOST, self._target)) as inside,
            ):
                self.client_certificate = outside.getpeercert()
                back = threading.Thread(target=self._carry, args=(inside, outside))
                back.start()
                self._carry(outside, inside)
                back.join()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in source, target:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def tls_front(zookeeper: EmbeddedZookeeper) -> Iterator[TlsFront]:
    front = TlsFront(zookeeper.port)
    yield front
    front.close()


def test_tls_is_spoken_and_both_certificates_are_shown(
    tls_front: TlsFront, zookeeper_chroot: str
) -> None:
    tls = Tls(ca=CERTIFICATE, certfile=CERTIFICATE, keyfile=KEY)
    options = ZookeeperOptions(f"localhost:{tls_front.port}{zookeeper_chroot}", tls=tls)
    with client_of(options) as client:
        client.wait_state(SessionState.CONNECTED)
        assert isinstance(client.commit(Create("/a", b"x" * 100_000)), Committed)
        assert client.data("/a") == b"x" * 100_000
    assert tls_front.client_certificate


@pytest.mark.parametrize(
    ("host", "tls", "trusted"),
    [
        ("localhost", Tls(), False),  # nobody vouches for it
        ("localhost.localdomain", Tls(ca=CERTIFICATE), False),  # vouched for under another name
        ("localhost.localdomain", Tls(ca=CERTIFICATE, check_hostname=False), True),
        ("localhost", Tls(verify_certs=False), True),
    ],
)
def test_the_servers_certificate_is_looked_at_as_told(
    tls_front: TlsFront,
    host: str,
    tls: Tls,
    trusted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lookup = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more: lookup(HOST, *more))
    with client_of(ZookeeperOptions(f"{host}:{tls_front.port}", tls=tls)) as client:
        state = client.wait(SessionEvent)
        assert state.state is (SessionState.CONNECTED if trusted else SessionState.LOST)
        assert trusted or "CERTIFICATE_VERIFY_FAILED" in state.reason


def test_a_handshake_that_breaks_off_is_tried_again() -> None:
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(10)
        options = ZookeeperOptions(f"{HOST}:{listener.getsockname()[1]}", tls=Tls())
        with client_of(options) as client:
            for _ in range(2):
                listener.accept()[0].close()
        assert client.log[-1] == SessionEvent(0, SessionState.LOST, 0, "closed")


def test_a_certificate_that_cannot_be_loaded_is_an_error_at_once() -> None:
    options = ZookeeperOptions("localhost:1", tls=Tls(ca="no/such/file"))
    with pytest.raises(FileNotFoundError):
        ZookeeperStore(options, lambda _: None)


def test_a_failure_that_no_retry_mends_ends_the_session_with_its_reason(chroot: str) -> None:
    sasl = {"mechanism": "DIGEST-MD5", "username": "u", "password": "p"}
    with client_of(ZookeeperOptions(chroot, sasl=sasl)) as client:
        lost = client.wait_state(SessionState.LOST)
    assert lost.reason == "SASLException: Missing SASL support"


def test_a_missing_chroot_is_made_with_null_data(chroot: str) -> None:
    for _ in range(2):
        with client_of(ZookeeperOptions(chroot + "/deep/er", create_chroot=True)) as client:
            client.wait_state(SessionState.CONNECTED)
            (znode,) = client.read(ReadData("/"))
            assert isinstance(znode, Znode) and znode.data is None


def test_a_dead_host_does_not_use_up_the_time_of_a_living_one(zookeeper: EmbeddedZookeeper) -> None:
    with socket.create_server((HOST, 0)) as silent:  # accepts, and never answers
        dead = f"{HOST}:{silent.getsockname()[1]}"
        connect = f"{dead},{dead},{zookeeper.connect_string}"
        with client_of(ZookeeperOptions(connect, session_timeout_ms=3000)) as client:
            client.wait_state(SessionState.CONNECTED)


def test_before_it_is_connected_it_answers_and_closes_at_once() -> None:
    with socket.create_server((HOST, 0)) as silent:
        port = silent.getsockname()[1]
        with client_of(ZookeeperOptions(f"{HOST}:{port}", session_timeout_ms=500)) as client:
            assert client.store.session == 0
            assert client.update(Create("/a", None)) == Unknown("not connected", 0)


def test_events_are_posted_one_at_a_time_whoever_calls(chroot: str) -> None:
    """Two threads ask while kazoo's delivers."""
    inside = threading.Lock()
    overlaps: list[StoreEvent] = []

    def make(deliver: Callable[[StoreEvent], None]) -> ZookeeperStore:
        def post(event: StoreEvent) -> None:
            if inside.acquire(blocking=False):
                deliver(event)
                inside.release()
            else:
                overlaps.append(event)

        return ZookeeperStore(ZookeeperOptions(chroot), post)

    client = Client(make)
    client.wait_state(SessionState.CONNECTED)

    def ask(start: int) -> None:
        for number in range(start, start + 300):
            client.store.update(number, Create(f"/{number}", b"x" * (number % 2 * 2_000_000)))

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 1000)]
    for thread in threads:
        thread.start()
    answers = [client.wait(UpdateDone) for _ in range(600)]
    for thread in threads:
        thread.join()
    assert overlaps == []
    assert sum(isinstance(answer.outcome, Committed) for answer in answers) == 300
    client.store.close()
    client.wait_state(SessionState.LOST)


def test_nothing_is_left_running_after_the_end(chroot: str) -> None:
    before = set(threading.enumerate())
    with client_of(ZookeeperOptions(chroot)) as client:
        client.wait_state(SessionState.CONNECTED)
        started = set(threading.enumerate()) - before
        assert len(started) == 1, "kazoo's connection thread alone"
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert set(threading.enumerate()) <= before
