"""The servers of the ZooKeeper in memory: what they do with a client's requests, and watches.

Nothing is sent from here but onto a client's connection (`MemoryStore.incoming`); when requests
are taken in, and what is delivered, `klamm.controller.store.memory` says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from klamm.controller.store.memory_client import (
    Call,
    CloseCall,
    CommitCall,
    Incoming,
    MemoryStore,
    ReadCall,
    UpdateCall,
    WatchCall,
)
from klamm.controller.store.memory_tree import Applied, Tree, ancestors
from klamm.controller.store.port import (
    READ_CHUNK,
    Check,
    CommitDone,
    CommitOutcome,
    Committed,
    Conflict,
    Fenced,
    Op,
    OpError,
    ReadDone,
    SessionEvent,
    SessionState,
    StoreEvent,
    UpdateDone,
    UpdateOutcome,
    Watch,
    WatchDone,
    Watched,
    WatchKind,
)


@dataclass(slots=True)
class Session:
    """What the ensemble knows of a session.

    `behind` is the tree as the client's server has it, if it lags, and `postponed` what has changed
    since then: when it learns of that, all watches count that the client has set by then.
    """

    id: int
    timeout_ms: int
    silent_since_ms: int
    watches: set[Watch] = field(default_factory=set)
    late: deque[Call] = field(default_factory=deque)
    behind: Tree | None = None
    postponed: list[tuple[WatchKind, str]] = field(default_factory=list)


class Servers:
    """One tree, the sessions by id, and the clients that may have a connection: `stores`."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.stores: list[MemoryStore] = []
        self._sessions: dict[int, Session] = {}

    def _carry_out(self, session: Session, call: Call) -> StoreEvent:
        """Do what a request asks for, and return the answer."""
        if not isinstance(call, WatchCall) and not (isinstance(call, ReadCall) and not call.sync):
            self._catch_up(session)
        match call:
            case CommitCall(request, _, ops, fence):
                return CommitDone(session.id, request, self._apply_commit(session, ops, fence))
            case UpdateCall(request, _, op):
                return UpdateDone(session.id, request, self._apply_update(session, op))
            case ReadCall(request, _, reads, _):
                tree = session.behind or self.tree
                results = tuple(tree.read(read) for read in reads[:READ_CHUNK])
                return ReadDone(session.id, request, results, len(reads) <= READ_CHUNK)
            case WatchCall(request, _, watches):
                session.watches.update(watches)
                return WatchDone(session.id, request)
            case CloseCall():
                self._end_session(session)
                return SessionEvent(session.id, SessionState.LOST, session.timeout_ms, "closed")

    def _apply_commit(
        self, session: Session, ops: tuple[Op, ...], fence: Check | None
    ) -> CommitOutcome:
        multi = ops if fence is None else (fence, *ops)
        first = len(multi) - len(ops)
        found = self.tree.apply(multi, session.id)
        if isinstance(found, Applied):
            self._notify(found)
            return Committed(found.results[first:])
        if not isinstance(found.error, OpError):
            return found.error
        return Conflict(found.index - first, found.error) if found.index >= first else Fenced()

    def _apply_update(self, session: Session, op: Op) -> UpdateOutcome:
        found = self.tree.apply((op,), session.id)
        if isinstance(found, Applied):
            self._notify(found)
            return Committed(found.results)
        return Conflict(0, found.error) if isinstance(found.error, OpError) else found.error

    def _end_session(self, session: Session) -> None:
        del self._sessions[session.id]
        self._notify(self.tree.remove_ephemerals(session.id))

    def _notify(self, applied: Applied) -> None:
        """Send each session one event per change that one of its watches, or more, covers."""
        events = [(kind, path, _covering(kind, path)) for kind, path in applied.events]
        for store in self.stores:
            session = self._sessions.get(store.session)
            if session is None:
                continue
            if session.behind is None:
                _tell(store, session, events)
            else:
                session.postponed.extend(applied.events)

    def _catch_up(self, session: Session) -> None:
        session.behind = None
        for store in self.stores:
            if store.session == session.id:
                events = [(kind, path, _covering(kind, path)) for kind, path in session.postponed]
                _tell(store, session, events)
        session.postponed.clear()


def _tell(
    store: MemoryStore, session: Session, events: Iterable[tuple[WatchKind, str, frozenset[Watch]]]
) -> None:
    for kind, path, covering in events:
        if not covering.isdisjoint(session.watches):
            store.incoming.append(Incoming(Watched(session.id, path, kind)))


@lru_cache(maxsize=4096)
def _covering(kind: WatchKind, path: str) -> frozenset[Watch]:
    """Return the watches that a change sets off."""
    if kind is WatchKind.CHILDREN_CHANGED:
        return frozenset({Watch(path)})
    return frozenset({Watch(path), *(Watch(above, recursive=True) for above in ancestors(path))})
