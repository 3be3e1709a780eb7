"""`klamm pipeline ingest`: files of all kinds become rows of the canonical tables, once.

Files are looked through (what of them is new?), cut into tasks, and read by whoever the runner has;
rows go from there to files of a change of the lake, which comes true at the end or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from klamm.tools.pipeline.changes import Change, LakeError
from klamm.tools.pipeline.formats import Format
from klamm.tools.pipeline.formats.base import date_of
from klamm.tools.pipeline.intake import pieces
from klamm.tools.pipeline.intake.compact import compact
from klamm.tools.pipeline.intake.known import Known
from klamm.tools.pipeline.intake.rewrite import Rewrite, has, rewrite
from klamm.tools.pipeline.intake.selection import Intake, Left, Piece
from klamm.tools.pipeline.intake.take import Part, Taken, Task, Told, packed, take
from klamm.tools.pipeline.lake import Lake, check_cluster
from klamm.tools.pipeline.tables import EVENTS, FILES, QUARANTINE, TABLES
from klamm.tools.planner.runner import Runner

#: How many blocks of a large file a task reads, and how many bytes of small ones.
_BLOCKS = 2
_TASK_BYTES = _BLOCKS * pieces.BLOCK
#: Tables whose rows say which line of which source they are of, and the one about sources.
_OF_SOURCES = tuple(
    table for table in TABLES.values() if {"source", "line"} <= {*table.columns} or table is FILES
)


@dataclass(frozen=True, slots=True)
class FileTold:
    """What became of a file: `rows` by table, lines put aside, and lines that say nothing.

    `status` is new, grown (only what was appended is counted), known, empty or unreadable; `note`
    has what a person should know of it, and the reason of the last.
    """

    path: str
    status: str
    format: str = ""
    note: str = ""
    bytes: int = 0
    lines: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    quarantined: int = 0
    passed_over: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all files, in their order."""

    files: Sequence[FileTold]

    @property
    def rows(self) -> dict[str, int]:
        """Return the rows that were written, by table."""
        total = Counter[str]()
        for file in self.files:
            total.update(file.rows)
        return dict(sorted(total.items()))

    @property
    def quarantined(self) -> int:
        """Return how many lines were put aside."""
        return sum(file.quarantined for file in self.files)

    @property
    def unreadable(self) -> int:
        """Return how many files could not be read at all."""
        return sum(file.status == "unreadable" for file in self.files)


def ingest(
    lake: Lake,
    paths: Sequence[str],
    cluster: str,
    runner: Runner,
    *,
    format: Format | None = None,
    replace: bool = False,
    tz: str = "UTC",
    ts_ms: int | None = None,
) -> Summary:
    """Take in files, as what is known of a cluster; what was taken in before is left alone.

    `replace` has them take the place of all that files of their names, or of their content, gave
    before. `tz` is the zone of logs that do not say theirs, as Kafka's; `ts_ms` the time of what
    has none at all, in place of when each file was last written. Raises LakeError if the lake
    cannot be written, or a file changes while it is read.
    """
    check_cluster(cluster)
    with lake.change() as change:
        known = Known(lake.read_plain(FILES, [cluster]))
        looked = Intake(known, runner, format, replace, ts_ms).look_through(paths)
        wanted = [each for each in looked if isinstance(each, Piece) and each.blocks]
        told = take_in(lake, change, cluster, wanted, runner, tz)
    by_path = dict(zip((piece.path for piece in wanted), told, strict=True))
    return Summary([_file_told(each, by_path.get(each.path)) for each in looked])


def take_in(
    lake: Lake,
    change: Change,
    cluster: str,
    wanted: Sequence[Piece],
    runner: Runner,
    tz: str,
) -> list[Told]:
    """Make the files of what pieces say, and of what is known by then; return what each said."""
    drop(lake, change, cluster, [source for piece in wanted for source in piece.dropped], runner)
    told = _take_all(change, wanted, runner, _parts(cluster, wanted, tz))
    if wanted:
        lake.put(change, _files(cluster, wanted, told), FILES)
        compact(lake, change, runner)
    return told


def _take_all(
    change: Change, wanted: Sequence[Piece], runner: Runner, parts: Iterator[Part]
) -> list[Told]:
    """Have the pieces read, and return what each came to."""
    tasks = list(packed(parts, change.folder(Path()), _TASK_BYTES))
    told, lifts = dict[int, Told](), list[Rewrite]()
    for task, taken in zip(tasks, runner.run(take, tasks), strict=True):
        if taken.error is not None:
            raise LakeError(taken.error)
        if (lift := _lift(task, taken, told)) is not None:
            lifts.extend(lift)
        for part in taken.parts:
            told[part.number] = _sum(told.get(part.number), part)
    for _ in runner.run(rewrite, lifts):
        pass  # it is the files that count
    return [told[number] for number in range(len(wanted))]


def _parts(cluster: str, wanted: Sequence[Piece], tz: str) -> Iterator[Part]:
    for number, piece in enumerate(wanted):
        splits = piece.format.by_line and not piece.packed
        count = _BLOCKS if splits else len(piece.blocks)
        for before, feeds, blocks in pieces.groups(piece.blocks, count):
            yield Part(
                number=number,
                path=piece.path,
                format=piece.format.name,
                source=piece.source,
                cluster=cluster,
                start=piece.at + before,
                end=piece.at + piece.length,
                line=piece.line + feeds,
                blocks=tuple(blocks),
                floor_ms=piece.last_ms,
                ts_ms=piece.ts_ms,
                tz=tz,
            )


def _lift(task: Task, taken: Taken, told: Mapping[int, Told]) -> list[Rewrite] | None:
    """Return what is to be written anew, so that no at_ms falls within a source.

    A part knows nothing of those before it; a clock that was set back in between shows here.
    """
    floors = dict[str, int]()
    for part, each in zip(task.parts, taken.parts, strict=True):
        before = told.get(part.number)
        if before is None or before.last_ms is None or each.first_ms is None:
            continue
        if before.last_ms > each.first_ms:
            floors[part.source] = before.last_ms
    files = [file for table, file in taken.files if table == EVENTS.name]
    if not floors:
        return None
    return [Rewrite(EVENTS.name, (file,), file, floors=floors) for file in files]


def _sum(before: Told | None, part: Told) -> Told:
    if before is None:
        return part
    last = [each for each in (before.last_ms, part.last_ms) if each is not None]
    first = [each for each in (before.first_ms, part.first_ms) if each is not None]
    return Told(
        part.number,
        dict(Counter(before.rows) + Counter(part.rows)),
        before.passed_over + part.passed_over,
        min(first, default=None),
        max(last, default=None),
    )


def drop(lake: Lake, change: Change, cluster: str, sources: Sequence[str], runner: Runner) -> None:
    """Have the rows of sources go, and what is known of them."""
    dropped = sorted(set(sources))
    if not dropped:
        return
    rewrites = list[Rewrite]()
    for table in _OF_SOURCES:
        for number, file in enumerate(lake.files(table, [cluster])):
            if any(has(file, source) for source in dropped):
                folder = change.folder(file.parent.relative_to(lake.root))
                out = folder / f"kept-{change.name}-{number:06d}.parquet"
                rewrites.append(Rewrite(table.name, (str(file),), str(out), tuple(dropped)))
                change.remove(file)
    for _ in runner.run(rewrite, rewrites):
        pass  # it is the files that count


def _files(cluster: str, wanted: Sequence[Piece], told: Sequence[Told]) -> pa.Table:
    """Return the rows of table `files`."""
    rows = [
        {
            "cluster": cluster,
            "date": date_of(piece.ts_ms),
            "source": piece.source,
            "digest": pieces.digest(piece.blocks),
            "format": piece.format.name,
            "bytes": piece.length,
            "lines": _lines(piece),
            "rows": _rows(each),
            "quarantined": each.rows.get(QUARANTINE.name, 0),
            "passed_over": each.passed_over,
            "head": piece.head,
            "start": piece.start,
            "last_ms": each.last_ms,
            "ts_ms": piece.ts_ms,
        }
        for piece, each in zip(wanted, told, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=FILES.schema)


def _rows(told: Told) -> int:
    return sum(count for table, count in told.rows.items() if table != QUARANTINE.name)


def _lines(piece: Piece) -> int:
    """Return how many lines a piece has, the last with or without a line feed."""
    feeds = sum(block.feeds for block in piece.blocks)
    return feeds if pieces.ends_line(piece.path, piece.at + piece.length) else feeds + 1


def _file_told(looked: Piece | Left, told: Told | None) -> FileTold:
    if isinstance(looked, Left):
        if looked.error is not None:
            return FileTold(looked.path, "unreadable", looked.format or "", looked.error)
        renamed = looked.source not in (None, looked.path)
        note = f"taken in as {looked.source}" if renamed else ""
        return FileTold(looked.path, "known", looked.format or "", note)
    if told is None:
        return FileTold(looked.path, "empty", looked.format.name, looked.note)
    return FileTold(
        looked.path,
        "grown" if looked.start else "new",
        looked.format.name,
        looked.note,
        looked.length,
        _lines(looked),
        {table: count for table, count in told.rows.items() if table != QUARANTINE.name and count},
        told.rows.get(QUARANTINE.name, 0),
        told.passed_over,
    )
