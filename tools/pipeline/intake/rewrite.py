"""Files of a table written anew: several as one, without what some sources gave, times lifted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from klamm.tools.pipeline.lake import file_schema
from klamm.tools.pipeline.tables import TABLES

#: So many rows go into a row group.
_GROUP = 128 * 1024


class Rewrite(msgspec.Struct, frozen=True):
    """Files of a table whose rows go into file `out`, which may be one of them.

    Rows of the sources in `dropped` stay out. No at_ms of a source in `floors` is less than said
    there.
    """

    table: str
    files: tuple[str, ...]
    out: str
    dropped: tuple[str, ...] = ()
    floors: dict[str, int] = {}


class Rewritten(msgspec.Struct, frozen=True):
    """How many rows a file has; without any there is none."""

    rows: int


def rewrite(wanted: Rewrite) -> Rewritten:
    """Write the file; doing it twice is as good as once, unless `out` is one of the files."""
    out = Path(wanted.out)
    draft = out.with_name(f".{uuid4().hex}")
    schema = file_schema(TABLES[wanted.table])
    count = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(draft, schema, compression="zstd") as writer:
        for rows in _grouped(_rows(wanted, schema), schema):
            writer.write_table(rows)
            count += rows.num_rows
    if count:
        draft.replace(out)
    else:
        draft.unlink()
    return Rewritten(count)


def has(file: str | Path, source: str) -> bool:
    """Tell whether a file may have rows of a source, by what its footer says of its columns."""
    footer = pq.read_metadata(file)
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            told = column.statistics
            if column.path_in_schema != "source":
                continue
            if told is None or not told.has_min_max or told.min <= source <= told.max:
                return True
    return False


def _rows(wanted: Rewrite, schema: pa.Schema) -> Iterator[pa.Table]:
    for name in wanted.files:
        with pq.ParquetFile(name) as file:
            for batch in file.iter_batches(_GROUP):
                rows = _conforming(pa.Table.from_batches([batch]), schema)
                if wanted.dropped:
                    rows = rows.filter(~pc.field("source").isin(list(wanted.dropped)))
                for source, floor in wanted.floors.items():
                    rows = _lifted(rows, source, floor)
                yield rows


def _conforming(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows with all columns of now; those that came later are null."""
    return pa.Table.from_arrays(
        [
            rows[field.name].cast(field.type)
            if field.name in rows.schema.names
            else pa.nulls(rows.num_rows, field.type)
            for field in schema
        ],
        schema=schema,
    )


def _lifted(rows: pa.Table, source: str, floor: int) -> pa.Table:
    at_ms, least = rows["at_ms"], pa.scalar(floor, pa.int64())
    lifted = pc.call_function(
        "max_element_wise", [at_ms, least], pc.ElementWiseAggregateOptions(skip_nulls=False)
    )
    own = pc.call_function("equal", [rows["source"], pa.scalar(source)])
    chosen = pc.call_function("if_else", [own, lifted, at_ms])
    return rows.set_column(rows.schema.get_field_index("at_ms"), rows.schema.field("at_ms"), chosen)


def _grouped(tables: Iterator[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    waiting, count = list[pa.Table](), 0
    for rows in tables:
        waiting.append(rows)
        count += rows.num_rows
        if count >= _GROUP:
            yield pa.concat_tables(waiting)
            waiting, count = [], 0
    yield pa.concat_tables([schema.empty_table(), *waiting])
