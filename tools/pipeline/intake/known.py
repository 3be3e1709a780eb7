"""What of a file was taken in before, by its content, whatever it is called now.

Table `files` has a row for each piece that was taken in. The pieces of one source follow each
other. A file whose content begins with all of them is the same file: nothing is left of it, or
what was appended since. So a journal that was rotated, renamed or packed is known again. Of what
has the time of its file, such as kafka-topics' description, only the same time is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from klamm.tools.pipeline.tables import Row


@dataclass(frozen=True, slots=True)
class Chain:
    """The pieces of a source that were taken in, in order: their lengths and digests.

    `lines` is how many lines they have; `last_ms` the largest at_ms that came of them; `ts_ms` the
    time of the file when the last was taken in.
    """

    source: str
    format: str
    lengths: tuple[int, ...]
    digests: tuple[str, ...]
    lines: int
    last_ms: int | None
    ts_ms: int | None

    @property
    def length(self) -> int:
        """Return where the next piece begins."""
        return sum(self.lengths)


class Known:
    """What table `files` says of one cluster."""

    def __init__(self, files: pa.Table) -> None:
        self._by_head = dict[str, list[Chain]]()
        self._sources = dict[str, Chain]()
        pieces = dict[str, list[Row]]()
        for row in files.to_pylist():
            pieces.setdefault(row["source"], []).append(row)
        for source, rows in sorted(pieces.items()):
            self.add(rows[0]["head"], _chain(source, rows))

    def add(self, head: str, chain: Chain) -> None:
        """Have this known from now on."""
        self._by_head.setdefault(head, []).append(chain)
        self._sources[chain.source] = chain

    def candidates(self, head: str, name: str, by_line: bool) -> list[Chain]:
        """Return what a file may be that begins like this, the longest first.

        A document is known by its whole digest, or as what its own name had before it grew; so is
        a file of one line, which may have had no end.
        """
        chains = self._by_head.get(head, [])
        named = [self._sources[source] for source in self.named(name)]
        own = [each for each in chains if by_line or each in named]
        own.extend(each for each in named if each.lines <= 1 and each not in own)
        return sorted(own, key=lambda chain: (-chain.length, chain.source))

    def whole(self, head: str, digest: str, ts_ms: int | None) -> Chain | None:
        """Return what has exactly this content, in one piece; and this time, unless it is None."""
        for each in self._by_head.get(head, []):
            if each.digests == (digest,) and ts_ms in (None, each.ts_ms):
                return each
        return None

    def chain(self, source: str) -> Chain | None:
        """Return what was taken in of a source."""
        return self._sources.get(source)

    def free_name(self, name: str) -> str:
        """Return a source's name that nothing was taken in by: the file's, or one with a number."""
        number, free = 1, name
        while free in self._sources:
            number += 1
            free = f"{name}#{number}"
        return free

    def named(self, name: str) -> list[str]:
        """Return all sources that were taken in from files of this name."""
        return [each for each in self._sources if each.partition("#")[0] == name]

    def forget(self, sources: Iterable[str]) -> None:
        """Have these not known any more."""
        gone = set(sources)
        self._sources = {name: each for name, each in self._sources.items() if name not in gone}
        for head, chains in self._by_head.items():
            self._by_head[head] = [each for each in chains if each.source not in gone]


def _chain(source: str, rows: Sequence[Row]) -> Chain:
    ordered = sorted(rows, key=lambda row: row["start"])
    times = [row["last_ms"] for row in rows if row["last_ms"] is not None]
    return Chain(
        source,
        rows[0]["format"],
        tuple(row["bytes"] for row in ordered),
        tuple(row["digest"] for row in ordered),
        sum(row["lines"] for row in rows),
        max(times) if times else None,
        ordered[-1]["ts_ms"],
    )
