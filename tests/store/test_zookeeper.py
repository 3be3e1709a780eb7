"""What only the real store has: options, hosts, threads."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
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
    SessionState,
    StoreEvent,
    Unknown,
    UpdateDone,
    Znode,
)
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.tools.embedded.zookeeper import HOST, EmbeddedZookeeper

CERTIFICATES = Path(__file__).parent / "tls"


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
        assert anonymous.ask([ReadData("/closed")]) == Refused("/closed: NOAUTH")
        assert anonymous.update(Create("/closed/x", None)) == Refused("/closed/x: NOAUTH")
        assert anonymous.commit(Create("/closed/x", None)) == Refused("/closed/x: NOAUTH")
    options = ZookeeperOptions(chroot, auth=(("digest", "klamm:secret"),))
    with client_of(options) as known:
        known.wait_state(SessionState.CONNECTED)
        assert known.data("/closed") == b"inside"


@pytest.fixture
def tls_front(zookeeper: EmbeddedZookeeper) -> Iterator[int]:
    """Yield the port of a TLS listener before ZooKeeper, for one connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "cert.pem", CERTIFICATES / "key.pem")
    listener = socket.create_server((HOST, 0))

    def carry(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in source, target:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with contextlib.suppress(OSError):  # a handshake that the client gives up, or the end
            raw, _ = listener.accept()
            with (
                context.wrap_socket(raw, server_side=True) as outside,
                socket.create_connection((HOST, zookeeper.port)) as inside,
            ):
                back = threading.Thread(target=carry, args=(inside, outside))
                back.start()
                carry(outside, inside)
                back.join()

    thread = threading.Thread(target=serve)
    thread.start()
    yield listener.getsockname()[1]
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_tls_is_spoken_and_the_servers_certificate_checked(
    tls_front: int, zookeeper_chroot: str
) -> None:
    tls = Tls(ca=str(CERTIFICATES / "cert.pem"))
    options = ZookeeperOptions(f"localhost:{tls_front}{zookeeper_chroot}", tls=tls)
    with client_of(options) as client:
        client.wait_state(SessionState.CONNECTED)
        assert isinstance(client.commit(Create("/a", b"x" * 100_000)), Committed)
        assert client.data("/a") == b"x" * 100_000


def test_a_server_whose_certificate_nobody_vouches_for_is_not_spoken_to(tls_front: int) -> None:
    with client_of(ZookeeperOptions(f"localhost:{tls_front}", tls=Tls())) as client:
        reason = client.wait_state(SessionState.LOST).reason
    assert "CERTIFICATE_VERIFY_FAILED" in reason


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
    client: Client

    def post(event: StoreEvent) -> None:
        if not inside.acquire(blocking=False):
            overlaps.append(event)
            return
        client._arrived.put(event)
        inside.release()

    client = Client(lambda _: ZookeeperStore(ZookeeperOptions(chroot), post))
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
