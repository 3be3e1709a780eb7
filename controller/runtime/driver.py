"""Drives a node: hands it what happened, and carries out what it asks for, in order.

This is the only loop of a controller. Whatever happens is posted to one inbox: requests and timers
and brokers' answers from trio's tasks, store events from ZooKeeper's thread. The loop hands all
that is there to the node and then a `Turn`, so a busy node works in large batches and an idle one
answers at once. Between two turns `node.state` is a value that anybody on this thread may read.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import trio

from klamm.controller.core.origins import FromClient
from klamm.controller.node import Now
from klamm.controller.node.counters import COUNTERS_TIMER
from klamm.controller.node.effects import (
    ArmWatch,
    CloseLink,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    Reply,
    Resign,
    Send,
    SetTimer,
    Transacted,
    Update,
)
from klamm.controller.node.inputs import (
    Audited,
    ControllerHeard,
    Input,
    Request,
    RequestEvent,
    Timer,
    Transactions,
    Turn,
    Woke,
)
from klamm.controller.runtime.journal import Journal as JournalWriter
from klamm.controller.runtime.links import Links, LinkSettings
from klamm.controller.runtime.sessions import OpenStore, Session
from klamm.controller.store.port import (
    SessionEvent,
    SessionState,
    Store,
    StoreEvent,
)
from klamm.controller.store.transaction import Transaction

#: Takes the results of a request: of events `Result`s, of transactions what they decide.
OnReply = Callable[[Sequence[Any]], None]

#: The least time between two sessions, so that a node that must resign at once does not spin.
SESSION_SECONDS = 0.5

#: A process that has stood still for this share of its session's time may have lost the session:
#: the client's last sign of life is at most a third of that time older than the standstill.
STANDSTILL_SHARE = 1 / 2
#: An idle loop looks at the clock so often in the time after which it would take itself for one
#: that has stood still.
LOOKS = 3

#: A loop that has worked for so long lets others on this thread have their turn: clients wait.
LONGEST_WORK_SECONDS = 0.05
#: For this share of the time that it has worked: an answer of a megabyte, as the first list of an
#: office may be, goes out in many pieces, each after the peer has taken the one before.
OTHERS_SHARE = 1 / 10

#: How often the journal has an entry with the counters.
COUNTERS_SECONDS = 60.0


def now() -> Now:
    """Read both clocks: trio's, so that a mock clock moves the node too, and the wall's."""
    return Now(trio.current_time(), time.time_ns() // 1_000_000)


class Machine(Protocol):
    """What a driver drives: a `Node`, or whatever stands in for one."""

    def handle(self, now: Now, event: Input, /) -> tuple[Effect, ...]:
        """Take one input and return what is to be done, in this order."""


class Driver:
    """One node's loop. `open_store` opens a session that posts to the callable it is given."""

    def __init__(
        self,
        node: Machine,
        open_store: OpenStore,
        journal: JournalWriter,
        links: LinkSettings,
        clock: Callable[[], Now] = now,
    ) -> None:
        self._node = node
        self._open_store = open_store
        self._journal = journal
        self._link_settings = links
        self._clock = clock
        self._inbox: deque[Input] = deque()
        self._posted = trio.Event()
        self._replies: dict[int, OnReply] = {}
        self._requests = 0
        self._timers: dict[str, trio.CancelScope] = {}
        self._session: Session | None = None
        self._next_session_at = -math.inf
        #: When the loop last looked at the clock, and how long it had worked in all until then;
        #: for how long it may do neither.
        self._looked_at = math.inf
        self._worked = 0.0
        self._longest_standstill = math.inf

    def submit(
        self,
        events: tuple[RequestEvent, ...],
        on_reply: OnReply,
        origin: FromClient | None = None,
    ) -> None:
        """Hand events to the node; `on_reply` is called once, on this thread, with the results.

        `origin` is who asked, for the journal.
        """
        self._requests += 1
        self._replies[self._requests] = on_reply
        self.post(Request(self._requests, events, origin))

    def transact(
        self,
        transactions: tuple[Transaction[Any], ...],
        on_reply: OnReply,
        origin: FromClient | None = None,
    ) -> None:
        """Hand transactions to the node's door; `on_reply` as for `submit`, with their results."""
        self._requests += 1
        self._replies[self._requests] = on_reply
        self.post(Transactions(self._requests, transactions, origin))

    def hear(self, epoch: int) -> None:
        """Tell the node that a controller of this epoch has told it of the cluster."""
        self.post(ControllerHeard(epoch))

    def note(self, text: str, origin: FromClient) -> None:
        """Have the journal told what a client has altered."""
        self.post(Audited(text, origin))

    def look_up(self) -> None:
        """Let the node know, before anything else is done, if the process has stood still.

        Not if it was at work: ZooKeeper's thread has gone on meanwhile.
        """
        at, worked = self._clock(), time.thread_time()
        stood_still = at.monotonic - self._looked_at - (worked - self._worked)
        self._looked_at, self._worked = at.monotonic, worked
        if stood_still > self._longest_standstill:
            self._hand_over(Woke(stood_still), at)

    def call_later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call a function after so many seconds, while the driver runs; the result calls it off."""
        scope = trio.CancelScope()
        self._nursery.start_soon(self._call_later, seconds, call, scope)
        return scope.cancel

    async def _call_later(
        self, seconds: float, call: Callable[[], None], scope: trio.CancelScope
    ) -> None:
        with scope:
            await trio.sleep(max(0.0, seconds))
            call()

    def post(self, happened: Input) -> None:
        """Put something into the inbox; call it on trio's thread."""
        self._inbox.append(happened)
        self._posted.set()

    async def run(self) -> None:
        """Run until cancelled; then end the session, so that our ephemeral znodes go at once."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            self._links = Links(nursery, self.post, self._link_settings)
            nursery.start_soon(self._open_session)
            nursery.start_soon(self._count)
            try:
                await self._loop()
            finally:
                if self._session is not None:
                    await self._session.end()

    async def _loop(self) -> None:
        while True:
            with trio.move_on_after(self._longest_standstill / LOOKS):
                await self._posted.wait()
            self.look_up()
            if not self._posted.is_set():
                continue
            self._posted = trio.Event()
            began = trio.current_time()
            while self._inbox:
                self._handle(self._inbox.popleft())
                worked = trio.current_time() - began
                if worked > LONGEST_WORK_SECONDS:
                    await self._let_others(worked)
                    began = trio.current_time()
            self._handle(Turn())

    async def _let_others(self, worked: float) -> None:
        """Let requests be taken that have come, and be answered if they can be at once.

        Not for so long that it would look like standing still.
        """
        await trio.sleep(min(worked * OTHERS_SHARE, self._longest_standstill / LOOKS))

    def _handle(self, happened: Input) -> None:
        self.look_up()
        self._hand_over(happened, self._clock())

    def _hand_over(self, happened: Input, at: Now) -> None:
        for effect in self._node.handle(at, happened):
            self._carry_out(effect, at)

    def _carry_out(self, effect: Effect, at: Now) -> None:
        match effect:
            case Commit(request, ops, fence):
                self._store.commit(request, ops, fence)
            case Update(request, op):
                self._store.update(request, op)
            case ReadZnodes(request, reads, sync):
                self._store.read(request, reads, sync)
            case ArmWatch(request, watches):
                self._store.watch(request, watches)
            case Send():
                self._links.send(effect)
            case CloseLink(broker):
                self._links.close(broker)
            case Reply(request, results) | Transacted(request, results):
                self._replies.pop(request)(results)
            case SetTimer(name, seconds):
                self._set_timer(name, seconds)
            case Journal():
                self._journal.write(effect, at)
            case Resign():
                self._resign()

    @property
    def _store(self) -> Store:
        if self._session is None:
            raise RuntimeError("the node uses the store between two sessions")
        return self._session.store

    def _resign(self) -> None:
        """Give the session up and open the next one; what the former one posted goes with it."""
        self._links.close_all()
        self._inbox = deque(event for event in self._inbox if not isinstance(event, StoreEvent))
        if self._session is not None:
            self._session.close()
            self._session = None
            self._nursery.start_soon(self._open_session)

    async def _open_session(self) -> None:
        await trio.sleep_until(self._next_session_at)
        self._next_session_at = trio.current_time() + SESSION_SECONDS
        self._session = Session(self._open_store, self._store_event)

    def _store_event(self, session: Session, event: StoreEvent) -> None:
        """Take an event of a session; a former one has nothing to say any more."""
        if session is not self._session:
            return
        if isinstance(event, SessionEvent) and event.state is SessionState.CONNECTED:
            self._longest_standstill = event.timeout_ms / 1000 * STANDSTILL_SHARE
        self.post(event)

    async def _count(self) -> None:
        """Have the counters written now and then; no decision of the node depends on it."""
        while True:
            await trio.sleep(COUNTERS_SECONDS)
            self.post(Timer(COUNTERS_TIMER))

    def _set_timer(self, name: str, seconds: float) -> None:
        former = self._timers.pop(name, None)
        if former is not None:
            former.cancel()
        self._timers[name] = scope = trio.CancelScope()
        self._nursery.start_soon(self._timer, name, seconds, scope)

    async def _timer(self, name: str, seconds: float, scope: trio.CancelScope) -> None:
        with scope:
            await trio.sleep(seconds)
        if self._timers.get(name) is scope:
            del self._timers[name]
            self.post(Timer(name))
