"""What ZooKeeper sends reaches the store whole and in order, however the network cuts it."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from itertools import cycle

import pytest
from store_worlds import Client

from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Create,
    SessionState,
    SetData,
    Watch,
    Watched,
    WatchKind,
)
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.tools.embedded.zookeeper import HOST, EmbeddedZookeeper

ZNODES = 300


class Chopper:
    """Stands before ZooKeeper, and passes its answers on in pieces of these many bytes."""

    def __init__(self, target: int, pieces: tuple[int, ...]) -> None:
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        self._target = target
        self._pieces = pieces
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        client, _ = self._listener.accept()
        with client, socket.create_connection((HOST, self._target)) as server:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            asking = threading.Thread(target=self._carry_requests, args=(client, server))
            asking.start()
            with contextlib.suppress(OSError):  # the store has gone
                self._carry_answers(client, server)
            asking.join()

    def _carry_requests(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def _carry_answers(self, client: socket.socket, server: socket.socket) -> None:
        sizes = cycle(self._pieces)
        while data := server.recv(65536):
            while data:
                size = next(sizes)
                client.sendall(data[:size])
                data = data[size:]
        client.shutdown(socket.SHUT_WR)


@pytest.fixture(params=[(1_000_000,), (1, 3, 4, 5, 97, 1000), (64,)])
def client(
    request: pytest.FixtureRequest, zookeeper: EmbeddedZookeeper, zookeeper_chroot: str
) -> Iterator[Client]:
    chopper = Chopper(zookeeper.port, request.param)
    options = ZookeeperOptions(f"{HOST}:{chopper.port}{zookeeper_chroot}")
    client = Client(lambda post: ZookeeperStore(options, post))
    client.wait_state(SessionState.CONNECTED)
    yield client
    client.store.close()
    client.wait_state(SessionState.LOST)
    chopper.close()


def test_events_of_a_large_multi_come_all_in_order_and_before_its_answer(client: Client) -> None:
    paths = [f"/{number}" for number in range(ZNODES)]
    assert isinstance(client.commit(*(Create(path, None) for path in paths)), Committed)
    assert client.watch(Watch("/", recursive=True)) is None
    client.store.commit(1000, [SetData(path, b"x" * 10, 0) for path in paths], None)
    events = [client.next() for _ in paths]
    answer = client.next()
    assert events == [Watched(client.store.session, path, WatchKind.DATA_CHANGED) for path in paths]
    assert isinstance(answer, CommitDone) and isinstance(answer.outcome, Committed)
    assert client.data(paths[-1]) == b"x" * 10
