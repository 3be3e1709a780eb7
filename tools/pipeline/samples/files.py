"""Journal files that are rotated, as nodes write them, and where each line came to stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

#: Gathered before it is written.
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a node's journal: in its part and there, both counted from 0 and 1 on."""

    node: int
    part: int
    line: int


@dataclass(slots=True)
class _Open:
    parts: int = 0
    lines: int = 0
    size: int = 0
    buffered: int = 0
    buffer: list[str] = field(default_factory=list)
    file: IO[str] | None = None


class JournalFiles:
    """Writes `node-ID.jsonl` into a folder; full files get .1, .2, ... as they do in production.

    A file is moved on when it has `max_bytes`, and none is thrown away. `close` gives them their
    names, the newest without a number.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder, self._max_bytes = folder, max_bytes
        self._open: dict[int, _Open] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, node: int, line: str) -> None:
        """Take a line, with its line feed."""
        journal = self._open.setdefault(node, _Open())
        if journal.size >= self._max_bytes:
            self._flush(node, journal)
            if journal.file is not None:
                journal.file.close()
            journal.file, journal.size, journal.lines = None, 0, 0
            journal.parts += 1
        journal.buffer.append(line)
        journal.lines += 1
        journal.size += len(line)
        journal.buffered += len(line)
        if journal.buffered >= _BUFFER:
            self._flush(node, journal)

    def last(self, node: int) -> Place:
        """Return where the line stands that was written last."""
        journal = self._open[node]
        return Place(node, journal.parts, journal.lines)

    def name(self, place: Place) -> str:
        """Return the name that the file of a place has, or will have."""
        age = self._open[place.node].parts - place.part
        return f"node-{place.node}.jsonl{f'.{age}' if age else ''}"

    def close(self) -> None:
        """Write what is left, and name the files."""
        for node, journal in self._open.items():
            self._flush(node, journal)
            if journal.file is not None:
                journal.file.close()
                journal.file = None
            for part in range(journal.parts + 1):
                name = self.name(Place(node, part, 0))
                self._part(node, part).replace(self._folder / name)

    def _flush(self, node: int, journal: _Open) -> None:
        if journal.file is None:
            journal.file = self._part(node, journal.parts).open("w", encoding="utf-8")
        journal.file.writelines(journal.buffer)
        journal.buffer, journal.buffered = [], 0

    def _part(self, node: int, part: int) -> Path:
        return self._folder / f".node-{node}.{part}.being-written"
