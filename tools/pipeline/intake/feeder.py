"""Growing files, cut at line ends into chunks that never change: what a stream can be made of.

Spark's file source wants files that appear whole, by rename, and never grow. A chunk begins with a
line that says what it is a piece of; it is cut once, and stays until its rows are in the lake. What
was cut and what was taken in tell together where the next chunk begins, after any crash: nothing
else is remembered. A line that has no end yet waits for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from klamm.tools.pipeline.formats import Format
from klamm.tools.pipeline.intake import pieces
from klamm.tools.pipeline.intake.known import Chain, Known
from klamm.tools.pipeline.intake.selection import Intake, Left
from klamm.tools.planner.runner import Local

#: A chunk is about this long: what it takes to end a line may come on top.
CHUNK = pieces.BLOCK
#: Chunks are as old as their numbers say, in milliseconds from here: Spark takes the oldest first.
_EPOCH_MS = 1_700_000_000_000
_DRAFT = ".draft"


class ChunkHead(msgspec.Struct, frozen=True):
    """The first line of a chunk: the format, and where its bytes and lines are in their source.

    `head` is the digest of the source's first line, `ts_ms` when the file was last written.
    """

    source: str
    format: str
    head: str
    start: int
    line: int
    ts_ms: int


class Chunk(msgspec.Struct, frozen=True):
    """A chunk in its file; its data begins at byte `data`, and is `length` long."""

    path: str
    said: ChunkHead
    data: int
    length: int


class _Place(msgspec.Struct):
    """Where in a source the next chunk begins."""

    source: str
    offset: int
    line: int


def read_chunk(path: Path) -> Chunk:
    """Read what a chunk says of itself."""
    with path.open("rb") as file:
        first = file.readline()
    said = msgspec.json.decode(first, type=ChunkHead)
    return Chunk(str(path), said, len(first), path.stat().st_size - len(first))


class Feeder:
    """Cuts chunks into a folder; `known` is what the lake has when it begins.

    `told` gets what a person should know of a file, once. `drop` is asked to have the rows of a
    source go that begins anew, for its last line was taken in before it had its end.
    """

    def __init__(
        self,
        folder: Path,
        known: Known,
        format: Format | None,
        told: Callable[[str], object],
        drop: Callable[[Sequence[str]], None],
    ) -> None:
        self._folder = folder
        self._known = known
        self._intake = Intake(known, Local(), format, replace=False)
        self._told = told
        self._drop = drop
        self._said = set[str]()
        self._packed_ended = set[tuple[str, int, int]]()
        self._formats = dict[str, str]()
        self._places = dict[str, _Place]()
        folder.mkdir(parents=True, exist_ok=True)
        for draft in folder.glob(f"*{_DRAFT}"):
            draft.unlink()
        chunks = [read_chunk(path) for path in sorted(folder.glob("*.chunk"))]
        self._next = max((int(Path(chunk.path).stem) for chunk in chunks), default=-1) + 1
        for chunk in chunks:
            self._cut_before(chunk)

    def feed(self, paths: Sequence[str]) -> int:
        """Cut what has come to these files, and return how many chunks that are."""
        before = self._next
        for path in paths:
            try:
                self._feed(path)
            except (OSError, EOFError) as error:
                self._say(f"{path}: {pieces.told(error)}")
        return self._next - before

    def _feed(self, path: str) -> None:
        status = os.stat(path)
        version = (path, status.st_size, status.st_mtime_ns)
        if version in self._packed_ended:
            return
        with pieces.opened(path) as file:
            begin = file.read(pieces.HEAD)
            if b"\n" not in begin:
                return
            head = pieces.first_line(begin)
            if (place := self._places.get(head)) is None and (place := self._look(path, head)):
                self._places[head] = place
            if place is None:
                return
            file.seek(place.offset)
            for data in _whole_lines(file):
                said = ChunkHead(
                    source=place.source,
                    format=self._formats[head],
                    head=head,
                    start=place.offset,
                    line=place.line,
                    ts_ms=status.st_mtime_ns // 1_000_000,
                )
                self._cut(said, data)
                place.offset += len(data)
                place.line += data.count(b"\n")
        if pieces.is_packed(path):
            self._packed_ended.add(version)

    def _look(self, path: str, head: str) -> _Place | None:
        """Return where to begin with a file that no chunk was cut of."""
        (looked,) = self._intake.look_through([path])
        if isinstance(looked, Left):
            if looked.error is not None:
                self._say(f"{path}: {looked.error}")
                return None
            chain = self._known.chain(looked.source or path)
            if chain is None or not pieces.ends_line(path, chain.length):
                return None  # its last line was taken in without an end: wait for more of it
            self._formats[head] = chain.format
            return _Place(chain.source, chain.length, chain.lines + 1)
        if not looked.format.by_line:
            self._say(f"{path}: {looked.format.name} does not grow line by line; left out")
            return None
        self._drop(looked.dropped)
        self._formats[head] = looked.format.name
        return _Place(looked.source, looked.start, looked.line)

    def _cut_before(self, chunk: Chunk) -> None:
        """Learn from a chunk of before where the next one begins."""
        said, end = chunk.said, chunk.said.start + chunk.length
        feeds = sum(block.feeds for block in survey_chunk(chunk))
        self._formats[said.head] = said.format
        place = self._places.get(said.head)
        if place is None or place.offset < end:
            self._places[said.head] = _Place(said.source, end, said.line + feeds)
        self._known.add(
            said.head, Chain(said.source, said.format, (end,), ("",), 0, None, said.ts_ms)
        )

    def _cut(self, said: ChunkHead, data: bytes) -> None:
        path = self._folder / f"{self._next:012d}.chunk"
        draft = path.with_suffix(_DRAFT)
        with draft.open("wb") as file:
            file.write(msgspec.json.encode(said) + b"\n" + data)
            file.flush()
            os.fsync(file.fileno())
        age_ns = (_EPOCH_MS + self._next) * 1_000_000
        os.utime(draft, ns=(age_ns, age_ns))
        draft.replace(path)
        self._next += 1

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._told(text)


def survey_chunk(chunk: Chunk) -> Sequence[pieces.Block]:
    """Digest the data of a chunk; raises OSError."""
    surveyed = pieces.survey(pieces.Survey(chunk.path, chunk.data, (-1,)))
    if surveyed.error is not None:
        raise OSError(f"{chunk.path}: {surveyed.error}")
    return surveyed.runs[0]


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what is left of a file in runs of whole lines, without a last one that has no end."""
    rest = b""
    while data := file.read(CHUNK):
        data = rest + data
        end = data.rfind(b"\n") + 1
        if end:
            yield data[:end]
        rest = data[end:]
