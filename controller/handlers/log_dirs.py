"""Log directories of the node that is asked, as requests 34 and 35 know them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode

#: In place of a size: nobody knows. It is what clients take it for.
UNKNOWN_BYTES = -1


@dataclass(frozen=True, slots=True)
class ReplicaLog:
    """A replica's log: its size in bytes, and how many offsets it lacks.

    That is up to its partition's high watermark; for a copy that is to take the log's place
    (`future`) up to the log's end.
    """

    size: int
    offset_lag: int
    future: bool = False


@dataclass(frozen=True, slots=True)
class LogDirectory:
    """A log directory with the logs in it; one that has failed shows none."""

    path: str
    logs: Mapping[TopicPartition, ReplicaLog] = field(default_factory=dict)
    online: bool = True
    total_bytes: int = UNKNOWN_BYTES
    usable_bytes: int = UNKNOWN_BYTES


class LogDirs(Protocol):
    """The port to a node's log directories."""

    def describe(self) -> Sequence[LogDirectory]:
        """Return all directories as they are now."""

    def move(self, name: TopicPartition, path: str) -> ErrorCode:
        """Have the partition's log move to this directory; NONE if that has begun, or is so."""


class NoLogDirs:
    """A node without data. One empty directory is shown: Java takes none for a refusal."""

    def describe(self) -> Sequence[LogDirectory]:
        """Return a directory whose name says that there is none."""
        return (LogDirectory("(none)"),)

    def move(self, name: TopicPartition, path: str) -> ErrorCode:
        """There is no such directory."""
        return ErrorCode.LOG_DIR_NOT_FOUND


NO_LOG_DIRS = NoLogDirs()
