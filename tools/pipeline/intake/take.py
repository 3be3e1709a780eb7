"""Taking in: lines of files become Parquet files of the canonical tables, on executors or here.

What a task gets and gives is small; rows go from the reader of a format to a file, and never to the
driver. The same bytes give the same rows, in as many tasks as there may be.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias, cast
from uuid import uuid4
from zoneinfo import ZoneInfo

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from klamm.tools.pipeline.formats import FORMATS, Bad, Good, Source
from klamm.tools.pipeline.formats.base import bad, date_of
from klamm.tools.pipeline.intake import pieces
from klamm.tools.pipeline.lake import day_folder, file_schema
from klamm.tools.pipeline.tables import EVENTS, QUARANTINE, TABLES, Row

#: So many rows wait for the disk in a task.
_WAITING = 20_000
_LEAST = -(1 << 63)

#: Whose rows are in a file: a table's, a cluster's, a day's.
_Day: TypeAlias = tuple[str, str, str | None]


class Part(msgspec.Struct, frozen=True):
    """Blocks of a file that a task reads, and what their reader has to know.

    `number` is that of the piece they belong to, which ends at byte `end`; `line` the number of
    the line at `start`. No event's at_ms is less than `floor_ms`. The rest is of `Source`.
    """

    number: int
    path: str
    format: str
    source: str
    cluster: str
    start: int
    end: int
    line: int
    blocks: tuple[pieces.Block, ...]
    floor_ms: int | None = None
    ts_ms: int | None = None
    tz: str = "UTC"


class Task(msgspec.Struct, frozen=True):
    """Parts that one task reads, and the folder that it makes files in, below which tables are."""

    number: int
    folder: str
    parts: tuple[Part, ...]


class Told(msgspec.Struct, frozen=True):
    """What a part came to: rows by table, `quarantine` among them, and lines that say nothing.

    `first_ms` and `last_ms` are the least and the largest at_ms of its events.
    """

    number: int
    rows: dict[str, int]
    passed_over: int
    first_ms: int | None
    last_ms: int | None


class Taken(msgspec.Struct, frozen=True):
    """What a task came to: each part in turn, and the files that it made, by table.

    `error` says why it did not come to its end.
    """

    number: int
    parts: tuple[Told, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    error: str | None = None


def take(task: Task) -> Taken:
    """Read the parts of a task, and write what they say; doing it twice is as good as once."""
    # Rows refer to nothing that refers to them: looking for such is a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with Files(Path(task.folder), f"{task.number:06d}") as files:
            told = [_take(part, files) for part in task.parts]
        return Taken(
            task.number, tuple(_corrected(each, files) for each in told), tuple(files.made)
        )
    except (OSError, EOFError) as error:
        return Taken(task.number, error=pieces.told(error))
    except pieces.Changed as error:
        return Taken(task.number, error=str(error))
    finally:
        if collecting:
            gc.enable()


def _corrected(told: Told, files: Files) -> Told:
    """Count what no table could hold as put aside."""
    if not files.refused:
        return told
    refused = Counter({name: files.refused[told.number, name] for name in told.rows})
    rows = Counter(told.rows)
    rows.subtract(refused)
    rows[QUARANTINE.name] += refused.total()
    return msgspec.structs.replace(told, rows=dict(rows))


class Files:
    """Files of tables, by cluster and day, that get their names when all are complete."""

    def __init__(self, folder: Path, name: str) -> None:
        self.made = list[tuple[str, str]]()
        #: Rows that their table cannot hold, by the number of their part and their table.
        self.refused = Counter[tuple[int, str]]()
        self._folder = folder
        self._name = f"part-{folder.parent.name}-{name}.parquet"
        self._draft = f".{uuid4().hex}"
        self._waiting = dict[_Day, list[tuple[Part, Row]]]()
        self._count = 0
        self._open = dict[_Day, tuple[Path, pq.ParquetWriter]]()

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            with ExitStack() as closed:
                for _, writer in self._open.values():
                    closed.callback(writer.close)
        if kind is None:
            for day, (draft, _) in self._open.items():
                # A second attempt of a task writes the same rows, and takes the first one's place.
                place = draft.with_name(self._name)
                draft.replace(place)
                self.made.append((day[0], str(place)))

    def add(self, table: str, date: str | None, part: Part, row: Row) -> None:
        """Have a row written that a part says."""
        self._waiting.setdefault((table, part.cluster, date), []).append((part, row))
        self._count += 1
        if self._count >= _WAITING:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting, self._count = self._waiting, {}, 0
        for key, said in waiting.items():
            try:
                rows = as_table([row for _, row in said], file_schema(TABLES[key[0]]))
            except (pa.ArrowException, OverflowError, TypeError):
                rows = self._fitting(key[0], said)
            self._writer(key).write_table(rows)
        if self._waiting:
            self._flush()

    def _fitting(self, table: str, said: list[tuple[Part, Row]]) -> pa.Table:
        """Return the rows that a table can hold, and put the others aside."""
        schema, fit = file_schema(TABLES[table]), list[pa.Table]()
        for part, row in said:
            try:
                fit.append(as_table([row], schema))
            except (pa.ArrowException, OverflowError, TypeError) as error:
                self.refused[part.number, table] += 1
                reason = f"a value does not fit into table {table}: {error}"
                aside = put_aside(part, bad(row["line"], reason, repr(dict(row))))
                self.add(QUARANTINE.name, date_of(part.ts_ms), part, aside)
        return pa.concat_tables([schema.empty_table(), *fit]).combine_chunks()

    def _writer(self, key: _Day) -> pq.ParquetWriter:
        if key not in self._open:
            folder = self._folder / day_folder(TABLES[key[0]], key[1], key[2])
            folder.mkdir(parents=True, exist_ok=True)
            draft, schema = folder / self._draft, file_schema(TABLES[key[0]])
            self._open[key] = draft, pq.ParquetWriter(draft, schema, compression="zstd")
        return self._open[key][1]


def as_table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    """Return rows as columns; what a row leaves out is null."""
    return pa.Table.from_struct_array(pa.array(rows, pa.struct(list(schema))))


def put_aside(part: Part, each: Bad) -> Row:
    """Return the row of quarantine that a bad line is."""
    return {
        "source": part.source,
        "line": each.line,
        "format": part.format,
        "reason": each.reason,
        "text": each.text,
    }


def _take(part: Part, files: Files) -> Told:
    source = Source(part.source, part.cluster, part.ts_ms, tz=ZoneInfo(part.tz))
    counts, not_text = Counter[str](), list[Bad]()
    first_ms: int | None = None
    largest, passed_over = _LEAST if part.floor_ms is None else part.floor_ms, 0
    for each in FORMATS[part.format].reader(source, _text(part, not_text)):
        if isinstance(each, Good):
            row = cast(dict[str, Any], each.row)  # made for this alone
            if each.table == EVENTS.name and (at_ms := row.get("at_ms")) is not None:
                first_ms = at_ms if first_ms is None else min(first_ms, at_ms)
                largest = row["at_ms"] = max(largest, at_ms)
            counts[each.table] += 1
            files.add(each.table, row.get("date"), part, row)
        elif isinstance(each, Bad):
            not_text.append(each)
        else:
            passed_over += 1
        while not_text:
            counts[QUARANTINE.name] += 1
            aside = put_aside(part, not_text.pop())
            files.add(QUARANTINE.name, date_of(part.ts_ms), part, aside)
    for last in not_text:
        counts[QUARANTINE.name] += 1
        files.add(QUARANTINE.name, date_of(part.ts_ms), part, put_aside(part, last))
    last_ms = None if first_ms is None else largest
    return Told(part.number, dict(counts), passed_over, first_ms, last_ms)


def _text(part: Part, not_text: list[Bad]) -> Iterator[tuple[int, str]]:
    """Yield lines as text, and put those aside that are none."""
    for number, line in pieces.lines(part.path, part.start, part.blocks, part.line, part.end):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            reason = f"it is not UTF-8 at byte {error.start + 1} of the line: {error.reason}"
            not_text.append(bad(number, reason, line.decode(errors="backslashreplace")))


def packed(parts: Iterable[Part], folder: Path, size: int) -> Iterator[Task]:
    """Put parts together into tasks of about so many bytes, in their order."""
    waiting, length, number = list[Part](), 0, 0
    for part in parts:
        waiting.append(part)
        length += sum(block.length for block in part.blocks)
        if length >= size:
            yield Task(number, os.fspath(folder), tuple(waiting))
            waiting, length, number = [], 0, number + 1
    if waiting:
        yield Task(number, os.fspath(folder), tuple(waiting))
