"""ZooKeeper sessions on trio's thread: events in order, and calls that can be awaited."""

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import trio

from klamm.controller.store.port import (
    READ_CHUNK,
    Committed,
    Conflict,
    Op,
    Post,
    Read,
    ReadDone,
    ReadResult,
    Refused,
    SessionEvent,
    SessionState,
    Store,
    StoreEvent,
    Unknown,
    UpdateDone,
)

OpenStore = Callable[[Post], Store]

#: How long the end of a session may take when its owner stops.
CLOSE_SECONDS = 2.0


class StoreError(Exception):
    """ZooKeeper refuses a request, or has ended the session; the text says why."""


class Session:
    """A store whose events come to `on_event` on trio's thread, in order."""

    def __init__(
        self, open_store: OpenStore, on_event: Callable[["Session", StoreEvent], None]
    ) -> None:
        self._on_event = on_event
        self._token = trio.lowlevel.current_trio_token()
        self._lost = trio.Event()
        self._lock = threading.Lock()
        self._posted: list[StoreEvent] = []
        self.store = open_store(self._post)

    def close(self) -> None:
        """End the session; its ephemeral znodes go at once."""
        self.store.close()

    async def end(self) -> None:
        """End the session and wait for that, but not long, and even when cancelled."""
        self.close()
        with trio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._lost.wait()

    def _post(self, event: StoreEvent) -> None:
        """Queue an event, from ZooKeeper's thread, which may outlive trio's run by a moment.

        Trio is woken once for all that comes before it looks: a multi of thousands of writes is
        followed by a watch event for each of them.
        """
        with self._lock:
            self._posted.append(event)
            if len(self._posted) > 1:
                return  # it has been woken for those before
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._take)

    def _take(self) -> None:
        with self._lock:
            events, self._posted = self._posted, []
        for event in events:
            if isinstance(event, SessionEvent) and event.state is SessionState.LOST:
                self._lost.set()
            self._on_event(self, event)


class Calls:
    """A session of its own for a few awaited reads and writes, as an async context manager.

    Every call waits while ZooKeeper is away and is made again when the connection was lost under
    it, so only calls that do no harm twice belong here. Raises StoreError.
    """

    def __init__(self, open_store: OpenStore) -> None:
        self._open_store = open_store
        self._connected = trio.Event()
        self._requests = 0
        self._answers: dict[int, _Answer] = {}
        self._end = ""

    async def __aenter__(self) -> Self:
        self._session = Session(self._open_store, self._take)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._session.end()

    async def read(self, *reads: Read) -> tuple[ReadResult, ...]:
        """Read data and children, at most `READ_CHUNK` of them; one result per read, in order."""
        if len(reads) > READ_CHUNK:
            raise ValueError(f"{len(reads)} reads in one call: the most is {READ_CHUNK}")
        while True:
            done = await self._ask(lambda request: self._session.store.read(request, reads))
            assert isinstance(done, ReadDone)
            if isinstance(done.outcome, Refused):
                raise StoreError(done.outcome.error)
            if not isinstance(done.outcome, Unknown):
                return done.outcome

    async def update(self, op: Op) -> Committed | Conflict:
        """Carry out one conditional write."""
        while True:
            done = await self._ask(lambda request: self._session.store.update(request, op))
            assert isinstance(done, UpdateDone)
            if isinstance(done.outcome, Refused):
                raise StoreError(f"{op.path}: {done.outcome.error}")
            if not isinstance(done.outcome, Unknown):
                return done.outcome

    async def _ask(self, call: Callable[[int], None]) -> StoreEvent:
        """Make a call once there is a connection, and await its one answer."""
        await self._connected.wait()
        if self._end:
            raise StoreError(f"the session has ended: {self._end}")
        self._requests += 1
        answer = self._answers[self._requests] = _Answer()
        call(self._requests)
        return await answer.get()

    def _take(self, _: Session, event: StoreEvent) -> None:
        if isinstance(event, SessionEvent):
            if event.state is SessionState.SUSPENDED:
                self._connected = trio.Event()
                return
            if event.state is SessionState.LOST:
                self._end = event.reason or "closed"
            self._connected.set()
        elif isinstance(event, ReadDone | UpdateDone):
            self._answers.pop(event.request).set(event)


class _Answer:
    """A place for one event."""

    def __init__(self) -> None:
        self._event: StoreEvent | None = None
        self._there = trio.Event()

    def set(self, event: StoreEvent) -> None:
        self._event = event
        self._there.set()

    async def get(self) -> StoreEvent:
        await self._there.wait()
        assert self._event is not None
        return self._event
