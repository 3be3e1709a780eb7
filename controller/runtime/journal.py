"""The journal of a node, written by a thread of its own, and the log of what operators should see.

What a line holds is told in `klamm.controller.node.lines`, how files are filled in
`klamm.controller.runtime.journal_file`. The loop that decides never waits for a disk: it queues an
entry and goes on, and the thread gives entries their form and writes them.

Rules
1. A write that fails, as on a full disk, is said once in the log, and tried again every
   `RETRY_SECONDS`. Nothing is lost by that: what could not be written waits in the queue.
2. The queue is bounded. When it is full, entries are dropped: to wait would stop the controller,
   and to grow would end it. That is said in the log, and the next line that is written says how
   many are missing, from which number on.
3. The numbers go on where the file of the last run ended.
"""

import logging
import threading
from collections import deque
from types import TracebackType
from typing import NamedTuple, Self

from klamm.controller.core.model import Partition
from klamm.controller.node import Now
from klamm.controller.node.effects import Journal as Entry
from klamm.controller.node.effects import Severity
from klamm.controller.node.lines import VERSION, Line, encode, line
from klamm.controller.runtime.journal_file import JournalFile, LineFile

LOG = logging.getLogger("klamm.node")

_LEVELS = {
    Severity.INFO: logging.INFO,
    Severity.WARNING: logging.WARNING,
    Severity.ERROR: logging.ERROR,
}

#: How long a file that cannot be written is left alone.
RETRY_SECONDS = 5.0
#: How long the end of a node waits for the disk.
CLOSE_SECONDS = 5.0
#: How much is written with one call.
CHUNK_BYTES = 256 * 1024
CHUNK_LINES = 500


class _Queued(NamedTuple):
    """What waits for the disk: an entry, or a number of lost ones from a sequence number on."""

    entry: Entry | None
    now: Now
    lost_from: int = 0
    lost: int = 0


class Journal:
    """The journal of one node; without a file only the log hears of its entries.

    Opening raises JournalError. `first_sequence` is the number of the next entry,
    `dropped` counts entries that were, and `failure` is why the file cannot be written, if so.
    """

    def __init__(self, node_id: int, file: JournalFile | None = None) -> None:
        self._node_id = node_id
        self._file = LineFile(file) if file else None
        self._queue: deque[_Queued] = deque()
        self._awake = threading.Event()
        self._end = threading.Event()
        self._lost_from = self._lost = 0
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

    def write(self, entry: Entry, now: Now) -> None:
        """Take an entry; never waits."""
        level = _LEVELS[entry.severity]
        if LOG.isEnabledFor(level):
            LOG.log(level, "node %d: %s: %s", self._node_id, entry.kind, describe(entry))
        if self._file is None:
            return
        if len(self._queue) >= self._file.settings.queue:
            self._drop(entry)
            return
        if self._lost:
            self._admit_lost(now)
        self._queue.append(_Queued(entry, now))
        self._awake.set()

    def close(self) -> None:
        """Write what waits, but do not wait long for a disk that takes nothing."""
        if self._file is None or self._end.is_set():
            return
        if self._lost and self._queue:
            self._admit_lost(self._queue[-1].now)
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

    def _drop(self, entry: Entry) -> None:
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

    def _admit_lost(self, now: Now) -> None:
        LOG.error("node %d: %d entries of the journal are lost", self._node_id, self._lost)
        self._queue.append(_Queued(None, now, self._lost_from, self._lost))
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
                if not self._queue:
                    return True
                written = file.write(self._next_lines())
            except OSError as error:
                self._failed(file, error)
                if self._end.is_set():
                    return False
                self._end.wait(RETRY_SECONDS)
                continue
            # Only now: what is not written counts against the queue's limit.
            for _ in range(written):
                self._queue.popleft()
            if self.failure:
                self.failure = ""
                LOG.warning("node %d: the journal is written again", self._node_id)

    def _next_lines(self) -> list[bytes]:
        lines: list[bytes] = []
        size = 0
        # The loop appends meanwhile, but nobody else takes entries away.
        for index in range(min(len(self._queue), CHUNK_LINES)):
            lines.append(encode(self._line(self._queue[index])) + b"\n")
            size += len(lines[-1])
            if size >= CHUNK_BYTES:
                break
        return lines

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
