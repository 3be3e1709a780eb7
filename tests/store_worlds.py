"""The two worlds of the contract suite, memory and real, and a client that waits for answers."""

import queue
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import count
from typing import TypeVar

from kazoo.client import KazooClient
from kazoo.protocol.serialization import Create as KazooCreate
from kazoo.security import OPEN_ACL_UNSAFE, make_digest_acl
from store_proxy import WAIT_S, Pair, Proxy, Rule

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import (
    Check,
    CommitDone,
    CommitOutcome,
    Create,
    Delete,
    Op,
    Read,
    ReadData,
    ReadDone,
    ReadResult,
    Refused,
    SessionEvent,
    SessionState,
    SetData,
    Store,
    StoreEvent,
    Unknown,
    UpdateDone,
    UpdateOutcome,
    Watch,
    WatchDone,
    Watched,
    Znode,
)
from klamm.controller.store.witness import Inquiry, Verdict, inquire
from klamm.controller.store.zookeeper import ZookeeperStore

SESSION_MS = 8_000
Event = TypeVar("Event", bound=StoreEvent)


class Client:
    """A store whose answers are waited for; `log` keeps every event in order."""

    def __init__(self, make: Callable[[Callable[[StoreEvent], None]], Store]) -> None:
        self.log: list[StoreEvent] = []
        self._arrived: queue.SimpleQueue[StoreEvent] = queue.SimpleQueue()
        self._numbers = count(1)
        self.store = make(self._arrived.put)
        self.progress: Callable[[], None] = lambda: None
        self.wait_s = WAIT_S
        self.lost = False

    def next(self) -> StoreEvent:
        self.progress()
        event = self._arrived.get(timeout=self.wait_s)
        self.log.append(event)
        self.lost |= isinstance(event, SessionEvent) and event.state is SessionState.LOST
        return event

    def wait(self, kind: type[Event], test: Callable[[Event], bool] = lambda _: True) -> Event:
        while True:
            event = self.next()
            if isinstance(event, kind) and test(event):
                return event

    def wait_state(self, state: SessionState) -> SessionEvent:
        return self.wait(SessionEvent, lambda event: event.state is state)

    def commit(self, *ops: Op, fence: Check | None = None) -> CommitOutcome:
        number = next(self._numbers)
        self.store.commit(number, ops, fence)
        return self.wait(CommitDone, lambda done: done.request == number).outcome

    def update(self, op: Op) -> UpdateOutcome:
        number = next(self._numbers)
        self.store.update(number, op)
        return self.wait(UpdateDone, lambda done: done.request == number).outcome

    def ask(
        self, reads: Sequence[Read], sync: bool = False
    ) -> list[ReadResult] | Unknown | Refused:
        number = next(self._numbers)
        self.store.read(number, reads, sync)
        results: list[ReadResult] = []
        while True:
            done = self.wait(ReadDone, lambda done: done.request == number)
            if not isinstance(done.outcome, tuple):
                assert done.last
                return done.outcome
            results += done.outcome
            if done.last:
                return results

    def read(self, *reads: Read, sync: bool = False) -> list[ReadResult]:
        results = self.ask(reads, sync)
        assert isinstance(results, list), results
        return results

    def data(self, path: str) -> bytes | None:
        (result,) = self.read(ReadData(path), sync=True)
        assert isinstance(result, Znode), result
        return result.data

    def exists(self, path: str) -> bool:
        return isinstance(self.read(ReadData(path), sync=True)[0], Znode)

    def watch(self, *watches: Watch) -> Unknown | Refused | None:
        number = next(self._numbers)
        self.store.watch(number, watches)
        return self.wait(WatchDone, lambda done: done.request == number).failure

    def watched(self) -> list[tuple[str, str]]:
        """Return the watch events so far, and forget them; all that were sent have come."""
        self.read()
        events = [(e.kind.name, e.path) for e in self.log if isinstance(e, Watched)]
        self.log = [event for event in self.log if not isinstance(event, Watched)]
        return events

    def resolve(self, unknown: Unknown, ops: Sequence[Op], fence: Check | None) -> Verdict:
        """Carry out the witness rule."""
        asked: Inquiry | Verdict = inquire(self.store.session, unknown, ops, fence)
        while isinstance(asked, Inquiry):
            asked = asked.answer(self.read(*asked.reads(), sync=True))
        return asked


class World(ABC):
    """An ensemble, its clients, and its faults."""

    @abstractmethod
    def open(self, packet_limit: int = PACKET_LIMIT) -> Client:
        """Return a connected client of a new session."""

    @abstractmethod
    def write(self, *ops: Op) -> None:
        """Write as somebody else; the operations must succeed."""

    @abstractmethod
    def close_znode(self, path: str) -> None:
        """Let nobody read or write a znode any more."""

    @abstractmethod
    def disconnect(self, client: Client) -> None:
        """Break the client's connection; it comes back by itself."""

    @abstractmethod
    def lose_next_request(self, client: Client) -> None:
        """Break the connection in place of the next request's arrival."""

    @abstractmethod
    def lose_next_answer(self, client: Client) -> None:
        """Break the connection in place of the next answer's arrival."""

    @abstractmethod
    def spoil_next_answer(self, client: Client) -> None:
        """Put other bytes in place of the next answer, which must be one to a commit."""

    @abstractmethod
    def hold_next_request(self, client: Client) -> None:
        """Keep the next request from the server, and break the connection before an answer."""

    @abstractmethod
    def let_late_request_through(self, client: Client) -> None:
        """Give the held request to the server while its client is not connected."""

    @abstractmethod
    def let_late_request_knock(self, client: Client) -> None:
        """Let the client connect, then give the held request to the server."""

    @abstractmethod
    def reconnect(self, client: Client) -> None:
        """Let the client connect again after a held request; it is connected afterwards."""

    @abstractmethod
    def expire(self, client: Client) -> None:
        """End the client's session at the server."""


class MemoryWorld(World):
    def __init__(self) -> None:
        self.zookeeper = MemoryZookeeper()
        self._lose_request: Client | None = None
        self._lose_answer: Client | None = None
        self._hold: Client | None = None

    def open(self, packet_limit: int = PACKET_LIMIT) -> Client:
        client = Client(lambda post: self.zookeeper.open(post, SESSION_MS, packet_limit))
        client.progress = self._progress
        client.wait_s = 0.0
        client.wait_state(SessionState.CONNECTED)
        return client

    def write(self, *ops: Op) -> None:
        assert isinstance(self.zookeeper.write(ops), Applied)

    def close_znode(self, path: str) -> None:
        self.zookeeper.tree.nodes[path].closed = True

    def disconnect(self, client: Client) -> None:
        self.zookeeper.disconnect(self.store(client))

    def lose_next_request(self, client: Client) -> None:
        self._lose_request = client

    def lose_next_answer(self, client: Client) -> None:
        self._lose_answer = client

    def spoil_next_answer(self, client: Client) -> None:
        self.lose_next_answer(client)  # no bytes here: what follows from them is the same

    def hold_next_request(self, client: Client) -> None:
        self._hold = client

    def let_late_request_through(self, client: Client) -> None:
        self.zookeeper.serve_late(self.store(client))

    def let_late_request_knock(self, client: Client) -> None:
        self.reconnect(client)  # the memory server forgets it here, as a real one refuses it

    def reconnect(self, client: Client) -> None:
        self.zookeeper.heal(self.store(client))
        client.wait_state(SessionState.CONNECTED)

    def expire(self, client: Client) -> None:
        self.zookeeper.expire(self.store(client))

    @staticmethod
    def store(client: Client) -> MemoryStore:
        assert isinstance(client.store, MemoryStore)
        return client.store

    def _progress(self) -> None:
        if self._lose_request and self.store(self._lose_request).outgoing:
            client, self._lose_request = self._lose_request, None
            self.disconnect(client)
        if self._lose_answer and self.store(self._lose_answer).outgoing:
            client, self._lose_answer = self._lose_answer, None
            self.zookeeper.serve(self.store(client))
            self.disconnect(client)
        if self._hold and self.store(self._hold).outgoing:
            client, self._hold = self._hold, None
            self.zookeeper.disconnect(self.store(client), late=True)
            self.zookeeper.cut(self.store(client))
        self.zookeeper.run()


class RealWorld(World):
    """A chroot of a real ZooKeeper; every client has a proxy of its own."""

    def __init__(self, address: tuple[str, int], chroot: str, admin: KazooClient) -> None:
        self._address = address
        self._chroot = chroot
        self._admin = admin
        self._proxies: dict[Client, Proxy] = {}
        self._late: dict[Client, Pair] = {}

    def open(self, packet_limit: int = PACKET_LIMIT) -> Client:
        proxy = Proxy(self._address)
        options = ZookeeperOptions(proxy.address + self._chroot, SESSION_MS, packet_limit)
        client = Client(lambda post: ZookeeperStore(options, post))
        self._proxies[client] = proxy
        client.wait_state(SessionState.CONNECTED)
        return client

    def open_below(self) -> Client:
        """Return a client whose root is a fresh znode below this world's."""
        below = f"/below{len(self._proxies)}"
        self._admin.create(self._chroot + below, None)
        world = RealWorld(self._address, self._chroot + below, self._admin)
        client = world.open()
        self._proxies |= world._proxies
        return client

    def close(self) -> None:
        for client, proxy in self._proxies.items():
            proxy.accepting = True
            client.store.close()
            if not client.lost:
                client.wait_state(SessionState.LOST)
            proxy.close()

    def write(self, *ops: Op) -> None:
        transaction = self._admin.transaction()
        for op in ops:
            path = self._chroot + op.path
            match op:
                case Create(_, data):
                    transaction.operations.append(KazooCreate(path, data, OPEN_ACL_UNSAFE, 0))
                case SetData(_, data, version):
                    assert data is not None
                    transaction.set_data(path, data, version)
                case Delete(_, version):
                    transaction.delete(path, version)
                case Check(_, version):
                    transaction.check(path, version)
        results = transaction.commit()
        assert not any(isinstance(result, Exception) for result in results), results

    def close_znode(self, path: str) -> None:
        self._admin.set_acls(self._chroot + path, [make_digest_acl("nobody", "knows", all=True)])

    def disconnect(self, client: Client) -> None:
        self._proxies[client].cut()

    def lose_next_request(self, client: Client) -> None:
        self._proxies[client].requests = Rule.CUT

    def lose_next_answer(self, client: Client) -> None:
        self._proxies[client].answers = Rule.CUT

    def spoil_next_answer(self, client: Client) -> None:
        self._proxies[client].answers = Rule.SPOIL

    def hold_next_request(self, client: Client) -> None:
        proxy = self._proxies[client]
        proxy.requests = Rule.HOLD

        def break_it() -> None:
            assert proxy.hold_seen.wait(WAIT_S)
            proxy.accepting = False
            proxy.requests = Rule.PASS
            self._late[client] = proxy.break_held()
            client.progress = lambda: None

        client.progress = break_it

    def let_late_request_through(self, client: Client) -> None:
        pair = self._late[client]
        self._proxies[client].release(pair)
        assert pair.answered.wait(WAIT_S)

    def let_late_request_knock(self, client: Client) -> None:
        self.reconnect(client)
        pair = self._late[client]
        self._proxies[client].release(pair)
        assert pair.server_gone.wait(WAIT_S)

    def reconnect(self, client: Client) -> None:
        self._proxies[client].accepting = True
        client.wait_state(SessionState.CONNECTED)

    def expire(self, client: Client) -> None:
        assert isinstance(client.store, ZookeeperStore)
        host, port = self._address
        same_session = vars(client.store)["link"].client_id
        other = KazooClient(f"{host}:{port}", client_id=same_session)
        other.start()
        other.stop()
        other.close()
