"""What many runs say together, which pacing is best, and how pacings and faults are read."""

from __future__ import annotations

from typing import Any

import pytest

from klamm.controller.core.pace import UNLIMITED, Limits
from klamm.tools.rehearsal.faults import MODELS, Kind, Model, drawn
from klamm.tools.rehearsal.health import Spells
from klamm.tools.rehearsal.spec import DONE, STUCK, RunRow, Traffic, pacing
from klamm.tools.rehearsal.summary import best, quantile, seconds, summaries
from klamm.tools.rehearsal.traffic import MOST, TrafficCount


def row(**changes: object) -> RunRow:
    whole: dict[str, Any] = {
        "pacing": "all", "fault_model": "none", "seed": 0, "plan_hash": "", "verdict": DONE,
        "violated": (), "text": "", "steps": 1, "virtual_s": 10.0, "finish_s": 10.0, "max_urp": 0,
        "min_isr_breach_s": 0.0, "leaderless_s": 0.0, "bytes_moved": 0, "bytes_wasted": 0,
        "trace_hash": "",
    }  # fmt: skip
    return RunRow(**{**whole, **changes})


def stuck(reason: str, **changes: object) -> RunRow:
    return row(verdict=STUCK, finish_s=None, text=reason, **changes)


def test_a_summary() -> None:
    rows = [row(finish_s=float(number), seed=number) for number in range(1, 21)]
    rows += [
        stuck("2 partitions: waiting for broker 3, which is dead"),
        stuck("1 partition: waiting for broker 3, which is dead; 5 partitions: not submitted"),
    ]
    (found,) = summaries(rows)
    assert (found.runs, found.stuck, found.broken) == (22, 2, 0)
    assert (found.p50_s, found.p95_s) == (10.0, 19.0)
    assert found.risk == pytest.approx(2 / 22)
    assert found.reasons == (("waiting for broker 3, which is dead", 2), ("not submitted", 1))


def test_bytes_of_brokers_are_means_over_runs() -> None:
    rows = [row(traffic=(Traffic(7, (2.0, 4.0), (1.0, 0.0)),)), row(traffic=(Traffic(7),))]
    (found,) = summaries(rows)
    assert (found.into, found.out) == ({7: 3.0}, {7: 0.5})


@pytest.mark.parametrize(
    ("slow", "reason"),
    [
        ({"verdict": STUCK, "finish_s": None}, "none of its runs do not end, with b 100%"),
        ({"leaderless_s": 9.0}, "no partition is without a leader for longer than 0 s, with b 9 s"),
        ({"min_isr_breach_s": 90.0}, "for longer than 0 s, with b 1:30"),
        ({"worst_wait_s": 3.0}, "producers wait 0 s at most for replicas in sync, with b 3 s"),
        ({"finish_s": 20.0}, "it takes 10 s in 95% of its runs, with b 20 s"),
        ({"peak_in": 2e6}, "a broker replicates 1 MB/s at its peak, with b 2 MB/s"),
    ],
)
def test_the_best_pacing_and_why(slow: dict[str, Any], reason: str) -> None:
    rows = [row(pacing="b", **{"peak_in": 1e6, **slow}), row(pacing="a", peak_in=1e6)]
    found = best(summaries(rows))
    assert found.pacing == "a"
    assert reason in found.why


def test_each_pacing_that_loses_is_told_with_what_it_loses_by() -> None:
    rows = [row(pacing="a"), row(pacing="b", finish_s=30.0), row(pacing="c", leaderless_s=5.0)]
    why = best(summaries(rows)).why
    assert why.index("with c 5 s") < why.index("with b 30 s")


def test_one_pacing_and_equal_pacings() -> None:
    assert "the only one" in best(summaries([row()])).why
    assert "No pacing is better" in best(summaries([row(), row(pacing="b")])).why
    other = row(pacing="c", finish_s=900.0)
    assert "b would do as well" in best(summaries([row(), row(pacing="b"), other])).why


def test_quantiles_are_by_nearest_rank() -> None:
    assert quantile([], 0.5) is None
    assert [quantile([3.0, 1.0, 2.0], share) for share in (0.0, 0.5, 0.95)] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("value", "text"), [(None, "never"), (4.25, "4.25 s"), (750.0, "12:30"), (3723.0, "1:02:03")]
)
def test_times_in_words(value: float | None, text: str) -> None:
    assert seconds(value) == text


def test_pacings() -> None:
    assert (pacing("batch:5").batch, pacing("batch:5").incremental) == (5, False)
    assert (pacing("incremental:5").batch, pacing("incremental:5").incremental) == (5, True)
    assert pacing("steps:1/INF/5").limits == Limits(1, UNLIMITED, 5)
    assert pacing("all").limits.none


@pytest.mark.parametrize(
    "text", ["", "batch:0", "batch", "steps:1/2", "steps:0/1/1", "steps:INF/INF/INF", "All"]
)
def test_what_is_no_pacing(text: str) -> None:
    with pytest.raises(ValueError, match="is no pacing: give all, batch:N"):
        pacing(text)


@pytest.mark.parametrize("model", MODELS.values(), ids=str)
def test_faults_are_drawn_from_their_seed(model: Model) -> None:
    found = [drawn(model, seed, (4, 5, 6)) for seed in range(40)]
    assert found == [drawn(model, seed, (4, 5, 6)) for seed in range(40)]
    if model.kind is Kind.NOTHING:
        assert set(found) == {None}
        return
    hit = {fault.broker for fault in found if fault is not None}
    assert hit == ({None} if model.kind is Kind.CONTROLLER else {4, 5, 6})
    for fault in found:
        assert fault is not None
        assert 0.05 <= fault.at < 0.95
        if model.least is None:
            assert fault.seconds is None
        else:
            assert fault.seconds is not None
            assert model.least <= fault.seconds <= model.most


def test_stretches_double_and_nothing_is_lost() -> None:
    count = TrafficCount()
    count.add(0.0, 0.5, {1: (10.0, 0.0)})
    count.add(0.5, 1000.0, {1: (2.0, 3.0)})
    (found,) = count.result({1: 11}, 1000.5)
    assert found.broker == 11
    assert sum(found.into) == pytest.approx(5.0 + 2000.0)
    assert sum(found.out) == pytest.approx(3000.0)
    assert len(found.into) <= MOST
    assert count.width * MOST >= 1000.5
    assert found.out[1] == pytest.approx(3.0 * count.width)


def test_spells_are_the_longest_and_all_together() -> None:
    spells, foo = Spells(), ("foo", 0)
    for now, is_so in ((0.0, True), (2.0, True), (3.0, False), (4.0, True)):
        spells.note(now, foo, is_so)  # type: ignore[arg-type]  # any name will do
    spells.end(5.0)
    assert (spells.longest, spells.total) == (3.0, 4.0)
