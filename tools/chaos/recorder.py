"""Writes the history down as it happens."""

from pathlib import Path
from types import TracebackType
from typing import Self

import trio

from klamm.tools.chaos.history import HISTORY, AnyEvent, encode


class Recorder:
    """Appends events to the history of a folder; a context manager. Its clock begins at 0."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / HISTORY).open("wb")
        self._zero = trio.current_time()
        self._connections = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def now(self) -> float:
        """Seconds since the run began."""
        return trio.current_time() - self._zero

    def write(self, event: AnyEvent) -> None:
        """Append an event."""
        self._file.write(encode(event) + b"\n")

    def next_connection(self) -> int:
        """Number a connection."""
        self._connections += 1
        return self._connections
