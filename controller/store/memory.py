"""ZooKeeper in memory: a server and its clients as one state machine without I/O.

`MemoryZookeeper` is the ensemble, `MemoryStore` one session's client. Nothing happens by itself:
a request waits at the server until `serve`, what the server sends waits on the connection until
`deliver`, and a client without a connection waits for `connect`. Whoever tests decides the order,
or calls `run` to let everything happen. Time comes in through `advance`.

Faults are calls as well: `disconnect` and `cut`, `expire`, and `rearrange`, which loses, doubles
and delays what is on its way to a client. A request that was not yet served when its connection
broke is lost, or with `late=True` may still be carried out by `serve_late` until the session is
connected again: never later, because a ZooKeeper server refuses a session's requests from an
older connection (SESSIONMOVED, or the connection closed).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.memory_client import (
    CloseCall,
    Incoming,
    MemoryStore,
    ReadCall,
    packet_size,
)
from klamm.controller.store.memory_servers import Servers, Session
from klamm.controller.store.memory_tree import Applied, Failed, Tree
from klamm.controller.store.port import (
    READ_CHUNK,
    Op,
    Post,
    SessionEvent,
    SessionState,
    StoreEvent,
)


class MemoryZookeeper(Servers):
    """The ensemble. `packet_limit` is the servers' jute.maxbuffer, in bytes."""

    def __init__(self, packet_limit: int = PACKET_LIMIT) -> None:
        super().__init__()
        self.now_ms = 0
        self._packet_limit = packet_limit
        self._newest_session = 0

    def open(
        self, post: Post, session_timeout_ms: int = 18_000, packet_limit: int = PACKET_LIMIT
    ) -> MemoryStore:
        """Return the store of a new session, not connected yet.

        `packet_limit` is what the client takes for the servers' jute.maxbuffer.
        """
        store = MemoryStore(post, session_timeout_ms, packet_limit)
        self.stores.append(store)
        return store

    # --- steps -----------------------------------------------------------------------------------

    def connect(self, store: MemoryStore, behind: Tree | None = None) -> None:
        """Connect a client: CONNECTED, or LOST if its session has ended meanwhile.

        With `behind`, an earlier copy of the tree, to a server that lags and shows that until a
        sync or a write through it; as the real one does, it refuses a client that has seen more.
        """
        if store.connected or store.lost:
            raise ValueError(f"session {store.session} is connected or has ended")
        if not store.session:
            self._newest_session += 1
            self.tree.zxid += 1
            store.session = self._newest_session
            fresh = Session(store.session, store.timeout_ms, self.now_ms)
            self._sessions[store.session] = fresh
        if store.session not in self._sessions:
            self._lose(store, "ZooKeeper has expired the session")
            return
        if behind is not None and behind.zxid < store.last_zxid:
            raise ValueError(f"the client has seen {store.last_zxid}, the server {behind.zxid}")
        session = self._sessions[store.session]
        session.late.clear()
        session.behind = behind
        store.connected = True
        store.post(SessionEvent(store.session, SessionState.CONNECTED, store.timeout_ms))

    def serve(self, store: MemoryStore) -> None:
        """Carry out a client's next request and send the answer."""
        call = store.outgoing.popleft()
        session = self._sessions.get(store.session)
        if session is None:
            return  # asked after the wish to close: answered when LOST is delivered
        if packet_size(call) > self._packet_limit:
            self.disconnect(store)
            return
        event = self._carry_out(session, call)
        zxid = (session.behind or self.tree).zxid
        store.incoming.append(Incoming(event, zxid, None if isinstance(call, CloseCall) else call))

    def deliver(self, store: MemoryStore) -> None:
        """Hand a client the next event of its connection."""
        incoming = store.incoming.popleft()
        if isinstance(incoming.event, SessionEvent):
            self._lose(store, incoming.event.reason)
            return
        store.last_zxid = max(store.last_zxid, incoming.zxid)
        call = incoming.answers
        if call is not None:
            del store.open[call]
        store.post(incoming.event)
        if isinstance(call, ReadCall) and len(call.reads) > READ_CHUNK:
            store.send(ReadCall(call.request, call.zxid, call.reads[READ_CHUNK:], sync=False))

    def run(self) -> None:
        """Connect, serve and deliver until nothing is left to do."""
        moved = True
        while moved:
            moved = False
            for store in list(self.stores):
                if not (store.connected or store.lost or store.cut):
                    self.connect(store)
                    moved = True
                while store.outgoing:
                    self.serve(store)
                    moved = True
                while store.incoming:
                    self.deliver(store)
                    moved = True

    def write(self, ops: Sequence[Op]) -> Applied | Failed:
        """Write as somebody else, in one transaction."""
        applied = self.tree.apply(ops, session=0)
        if isinstance(applied, Applied):
            self._notify(applied)
        return applied

    def _lose(self, store: MemoryStore, reason: str) -> None:
        self.stores.remove(store)
        store.end(reason)

    # --- faults and time -------------------------------------------------------------------------

    def disconnect(self, store: MemoryStore, late: bool = False) -> None:
        """Break a connection. With `late`, requests not yet served stay with the old server."""
        if session := self._sessions.get(store.session):
            session.silent_since_ms = self.now_ms
            session.watches.clear()
            session.postponed.clear()
            session.behind = None
            session.late = deque(store.outgoing if late else ())
        store.lose_connection()
        store.post(SessionEvent(store.session, SessionState.SUSPENDED, store.timeout_ms))

    def serve_late(self, store: MemoryStore) -> None:
        """Carry out the next request that its connection's end left with the old server."""
        session = self._sessions[store.session]
        self._carry_out(session, session.late.popleft())

    def cut(self, store: MemoryStore) -> None:
        """Let `run` leave a client without a connection until `heal`."""
        store.cut = True
        if store.connected:
            self.disconnect(store)

    def heal(self, store: MemoryStore) -> None:
        """Let `run` connect it again."""
        store.cut = False

    def expire(self, store: MemoryStore) -> None:
        """End a session at the servers; its client learns it when it connects again."""
        if store.connected:
            self.disconnect(store)
        self._end_session(self._sessions[store.session])

    def end_session(self, store: MemoryStore) -> None:
        """End a session at the servers without a word: its client notices at `disconnect`.

        Until then it takes itself for connected; what was sent to it before arrives, and nothing
        that it asks is served.
        """
        self._end_session(self._sessions[store.session])

    def lags(self, store: MemoryStore) -> bool:
        """Tell whether a client's server is behind the leader."""
        session = self.session(store)
        return session is not None and session.behind is not None

    def catch_up(self, store: MemoryStore) -> None:
        """Let a client's server catch up with the leader, as each does sooner or later."""
        self._catch_up(self._sessions[store.session])

    def session(self, store: MemoryStore) -> Session | None:
        """Return what the servers know of a session; None if it has ended, or not begun."""
        return self._sessions.get(store.session)

    def knows(self, store: MemoryStore) -> bool:
        """Tell whether the servers have a session that has not ended."""
        return store.session in self._sessions

    def late(self, store: MemoryStore) -> int:
        """Count the requests that `serve_late` could still carry out."""
        session = self._sessions.get(store.session)
        return len(session.late) if session is not None else 0

    def forget(self, store: MemoryStore) -> None:
        """Drop a client whose process is gone; what is left of its session ends."""
        self.stores.remove(store)
        if session := self._sessions.get(store.session):
            self._end_session(session)

    def limit_packets(self, packet_limit: int) -> None:
        """Set the servers' jute.maxbuffer, in bytes, without telling the clients."""
        self._packet_limit = packet_limit

    def advance(self, now_ms: int) -> None:
        """Let time pass: sessions without a connection for their timeout expire."""
        self.now_ms = now_ms
        connected = {store.session for store in self.stores if store.connected}
        for session in list(self._sessions.values()):
            silent_ms = now_ms - session.silent_since_ms
            if session.id not in connected and silent_ms >= session.timeout_ms:
                self._end_session(session)

    def lag(self, store: MemoryStore) -> None:
        """Let a client's server fall behind the leader, until a sync or a write through it.

        Until then it reads this moment's tree and sends no watch events.
        """
        session = self._sessions[store.session]
        session.behind = session.behind or self.tree.copy()

    def on_the_way(self, store: MemoryStore) -> tuple[StoreEvent, ...]:
        """Return what has been sent to a client and not delivered."""
        return tuple(incoming.event for incoming in store.incoming)

    def rearrange(self, store: MemoryStore, order: Sequence[int]) -> None:
        """Replace what is on its way by the events at these places.

        A place left out is lost, one named twice doubled, one named later delayed. Only watch
        events may be: raises ValueError if answers are not all there, once, in their order.
        """
        before = list(store.incoming)
        after = [before[place] for place in order]
        if [item for item in after if item.answers] != [item for item in before if item.answers]:
            raise ValueError(f"the order {list(order)} loses, doubles or swaps answers")
        store.incoming = deque(after)
