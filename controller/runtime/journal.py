"""The node's notes: JSON lines in a file, and a log record for what an operator should see."""

import json
import logging
import time
from types import TracebackType
from typing import Self, TextIO

from klamm.controller.node.effects import Journal as Note
from klamm.controller.node.effects import Severity

LOG = logging.getLogger("klamm.node")

_LEVELS = {
    Severity.INFO: logging.INFO,
    Severity.WARNING: logging.WARNING,
    Severity.ERROR: logging.ERROR,
}


class Journal:
    """Writes notes of one node.

    A line is ``{"time": seconds since 1970, "node": 900, "severity": "info", "kind": ..., "text":
    ...}``. Without a file only the log hears of them. Lines are flushed one by one, so that a
    reader, or a crash, finds whole lines.
    """

    def __init__(self, node_id: int, file: TextIO | None = None) -> None:
        self._node_id = node_id
        self._file = file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, note: Note) -> None:
        """Write one note."""
        LOG.log(_LEVELS[note.severity], "node %d: %s: %s", self._node_id, note.kind, note.text)
        if self._file is None:
            return
        line = {
            "time": round(time.time(), 3),
            "node": self._node_id,
            "severity": note.severity.value,
            "kind": note.kind,
            "text": note.text,
        }
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()
