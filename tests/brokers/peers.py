"""A hand-made controller on TCP, and a ZooKeeper in memory that serves itself."""

from types import TracebackType
from typing import Self

import trio

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import Call, MemoryStore
from klamm.controller.store.port import Post, Refused
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.message import Message
from klamm.tools.brokers.server import SimulatedBrokers


class Controller:
    """Asks brokers over one connection each, one request at a time; an async context manager."""

    def __init__(self, brokers: SimulatedBrokers) -> None:
        self._brokers = brokers
        self._links: dict[int, tuple[trio.SocketStream, ClientConnection]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for stream, _ in self._links.values():
            await trio.aclose_forcefully(stream)

    async def ask(self, broker: int, request: Message, version: int) -> Message:
        if broker not in self._links:
            stream = await trio.open_tcp_stream("127.0.0.1", self._brokers.brokers[broker].port)
            self._links[broker] = stream, ClientConnection("900")
        stream, protocol = self._links[broker]
        await stream.send_all(protocol.send_request(request, version)[1])
        while True:
            data = await stream.receive_some(65536)
            assert data, f"broker {broker} closed the connection"
            for event in protocol.receive_data(data):
                assert isinstance(event, Response)
                return event.body


class SelfServing(MemoryStore):
    """A session in memory whose ZooKeeper does all it can whenever something is asked of it."""

    def __init__(self, zookeeper: MemoryZookeeper, post: Post) -> None:
        super().__init__(post, 18_000, PACKET_LIMIT)
        zookeeper.stores.append(self)
        self._zookeeper = zookeeper
        self._token = trio.lowlevel.current_trio_token()
        self._serve()

    def send(self, call: Call, refused: Refused | None = None) -> None:
        super().send(call, refused)
        self._serve()

    def close(self) -> None:
        super().close()
        self._serve()

    def _serve(self) -> None:
        # Later, because this may be called while ZooKeeper is at work.
        self._token.run_sync_soon(self._zookeeper.run)
