"""Simulated brokers as TCP peers that register in ZooKeeper.

`SimulatedBrokers` runs any number of them in one process on 127.0.0.1. What a broker decides is
`model`'s matter, the bytes between brokers are `replication`'s; here are sockets, sessions and the
clock. A broker serves the controller's keys 4, 5 and 6, and clients from the metadata that the
controller has sent it: 3, 18 and 60 with answers, 19, 45 and 46 with NOT_CONTROLLER.

Left out: Produce for clients (key 0's handler refuses it) and Fetch, and the time for which the
znode of a killed broker stays: every end closes the session.
"""

import math
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Self

import trio

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import Result
from klamm.controller.handlers.api import Context, RequestEvent
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.controller.node.effects import Commit, ReadZnodes, Update
from klamm.controller.runtime.server import Exchange, serve
from klamm.controller.runtime.service import carry_out
from klamm.controller.runtime.sessions import OpenStore, Session
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import SessionEvent, SessionState, StoreEvent
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.controller.znodes import Endpoint
from klamm.protocol import registry
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.settings import (
    BANDWIDTH,
    KAFKA_TIMES,
    PARTITION_BYTES,
    BrokerSettings,
    Times,
)
from klamm.tools.brokers.storage import Log

HOST = "127.0.0.1"
LISTENER = "PLAINTEXT"

#: The pause between the end of a session and the next one.
_SESSION_PAUSE_S = 0.5

_CONTROL = (LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest)

#: What ApiVersions shows, and what is served.
SERVED: Mapping[int, range] = MappingProxyType(
    {**advertised(), **{kind.api_key: registry.request(kind.api_key).versions for kind in _CONTROL}}
)

Carry = Callable[[Effects], None]


class SimulatedBrokers:
    """Brokers with the given ids, as an async context manager; all are registered when it opens.

    `store` is a ZooKeeper connect string, or what opens a session. `racks` and `ports` are by
    broker id; a broker without a port takes a free one, and keeps it when it is started again.
    `bandwidth` is what each broker fetches, in bytes per second. Leaving, or being cancelled, ends
    the brokers: their own znodes go, what Kafka would leave stays. Raises ValueError for settings
    that make no sense; in exception groups, as trio's nurseries do, OSError for a port that is
    taken, BrokerIdInUseError, and StoreRefusedError.
    """

    def __init__(
        self,
        store: str | OpenStore,
        ids: Sequence[int] = tuple(range(5)),
        *,
        racks: Mapping[int, str] | None = None,
        ports: Mapping[int, int] | None = None,
        partition_bytes: int = PARTITION_BYTES,
        bandwidth: float = BANDWIDTH,
        log_dirs: Sequence[str] = ("/data",),
        protocol: InterBrokerProtocol = DEFAULT,
        times: Times = KAFKA_TIMES,
    ) -> None:
        if len(set(ids)) != len(ids):
            raise ValueError(f"broker ids must differ: {list(ids)}")
        if isinstance(store, str):
            store = partial(ZookeeperStore, ZookeeperOptions(store))
        self._cluster = Cluster(bandwidth)
        cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        self._brokers = {
            id_: SimulatedBroker(
                BrokerSettings(
                    id_,
                    Endpoint(LISTENER, LISTENER, HOST, (ports or {}).get(id_, 0)),
                    cluster_id,
                    (racks or {}).get(id_),
                    partition_bytes,
                    tuple(log_dirs),
                    protocol,
                    times,
                ),
                self._cluster,
                store,
                self._carry_out,
            )
            for id_ in ids
        }
        self._changed = trio.Event()

    async def __aenter__(self) -> Self:
        self._running = self._run()
        await self._running.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._running.__aexit__(kind, error, traceback)

    @property
    def brokers(self) -> Mapping[int, "SimulatedBroker"]:
        """The brokers by id, running or not; each knows its `port` and `rack`."""
        return MappingProxyType(self._brokers)

    @property
    def cluster(self) -> Cluster:
        """The model of it all, to look at."""
        return self._cluster

    def logs(self, broker: int) -> Mapping[TopicPartition, Log]:
        """Return what is on a broker's disks, at this moment."""
        self._carry_out(self._cluster.advance(trio.current_time()))
        return MappingProxyType(dict(self._cluster.logs(broker)))

    def freeze(self, broker: int) -> None:
        """Stop a broker's fetching: it lives, answers and leads, and never catches up."""
        self._carry_out(self._cluster.freeze(trio.current_time(), broker))

    def thaw(self, broker: int) -> None:
        """Let a frozen broker fetch again."""
        self._carry_out(self._cluster.thaw(trio.current_time(), broker))

    def fail_directory(self, broker: int, directory: str) -> None:
        """Break one of a broker's log directories; raises ValueError for an unknown one."""
        self._carry_out(self._cluster.fail_directory(trio.current_time(), broker, directory))

    async def kill(self, broker: int) -> None:
        """End a broker: its connections and its znode go, its disks stay."""
        await self._brokers[broker].kill()

    async def start(self, broker: int) -> None:
        """Start a killed broker on its old port and disks; returns once it is registered."""
        await self._nursery.start(self._brokers[broker].run)

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._keep_time)
            async with trio.open_nursery() as starting:
                for broker in self._brokers.values():
                    starting.start_soon(self._nursery.start, broker.run)
            yield
            self._nursery.cancel_scope.cancel()

    async def _keep_time(self) -> None:
        """Wake the model whenever something is due."""
        while True:
            with trio.move_on_at(self._cluster.deadline):
                await self._changed.wait()
            self._changed = trio.Event()
            if trio.current_time() >= self._cluster.deadline:
                self._carry_out(self._cluster.advance(trio.current_time()))

    def _carry_out(self, effects: Effects) -> None:
        for broker, call in effects:
            self._brokers[broker].make(call)
        self._changed.set()


class SimulatedBroker:
    """One broker's sockets and session, around its model in the cluster."""

    def __init__(
        self, settings: BrokerSettings, cluster: Cluster, open_store: OpenStore, carry_out: Carry
    ) -> None:
        self._settings = settings
        self._cluster = cluster
        self._open_store = open_store
        self._carry_out = carry_out
        self._session: Session | None = None
        self._scope = trio.CancelScope()
        self._ended = trio.Event()
        self._ended.set()

    @property
    def id(self) -> int:
        """The broker's id."""
        return self._settings.id

    @property
    def rack(self) -> str | None:
        """The broker's rack, if it has one."""
        return self._settings.rack

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1; 0 before the first start if any port will do."""
        return self._settings.endpoint.port

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Live until killed; started once the broker is registered."""
        if not self._ended.is_set():
            raise ValueError(f"broker {self.id} runs already")
        self._ended, self._scope = trio.Event(), trio.CancelScope()
        try:
            with self._scope:
                listeners = await trio.open_tcp_listeners(self.port, host=HOST)
                port = listeners[0].socket.getsockname()[1]
                endpoint = Endpoint(LISTENER, LISTENER, HOST, port)
                self._settings = replace(
                    self._settings, endpoint=endpoint, timestamp_ms=int(time.time() * 1000)
                )
                async with trio.open_nursery() as nursery:
                    await nursery.start(serve, listeners, SERVED, self._dispatch)
                    await self._live(task_status)
        finally:
            self._ended.set()

    async def kill(self) -> None:
        """End `run`, and wait for that."""
        self._scope.cancel()
        await self._ended.wait()

    def make(self, call: Call) -> None:
        """Make a request to ZooKeeper; a session that has ended leaves it without an answer."""
        assert self._session is not None, "a model that has seen no connection asks for nothing"
        store = self._session.store
        match call:
            case Commit(request, ops, fence):
                store.commit(request, ops, fence)
            case Update(request, op):
                store.update(request, op)
            case ReadZnodes(request, reads, sync):
                store.read(request, reads, sync)

    async def _live(self, task_status: trio.TaskStatus[None]) -> None:
        """Run the model in one session after the other."""
        self._carry_out(self._cluster.start(trio.current_time(), self._settings))
        model = self._cluster.brokers[self.id]
        started = False
        try:
            while True:
                async with self._open_session() as events:
                    async for event in events:
                        self._carry_out(self._cluster.store(trio.current_time(), self.id, event))
                        if model.registered and not started:
                            started = True
                            task_status.started()
                        if isinstance(event, SessionEvent) and event.state is SessionState.LOST:
                            break
                await trio.sleep(_SESSION_PAUSE_S)
        finally:
            self._carry_out(self._cluster.kill(trio.current_time(), self.id))

    @asynccontextmanager
    async def _open_session(self) -> AsyncIterator[trio.MemoryReceiveChannel[StoreEvent]]:
        send, receive = trio.open_memory_channel[StoreEvent](math.inf)
        self._session = session = Session(
            self._open_store, lambda _, event: send.send_nowait(event)
        )
        try:
            yield receive
        finally:
            await session.end()

    def _dispatch(self, exchange: Exchange) -> None:
        """Serve one request: the controller's by the model, all others by the handlers."""
        header, body = exchange.request.header, exchange.request.body
        version = header.request_api_version
        if isinstance(body, _CONTROL):
            now = trio.current_time()
            response, effects = self._cluster.request(now, self.id, body, version)
            self._carry_out(effects)
            exchange.respond(response)
            return
        metadata = self._cluster.brokers[self.id].metadata
        context = Context(self.id, LISTENER, SERVED, metadata)
        outcome = HANDLERS[header.request_api_key].handle(context, body, version)
        carry_out(exchange, outcome, _no_controller)


def _no_controller(
    events: tuple[RequestEvent, ...], respond: Callable[[Sequence[Result]], None]
) -> None:
    raise RuntimeError(f"a broker has no core to decide on {events}")
