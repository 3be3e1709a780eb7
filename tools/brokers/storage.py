"""A broker's disks: what survives its process."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from klamm.controller.core.model import TopicPartition


class DirectoryOfflineError(Exception):
    """A log cannot be made because of a broken directory (KAFKA_STORAGE_ERROR)."""


@dataclass(slots=True)
class Log:
    """A replica's data. Offsets count bytes: `end` is both the log end offset and the size.

    Only the amount of data is modelled, so a log that is cut back and filled again is as good as
    one that never differed.
    """

    directory: str
    end: int
    topic_id: UUID | None = None
    high_watermark: int = 0

    def cut_to(self, end: int) -> None:
        """Drop what is beyond `end`, if anything is."""
        self.end = min(self.end, end)
        self.high_watermark = min(self.high_watermark, self.end)


@dataclass(slots=True)
class Copy:
    """A copy that is to take a log's place; `copied` are bytes, and a fraction of the next one."""

    directory: str
    copied: float = 0.0


class Disks:
    """The log directories of one broker and the logs in those that work.

    `future` are copies of some of `logs`, each in another directory than its log.
    """

    def __init__(self, directories: Sequence[str]) -> None:
        self._used = dict.fromkeys(directories, 0)
        self.broken: set[str] = set()
        self.logs: dict[TopicPartition, Log] = {}
        self.future: dict[TopicPartition, Copy] = {}

    @property
    def directories(self) -> dict[str, bool]:
        """Tell of each directory whether it works."""
        return {directory: directory not in self.broken for directory in self._used}

    def log(
        self, name: TopicPartition, is_new: bool, new_bytes: int, preferred: str | None = None
    ) -> Log:
        """Return the partition's log; a missing one is made in the directory with fewest logs.

        A directory that is `preferred` and works goes before that.

        A log that should exist may lie in a broken directory: then no other is made, and with
        nowhere to put a new one neither (LogManager.getOrCreateLog). Raises DirectoryOfflineError.
        """
        known = self.logs.get(name)
        if known is not None:
            return known
        working = [found for found in self._used if found not in self.broken]
        if not working or (self.broken and not is_new):
            raise DirectoryOfflineError(f"{name}: broken are {sorted(self.broken)}")
        directory = min(working, key=self._used.__getitem__)
        if preferred in working:
            directory = preferred
        self._used[directory] += 1
        log = self.logs[name] = Log(directory, new_bytes)
        return log

    def delete(self, name: TopicPartition) -> None:
        """Drop the partition's log, if there is one."""
        self.drop_copy(name)
        log = self.logs.pop(name, None)
        if log is not None:
            self._used[log.directory] -= 1

    def begin_copy(self, name: TopicPartition, directory: str) -> None:
        """Begin an empty copy of the partition's log in another directory."""
        self._used[directory] += 1
        self.future[name] = Copy(directory)

    def drop_copy(self, name: TopicPartition) -> None:
        """Drop the copy of the partition's log, if there is one."""
        copy = self.future.pop(name, None)
        if copy is not None:
            self._used[copy.directory] -= 1

    def replace(self, name: TopicPartition) -> None:
        """Let the copy of a log take its place; whoever holds the log sees it in its new one."""
        log, copy = self.logs[name], self.future.pop(name)
        self._used[log.directory] -= 1
        log.directory = copy.directory

    def fail(self, directory: str) -> tuple[TopicPartition, ...]:
        """Break a directory for good; return the partitions whose logs were in it.

        Raises ValueError for a directory that this broker does not have.
        """
        if directory not in self._used:
            known = ", ".join(self._used)
            raise ValueError(f"no log directory {directory!r}; this broker has: {known}")
        self.broken.add(directory)
        lost = tuple(name for name, log in self.logs.items() if log.directory == directory)
        for name in [name for name, copy in self.future.items() if copy.directory == directory]:
            self.drop_copy(name)
        for name in lost:
            self.delete(name)
        return lost
