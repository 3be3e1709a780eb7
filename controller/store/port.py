"""The port to ZooKeeper: operations, events, and the calls of one session.

A `Store` is one ZooKeeper session, from its construction to its end; a new term makes a new one.
Every call returns at once. What comes of it is posted, as a `StoreEvent`, to the callable given at
construction. Rules that both implementations keep, and that the contract suite checks:

* Events are posted in the order of the connection: a `Watched` that ZooKeeper sent before an
  answer is posted before it. A commit's own watch events come before its `CommitDone`.
* Every request gets exactly one final answer. Requests that were open when the connection was
  lost are answered `Unknown` before SUSPENDED or LOST is posted, and so is every later request
  until the connection is back. After LOST every request is answered `Unknown` at once.
  Conversely `Unknown`, while connected, is always followed by SUSPENDED or LOST: an answer that
  cannot be understood costs the connection.
* `post` may be called from any thread, also from within a call; it must return at once, must not
  raise, and must not call the store. It is never called by two threads at the same time.
* Watches end with the connection. After each CONNECTED they are armed again, then the paths are
  read (arm, then read, never the reverse): an event that fell into the gap is not delivered.
* Paths are absolute, below the connection's chroot. Null data is None and differs from b"".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Protocol

import msgspec

# The operations are core values: core makes Commits of them and knows no store.
from klamm.controller.core.ops import ANY_VERSION as ANY_VERSION
from klamm.controller.core.ops import Check as Check
from klamm.controller.core.ops import Create as Create
from klamm.controller.core.ops import Delete as Delete
from klamm.controller.core.ops import Op as Op
from klamm.controller.core.ops import SetData as SetData

READ_CHUNK = 500
"""Reads per answer: a longer read is answered in parts of this many."""


@dataclass(frozen=True, slots=True)
class OpResult:
    """What one operation left behind.

    `path` is the path as created, numbered if it was sequential. `version`, `czxid` and `mzxid`
    are those of the znode written, and None for a check and a delete.
    """

    path: str
    version: int | None = None
    czxid: int | None = None
    mzxid: int | None = None


# --- outcomes --------------------------------------------------------------------------------


@unique
class OpError(Enum):
    """Why ZooKeeper refused an operation although it is well formed: the state differs."""

    BAD_VERSION = "BADVERSION"
    NO_NODE = "NONODE"
    NODE_EXISTS = "NODEEXISTS"
    NOT_EMPTY = "NOTEMPTY"


@dataclass(frozen=True, slots=True)
class Committed:
    """All operations were applied; one result each, the fence not counted."""

    results: tuple[OpResult, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was applied: operation `index` (from 0, the fence not counted) failed first."""

    index: int
    error: OpError


@dataclass(frozen=True, slots=True)
class Fenced:
    """Nothing was applied: the fence's znode is gone or has another version."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The connection was lost before the answer: applied or not, nobody here knows.

    `zxid` is the newest transaction that the session had seen when the request was made: what
    the request did, if anything, has a higher one. `witness` settles the question.
    """

    reason: str
    zxid: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was applied, and the same request would be refused again: too large, no rights..."""

    error: str


UpdateOutcome = Committed | Conflict | Unknown | Refused
CommitOutcome = UpdateOutcome | Fenced


# --- reads and watches -----------------------------------------------------------------------


# Structs, not dataclasses, where a cluster's load makes one per znode: made ten times faster, and
# no work for the garbage collector, which would otherwise take half of a load's time.


class ReadData(msgspec.Struct, frozen=True, gc=False):
    """Asks for a znode's data and stat."""

    path: str


class ReadChildren(msgspec.Struct, frozen=True, gc=False):
    """Asks for the names of a znode's children."""

    path: str


Read = ReadData | ReadChildren


class Znode(msgspec.Struct, frozen=True, gc=False):
    """A znode as read. `ephemeral_owner` is the owning session, or 0."""

    path: str
    data: bytes | None
    version: int
    czxid: int
    mzxid: int
    ephemeral_owner: int = 0


@dataclass(frozen=True, slots=True)
class Children:
    """A znode's children, by name, sorted. `cversion` counts the children made and removed."""

    path: str
    names: tuple[str, ...]
    cversion: int
    czxid: int


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no such znode."""

    path: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """There is such a znode, and ZooKeeper does not let us read it; `error` is its word for why."""

    path: str
    error: str


ReadResult = Znode | Children | Missing | Unreadable


@dataclass(frozen=True, slots=True)
class Watch:
    """Asks for events of a path, which need not exist, until the connection ends.

    Of the znode itself: created, deleted, data changed, children changed. If `recursive`: of the
    znode and everything below it, but no "children changed". (ZooKeeper's addWatch, PERSISTENT and
    PERSISTENT_RECURSIVE.)

    Many znodes are best watched recursively from above: to arm the states of 10,000 partitions
    topic by topic takes 0.04 s on a quiet machine, state by state 30 to 40 times as long, as
    ZooKeeper's old one-shot watches do, which must then be armed again after each event
    (`klamm.tools.bench.store_watch`). What is delivered costs the same each way, about 80
    microseconds an event, one's own writes included, which a wide watch cannot leave out.
    """

    path: str
    recursive: bool = False


@unique
class WatchKind(Enum):
    """What happened at a watched path; the values are ZooKeeper's event types."""

    CREATED = 1
    DELETED = 2
    DATA_CHANGED = 3
    CHILDREN_CHANGED = 4


# --- events ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitDone:
    """The answer to `commit`."""

    session: int
    request: int
    outcome: CommitOutcome


@dataclass(frozen=True, slots=True)
class UpdateDone:
    """The answer to `update`; a `Committed` has one result."""

    session: int
    request: int
    outcome: UpdateOutcome


@dataclass(frozen=True, slots=True)
class ReadDone:
    """The answer to `read`, or the next part of it.

    `outcome` holds one result per read, in order, at most `READ_CHUNK` of them; the final part
    has `last`. A failure is one of the whole read and ends it. Each part is true of one moment,
    that of its place among the `Watched` events; different parts may be of different moments.
    """

    session: int
    request: int
    outcome: tuple[ReadResult, ...] | Unknown | Refused
    last: bool = True


@dataclass(frozen=True, slots=True)
class WatchDone:
    """The answer to `watch`: None if all are armed."""

    session: int
    request: int
    failure: Unknown | Refused | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """An event of an armed watch."""

    session: int
    path: str
    kind: WatchKind


@unique
class SessionState(Enum):
    """Where the session stands."""

    CONNECTED = "connected"
    """Connected, for the first time or again, with `timeout_ms` as negotiated."""
    SUSPENDED = "suspended"
    """The connection is lost. The session may live: until CONNECTED, or LOST."""
    LOST = "lost"
    """The session has ended, for the reason given. Nothing but LOST follows; make a new store."""


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """The session changed its state. `timeout_ms` is 0 before the first CONNECTED."""

    session: int
    state: SessionState
    timeout_ms: int
    reason: str = ""


StoreEvent = CommitDone | UpdateDone | ReadDone | WatchDone | Watched | SessionEvent
Post = Callable[[StoreEvent], None]


# --- the calls -------------------------------------------------------------------------------


class Store(Protocol):
    """One session. `request` is the caller's number for the answer; the store only repeats it."""

    @property
    def session(self) -> int:
        """The session's id, as `ephemeral_owner` shows it; 0 before the first CONNECTED."""

    def commit(self, request: int, ops: Sequence[Op], fence: Check | None) -> None:
        """Apply all operations or none, in one multi that the fence, if given, opens.

        Answered by `CommitDone`. Raises ValueError if there is no operation.
        """

    def update(self, request: int, op: Op) -> None:
        """Apply one operation, without a fence. Answered by `UpdateDone`."""

    def read(self, request: int, reads: Sequence[Read], sync: bool = False) -> None:
        """Read data and children; `sync` first makes the server catch up with the leader.

        Answered by one `ReadDone`, or by several if there are more than `READ_CHUNK` reads.
        Requests made meanwhile do not wait for all of it.
        """

    def watch(self, request: int, watches: Sequence[Watch]) -> None:
        """Arm watches. Answered by `WatchDone`."""

    def multi_size(self, ops: Sequence[Op], fence: Check | None) -> int:
        """Bytes of such a commit as the server counts them against jute.maxbuffer."""

    def close(self) -> None:
        """End the session; its ephemerals go at once. LOST is posted, unless it was before."""
