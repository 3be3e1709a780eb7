"""Drift: what grows, when a broker is full, and that a move is not taken for growth."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from pipeline.drifting import put, put_snapshots

from klamm.tools.cli._pipeline_drift import command
from klamm.tools.pipeline.history.drift import BrokerDay, Limits, growth, outlook
from klamm.tools.pipeline.jobs.drift import NothingToTellError, plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.reports.drift import page, sentence
from klamm.tools.pipeline.samples.cluster import SIZES, cluster, grown
from klamm.tools.pipeline.tables import PARTITIONS, REPLICAS

GIB = 1024**3


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("drift"))
    first = cluster(1, SIZES["small"])
    put_snapshots(lake, (grown(first, 1, day) for day in range(30)))
    return lake


def test_growth_is_what_a_day_adds() -> None:
    assert growth([(day, 5.0 * day) for day in range(40)]) == 5.0
    assert growth([(3, 1.0), (1, 0.0)]) == 0.5
    assert growth([(1, 7.0)]) is None
    assert growth([]) is None


def test_a_move_is_no_growth() -> None:
    still = [(day, 10.0 * day + (1e6 if day >= 20 else 0)) for day in range(40)]
    assert growth(still) == 10.0


def test_missing_days_count() -> None:
    assert growth([(day, 3.0 * day) for day in range(60) if day % 3]) == 3.0


def days_of(series: dict[int, list[int]]) -> list[BrokerDay]:
    return [
        BrokerDay("east", f"2026-01-{day:02}", broker, held)
        for broker, values in series.items()
        for day, held in enumerate(values, 1)
    ]


def test_the_next_move_is_on_the_day_that_the_line_reaches_the_limit() -> None:
    days = days_of({1: [10, 20, 30], 2: [30, 30, 30]})
    drift = outlook(days, [], {("east", 1): 100, ("east", 2): 100}, Limits(full=0.8))
    one, two = drift.brokers
    # 30, and 10 more a day: 80 five days after the third.
    assert (one.bytes_per_day, one.full_on) == (10.0, "2026-01-08")
    assert (two.bytes_per_day, two.full_on) == (0.0, None)
    assert drift.next_move is one
    # Of 30 + 10 t against 1.25 times (30 + 5 t): t = 2.
    assert one.over_on == "2026-01-05"
    assert one.relief_on == "2026-01-05"
    assert "holds 1.25 times as much as the mean on 2026-01-05" in sentence(drift)


def test_what_is_full_already_is_full_today() -> None:
    drift = outlook(days_of({1: [90, 90]}), [], {("east", 1): 100}, Limits())
    assert drift.brokers[0].full_on == "2026-01-02"
    assert "already" in sentence(drift)


def test_nobody_who_shrinks_needs_relief() -> None:
    drift = outlook(days_of({1: [60, 50], 2: [60, 50]}), [], {("east", 1): 100}, Limits())
    assert drift.next_move is None
    assert sentence(drift).startswith("No broker needs relief")


def test_samples_drift_as_they_are_made_to(month: Lake) -> None:
    drift = plain(month, Limits())
    assert [each.broker for each in drift.brokers] == [1, 2, 3, 4, 5, 6]
    assert len(drift.days) == 30 * 6
    assert sum(each.share for each in drift.brokers) == pytest.approx(6)
    # The sixth broker is gone: it leads nothing.
    assert drift.brokers[5].leaders_share == drift.brokers[5].traffic_share == 0
    first = cluster(1, SIZES["small"])
    wanted = {
        topic: sum(
            p.size_bytes * len(p.replicas)
            for p in grown(first, 1, 29).partitions
            if p.topic == topic
        )
        for topic in {each.topic for each in first.partitions}
    }
    assert {each.topic: each.bytes for each in drift.topics}.items() <= wanted.items()
    rates = [each.bytes_per_day for each in drift.topics]
    assert rates == sorted(rates, key=lambda rate: -(rate or 0))
    assert all(each.days == 30 for each in drift.topics)


def test_only_the_last_snapshot_of_a_day_counts(tmp_path: Path) -> None:
    name = {"cluster": "east", "topic": "t", "partition": 0, "date": "2026-01-05"}
    rows = [
        {**name, "ts_ms": ts, "broker": broker, "size_bytes": size}
        for ts, broker, size in ((1, 1, 10), (1, 2, 10), (2, 1, 30), (2, 2, None))
    ]
    put(Lake(tmp_path), REPLICAS, rows)
    put(Lake(tmp_path), PARTITIONS, [{**name, "ts_ms": ts, "leader": ts} for ts in (1, 2)])
    drift = plain(Lake(tmp_path), Limits())
    found = [(each.broker, each.bytes, each.leaders) for each in drift.days]
    assert found == [(1, 30, None), (2, 10, 1)]


def test_a_lake_without_sizes_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NothingToTellError, match="ingest what kafka-log-dirs --describe says"):
        plain(Lake(tmp_path), Limits())
    result = CliRunner().invoke(command, [str(tmp_path), "--plain"])
    assert result.exit_code == 2
    assert "no sizes of replicas" in result.output


@pytest.mark.parametrize(
    ("option", "said"), [("--full=1.5", "full 1.5"), ("--share=0.5", "share 0.5")]
)
def test_limits_that_cannot_be_are_refused(month: Lake, option: str, said: str) -> None:
    result = CliRunner().invoke(command, [str(month.root), "--plain", option])
    assert result.exit_code == 2
    assert said in result.output


def test_the_command_tells_and_writes_a_page(month: Lake, tmp_path: Path) -> None:
    file = tmp_path / "drift.html"
    result = CliRunner().invoke(command, [str(month.root), "--plain", "--report", str(file)])
    assert result.exit_code == 0
    assert "30 days, 6 brokers" in result.stdout
    assert "needs relief first" in result.stdout
    assert file.read_text() == page(plain(month, Limits())).html()
    told = CliRunner().invoke(command, [str(month.root), "--plain", "--json"])
    assert len(json.loads(told.stdout)["days"]) == 180
