"""Which bytes of which files are to be taken in: what is new in them, and in whose name.

A file is digested before anything is made of it, and what it may be of what is known is tried in
turn (see `klamm.tools.pipeline.intake.known`). Many files are digested at once, by whoever the
runner has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from klamm.tools.pipeline.formats import AmbiguousError, Format, candidates
from klamm.tools.pipeline.intake import pieces
from klamm.tools.pipeline.intake.known import Chain, Known
from klamm.tools.planner.runner import Runner

#: How much one task digests.
_SURVEYED = 8 * pieces.BLOCK


@dataclass(frozen=True, slots=True)
class Piece:
    """What is to be taken in of a source: blocks from its byte `start` on, where line `line` is.

    In the file at `path` they begin at byte `at`. `dropped` are sources whose rows it takes the
    place of, `note` is what a person should know.
    """

    path: str
    format: Format
    source: str
    head: str
    start: int
    at: int
    line: int
    blocks: Sequence[pieces.Block]
    ts_ms: int
    packed: bool
    last_ms: int | None = None
    dropped: tuple[str, ...] = ()
    note: str = ""

    @property
    def length(self) -> int:
        """Return how many bytes it has."""
        return sum(block.length for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Left:
    """A file of which nothing is taken in: known already, or `error` says why not."""

    path: str
    format: str | None = None
    source: str | None = None
    error: str | None = None


@dataclass(slots=True)
class _File:
    """A file, and what it may be: the chain that is tried now, and those to try after it."""

    path: str
    format: Format
    head: str
    size: int
    ts_ms: int
    packed: bool
    chains: list[Chain]
    dropped: tuple[str, ...] = ()
    found: list[list[pieces.Block]] = field(default_factory=list)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Return where the runs of bytes to digest begin, and how long they are."""
        lengths = [*self.chains[0].lengths] if self.chains else []
        known = sum(lengths)
        lengths.append(-1 if self.packed else self.size - known)
        starts = [sum(lengths[:number]) for number in range(len(lengths))]
        return list(zip(starts, lengths, strict=True))


class Intake:
    """Looks through files, against what is known of them."""

    def __init__(
        self,
        known: Known,
        runner: Runner,
        format: Format | None,
        replace: bool,
        ts_ms: int | None = None,
    ) -> None:
        self._ts_ms = ts_ms
        self._known = known
        self._runner = runner
        self._format = format
        self._replace = replace

    def look_through(self, paths: Sequence[str]) -> list[Piece | Left]:
        """Return what is to be done with each file, in their order."""
        done, open_files = dict[str, Piece | Left](), list[_File]()
        for path in paths:
            try:
                looked = self._look(path)
            except (OSError, EOFError) as failed:
                looked = Left(path, error=pieces.told(failed))
            if isinstance(looked, Left):
                done[path] = looked
            else:
                open_files.append(looked)
        while open_files:
            errors = self._survey(open_files)
            again = list[_File]()
            for file in open_files:
                if error := errors.get(file.path):
                    done[file.path] = Left(file.path, file.format.name, error=error)
                elif (decided := self._decide(file)) is None:
                    again.append(file)
                else:
                    done[file.path] = decided
            open_files = again
        return [done[path] for path in paths]

    def _look(self, path: str) -> _File | Left:
        head = pieces.head(path)
        format = self._format
        if format is None:
            meant = candidates(os.path.basename(path), head.decode(errors="replace"))
            if len(meant) != 1:
                names = tuple(each.name for each in meant)
                return Left(path, error=f"{AmbiguousError('it', names)} (--format)")
            format = meant[0]
        status = os.stat(path)
        packed, first = pieces.is_packed(path), pieces.first_line(head)
        chains = [
            chain
            for chain in self._known.candidates(first, path, format.by_line)
            if packed or chain.length <= status.st_size
        ]
        ts_ms = status.st_mtime_ns // 1_000_000 if self._ts_ms is None else self._ts_ms
        if format.undated:
            # What begins like that of another day is not the same that has grown, but for its own
            # file, if lines are appended there.
            own = self._known.named(path) if format.by_line else []
            chains = [chain for chain in chains if chain.source in own]
        chains = [] if self._replace else chains
        return _File(path, format, first, status.st_size, ts_ms, packed, chains)

    def _survey(self, files: Sequence[_File]) -> dict[str, str]:
        """Digest what is open of each file; return why, for files that cannot be read."""
        items, owners = list[pieces.Survey](), list[tuple[_File, list[int]]]()
        for file in files:
            file.found = [[] for _ in file.runs]
            for item, numbers in _surveys(file):
                items.append(item)
                owners.append((file, numbers))
        errors = dict[str, str]()
        results = self._runner.run(pieces.survey, items)
        for (file, numbers), result in zip(owners, results, strict=True):
            if result.error is not None:
                errors[file.path] = result.error
            for number, blocks in zip(numbers, result.runs, strict=False):
                file.found[number].extend(blocks)
        return errors

    def _decide(self, file: _File) -> Piece | Left | None:
        """Return what is to be done with a file; None if it has to be digested in another way."""
        *known, rest = file.found
        if not file.chains:
            return self._whole(file, rest)
        chain = file.chains[0]
        other_time = file.format.undated and not rest and chain.ts_ms != file.ts_ms
        if tuple(map(pieces.digest, known)) != chain.digests or other_time:
            file.chains.pop(0)
            return None
        if not rest:
            return Left(file.path, chain.format, chain.source)
        if file.format.by_line and pieces.ends_line(file.path, chain.length):
            line, note = chain.lines + 1, f"goes on after line {chain.lines:,}"
            return self._piece(file, chain.source, rest, chain.length, line, chain.last_ms, note)
        # Its end has changed with what came after it: all that it gave is given anew.
        file.chains, file.dropped = [], (chain.source,)
        self._known.forget(file.dropped)
        return None

    def _whole(self, file: _File, blocks: list[pieces.Block]) -> Piece | Left:
        ts_ms = file.ts_ms if file.format.undated else None
        same = self._known.whole(file.head, pieces.digest(blocks), ts_ms)
        if self._replace:
            old = {*self._known.named(file.path), *([same.source] if same else ())}
            file.dropped = tuple(sorted(old))
            self._known.forget(old)
        elif same is not None:
            return Left(file.path, same.format, same.source)
        source = self._known.free_name(file.path)
        note = "in place of what it gave before" if file.dropped else ""
        if source != file.path:
            other = "of another time" if file.format.undated else "other content"
            note = f"{other} than before: taken in beside it, as {source}"
        return self._piece(file, source, blocks, 0, 1, None, note)

    def _piece(
        self,
        file: _File,
        source: str,
        blocks: list[pieces.Block],
        start: int,
        line: int,
        last_ms: int | None,
        note: str,
    ) -> Piece:
        if not start:
            # The same content again, by another name in the same run.
            digests = (pieces.digest(blocks),)
            lengths = (sum(block.length for block in blocks),)
            chain = Chain(source, file.format.name, lengths, digests, 0, None, file.ts_ms)
            self._known.add(file.head, chain)
        return Piece(
            path=file.path,
            format=file.format,
            source=source,
            head=file.head,
            start=start,
            at=start,
            line=line,
            blocks=blocks,
            ts_ms=file.ts_ms,
            packed=file.packed,
            last_ms=last_ms,
            dropped=file.dropped,
            note=note,
        )


def _surveys(file: _File) -> Iterator[tuple[pieces.Survey, list[int]]]:
    """Yield what to digest of a file, and which run each of the lengths belongs to.

    A packed file is read once, from its beginning; another one in as many places as it is large.
    """
    start, size, lengths, numbers = 0, 0, list[int](), list[int]()
    for number, (run, length) in enumerate(file.runs):
        for offset in range(0, length, _SURVEYED) if length > 0 else [0]:
            part = min(_SURVEYED, length - offset) if length > 0 else length
            lengths.append(part)
            numbers.append(number)
            size += max(part, 0)
            if size >= _SURVEYED and not file.packed:
                yield pieces.Survey(file.path, start, tuple(lengths)), numbers
                start, size, lengths, numbers = run + offset + part, 0, [], []
    if lengths:
        yield pieces.Survey(file.path, start, tuple(lengths)), numbers
