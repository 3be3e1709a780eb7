"""`klamm rehearse`: what it prints and writes; and from a cluster to a plan to its rehearsal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from klamm.tools.admin import Admin, NewTopic
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.cli.main import main
from klamm.tools.cli.rehearse import command
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot, encode

GB = 10**9


def rehearse(folder: Path, *words: str) -> Result:
    where = [str(folder / "plan.json"), "--snapshot", str(folder / "now.json")]
    return CliRunner().invoke(command, [*where, *words])


def plan(folder: Path, *replicas: int) -> None:
    """Write a plan for foo-0."""
    entry = {"topic": "foo", "partition": 0, "replicas": replicas}
    (folder / "plan.json").write_text(json.dumps({"version": 1, "partitions": [entry]}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A gigabyte that is to go from broker 2 to broker 3."""
    foo = Partition("foo", 0, (1, 2), leader=1, isr=(1, 2), size_bytes=GB, bytes_in_per_s=1e6)
    now = Snapshot("x", 0, (Broker(1), Broker(2), Broker(3)), (foo,))
    (tmp_path / "now.json").write_text(encode(now))
    plan(tmp_path, 1, 3)
    return tmp_path


def test_pacings_are_compared(folder: Path) -> None:
    result = rehearse(folder, "--runs", "2", "--bandwidth", "400MB")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("1 partition move on 3 brokers: 1 replicas, 953.7 MiB")
    assert lines[2] == "faults: none"
    assert [line.split()[:2] for line in lines[4:7]] == [
        ["all", "1"], ["batch:10", "1"], ["incremental:10", "1"],
    ]  # fmt: skip
    assert [line.split()[:2] for line in lines[10:13]] == [
        ["all", "2"], ["batch:10", "2"], ["incremental:10", "2"],
    ]  # fmt: skip
    assert lines[-1] == "No pacing is better than another here; all is the simplest."


def test_values_and_the_page(folder: Path) -> None:
    report = folder / "page.html"
    words = ("--pacing", "all", "--faults", "none", "--json", "--report", str(report))
    result = rehearse(folder, *words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    (run,) = found["runs"]
    # The leader sends 1 MB/s to its follower, and of the other 99 MB/s 1 is new.
    assert run["finish_s"] == pytest.approx(1000 / 98, abs=0.01)
    assert found["summaries"][0]["p95_s"] == run["finish_s"]
    assert found["best"] == "all"
    page = report.read_text()
    assert "Pacings compared" in page
    assert "all is best: it is the only one that was tried." in page


@pytest.mark.slow
def test_processes_give_the_same_rows(folder: Path) -> None:
    words = ("--pacing", "all", "--faults", "broker-restart", "--runs", "2", "--json")
    assert rehearse(folder, *words).stdout == rehearse(folder, *words, "--jobs", "2").stdout


def test_a_plan_that_cannot_end_is_said_to_be_wrong(folder: Path) -> None:
    words = ("--pacing", "all", "--faults", "none", "--throttle", "1KB")
    result = rehearse(folder, *words)
    assert result.exit_code == 1
    assert "all, none: 1 of 1 did not end: broker 3 does not catch up" in result.stdout


def test_the_page_has_no_empty_chart_and_no_dates(folder: Path) -> None:
    words = ("--pacing", "all", "--faults", "none", "--throttle", "1KB")
    rehearse(folder, *words, "--report", str(folder / "page.html"))
    page = (folder / "page.html").read_text()
    assert "No run ended: there are no times to show." in page
    assert "Time to the end" not in page
    assert "elapsed (h:mm:ss)" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--pacing", "batch"), "'batch' is no pacing: give all, batch:N"),
        (("--faults", "flood"), "'flood' is not one of"),
        (("--bandwidth", "much"), "'much' is no amount of data"),
        (("--archive", "{plan}"), "--archive is for executors"),
    ],
)
def test_options_that_cannot_be(folder: Path, words: tuple[str, ...], message: str) -> None:
    given = [word.format(plan=folder / "plan.json") for word in words]
    result = rehearse(folder, *given)
    assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_a_plan_that_does_not_go_with_the_snapshot(folder: Path) -> None:
    plan(folder, 1, 9)
    result = rehearse(folder)
    assert result.exit_code == 2
    assert "foo-0: the snapshot has no broker 9" in result.stderr
    (folder / "plan.json").write_text("{}")
    assert rehearse(folder).exit_code == 2
    (folder / "now.json").write_text("{}")
    assert "no snapshot" in rehearse(folder).stderr


def test_from_a_cluster_to_a_plan_to_its_rehearsal(tmp_path: Path) -> None:
    now, drain = str(tmp_path / "now.json"), str(tmp_path / "plan.json")
    options = ClusterOptions((1, 2, 3), zookeeper=MEMORY, partition_bytes=10**6)
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        replicas = {number: [number % 3 + 1, (number + 1) % 3 + 1] for number in range(6)}
        admin.create_topics([NewTopic("foo", assignments=replicas)]).result()
        taken = CliRunner().invoke(
            main, ["snapshot", "--bootstrap-server", local.bootstrap, "--to", now]
        )
    assert taken.exit_code == 0, taken.output
    assert "3 brokers, 6 partitions" in taken.stdout
    made = CliRunner().invoke(
        main, ["plan", "drain", "--brokers", "3", "--snapshot", now, "--to", drain]
    )
    assert made.exit_code == 0, made.output
    words = ["--runs", "1", "--pacing", "all", "--pacing", "batch:2", "--faults", "none", "--json"]
    tried = CliRunner().invoke(main, ["rehearse", drain, "--snapshot", now, *words])
    assert tried.exit_code == 0, tried.output
    rows = json.loads(tried.stdout)["runs"]
    # Broker 3 has four replicas, of a megabyte each.
    assert [row["bytes_moved"] for row in rows] == [4 * 10**6, 4 * 10**6]
    assert {row["verdict"] for row in rows} == {"done"}
