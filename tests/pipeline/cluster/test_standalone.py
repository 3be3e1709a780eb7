"""Jobs on a Spark standalone cluster: master and workers are processes, executors have no klamm.

Everything that runs is from the wheel, by way of the archive. What comes out must be what one
process finds without Spark, also if a worker is killed in the middle.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pipeline.cluster.conftest import Driver, Standalone, started
from processes import wait_until

from klamm.tools.planner.snapshot import Broker, Partition, Snapshot, encode

pytestmark = pytest.mark.slow

SWEEP = ("--scope", "failover", "--scope", "moves", "--variant", "F41", "--shrink", "all", "--json")
MONTECARLO = ("--seeds", "3", "--pacing", "all", "--faults", "broker-loss")


def test_a_killed_worker_loses_nothing_and_changes_nothing(driver: Driver, tmp_path: Path) -> None:
    sweep, seeds = ["pipeline", "sweep"], ("--seeds", "150")
    with cluster_of(tmp_path) as cluster:
        output = _killing(driver, cluster, *sweep, str(tmp_path / "a"), *SWEEP, *seeds)
        wait_until(lambda: cluster.alive() == 1, "the master to miss the worker", 90.0)
    plain = driver.run(*sweep, str(tmp_path / "b"), *SWEEP, *seeds, "--plain")
    cells = json.loads(output)["cells"]
    assert cells == json.loads(plain)["cells"]
    assert [cell["runs"] for cell in cells] == [150] * 4
    assert _files(tmp_path / "a" / "traces") == _files(tmp_path / "b" / "traces")


@pytest.mark.parametrize("job", ["montecarlo", "check"])
def test_a_killed_worker_changes_no_answer(driver: Driver, tmp_path: Path, job: str) -> None:
    """Its rows, or its part of a shuffle, are made again."""
    options = ["--json"]
    if job == "check":
        sizes = ("--events", "200000", "--partitions", "1000", "--brokers", "12", "--days", "1")
        driver.run("pipeline", "samples", "--to", str(tmp_path / "samples"), *sizes)
        where = ("--cluster", "c", "--to", str(tmp_path / "a"), "--plain")
        driver.run("pipeline", "ingest", str(tmp_path / "samples" / "journals"), *where)
        shutil.copytree(tmp_path / "a", tmp_path / "b")
    else:
        options += ["--seeds", "60", "--pacing", "all", "--faults", "broker-loss"]
    with cluster_of(tmp_path) as cluster:
        there = _killing(driver, cluster, "pipeline", job, str(tmp_path / "a"), *options)
    here = driver.run("pipeline", job, str(tmp_path / "b"), *options, "--plain")
    assert json.loads(there) == json.loads(here)


def test_a_killed_worker_changes_no_plan(driver: Driver, tmp_path: Path) -> None:
    """The groups that it was solving are solved again."""
    snapshot = _snapshot(tmp_path / "snapshot.json", brokers=40, topics=70, partitions=200)
    plan = ("pipeline", "plan", "drain", "--brokers", "1,2,3,4", "--snapshot", snapshot)
    with cluster_of(tmp_path) as cluster:
        _killing(driver, cluster, *plan, "--to", str(tmp_path / "there.json"))
    driver.run(*plan, "--to", str(tmp_path / "here.json"), "--plain")
    assert (tmp_path / "there.json").read_text() == (tmp_path / "here.json").read_text()


@contextmanager
def cluster_of(folder: Path) -> Iterator[Standalone]:
    """Start a cluster of the test's own, since the next test wants two workers."""
    (folder / "spark").mkdir()
    with started(folder / "spark") as cluster:
        yield cluster


def _killing(driver: Driver, cluster: Standalone, *job: str) -> str:
    """Kill a worker while both have tasks; return what the job prints."""
    with driver.start(*job, *driver.on(cluster)) as process:
        wait_until(lambda: _at_work(cluster) == 2, "tasks on both executors", 120.0)
        assert process.poll() is None
        cluster.kill_worker()
        output, errors = process.communicate(timeout=400)
    assert output, errors[-3000:]
    assert "Lost executor" in errors
    return output


@pytest.fixture(scope="module")
def lake(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tables of a small history with planted faults."""
    folder = tmp_path_factory.mktemp("history")
    driver.run("pipeline", "samples", "--to", str(folder / "samples"))
    journals = str(folder / "samples" / "journals")
    where = ["--cluster", "c", "--to", str(folder / "lake"), "--plain"]
    driver.run("pipeline", "ingest", journals, *where)
    return folder / "lake"


@pytest.mark.parametrize(
    ("job", "options"), [("montecarlo", MONTECARLO), ("moves", ()), ("check", ())]
)
def test_a_job_gives_there_what_one_process_gives(
    standalone: Standalone,
    driver: Driver,
    lake: Path,
    tmp_path: Path,
    job: str,
    options: tuple[str, ...],
) -> None:
    found: list[object] = []
    for where in (driver.on(standalone), ["--plain"]):
        tables = tmp_path / str(len(found)) / "lake"
        shutil.copytree(lake, tables)
        found.append(
            json.loads(driver.run("pipeline", job, str(tables), *options, "--json", *where))
        )
    assert found[0] == found[1]


def test_a_plan_is_the_same_there(standalone: Standalone, driver: Driver, tmp_path: Path) -> None:
    snapshot = _snapshot(tmp_path / "snapshot.json", brokers=6, topics=7, partitions=12)
    plan = ("pipeline", "plan", "drain", "--brokers", "1", "--snapshot", snapshot)
    written = {}
    for name, where in (("there", driver.on(standalone)), ("here", ["--plain"])):
        folder = tmp_path / name
        folder.mkdir()
        driver.run(*plan, "--to", str(folder / "plan.json"), *where)
        written[name] = _files(folder)
    assert written["there"] == written["here"]
    assert "plan.json" in written["here"]


def _snapshot(path: Path, brokers: int, topics: int, partitions: int) -> str:
    """Write a cluster of three racks and three replicas each; return the file's name."""
    racks = tuple(Broker(number, rack=f"r{number % 3}") for number in range(brokers))
    led = tuple(
        Partition(f"t{topic}", n, tuple((topic + n + step) % brokers for step in (0, 1, 2)))
        for topic in range(topics)
        for n in range(partitions)
    )
    path.write_text(encode(Snapshot("c", 0, racks, led)))
    return str(path)


def _at_work(cluster: Standalone) -> int:
    """Count executors whose Python is at work: in their folder run a JVM, a daemon and it."""
    folders: dict[Path, int] = {}
    for pid in cluster.executors():
        try:
            here = Path(f"/proc/{pid}/cwd").readlink()
            is_python = b"pyspark" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[2]
        except (OSError, IndexError):
            continue  # it has just ended
        folders[here] = folders.get(here, 0) + is_python
    return sum(count >= 2 for count in folders.values())


def _files(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(folder.glob("*"))}
