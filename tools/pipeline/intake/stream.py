"""`klamm pipeline ingest --stream`: growing journals and logs, by Structured Streaming.

A feeder cuts chunks (`klamm.tools.pipeline.intake.feeder`), Spark hands them out in batches and
remembers which it has, in a checkpoint. The rows of a batch and the rows of table `files` that name
its chunks come true in the same change of the lake; a batch that Spark gives again after a crash
finds them there. So each line is in the lake exactly once, for any reader of its files.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from klamm.tools.pipeline.changes import LakeError
from klamm.tools.pipeline.formats import FORMATS, Format
from klamm.tools.pipeline.intake import pieces
from klamm.tools.pipeline.intake.feeder import Chunk, Feeder, read_chunk, survey_chunk
from klamm.tools.pipeline.intake.known import Known
from klamm.tools.pipeline.intake.selection import Piece
from klamm.tools.pipeline.jobs.ingest import drop, take_in
from klamm.tools.pipeline.lake import Lake, check_cluster
from klamm.tools.pipeline.spark_runner import SparkRunner
from klamm.tools.pipeline.tables import FILES
from klamm.tools.planner.runner import Local, Runner

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Where chunks and the checkpoint of a cluster's stream are, below the lake.
_FOLDER = "_streams"
#: As many chunks are one batch.
_BATCH = 64
_FILE_STRUCT = "path string, modificationTime timestamp, length long, content binary"


class Sink:
    """Takes batches of chunks into the lake, each chunk once."""

    def __init__(self, lake: Lake, cluster: str, runner: Runner, chunks: Path, tz: str) -> None:
        self._lake = lake
        self._cluster = cluster
        self._runner = runner
        self._chunks = chunks
        self._tz = tz
        self.rows = 0

    def take(self, paths: Sequence[str]) -> int:
        """Take in the chunks of a batch by their paths, and return how many of them were new."""
        self.sweep(paths)
        with self._lake.change(wait=True) as change:
            known = self._known()
            # What is not there any more was taken in, and removed after that.
            chunks = [read_chunk(Path(path)) for path in sorted(paths) if os.path.exists(path)]
            wanted = [_piece(each, known) for each in chunks if not _is_known(each, known)]
            told = take_in(self._lake, change, self._cluster, wanted, self._runner, self._tz)
        self.rows += sum(sum(each.rows.values()) for each in told)
        return len(wanted)

    def sweep(self, batch: Sequence[str] = ()) -> None:
        """Remove chunks that are taken in, and not of this batch: Spark will not ask for them.

        The last one stays: the next is numbered after it, and Spark takes no name twice.
        """
        known = self._known()
        for path in sorted(self._chunks.glob("*.chunk"))[:-1]:
            if str(path) not in batch and _is_known(read_chunk(path), known):
                path.unlink()

    def _known(self) -> Known:
        return Known(self._lake.read_plain(FILES, [self._cluster]))


def stream(
    spark: SparkSession,
    lake: Lake,
    inputs: Sequence[str],
    cluster: str,
    format: Format | None,
    every_s: int | None,
    told: Callable[[str], object],
    tz: str = "UTC",
) -> None:
    """Take in what comes to these files, as often as said; without that, what is there now.

    Ends at SIGTERM or Ctrl-C, in between two batches. Raises LakeError if another process does
    the same, and what a batch raises.
    """
    folder = lake.root / _FOLDER / check_cluster(cluster)
    chunks, runner = folder / "chunks", SparkRunner(spark)
    with _alone(folder):
        known = Known(lake.read_plain(FILES, [cluster]))
        feeder = Feeder(chunks, known, format, told, lambda sources: _drop(lake, cluster, sources))
        sink = Sink(lake, cluster, runner, chunks, tz)
        feeder.feed(pieces.found(inputs)[0])
        frame = (
            spark.readStream.format("binaryFile")
            .schema(_FILE_STRUCT)
            .option("maxFilesPerTrigger", _BATCH)
            .option("pathGlobFilter", "*.chunk")
            .load(str(chunks))
            .select("path")
        )
        writer = frame.writeStream.foreachBatch(_each_batch(sink, told))
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        if every_s is None:
            writer.trigger(availableNow=True).start().awaitTermination()
            sink.sweep()
            return
        with _until_asked() as asked:
            query = writer.trigger(processingTime=f"{every_s} seconds").start()
            while not asked and not query.awaitTermination(every_s):
                feeder.feed(pieces.found(inputs)[0])
            query.stop()


def _each_batch(sink: Sink, told: Callable[[str], object]) -> Callable[[DataFrame, int], None]:
    def take(frame: DataFrame, number: int) -> None:
        paths = [unquote(urlsplit(row.path).path) for row in frame.collect()]
        if count := sink.take(paths):
            told(f"batch {number}: {count} chunks, {sink.rows:,} rows so far")

    return take


def _piece(chunk: Chunk, known: Known) -> Piece:
    """Return a chunk as what is to be taken in of its source."""
    chain = known.chain(chunk.said.source)
    return Piece(
        path=chunk.path,
        format=FORMATS[chunk.said.format],
        source=chunk.said.source,
        head=chunk.said.head,
        start=chunk.said.start,
        at=chunk.data,
        line=chunk.said.line,
        blocks=survey_chunk(chunk),
        ts_ms=chunk.said.ts_ms,
        packed=False,
        last_ms=None if chain is None else chain.last_ms,
    )


def _is_known(chunk: Chunk, known: Known) -> bool:
    chain = known.chain(chunk.said.source)
    return chain is not None and chain.length > chunk.said.start


def _drop(lake: Lake, cluster: str, sources: Sequence[str]) -> None:
    if sources:
        with lake.change(wait=True) as change:
            drop(lake, change, cluster, sources, Local())


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from doing the same; raises LakeError if one does."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LakeError(f"{folder} is another stream's, which runs: stop it first") from error
        yield


@contextmanager
def _until_asked() -> Iterator[list[int]]:
    """Give a list that gets a member when a signal asks to stop."""
    asked = list[int]()
    before = {
        each: signal.signal(each, lambda number, _: asked.append(number))
        for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
