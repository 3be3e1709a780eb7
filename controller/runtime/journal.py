"""The journal of a node, written by a thread of its own; operators see its warnings in the log.

What a line holds is told in `klamm.controller.node.lines`, how files are filled in
`klamm.controller.runtime.journal_file`. The loop that decides never waits for a disk: it queues an
entry and goes on, and the thread gives entries their form and writes them. Only warnings and
errors, which are few, go to the log as well, with no wait but the log's own.

Rules
1. A write that fails, as on a full disk, is said once in the log, and tried again every
   `RETRY_SECONDS`. Nothing is lost by that: what could not be written waits in the queue.
2. The queue is bounded. When it is full, entries are dropped: to wait would stop the controller,
   and to grow would end it. That is said in the log, and the next line that is written says how
   many are missing, from which number on. A snapshot is taken or dropped as a whole.
3. The numbers go on where the file of the last run ended, with a `started` entry. What that run
   could not write any more, its numbers included, is gone.
4. An entry that has no form, for what a znode held cannot be told in JSON, is written as a line
   that says so.
"""

import logging
import threading
from collections import deque
from types import TracebackType
from typing import NamedTuple, Self

from klamm.controller.core.model import Partition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.node import Now
from klamm.controller.node.effects import Journal as Entry
from klamm.controller.node.effects import Severity
from klamm.controller.node.forms import VERSION, Line
from klamm.controller.node.lines import encode, line
from klamm.controller.runtime.journal_file import JournalFile, LineFile

LOG = logging.getLogger("klamm.node")

#: What goes to the log as well.
_LEVELS = {Severity.WARNING: logging.WARNING, Severity.ERROR: logging.ERROR}
#: And so do these, for whoever wants to know how a failover went.
_TOLD = frozenset({"elected", "in office", "resumed"})

#: How long a file that cannot be written is left alone.
RETRY_SECONDS = 5.0
#: How long the end of a node waits for the disk.
CLOSE_SECONDS = 5.0
#: How much is written with one call.
CHUNK_BYTES = 256 * 1024
CHUNK_LINES = 500
#: About what an entry takes that waits: itself with its cause and result, and each part of it.
ENTRY_BYTES = 1_100
PART_BYTES = 200


class _Queued(NamedTuple):
    """What waits for the disk: an entry, or a number of lost ones from a sequence number on."""

    entry: Entry | None
    now: Now
    weight: int = 0
    lost_from: int = 0
    lost: int = 0


class Journal:
    """The journal of one node; without a file there is only what the log hears.

    Opening raises JournalError. `first_sequence` is the number of the first entry to `write`,
    `dropped` counts entries that were, and `failure` is why the file cannot be written, if so.
    """

    def __init__(self, node_id: int, file: JournalFile | None = None) -> None:
        self._node_id = node_id
        self._file = LineFile(file) if file else None
        self._queue: deque[_Queued] = deque()
        self._awake = threading.Event()
        self._end = threading.Event()
        self._lost_from = self._lost = 0
        self._lost_at = Now(0.0, 0)
        self._takes_snapshot = True
        # What was ever queued, and what of that is no longer: each has one thread that changes it.
        self._queued_bytes = self._written_bytes = 0
        self.dropped = 0
        self.failure = ""
        self.first_sequence = self._file.last_sequence + 1 if self._file else 1
        self._thread = threading.Thread(target=self._run, name=f"journal of {node_id}", daemon=True)
        if self._file:
            self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, now: Now) -> None:
        """Begin a run with the entry that says so; its number is the first."""
        self.write(Entry(Severity.INFO, "started", "", self.first_sequence), now)
        self.first_sequence += 1

    def write(self, entry: Entry, now: Now) -> None:
        """Take an entry; never waits for the disk."""
        level = _LEVELS.get(entry.severity) or (logging.INFO if entry.kind in _TOLD else None)
        if level is not None:
            LOG.log(level, "node %d: %s: %s", self._node_id, entry.kind, describe(entry))
        if self._file is None:
            return
        if not self._has_room(entry, self._file.settings):
            self._drop(entry, now)
            return
        if self._lost:
            self._admit_lost()
        weight = weigh(entry)
        self._queued_bytes += weight
        self._queue.append(_Queued(entry, now, weight))
        self._awake.set()

    def close(self) -> None:
        """Write what waits, but do not wait long for a disk that takes nothing."""
        if self._file is None or self._end.is_set():
            return
        if self._lost:
            self._admit_lost()
        self._end.set()
        self._awake.set()
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive() or self._queue:
            LOG.error(
                "node %d: the journal ends without its last %d entries: %s",
                self._node_id,
                len(self._queue),
                self.failure or "the disk is too slow",
            )

    def _has_room(self, entry: Entry, bounds: JournalFile) -> bool:
        """Tell whether an entry may wait, too; the topics of a snapshot come with its first."""
        if entry.kind == "snapshot-topic":
            return self._takes_snapshot
        waiting = self._queued_bytes - self._written_bytes
        room = len(self._queue) < bounds.queue and waiting < bounds.queue_bytes
        if entry.kind == "snapshot":
            self._takes_snapshot = room
        return room

    def _drop(self, entry: Entry, now: Now) -> None:
        self._lost_at = now
        if not self._lost:
            self._lost_from = entry.sequence
            LOG.error(
                "node %d: the journal is %d entries behind; dropping those from %d on",
                self._node_id,
                len(self._queue),
                entry.sequence,
            )
        self._lost += 1
        self.dropped += 1

    def _admit_lost(self) -> None:
        LOG.error("node %d: %d entries of the journal are lost", self._node_id, self._lost)
        self._queue.append(_Queued(None, self._lost_at, lost_from=self._lost_from, lost=self._lost))
        self._lost = 0

    # --- the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        assert self._file is not None
        try:
            while self._write_queue(self._file) and not (self._end.is_set() and not self._queue):
                self._awake.wait(self._file.seconds_to_sync)
                self._awake.clear()
            self._file.close()
        except OSError as error:
            self._failed(self._file, error)

    def _write_queue(self, file: LineFile) -> bool:
        """Write what waits; False if that failed when no time is left to try again."""
        while True:
            try:
                file.sync()
                empty = not self._queue
                written = 0 if empty else file.write(self._next_lines())
            except OSError as error:
                self._failed(file, error)
                if self._end.is_set():
                    return False
                self._end.wait(RETRY_SECONDS)
                continue
            # Only now: what is not written counts against the queue's limit.
            for _ in range(written):
                self._written_bytes += self._queue.popleft().weight
            if self.failure:
                self.failure = ""
                LOG.warning("node %d: the journal is written again", self._node_id)
            if empty:
                return True

    def _next_lines(self) -> list[bytes]:
        lines: list[bytes] = []
        size = 0
        # The loop appends meanwhile, but nobody else takes entries away.
        for index in range(min(len(self._queue), CHUNK_LINES)):
            lines.append(self._encoded(index) + b"\n")
            size += len(lines[-1])
            if size >= CHUNK_BYTES:
                break
        return lines

    def _encoded(self, index: int) -> bytes:
        queued = self._queue[index]
        try:
            return encode(self._line(queued))
        except Exception as error:
            # Whatever is the matter with this entry, the others must be written.
            assert queued.entry is not None, "what was lost is told in plain numbers"
            LOG.exception("node %d: an entry of the journal has no form", self._node_id)
            stands_in = _unwritable(queued.entry, error)
            # The place of the queue is the thread's own until the line is written.
            self._queue[index] = queued = queued._replace(entry=stands_in)
            return encode(self._line(queued))

    def _line(self, queued: _Queued) -> Line:
        now = queued.now
        if queued.entry is not None:
            return line(queued.entry, self._node_id, now.wall_ms, now.monotonic)
        return Line(
            v=VERSION,
            seq=queued.lost_from,
            node=self._node_id,
            epoch=0,
            wall_ms=now.wall_ms,
            monotonic_s=now.monotonic,
            severity=Severity.ERROR.value,
            kind="lost",
            text=f"{queued.lost} entries were dropped",
            lost=queued.lost,
        )

    def _failed(self, file: LineFile, error: OSError) -> None:
        if not self.failure:
            LOG.error(
                "node %d: the journal %s cannot be written: %s; the controller goes on, and the"
                " journal tries again every %g s",
                self._node_id,
                file.settings.path,
                error,
                RETRY_SECONDS,
            )
        self.failure = str(error)


def weigh(entry: Entry) -> int:
    """Estimate what an entry that waits takes of memory, in bytes."""
    parts = len(entry.ops) + len(entry.messages) + len(entry.brokers or ())
    if entry.content is not None:
        parts += len(entry.content.partitions)
    if entry.status is not None:
        parts += len(entry.status.replicas)
    data = sum(len(op.data or b"") for op in entry.ops if isinstance(op, Create | SetData))
    return ENTRY_BYTES + PART_BYTES * parts + len(entry.text) + data


def _unwritable(entry: Entry, error: Exception) -> Entry:
    """Return what is written in an entry's place, in plain characters."""
    text = f"{entry.kind}: {type(error).__name__}: {str(error)!a}"
    return Entry(Severity.ERROR, "unwritable", text, entry.sequence, entry.epoch)


def describe(entry: Entry) -> str:
    """Say what an entry is about in a line of the log."""
    about = str(entry.name) if entry.name else entry.topic
    told = (about, entry.text, _describe(entry.after) if entry.after else "")
    return ": ".join(filter(None, told))


def _describe(partition: Partition) -> str:
    assignment, held = partition.assignment, partition.leadership
    text = f"replicas {list(assignment.replicas)}"
    if assignment.moving:
        text += f" adding {list(assignment.adding)} removing {list(assignment.removing)}"
    if held:
        text += f" leader {held.leader} epoch {held.leader_epoch} isr {list(held.isr)}"
    return text
