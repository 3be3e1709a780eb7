"""One simulated broker's sockets and session, around its model.

Left out: Produce for clients (key 0's handler refuses it) and Fetch, and the time for which the
znode of a killed broker stays: every end closes the session.
"""

import math
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import MappingProxyType

import trio

from klamm.controller.core.results import Result
from klamm.controller.handlers.api import Context, RequestEvent
from klamm.controller.handlers.table import HANDLERS, advertised
from klamm.controller.node.effects import Commit, ReadZnodes, Update
from klamm.controller.runtime.server import Exchange, serve
from klamm.controller.runtime.service import carry_out
from klamm.controller.runtime.sessions import OpenStore, Session
from klamm.controller.store.port import SessionEvent, SessionState, StoreEvent
from klamm.controller.znodes import Endpoint
from klamm.protocol import registry
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.settings import BrokerSettings

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
        model = self._cluster.brokers.get(self.id)
        if model is None:
            exchange.disconnect(f"broker {self.id} has not started yet, or is ending")
            return
        if isinstance(body, _CONTROL):
            now = trio.current_time()
            response, effects = self._cluster.request(now, self.id, body, version)
            self._carry_out(effects)
            exchange.respond(response)
            return
        context = Context(self.id, LISTENER, SERVED, model.metadata)
        outcome = HANDLERS[header.request_api_key].handle(context, body, version)
        carry_out(exchange, outcome, _no_controller)


def _no_controller(
    events: tuple[RequestEvent, ...], respond: Callable[[Sequence[Result]], None]
) -> None:
    raise RuntimeError(f"a broker has no core to decide on {events}")
