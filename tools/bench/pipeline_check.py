"""How fast `klamm pipeline check` judges a history, on one core and on two, and in what memory.

`python -m klamm.tools.bench.pipeline_check` writes 10,000,000 events of 333,334 partitions, which
have 1,000,000 replicas, as Parquet, and a tenth of that, and judges each in a process of its own,
pinned to its cores. Beside it DuckDB works one rule out on the same file, on as many threads: that
no leader epoch falls, by a window over each partition. klamm judges them all and keeps evidence;
the ratio says what that costs in Python. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import msgspec

from klamm.tools.bench._events import write_events
from klamm.tools.bench.pipeline_ingest import _peak_mib
from klamm.tools.bench.pipeline_montecarlo import _processor
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS

#: What two cores are to be of one, and what the driver may grow by if there is ten times as much.
_AIM_CORES, _AIM_GROWTH = 1.3, 1.3
_PEER = """
SELECT count(*) FROM (
    SELECT after.leader_epoch AS epoch, lag(after.leader_epoch) OVER (
        PARTITION BY topic, "partition" ORDER BY controller_epoch, at_ms, node, seq, part
    ) AS was FROM read_parquet('{files}')
) WHERE epoch < was
"""


class Run(msgspec.Struct, frozen=True):
    """Seconds without Spark's start, those of processors, and the most memory in MiB."""

    cores: int
    events: int
    elapsed_s: float
    processor_s: float
    driver_mib: float
    jvm_mib: float
    kept: int

    def __str__(self) -> str:
        used = self.processor_s / (self.elapsed_s * self.cores)
        return (
            f"  klamm, local[{self.cores}]   {self.elapsed_s:8.1f} s"
            f"{self.events / self.elapsed_s:11,.0f} events/s   {used:.0%} of {self.cores} cores,"
            f" driver {self.driver_mib:,.0f} MiB, JVM {self.jvm_mib:,.0f} MiB"
        )


def one(root: Path, cores: int, events: int) -> Run:
    """Judge a lake on Spark, in this process."""
    from klamm.tools.pipeline.jobs.check import run
    from klamm.tools.pipeline.session import opened

    conf = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "8"}
    with opened(f"local[{cores}]", conf) as spark:
        spark.range(10).count()
        processor, started = _processor(), time.perf_counter()
        found = run(spark, Lake(root))
        elapsed_s = time.perf_counter() - started
        used = _processor() - processor
        assert not found.is_broken, found.rules
        kept = sum(row["count"] for row in found.counts if row["subject"] == "partition")
        jvm = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
        driver, java = _peak_mib(os.getpid()), _peak_mib(jvm)
        return Run(cores, events, elapsed_s, used, driver, java, kept)


def judged(root: Path, cores: int, events: int) -> Run:
    """Do that in a fresh process, pinned to so many cores."""
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))
    here = [sys.executable, "-P", "-m", "klamm.tools.bench.pipeline_check"]
    command = ["taskset", "-c", processors, *here, "--one", str(root), str(cores), str(events)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - this module
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Run)


def by_duckdb(root: Path, threads: int) -> float:
    """Return the seconds that DuckDB takes for one rule."""
    query = _PEER.format(files=f"{Lake(root).path(EVENTS)}/**/*.parquet")
    with duckdb.connect(config={"threads": threads}) as connection:
        started = time.perf_counter()
        found = connection.execute(query).fetchone()
        assert found == (0,), found
        return time.perf_counter() - started


def measure(events: int, folder: Path) -> dict[int, Run]:
    """Judge so many events on one core and on two, and say how that went."""
    root = folder / f"lake-{events}"
    written = write_events(Lake(root), events)
    print(f"{written:,} events of {-(-events // 30):,} partitions", flush=True)
    runs: dict[int, Run] = {}
    for cores in (1, 2):
        runs[cores] = judged(root, cores, written)
        peer = by_duckdb(root, cores)
        print(runs[cores], flush=True)
        times = runs[cores].elapsed_s / peer
        print(
            f"  DuckDB, one rule {peer:8.1f} s; klamm takes {times:.0f} times as long", flush=True
        )
    assert runs[1].kept == runs[2].kept == -(-events // 30)
    ratio = runs[1].elapsed_s / runs[2].elapsed_s
    missed = "" if ratio >= _AIM_CORES else ", missed"
    print(f"  two cores to one {ratio:5.2f}   aim at least {_AIM_CORES:g}{missed}", flush=True)
    return runs


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.pipeline_check")
    parser.add_argument("--smoke", action="store_true", help="the short form")
    parser.add_argument("--events", type=int, default=10_000_000, help="of the larger history")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        root, cores, events = options.one
        print(msgspec.json.encode(one(Path(root), int(cores), int(events))).decode())
        return
    most = 30_000 if options.smoke else options.events
    with TemporaryDirectory(prefix="klamm-bench-") as folder:
        small, large = (measure(each, Path(folder)) for each in (most // 10, most))
    growth = large[2].driver_mib / small[2].driver_mib
    missed = "" if growth <= _AIM_GROWTH else ", missed"
    print(f"driver's memory, ten times to one {growth:5.2f}   aim at most {_AIM_GROWTH:g}{missed}")


if __name__ == "__main__":
    main()
