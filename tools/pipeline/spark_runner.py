"""Independent pieces of work done by Spark's executors: the planner's `Runner` on a session."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import msgspec
import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)

_ITEMS = pa.schema([("place", pa.int64()), ("item", pa.binary())])
#: One of the two last is null: what came of it, or what was raised.
_RESULTS = pa.schema([("place", pa.int64()), ("result", pa.binary()), ("error", pa.binary())])
#: How many items go to Spark at once, and each as a task of its own: they take seconds.
_AT_ONCE = 1000


class SparkRunner:
    """Applies a function to items on executors: see `klamm.tools.planner.runner.Runner`.

    Items and results travel as MessagePack, by the structs that the function is annotated with; it
    must be importable there, so it is a module's function. Items are taken in portions of 1,000,
    whose results are in memory here. An executor that is lost has its items done again by Spark,
    so the function should have no effect but its result, or one that may happen twice. What it
    raises is raised here, without Spark trying it again.
    """

    def __init__(self, session: SparkSession, *, at_once: int = _AT_ONCE) -> None:
        self._session = session
        self._at_once = at_once

    def run(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results in the items' order; the first portion is done when one is asked for.

        Raises TypeError if the function's item or result has no annotation.
        """
        item_type, result_type = _annotated(function)
        left = iter(items)
        while portion := [msgspec.msgpack.encode(item) for item in islice(left, self._at_once)]:
            for result, error in self._portion(partial(_applied, function, item_type), portion):
                if error is not None:
                    # It was written by this very class, on an executor of this session.
                    raise pickle.loads(error)  # noqa: S301
                yield msgspec.msgpack.decode(result, type=result_type)

    def _portion(
        self,
        apply: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
        portion: list[bytes],
    ) -> list[tuple[bytes, bytes | None]]:
        from pyspark.sql.pandas.types import from_arrow_schema

        rows = [(place, bytearray(item)) for place, item in enumerate(portion)]
        # As an RDD each item can be a partition: a frame of rows would be cut by the core.
        spread = self._session.sparkContext.parallelize(rows, len(rows))
        frame = self._session.createDataFrame(spread, from_arrow_schema(_ITEMS))
        found = frame.mapInArrow(apply, schema=from_arrow_schema(_RESULTS)).collect()
        return [(row.result, row.error) for row in sorted(found, key=lambda row: row.place)]


def _annotated(function: Callable[..., Any]) -> tuple[type, type]:
    """Return the types of a function's first parameter and of its result."""
    hints = get_type_hints(function)
    name = next(iter(inspect.signature(function).parameters), "")
    if name not in hints or "return" not in hints:
        raise TypeError(f"{function!r} needs annotations: of what it takes, and of its result")
    return hints[name], hints["return"]


def _applied(
    function: Callable[[Any], msgspec.Struct],
    item_type: type,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Apply the function to each row, on an executor."""
    for batch in batches:
        for row in batch.to_pylist():
            done: dict[str, Any] = {"place": row["place"], "result": None, "error": None}
            try:
                item: Any = msgspec.msgpack.decode(row["item"], type=item_type)
                done["result"] = msgspec.msgpack.encode(function(item))
            except Exception as error:
                done["error"] = pickle.dumps(error)
            yield pa.RecordBatch.from_pylist([done], schema=_RESULTS)
