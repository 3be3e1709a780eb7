"""A session's calls, turned into ZooKeeper's requests and back, over a link that carries them.

Nothing here knows the link's library or thread; `zookeeper` brings both.
"""

from __future__ import annotations

import logging
import struct
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager

from klamm.controller.core.sizes import multi_size
from klamm.controller.store import jute
from klamm.controller.store.link import Done, Failure, Link, Reply, Request
from klamm.controller.store.outcomes import (
    commit_outcome,
    plain,
    read_outcome,
    update_outcome,
)
from klamm.controller.store.port import (
    READ_CHUNK,
    Check,
    CommitDone,
    Create,
    Op,
    OpError,
    Post,
    Read,
    ReadDone,
    ReadResult,
    Refused,
    SessionEvent,
    SessionState,
    Unknown,
    UpdateDone,
    Watch,
    WatchDone,
    Watched,
    WatchKind,
)

_LOG = logging.getLogger(__name__)

_CHUNKS_IN_FLIGHT = 2
"""Parts of one read on their way: one is served while one is received. Whatever is asked meanwhile
waits for these only, about 5 ms."""

_REQUESTS_IN_FLIGHT = 64
"""Requests handed to the link at a time. Each puts a byte into a pipe that kazoo's connection
thread empties; at about 270 the pipe is full and the caller would block."""

_HEADER_SIZE = 8  # xid and opcode count as well

_EVENTS = {kind.value: kind for kind in WatchKind}


class WireStore:
    """A `Store` over a link. `lock` is reentrant and guards every call, answer and post."""

    def __init__(
        self,
        post: Post,
        link: Link,
        lock: AbstractContextManager[object],
        packet_limit: int,
        create_chroot: bool,
    ) -> None:
        self.lock = lock
        self.connected = False
        self.lost = False
        self.post = post
        self.link = link
        self._limit = packet_limit
        self._create_chroot = create_chroot
        self._session = 0
        self._timeout_ms = 0
        self._waiting: deque[Request] = deque()
        self._sent: dict[Request, None] = {}

    @property
    def session(self) -> int:
        """The session's id; 0 before the first CONNECTED."""
        return self._session

    def multi_size(self, ops: Sequence[Op], fence: Check | None) -> int:
        """Bytes of such a commit as the server counts them against jute.maxbuffer."""
        return multi_size(ops, fence, self.link.chroot)

    def commit(self, request: int, ops: Sequence[Op], fence: Check | None) -> None:
        """Apply all operations or none; answered by `CommitDone`."""
        if not ops:
            raise ValueError("a commit needs at least one operation")
        multi = tuple(ops) if fence is None else (fence, *ops)
        first = 0 if fence is None else 1

        def done(answer: Reply | Failure) -> None:
            outcome = commit_outcome(answer, multi, first, self.link.chroot)
            self.post(CommitDone(self._session, request, outcome))

        self.send(jute.MULTI, jute.encode_multi(multi, self.link.chroot), done)

    def update(self, request: int, op: Op) -> None:
        """Apply one operation; answered by `UpdateDone`."""
        if isinstance(op, Check):
            raise ValueError(f"a check alone updates nothing: {op}")

        def done(answer: Reply | Failure) -> None:
            outcome = update_outcome(answer, op, self.link.chroot)
            self.post(UpdateDone(self._session, request, outcome))

        self.send(jute.op_type(op), jute.encode_op(op, self.link.chroot), done)

    def read(self, request: int, reads: Sequence[Read], sync: bool = False) -> None:
        """Read data and children; answered by one `ReadDone` per `READ_CHUNK` reads."""
        reading = _Reading(self, request, tuple(reads))
        with self.lock:
            if sync:
                self.send(jute.SYNC, jute.encode_sync(self.link.chroot), reading.synced)
            reading.start()

    def watch(self, request: int, watches: Sequence[Watch]) -> None:
        """Arm watches; answered by `WatchDone`."""
        unanswered = len(watches)
        failure: Refused | Unknown | None = None

        def done(answer: Reply | Failure) -> None:
            nonlocal unanswered, failure
            unanswered -= 1
            if failure is None and not isinstance(answer, tuple):
                failure = plain(answer)
            if not unanswered:
                self.post(WatchDone(self._session, request, failure))

        with self.lock:
            if not watches:
                self.post(WatchDone(self._session, request))
            for watch in watches:
                self.send(jute.ADD_WATCH, jute.encode_add_watch(watch, self.link.chroot), done)

    def close(self) -> None:
        """End the session. Wait for LOST before the process ends, or the session outlives it."""
        with self.lock:
            if not self.lost:
                self.link.request_stop()

    # --- requests ------------------------------------------------------------------------------

    def send(self, kind: int, body: bytes, done: Done) -> None:
        """Send a request, or queue it, or answer it at once if it cannot be sent."""
        with self.lock:
            zxid = self.link.last_zxid
            if refused := jute.refuse_large(_HEADER_SIZE + len(body), self._limit):
                done(refused)
            elif not self.connected:
                done(Unknown("not connected", zxid))
            else:
                self._waiting.append(Request(kind, body, zxid, done))
                self._pump()

    def _pump(self) -> None:
        while self._waiting and self.connected and len(self._sent) < _REQUESTS_IN_FLIGHT:
            request = self._waiting.popleft()
            self._sent[request] = None
            self.link.send(request)

    def _fail_open(self) -> None:
        """Answer whatever is open, in order."""
        while self._sent or self._waiting:
            request = next(iter(self._sent), None) or self._waiting.popleft()
            self._sent.pop(request, None)
            request.done(Unknown("the connection was lost", request.zxid))

    # --- what the link reports, under the lock -------------------------------------------------

    def on_answer(self, request: Request, answer: Reply | Failure) -> None:
        """Take an answer; the first one to a request counts.

        After an answer that leaves it open what was done, nothing more is asked over this
        connection: a new one makes whoever waits ask anew.
        """
        if request not in self._sent:
            return
        del self._sent[request]
        try:
            request.done(answer)
        except (ValueError, struct.error) as error:  # not what the protocol says
            _LOG.exception("ZooKeeper's answer to a request of type %d is unreadable", request.kind)
            answer = Unknown(f"unreadable answer: {error}", request.zxid)
            request.done(answer)
        if isinstance(answer, Unknown) and self.connected:
            self.connected = False
            self.on_disconnected()
            self.link.drop()
        self._pump()

    def on_connected(self, session: int, timeout_ms: int) -> None:
        """Take the session, new or again, and its negotiated timeout."""
        first = not self._session
        self.connected, self._session, self._timeout_ms = True, session, timeout_ms
        if first and self._create_chroot:
            self._make_chroot()
        self.post(SessionEvent(session, SessionState.CONNECTED, timeout_ms))

    def on_disconnected(self) -> None:
        """Answer what is open; all the rest waits for `on_connected` or `on_lost`."""
        self._fail_open()
        self.post(SessionEvent(self._session, SessionState.SUSPENDED, self._timeout_ms))

    def on_lost(self, reason: str) -> None:
        """Answer what is open; nothing follows."""
        self.lost = True
        self._fail_open()
        self.post(SessionEvent(self._session, SessionState.LOST, self._timeout_ms, reason))

    def on_watch_event(self, raw: bytes, offset: int) -> None:
        """Take a watch event as ZooKeeper sent it; none counts after `Link.drop`."""
        if not self.connected:
            return
        value, path = jute.decode_watch_event(raw, offset, self.link.chroot)
        if kind := _EVENTS.get(value):
            self.post(Watched(self._session, path, kind))
        else:
            _LOG.warning("ZooKeeper sent a watch event of unknown type %d for %s", value, path)

    def _make_chroot(self) -> None:
        def done(answer: Reply | Failure) -> None:
            if not isinstance(answer, tuple) and answer is not OpError.NODE_EXISTS:
                _LOG.error("cannot create the chroot %s: %s", self.link.chroot, answer)

        names = self.link.chroot.split("/")[1:]
        for depth in range(len(names)):
            path = "/" + "/".join(names[: depth + 1])
            self.send(jute.CREATE2, jute.encode_op(Create(path, None), ""), done)


class _Reading:
    """One read on its way, in chunks; used under the store's lock."""

    def __init__(self, store: WireStore, request: int, reads: tuple[Read, ...]) -> None:
        self._store = store
        self._request = request
        self._reads = reads
        self._sent = 0
        self._ended = False

    def start(self) -> None:
        """Send the first chunks; an empty one if nothing is to be read."""
        self._send_chunk()
        for _ in range(1, _CHUNKS_IN_FLIGHT):
            self._send_next()

    def synced(self, answer: Reply | Failure) -> None:
        """End if the sync before the first chunk failed."""
        if not isinstance(answer, tuple):
            self._finish(plain(answer), last=True)

    def _send_next(self) -> None:
        if self._sent < len(self._reads) and not self._ended:
            self._send_chunk()

    def _send_chunk(self) -> None:
        start, self._sent = self._sent, self._sent + READ_CHUNK
        part = self._reads[start : self._sent]
        last = self._sent >= len(self._reads)

        def done(answer: Reply | Failure) -> None:
            if not self._ended:
                outcome = read_outcome(answer, part)
                self._finish(outcome, last or not isinstance(outcome, tuple))
                self._send_next()

        body = jute.encode_multi_read(part, self._store.link.chroot)
        self._store.send(jute.MULTI_READ, body, done)

    def _finish(self, outcome: tuple[ReadResult, ...] | Refused | Unknown, last: bool) -> None:
        self._ended = last
        self._store.post(ReadDone(self._store.session, self._request, outcome, last))
