"""Files of whole lines, of bounded size and number, whatever happens in between.

After the line that fills it a file FILE becomes FILE.1, FILE.1 becomes FILE.2, and so on; the
oldest is removed. What a failed write or a crash left of a line is cut off. What failed is tried
again from where it stands: no file is moved on twice for one rotation, no line written twice
because it could not be synced.
"""

import fcntl
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

#: Values of klamm.journal.fsync: leave it to the system, sync each batch, or once a second.
FSYNC = ("never", "batch", "interval")
SYNC_SECONDS = 1.0
#: How far the end of a file is read at once to find its last line.
TAIL_BYTES = 64 * 1024


class JournalError(OSError):
    """A file cannot be gone on with as a journal; the text names it and says what to do."""


@dataclass(frozen=True, slots=True)
class JournalFile:
    """Where a journal is written: at most `files` files, each ending with the line that fills it.

    At most `queue` entries wait for the disk, and at most about `queue_bytes` of them: room for
    what one turn of a large cluster says at once.
    """

    path: Path
    max_bytes: int = 64 * 1024 * 1024
    files: int = 8
    fsync: str = "never"
    queue: int = 1_000_000
    queue_bytes: int = 256 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse what cannot be: raises ValueError with the value."""
        if self.fsync not in FSYNC:
            raise ValueError(f"fsync {self.fsync!r} of a journal is none of {', '.join(FSYNC)}")
        for name in ("max_bytes", "files", "queue", "queue_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} of a journal is less than 1")


class LineFile:
    """The present file, open and locked: two nodes never write into one journal.

    `last_sequence` is the last number that was given when it was opened. Raises JournalError if
    there can be no such file.
    """

    def __init__(self, settings: JournalFile) -> None:
        self.settings = settings
        try:
            self._file = self._open()
        except JournalError:
            raise
        except OSError as error:
            raise JournalError(
                f"the journal {settings.path} cannot be opened: {error.strerror}; name another file"
                " in klamm.journal.file"
            ) from error
        try:
            self._size, self.last_sequence = _end(self._file, settings.path)
            if not self._size:
                self.last_sequence = _last_sequence(self._numbered(1))
            self._torn = self._size < os.fstat(self._file).st_size
            self._cut()
        except BaseException:
            os.close(self._file)
            raise
        self._sync_due: float | None = None

    @property
    def seconds_to_sync(self) -> float | None:
        """How long what was written may wait until `sync`; None if nothing is owed to the disk."""
        return None if self._sync_due is None else max(0.0, self._sync_due - time.monotonic())

    def write(self, lines: Sequence[bytes]) -> int:
        """Write as many of these lines as the present file takes, and return how many.

        They are in the file then; `sync` follows when it is due, at once for `batch`. Raises
        OSError if nothing could be written; then no part of them is in the file.
        """
        self._cut()
        while self._size >= self.settings.max_bytes:
            self._rotate()
            self._cut()
        room, count, size = self.settings.max_bytes - self._size, 0, 0
        while count < len(lines) and size < room:
            size += len(lines[count])
            count += 1
        data = memoryview(b"".join(lines[:count]))
        self._torn = True
        while data:
            data = data[os.write(self._file, data) :]
        self._torn = False
        self._size += size
        if self.settings.fsync != "never" and self._sync_due is None:
            pause = SYNC_SECONDS if self.settings.fsync == "interval" else 0.0
            self._sync_due = time.monotonic() + pause
        return count

    def sync(self) -> None:
        """Sync what is due by now; raises OSError, and then it stays due."""
        if self._sync_due is not None and time.monotonic() >= self._sync_due:
            self._sync()

    def close(self) -> None:
        """Cut off what a failed write left, sync what is owed, and close; raises OSError."""
        try:
            self._cut()
            self._sync()
        finally:
            os.close(self._file)

    def _sync(self) -> None:
        if self._sync_due is not None:
            os.fsync(self._file)
            self._sync_due = None

    def _open(self) -> int:
        path = self.settings.path
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise JournalError(
                f"{path} is the journal of another node that runs; name another file in"
                " klamm.journal.file"
            ) from error
        return file

    def _cut(self) -> None:
        if self._torn:
            os.ftruncate(self._file, self._size)
            self._torn = False

    def _rotate(self) -> None:
        """Begin a new file; what has been done of this when it fails is not done again.

        Files are moved up to the first name that is free, where a failure left off. When FILE is
        not ours any more, they have been moved, and whatever is at its place stays there.
        """
        self._sync()
        if self._is_in_place():
            free = 1
            while free < self.settings.files and self._numbered(free).exists():
                free += 1
            for number in range(min(free, self.settings.files - 1), 0, -1):
                self._numbered(number - 1).replace(self._numbered(number))
            if self.settings.files == 1:
                self.settings.path.unlink()
        successor = self._open()
        try:
            size, _ = _end(successor, self.settings.path)
            self._torn = size < os.fstat(successor).st_size
        except BaseException:
            os.close(successor)
            raise
        former, self._file, self._size = self._file, successor, size
        os.close(former)

    def _is_in_place(self) -> bool:
        """Tell whether the file that is open is still the one of the journal's name."""
        try:
            return os.path.samestat(self.settings.path.stat(), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _numbered(self, number: int) -> Path:
        path = self.settings.path
        return path.with_name(f"{path.name}.{number}") if number else path


class _Numbers(msgspec.Struct):
    """What of a line tells the number of the next; in all versions of the form."""

    seq: int
    lost: int = 1


def _last_sequence(path: Path) -> int:
    """The last number in a file that was full; 0 if there is none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return 0
    try:
        return _end(file, path)[1]
    finally:
        os.close(file)


def _end(file: int, path: Path) -> tuple[int, int]:
    """Where the last whole line ends, and the last number given up to there.

    Raises JournalError if that is no line of a journal, so that nobody's file is cut by mistake.
    """
    size = os.fstat(file).st_size
    data, start = b"", size
    while start > 0 and data.count(b"\n") < 2:
        start = max(0, start - max(TAIL_BYTES, len(data)))
        data = os.pread(file, size - start, start)
    end = data.rfind(b"\n") + 1
    last = data[:end].rstrip(b"\n").rpartition(b"\n")[2]
    try:
        if end:
            numbers = msgspec.json.decode(last, type=_Numbers)
            return start + end, numbers.seq + numbers.lost - 1
        if not data or data.startswith(b'{"v":'[: len(data)]):
            return 0, 0
    except msgspec.DecodeError:
        pass
    raise JournalError(
        f"{path} does not end with a line of a journal; move it away, or name another file in"
        " klamm.journal.file"
    )
