"""One simulated broker's sockets and sessions, around its model."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import trio

from klamm.controller.core.model import Endpoint as Address
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Update
from klamm.controller.node.permissions import Permissions
from klamm.controller.runtime.authentication import Entrance
from klamm.controller.runtime.credentials import find_credential
from klamm.controller.runtime.limits import DEFAULT_LIMITS
from klamm.controller.runtime.permissions import read_permissions
from klamm.controller.runtime.server import serve
from klamm.controller.runtime.sessions import OpenStore, Session
from klamm.controller.store.port import SessionEvent, SessionState, StoreEvent
from klamm.controller.znodes import Endpoint
from klamm.tools.brokers.access import OPEN, Access
from klamm.tools.brokers.asks import (
    Answered,
    AskAlterPartition,
    AskControlledShutdown,
    AskReportFetchProgress,
)
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.controller_link import ControllerLink
from klamm.tools.brokers.door import BrokerDoor
from klamm.tools.brokers.service import BrokerService, served
from klamm.tools.brokers.settings import BrokerSettings

HOST = "127.0.0.1"

#: The pause between the end of a session and the next one.
_SESSION_PAUSE_S = 0.5

Carry = Callable[[Effects], None]


class NotRunningError(ValueError):
    """The broker does not run, so nothing can be asked of it; the text names it."""


class SimulatedBroker:
    """One broker's sockets and sessions, around its model in the cluster."""

    def __init__(
        self,
        settings: BrokerSettings,
        cluster: Cluster,
        open_store: OpenStore,
        carry_out: Carry,
        access: Access = OPEN,
    ) -> None:
        self._access = access
        self._settings = settings
        self._cluster = cluster
        self._open_store = open_store
        self._carry_out = carry_out
        self._served = served(settings.release, settings.switches)
        self._door = BrokerDoor(self.make, self._later)
        self._session: Session | None = None
        self._session_seconds = 0.0
        self._leaves_session = False
        self._started = False
        self._scope = trio.CancelScope()
        self._ghost = trio.CancelScope()
        self._down = trio.Event()
        self._down.set()
        self._ended = trio.Event()
        self._ended.set()
        self._departed = trio.Event()

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

    @property
    def session_seconds(self) -> float:
        """How long ZooKeeper keeps its session without heartbeats; 0 before the first one."""
        return self._session_seconds

    @property
    def running(self) -> bool:
        """Tell whether it has been started and not ended since."""
        return not self._down.is_set()

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Live until ended; started once the broker is registered.

        A broker that was killed a moment ago waits until its former registration is gone, while
        Kafka's exits with NodeExists then. Raises ValueError if it runs, NotRunningError if it is
        ended before it has started.
        """
        if self.running:
            raise ValueError(f"broker {self.id} runs already")
        self._down, self._departed = trio.Event(), trio.Event()
        self._scope, self._started = trio.CancelScope(), False
        lives = False
        try:
            with self._scope:
                await self._ended.wait()
                lives, self._ended, self._leaves_session = True, trio.Event(), False
                await self._serve(task_status)
        finally:
            started = self._started  # the next life may begin while this one passes away
            self._down.set()
            self._departed.set()
            if lives:
                await self._pass_away()
        if not started:
            raise NotRunningError(f"broker {self.id} was ended before it had started")

    async def _pass_away(self) -> None:
        """End the session, if it is left behind when it would end without heartbeats."""
        try:
            if self._leaves_session:
                with trio.CancelScope() as self._ghost:
                    await trio.sleep(self._session_seconds)
        finally:
            if self._session is not None:
                await self._session.end()
                self._session = None
            self._ended.set()

    async def kill(self, *, end_session: bool = False) -> None:
        """End the process as kill -9 does: sockets close, the registration stays for a while.

        That is the session's timeout, or nothing if `end_session`. Returns when the sockets are
        closed, and the registration is gone if it is to go.
        """
        self._leaves_session = self.running and not end_session
        self._scope.cancel()
        await self._down.wait()
        if end_session:
            self._ghost.cancel()
            await self._ended.wait()

    async def stop(self) -> bool:
        """Shut down in good order, which may take three tries; return whether it was allowed.

        The broker is gone afterwards in either case. Raises NotRunningError.
        """
        if self.id not in self._cluster.brokers:
            raise NotRunningError(f"broker {self.id} does not run")
        self._carry_out(self._cluster.depart(trio.current_time(), self.id))
        await self._departed.wait()
        model = self._cluster.brokers.get(self.id)
        granted = model is not None and model.departure.granted is True
        await self.kill(end_session=True)
        return granted

    def make(self, call: Call) -> None:
        """Make a request of the model; a session that has ended leaves it without an answer."""
        if isinstance(call, AskAlterPartition):
            self._changes.ask(call)
        elif isinstance(call, AskControlledShutdown):
            self._leaving.ask(call)
        elif isinstance(call, AskReportFetchProgress):
            self._reporting.ask(call)
        else:
            self._make(call)

    def _make(self, call: Commit | Update | ReadZnodes | ArmWatch) -> None:
        assert self._session is not None, "a model that has seen no connection asks for nothing"
        store = self._session.store
        match call:
            case Commit(request, ops, fence):
                store.commit(request, ops, fence)
            case Update(request, op):
                store.update(request, op)
            case ReadZnodes(request, reads, sync):
                store.read(request, reads, sync)
            case ArmWatch(request, watches):
                store.watch(request, watches)

    async def _serve(self, task_status: trio.TaskStatus[None]) -> None:
        """Open the sockets and run the model behind them."""
        listeners = await trio.open_tcp_listeners(self.port, host=HOST)
        port = listeners[0].socket.getsockname()[1]
        access = self._access
        endpoint = Endpoint(access.listener, access.protocol, HOST, port)
        self._settings = replace(
            self._settings, endpoint=endpoint, timestamp_ms=int(time.time() * 1000)
        )
        self._changes, self._leaving, self._reporting = links = tuple(
            ControllerLink(str(self.id), self._find_controller, self._take_answer, access.connect)
            for _ in range(3)
        )
        if access.authorizer is not None:
            found = await read_permissions(access.authorizer, self._open_store)
            self._door.permissions = Permissions(found)
        find = partial(find_credential, self._door.transact)
        entrance = Entrance(access.guard, self._served, find)
        service = BrokerService(
            self._settings, self._served, self._cluster, self._door, self._carry_out
        )
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            await nursery.start(
                serve, listeners, self._served, service.dispatch, DEFAULT_LIMITS, entrance
            )
            for link in links:
                nursery.start_soon(link.run)
            await self._live(task_status)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function after so many seconds, if the broker lives as long."""

        async def wait() -> None:
            await trio.sleep(seconds)
            call()

        self._nursery.start_soon(wait)

    async def _live(self, task_status: trio.TaskStatus[None]) -> None:
        """Run the model in one session after the other."""
        self._carry_out(self._cluster.start(trio.current_time(), self._settings))
        model = self._cluster.brokers[self.id]
        try:
            while True:
                send, receive = trio.open_memory_channel[StoreEvent](math.inf)
                self._session = Session(self._open_store, _only_to(send))
                async for event in receive:
                    self._take_event(event)
                    if model.registered and not self._started:
                        self._started = True
                        task_status.started()
                    if isinstance(event, SessionEvent) and event.state is SessionState.LOST:
                        break
                await self._session.end()
                await trio.sleep(_SESSION_PAUSE_S)
        finally:
            self._door.lost("the broker has ended")
            self._carry_out(self._cluster.kill(trio.current_time(), self.id))

    def _take_event(self, event: StoreEvent) -> None:
        """Give an event of the session to the door, if it is for that alone, or to the model."""
        if isinstance(event, SessionEvent) and event.state is SessionState.CONNECTED:
            self._session_seconds = event.timeout_ms / 1000
        if not self._door.take(event):
            self._carry_out(self._cluster.store(trio.current_time(), self.id, event))

    # --- the controller ----------------------------------------------------------------------

    def _find_controller(self) -> Address | None:
        """Return where the broker's own metadata says that the controller is."""
        model = self._cluster.brokers.get(self.id)
        if model is None:
            return None
        return model.metadata.endpoint(model.metadata.controller_id, self._access.listener)

    def _take_answer(self, answered: Answered) -> None:
        model = self._cluster.brokers.get(self.id)
        if model is None:
            return
        self._carry_out(self._cluster.answered(trio.current_time(), self.id, answered))
        if model.departure.granted is not None:
            self._departed.set()


def _only_to(
    send: trio.MemorySendChannel[StoreEvent],
) -> Callable[[Session, StoreEvent], None]:
    return lambda _, event: send.send_nowait(event)
