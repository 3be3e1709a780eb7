"""Work on rows that Python does, by key or by row: the same function on executors and here.

What Spark has a function for is done by Spark. The rest is a pure function from the rows of one
key, in order, to rows. `on_spark` gives it the groups of a DataFrame, on executors, by Arrow;
`plain` does the same in this process, for inputs that are not worth a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from klamm.tools.pipeline.tables import Row, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class ByKey:
    """What is done with all rows of each key.

    `function` gets them sorted by `order` (nulls first) and returns rows of `output`; columns that
    it leaves out are null. It is a module's function or a partial of one, for executors import it.
    `reads` are the columns that it needs, `keys` and `order` among them.
    """

    keys: tuple[str, ...]
    order: tuple[str, ...]
    reads: tuple[str, ...]
    output: Table
    function: Callable[[Sequence[Row]], Iterable[Row]]

    def on_spark(self, frame: DataFrame) -> DataFrame:
        """Return a frame of the output's columns; nothing is worked out yet."""
        grouped = frame.select(*self.reads).groupBy(*self.keys)
        # Spark counts a method's own `self` as an argument, and would pass the key as well.
        return grouped.applyInArrow(lambda group: self._group(group), schema=self.output.struct)

    def plain(self, table: pa.Table) -> pa.Table:
        """Do the same here and now."""
        key = itemgetter(*self.keys)
        rows = sorted(
            table.select(self.reads).to_pylist(), key=lambda row: _sortable(row, self.keys)
        )
        return pa.Table.from_pylist(
            [each for _, group in groupby(rows, key) for each in self._rows(list(group))],
            schema=self.output.schema,
        )

    def _group(self, group: pa.Table) -> pa.Table:
        return pa.Table.from_pylist(self._rows(group.to_pylist()), schema=self.output.schema)

    def _rows(self, group: list[dict[str, Any]]) -> list[dict[str, Any]]:
        group.sort(key=lambda row: _sortable(row, self.order))
        empty = self.output.empty
        return [{**empty, **row} for row in self.function(group)]


@dataclass(frozen=True, slots=True)
class ByRow:
    """What is done with each row alone: `function` returns any number of rows of `output`."""

    reads: tuple[str, ...]
    output: Table
    function: Callable[[Row], Iterable[Row]]
    #: How many rows go to Spark at once; those of costly work are few.
    batch: int = 1000

    def on_spark(self, frame: DataFrame) -> DataFrame:
        """Return a frame of the output's columns; nothing is worked out yet."""
        return frame.select(*self.reads).mapInArrow(self._batches, schema=self.output.struct)

    def plain(self, table: pa.Table) -> pa.Table:
        """Do the same here and now."""
        rows = self._rows(table.select(self.reads).to_pylist())
        return pa.Table.from_pylist(list(rows), schema=self.output.schema)

    def _batches(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema, gathered = self.output.schema, list[dict[str, Any]]()
        for batch in batches:
            for row in self._rows(batch.to_pylist()):
                gathered.append(row)
                if len(gathered) >= self.batch:
                    yield pa.RecordBatch.from_pylist(gathered, schema=schema)
                    gathered = []
        yield pa.RecordBatch.from_pylist(gathered, schema=schema)

    def _rows(self, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
        empty = self.output.empty
        for row in rows:
            for each in self.function(row):
                yield {**empty, **each}


def _sortable(row: Row, columns: tuple[str, ...]) -> tuple[tuple[bool, Any], ...]:
    """Return a key by which nulls come first, as in Spark."""
    return tuple((value is not None, value) for value in (row[column] for column in columns))
