"""How many runs a second Spark's executors do, on one core and on two.

`python -m klamm.tools.bench.pipeline_montecarlo` does the same rehearsals in `local[1]` pinned to
one core and in `local[2]` pinned to two, and the same again in a pool of so many plain processes,
which is the least that any distribution of them takes. Sessions and pools are warm when the clock
starts. The processor time of all processes stands beside each rate: where it is less than the
cores times the seconds, something else kept the machine, or they waited. The digests of all four
must be equal. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from klamm.tools.pipeline.jobs import montecarlo
from klamm.tools.pipeline.jobs.lab_runs import Work, digest_plain, do_on_spark, todo_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import RUNS
from klamm.tools.rehearsal.spec import RunSpec

_AIM = 1.6
_PACINGS, _FAULTS = ("all", "steps:1/10/5"), ("none", "broker-restart")
_PLANS = {"sample": RunSpec(montecarlo.sample(), copy_rate=10e6)}
_KINDS = montecarlo.kinds(_PLANS, _PACINGS, _FAULTS)
_STEP = montecarlo.step([*_PLANS.values()])
_REVISION = "bench"
#: Seeds that are run before the clock starts, far from those that are measured.
_WARM_UP = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")


class Measured(msgspec.Struct, frozen=True):
    """So many runs, in seconds, with seconds of processor time, and a digest of what happened."""

    name: str
    cores: int
    runs: int
    seconds: float
    processor: float
    digest: int

    @property
    def rate(self) -> float:
        """Runs a second."""
        return self.runs / self.seconds

    def __str__(self) -> str:
        used = self.processor / (self.seconds * self.cores)
        return (
            f"  {self.name:10} {self.rate:6.2f} runs/s  ({self.runs} runs in {self.seconds:.1f} s,"
            f" {self.processor:.1f} s of processor time, {used:.0%} of {self.cores} core"
            f"{'s' if self.cores > 1 else ''})"
        )


def _processor() -> float:
    """Return the seconds of processor time of this process and all below it.

    Children that have ended are counted with the process that has waited for them.
    """
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    total, todo = 0, [os.getpid()]
    while todo:
        pid = todo.pop()
        total += ticks[pid]
        todo += parents.get(pid, ())
    return total / _TICKS


def _measured(
    name: str, cores: int, work: Callable[[range], Iterable[dict[str, Any]]], seeds: int
) -> Measured:
    for _ in work(range(_WARM_UP, _WARM_UP + cores)):
        pass  # processes have started and imported what they need
    processor, begun = _processor(), time.perf_counter()
    rows = [*work(range(seeds))]
    seconds = time.perf_counter() - begun
    used = _processor() - processor
    return Measured(name, cores, len(rows), seconds, used, digest_plain(rows))


def _one(row: dict[str, Any]) -> dict[str, Any]:
    (done,) = _STEP.function(row)
    return dict(done)


@contextmanager
def _pool(cores: int) -> Iterator[Callable[[range], Iterable[dict[str, Any]]]]:
    with ProcessPoolExecutor(cores, get_context("forkserver")) as pool:
        yield lambda seeds: pool.map(_one, todo_plain(_KINDS, seeds, _REVISION).to_pylist())


@contextmanager
def _spark(cores: int) -> Iterator[Callable[[range], Iterable[dict[str, Any]]]]:
    from klamm.tools.pipeline.session import opened

    conf = {"spark.driver.memory": "512m", "spark.sql.shuffle.partitions": "4"}
    with opened(f"local[{cores}]", conf) as spark, TemporaryDirectory() as folder:

        def work(seeds: range) -> Iterable[dict[str, Any]]:
            lake = Lake(Path(folder, str(seeds.start)))
            todo = Work(
                montecarlo.PROFILE, _KINDS, seeds.start, len(seeds), _STEP, _REVISION, each=4
            )
            do_on_spark(todo, spark, lake, lambda seeds, runs: None)
            rows: list[dict[str, Any]] = lake.read_plain(RUNS).to_pylist()
            return rows

        yield work


_WAYS = {"Spark": _spark, "processes": _pool}


def measure(name: str, cores: int, seeds: int) -> Measured:
    """Measure one way in a process of its own, pinned to so many cores."""
    command = [sys.executable, "-P", "-m", "klamm.tools.bench.pipeline_montecarlo"]
    pinned = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))]
    done = subprocess.run(  # noqa: S603 - our own module
        [*pinned, *command, "--seeds", str(seeds), "--only", name, "--cores", str(cores)],
        check=True,
        stdout=subprocess.PIPE,
    )
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Measured)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.pipeline_montecarlo")
    parser.add_argument("--seeds", type=int, default=50, help="each makes four runs")
    parser.add_argument("--smoke", action="store_true", help="one seed")
    parser.add_argument("--only", choices=_WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        with _WAYS[chosen.only](chosen.cores) as work:
            found = _measured(chosen.only, chosen.cores, work, chosen.seeds)
        print(json.dumps(msgspec.to_builtins(found)))
        return
    seeds = 1 if chosen.smoke else chosen.seeds
    results: dict[tuple[str, int], Measured] = {}
    for cores in (1, 2):
        for name in _WAYS:
            found = results[name, cores] = measure(name, cores, seeds)
            print(found, flush=True)
    assert len({each.digest for each in results.values()}) == 1, "runs differ between ways"
    for name in _WAYS:
        ratio = results[name, 2].rate / results[name, 1].rate
        aim = f"   aim at least {_AIM:g}{'' if ratio >= _AIM else ', missed'}"
        print(f"  {name}: two cores to one {ratio:5.2f}{aim if name == 'Spark' else ''}")
    for cores in (1, 2):
        ratio = results["Spark", cores].rate / results["processes", cores].rate
        print(f"  Spark to processes, {cores} core{'s' if cores > 1 else ''}: {ratio:.2f}")


if __name__ == "__main__":
    main()
