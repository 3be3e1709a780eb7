"""What the jobs that do runs share: carrying them out, here or on executors, and telling of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click
import pyarrow as pa

from klamm.tools.cli._pipeline_options import Engine
from klamm.tools.pipeline.jobs.lab_runs import Told, Work, do_on_spark, do_plain
from klamm.tools.pipeline.lake import Lake, LakeError
from klamm.tools.pipeline.steps import ByRow
from klamm.tools.pipeline.tables import RUNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: Rows that a driver takes in: of cells and policies, never of runs.
Rows = list[dict[str, Any]]


def run_options(seeds: int) -> Callable[[_Command], _Command]:
    """Return the options that say which seeds, and whether what is done is done again."""

    def with_options(command: _Command) -> _Command:
        for option in (
            click.option("--again", is_flag=True, help="Do also what the lake has already."),
            click.option(
                "--first", type=click.IntRange(0), default=0, show_default=True, help="First seed."
            ),
            click.option(
                "--seeds",
                type=click.IntRange(1),
                default=seeds,
                show_default=True,
                help="How many seeds.",
            ),
        ):
            command = option(command)
        return command

    return with_options


class Place:
    """Where runs are done and read: this process, or a session."""

    def __init__(self, lake: Lake, spark: SparkSession | None) -> None:
        self.lake = lake
        self.spark = spark

    def do(self, work: Work, again: bool) -> None:
        """Do the runs that the lake does not have yet."""
        told = _telling(work)
        if self.spark is None:
            do_plain(work, self.lake, told, again=again)
        else:
            do_on_spark(work, self.spark, self.lake, told, again=again)

    def read(
        self,
        on_spark: Callable[[DataFrame, str], DataFrame],
        plain: Callable[[pa.Table, str], pa.Table],
        revision: str,
    ) -> Rows:
        """Return what runs of this code come to: few rows, whatever their number."""
        if self.spark is None:
            found: Rows = plain(self.lake.read_plain(RUNS), revision).to_pylist()
            return found
        frame = on_spark(self.lake.read(self.spark, RUNS), revision)
        return [row.asDict(recursive=True) for row in frame.toLocalIterator()]

    def each(self, step: ByRow, rows: Sequence[dict[str, Any]], schema: pa.Schema) -> Iterator[Any]:
        """Do a step for a few rows, each on its own; yield what comes of them one by one."""
        if not rows:
            return
        table = pa.Table.from_pylist([*rows], schema=schema)
        if self.spark is None:
            yield from step.plain(table).to_pylist()
            return
        from pyspark.sql.pandas.types import from_arrow_schema

        frame = self.spark.createDataFrame(rows, from_arrow_schema(schema))
        spread = frame.repartition(len(rows), *step.reads)
        for row in step.on_spark(spread).toLocalIterator():
            yield row.asDict(recursive=True)


@contextmanager
def place(engine: Engine, lake: Lake) -> Iterator[Place]:
    """Give the place that an engine stands for; a lake that cannot be used ends the command."""
    try:
        if engine.plain:
            yield Place(lake, None)
        else:
            with engine.session() as spark:
                yield Place(lake, spark)
    except LakeError as error:
        raise click.ClickException(str(error)) from error


def _telling(work: Work) -> Told:
    begun, done = time.monotonic(), 0

    def told(seeds: int, runs: int) -> None:
        nonlocal done
        done += runs
        rate = done / max(time.monotonic() - begun, 1e-9)
        click.echo(
            f"seeds {work.first} to {work.first + seeds - 1}: {done} runs done, {rate:.0f} runs/s",
            err=True,
        )

    return told


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield lines of text with the columns below each other."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for row in (headings, *rows):
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
