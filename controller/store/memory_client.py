"""The client side of ZooKeeper in memory: one session's store, and what it asks of the server."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from klamm.controller.core.sizes import multi_size, update_size
from klamm.controller.store.jute import refuse_large, require_absolute
from klamm.controller.store.port import (
    Check,
    CommitDone,
    Op,
    Post,
    Read,
    ReadDone,
    Refused,
    SessionEvent,
    SessionState,
    StoreEvent,
    Unknown,
    UpdateDone,
    Watch,
    WatchDone,
)


@dataclass(frozen=True, slots=True, eq=False)
class CommitCall:
    """A commit on its way to the server; `zxid` is the newest that the client had seen."""

    request: int
    zxid: int
    ops: tuple[Op, ...]
    fence: Check | None


@dataclass(frozen=True, slots=True, eq=False)
class UpdateCall:
    """An update on its way."""

    request: int
    zxid: int
    op: Op


@dataclass(frozen=True, slots=True, eq=False)
class ReadCall:
    """A read on its way: the chunk to serve next, and all that follow."""

    request: int
    zxid: int
    reads: tuple[Read, ...]
    sync: bool


@dataclass(frozen=True, slots=True, eq=False)
class WatchCall:
    """Watches to arm, on their way."""

    request: int
    zxid: int
    watches: tuple[Watch, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CloseCall:
    """The wish to end the session, on its way."""

    request: int
    zxid: int


Call = CommitCall | UpdateCall | ReadCall | WatchCall | CloseCall


@dataclass(slots=True)
class Incoming:
    """An event on its way to a client; `answers` is the call that it answers."""

    event: StoreEvent
    zxid: int = 0
    answers: Call | None = None


class MemoryStore:
    """A `Store` made by `MemoryZookeeper.open`; what is no part of the port is that one's."""

    def __init__(self, post: Post, timeout_ms: int, packet_limit: int) -> None:
        self.post = post
        self.timeout_ms = timeout_ms
        self.session = 0
        self.connected = False
        self.lost = False
        self.cut = False
        self.last_zxid = 0
        self.outgoing: deque[Call] = deque()
        self.incoming: deque[Incoming] = deque()
        self.open: dict[Call, None] = {}
        self._packet_limit = packet_limit

    def multi_size(self, ops: Sequence[Op], fence: Check | None) -> int:
        """Bytes of such a commit as the server counts them against jute.maxbuffer."""
        return multi_size(ops, fence)

    def commit(self, request: int, ops: Sequence[Op], fence: Check | None) -> None:
        """Apply all operations or none; answered by `CommitDone`."""
        if not ops:
            raise ValueError("a commit needs at least one operation")
        for op in ops:
            require_absolute(op.path)
        call = CommitCall(request, self.last_zxid, tuple(ops), fence)
        self.send(call, refuse_large(multi_size(ops, fence), self._packet_limit))

    def update(self, request: int, op: Op) -> None:
        """Apply one operation; answered by `UpdateDone`."""
        if isinstance(op, Check):
            raise ValueError(f"a check alone updates nothing: {op}")
        require_absolute(op.path)
        call = UpdateCall(request, self.last_zxid, op)
        self.send(call, refuse_large(update_size(op), self._packet_limit))

    def read(self, request: int, reads: Sequence[Read], sync: bool = False) -> None:
        """Read data and children; answered by one `ReadDone` per `READ_CHUNK` reads."""
        for read in reads:
            require_absolute(read.path)
        self.send(ReadCall(request, self.last_zxid, tuple(reads), sync))

    def watch(self, request: int, watches: Sequence[Watch]) -> None:
        """Arm watches; answered by `WatchDone`."""
        for watch in watches:
            require_absolute(watch.path)
        self.send(WatchCall(request, self.last_zxid, tuple(watches)))

    def close(self) -> None:
        """End the session. LOST is posted when the server has answered."""
        if self.lost:
            return
        if self.connected:
            self.outgoing.append(CloseCall(0, self.last_zxid))
        else:
            self.end("closed")

    def send(self, call: Call, refused: Refused | None = None) -> None:
        """Send a call, or answer it at once if it cannot be sent."""
        if refused is not None:
            self.post(failed(self.session, call, refused))
        elif not self.connected:
            self.post(failed(self.session, call, Unknown("not connected", call.zxid)))
        else:
            self.outgoing.append(call)
            self.open[call] = None

    def end(self, reason: str) -> None:
        """Answer what is open, and post LOST."""
        self.lose_connection()
        self.lost = True
        self.post(SessionEvent(self.session, SessionState.LOST, self.timeout_ms, reason))

    def lose_connection(self) -> None:
        """Drop what is on its way, and answer what is open."""
        self.connected = False
        self.outgoing.clear()
        self.incoming.clear()
        unanswered, self.open = self.open, {}
        for call in unanswered:
            unknown = Unknown("the connection was lost", call.zxid)
            self.post(failed(self.session, call, unknown))


def packet_size(call: Call) -> int:
    """Bytes of the request, as the server counts them; 0 where they cannot matter."""
    match call:
        case CommitCall(_, _, ops, fence):
            return multi_size(ops, fence)
        case UpdateCall(_, _, op):
            return update_size(op)
        case _:
            return 0


def failed(session: int, call: Call, failure: Unknown | Refused) -> StoreEvent:
    """Answer a call that cannot be carried out, or whose outcome nobody knows."""
    match call:
        case CommitCall(request):
            return CommitDone(session, request, failure)
        case UpdateCall(request):
            return UpdateDone(session, request, failure)
        case ReadCall(request):
            return ReadDone(session, request, failure)
        case WatchCall(request):
            return WatchDone(session, request, failure)
        case CloseCall():
            raise AssertionError("closing is not answered")
