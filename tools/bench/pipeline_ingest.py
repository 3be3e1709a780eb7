"""How fast files become tables, and that the driver's memory does not grow with them.

`python -m klamm.tools.bench.pipeline_ingest` writes a journal of 1,000,000 entries and one of ten
times as many, and has `klamm pipeline ingest` take in each on `local[2]`, in a process of its own.
Beside it DuckDB reads the same file by its own JSON reader, on two threads, into one Parquet file:
all columns, guessed from the file, with no line numbers, checks, quarantine or days. The ratio says
what the canonical tables cost against that. Last comes a description of 1,000,000 replicas, as
kafka-topics writes it. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import msgspec

from klamm.tools.bench._journals import write_description, write_journal
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, REPLICAS, Table

_MASTER = "local[2]"
_THREADS = 2
_TIMES = 10
#: What the driver may grow by from one size to the other.
_AIM_GROWTH = 1.3
_MIB = 1024.0


class Run(msgspec.Struct, frozen=True):
    """Seconds without Spark's start, and the most memory that driver and JVM had, in MiB."""

    elapsed_s: float
    driver_mib: float
    jvm_mib: float


@dataclass(frozen=True, slots=True)
class Result:
    """A file taken in: how many rows it gave, and DuckDB's seconds on it, if it read it too."""

    what: str
    rows: int
    run: Run
    duckdb_s: float | None = None

    def __str__(self) -> str:
        text = (
            f"{self.what}\n"
            f"  klamm, {_MASTER:<12}{self.run.elapsed_s:9.1f} s"
            f"{self.rows / self.run.elapsed_s:12,.0f} rows/s"
            f"   driver {self.run.driver_mib:,.0f} MiB, JVM {self.run.jvm_mib:,.0f} MiB"
        )
        if self.duckdb_s is None:
            return text
        return (
            f"{text}\n"
            f"  DuckDB, {_THREADS} threads  {self.duckdb_s:9.1f} s"
            f"{self.rows / self.duckdb_s:12,.0f} rows/s\n"
            f"  klamm takes {self.run.elapsed_s / self.duckdb_s:.1f} times as long"
        )


def one(file: Path, lake: Path) -> Run:
    """Take a file in on Spark, in this process."""
    from klamm.tools.pipeline.jobs.ingest import ingest
    from klamm.tools.pipeline.session import opened
    from klamm.tools.pipeline.spark_runner import SparkRunner

    with opened(_MASTER, {"spark.driver.memory": "512m"}) as session:
        runner = SparkRunner(session)
        started = time.perf_counter()
        summary = ingest(Lake(lake), [str(file)], "bench", runner)
        elapsed_s = time.perf_counter() - started
        assert not summary.quarantined
        assert not summary.unreadable, summary.files
        jvm = session.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
        return Run(elapsed_s, _peak_mib(os.getpid()), _peak_mib(jvm))


def taken_in(file: Path, lake: Path) -> Run:
    """Do that in a fresh process, whose memory nothing else has used."""
    command = [sys.executable, "-m", __spec__.name, "--one", str(file), str(lake)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - this module
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Run)


def by_duckdb(file: Path, to: Path) -> float:
    """Return the seconds that DuckDB takes from the file to Parquet."""
    with duckdb.connect(config={"threads": _THREADS}) as connection:
        started = time.perf_counter()
        rows = connection.read_json(str(file), format="newline_delimited")
        rows.write_parquet(str(to))
        return time.perf_counter() - started


def measure(events: int, folder: Path) -> Result:
    """Take in a journal of so many entries."""
    file, lake = folder / f"journal-{events}.jsonl", folder / f"lake-{events}"
    write_journal(file, events)
    size_mib = os.stat(file).st_size / 1024**2
    duckdb_s = by_duckdb(file, folder / f"duckdb-{events}.parquet")
    run = taken_in(file, lake)
    what = f"{events:,} entries of a journal, {size_mib:,.0f} MiB"
    return Result(what, _counted(lake, EVENTS, events), run, duckdb_s)


def measure_replicas(replicas: int, folder: Path) -> Result:
    """Take in a description of partitions with so many replicas."""
    file, lake = folder / "describe.txt", folder / "lake-replicas"
    write_description(file, replicas)
    run = taken_in(file, lake)
    return Result(f"{replicas:,} replicas", _counted(lake, REPLICAS, replicas), run)


def _counted(lake: Path, table: Table, rows: int) -> int:
    """Return the rows of a table, by its files; all of them must be there."""
    with duckdb.connect() as connection:
        files = f"read_parquet('{Lake(lake).path(table)}/**/*.parquet')"
        found = connection.execute(f"SELECT count(*), count(DISTINCT line) FROM {files}").fetchone()  # noqa: S608
    assert found is not None
    assert found[0] == rows, f"{found[0]} of {rows} rows are there"
    return rows


def _peak_mib(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / _MIB
    raise RuntimeError(f"/proc/{process}/status says no VmHWM")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.pipeline_ingest")
    parser.add_argument("--smoke", action="store_true", help="the short form")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the smaller journal")
    parser.add_argument("--one", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(msgspec.json.encode(one(*options.one)).decode())
        return
    events = 20_000 if options.smoke else options.events
    with TemporaryDirectory(prefix="klamm-bench-") as name:
        folder = Path(name)
        small = measure(events, folder)
        print(small, flush=True)
        large = measure(events * _TIMES, folder)
        print(large, flush=True)
        growth = large.run.driver_mib / small.run.driver_mib
        missed = "" if growth <= _AIM_GROWTH else ", missed"
        print(
            f"  driver's memory, x{_TIMES} against x1: {growth:.2f}   aim {_AIM_GROWTH:g}{missed}"
        )
        print(measure_replicas(events, folder), flush=True)


if __name__ == "__main__":
    main()
