"""What the processes of a cluster complain about.

Brokers that are killed, leave, move and delete replicas under klamm log no error at all; what is
one is a fault of ours until it is explained here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_COMPLAINTS = re.compile(r"\b(ERROR|FATAL|CRITICAL)\b|^Traceback|^Exception in thread")


class Logs:
    """Log files by name, read once: each call of `complaints` looks at what came since the last."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._seen = dict.fromkeys(files, 0)

    def complaints(self) -> list[str]:
        """Return the new lines of severity ERROR and above."""
        return [
            f"{name}: {line}"
            for name in self._files
            for line in self._new_lines(name)
            if _COMPLAINTS.search(line)
        ]

    def _new_lines(self, name: str) -> list[str]:
        """Return whole lines only; the rest of a half-written one comes next time."""
        if not self._files[name].exists():
            return []
        with self._files[name].open("rb") as file:
            file.seek(self._seen[name])
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._seen[name] += len(whole)
        return whole.decode(errors="replace").splitlines()
