"""Logs that move between one broker's log directories (KIP-113).

A log that is to move is copied; when the copy has all of it, it takes its place. All copies of a
broker together go at the broker's copy rate, or at replica.alter.log.dirs.io.max.bytes.per.second
if that is less, and share it evenly. What has been copied is on disk: the next process goes on.
Sources: Kafka 3.9, ReplicaManager.alterReplicaLogDirs, LogManager.replaceCurrentWithFutureLog,
ReplicaManager.getLogEndOffsetLag.
"""

import math
from collections.abc import Callable, Sequence

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.log_dirs import LogDirectory, ReplicaLog
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers.hosting import Hosting

#: A copy that lacks less than a byte has everything: rates are fractions, bytes are not.
_WHOLE = 0.5
#: The shortest time, in seconds, until a copy is looked at again: who copies a log that grows
#: nearly as fast comes ever closer to its end.
_SHORTEST = 0.05


class LogDirMoves:
    """The copies of one broker process; `rate` is theirs together, in bytes per second.

    Logs must have been brought up to date before `advance` and `describe`.
    """

    def __init__(
        self, hosting: Hosting, disk_bytes: int, rate: Callable[[], float], now: float
    ) -> None:
        self._hosting = hosting
        self._disk_bytes = disk_bytes
        self._rate = rate
        self._since = now

    @property
    def running(self) -> Sequence[TopicPartition]:
        """The partitions whose logs are being copied: those that this process hosts."""
        future = self._hosting.disks.future
        return [name for name in future if name in self._hosting.replicas] if future else ()

    @property
    def deadline(self) -> float:
        """When the next copy may have all of its log."""
        running = self.running
        if not running or (rate := self._rate()) <= 0:
            return math.inf
        lacks = min(self._lacks(name) for name in running)
        return self._since + max(lacks * len(running) / rate, _SHORTEST)

    def advance(self, now: float) -> None:
        """Copy until `now`; what has all takes its log's place."""
        if running := self.running:
            share = self._rate() * (now - self._since) / len(running)
            for name in running:
                self._hosting.disks.future[name].copied += share
                if self._lacks(name) < _WHOLE:
                    self._hosting.disks.replace(name)
        self._since = now

    def _lacks(self, name: TopicPartition) -> float:
        disks = self._hosting.disks
        return disks.logs[name].end - disks.future[name].copied

    def move(self, name: TopicPartition, path: str) -> ErrorCode:
        """Begin to copy a partition's log to a directory, or tell why not; NONE if it is there.

        A partition that the broker does not have is made there if it gets it.
        """
        disks = self._hosting.disks
        works = disks.directories.get(path)
        if works is None:
            return ErrorCode.LOG_DIR_NOT_FOUND
        if not works or name in self._hosting.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        copy = disks.future.get(name)
        if copy is not None and copy.directory != path:
            disks.drop_copy(name)
        if name not in self._hosting.replicas:
            self._hosting.preferred[name] = path
            return ErrorCode.REPLICA_NOT_AVAILABLE
        if disks.logs[name].directory != path and name not in disks.future:
            disks.begin_copy(name, path)
        return ErrorCode.NONE

    def describe(self) -> tuple[LogDirectory, ...]:
        """Return all directories, each a disk of its own, with what is in them."""
        disks = self._hosting.disks
        found: dict[str, dict[TopicPartition, ReplicaLog]] = {
            path: {} for path in disks.directories
        }
        for name, log in disks.logs.items():
            found[log.directory][name] = ReplicaLog(log.end, max(log.high_watermark - log.end, 0))
        for name, copy in disks.future.items():
            # The log may have been cut back meanwhile, and its copy with it.
            end = disks.logs[name].end
            size = min(math.floor(copy.copied), end)
            found[copy.directory][name] = ReplicaLog(size, end - size, future=True)
        return tuple(
            LogDirectory(
                path,
                logs,
                disks.directories[path],
                self._disk_bytes,
                max(self._disk_bytes - sum(log.size for log in logs.values()), 0),
            )
            for path, logs in found.items()
        )
