"""Runs whose time can be reckoned by hand, and runs that do not end."""

from __future__ import annotations

import msgspec
import pytest
from rehearsal.stages import GB, one_move, seed_of, spec, stage

from klamm.tools.rehearsal.faults import MODELS, drawn
from klamm.tools.rehearsal.run import rehearse_once
from klamm.tools.rehearsal.site import least_seconds, rounded
from klamm.tools.rehearsal.spec import DONE, STUCK, Reserved, RunRow, RunSpec, Stage

# A copy ends when its last byte is there, and the controller is told at once.
TOLERANCE = 0.01


def seconds(run: RunSpec) -> float:
    row = rehearse_once(run)
    assert row.verdict == DONE, row.text
    assert row.finish_s is not None
    return row.finish_s


def test_one_copy_takes_bytes_over_bandwidth() -> None:
    row = rehearse_once(spec())
    assert (row.verdict, row.text) == (DONE, "")
    assert row.finish_s == pytest.approx(10.0, abs=TOLERANCE)
    assert (row.bytes_moved, row.bytes_wasted) == (GB, 0)
    assert (row.leaderless_s, row.min_isr_breach_s, row.max_urp) == (0.0, 0.0, 0)
    assert row.peak_in == pytest.approx(100e6)


def test_traffic_adds_up_to_the_bytes_that_were_moved() -> None:
    traffic = {each.broker: each for each in rehearse_once(spec()).traffic}
    assert sum(traffic[30].into) == pytest.approx(GB)
    assert sum(traffic[10].out) == pytest.approx(GB)
    assert sum(traffic[20].into) + sum(traffic[20].out) == 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"throttle": 20 * 10**6}, 50.0),
        ({"copy_rate": 25e6}, 40.0),
        ({"bandwidth": 50e6}, 20.0),
        # The leader sends 20 MB/s to its follower, and of the other 80 MB/s 20 are new.
        ({"stage": stage(one_move(bytes_in_per_s=20e6))}, 1000 / 60),
        # Half of what the new broker can take is for other partitions.
        ({"stage": stage(one_move(), reserved=(Reserved(30, into=50e6),))}, 20.0),
        # The same for the broker that serves.
        ({"stage": stage(one_move(), reserved=(Reserved(10, out=60e6),))}, 25.0),
    ],
)
def test_what_holds_a_copy_back(changes: dict[str, object], expected: float) -> None:
    run = spec(**changes)
    assert seconds(run) == pytest.approx(expected, abs=TOLERANCE)
    if "out" not in str(changes) and "stage" not in changes:
        assert least_seconds(run) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(1.234e6, 1.2e6), (1.234e5, 1e5), (3.2e4, 2e4), (8e3, 1e4), (9.9e2, 0.0), (0.0, 0.0)],
)
def test_small_rates_are_known_less_exactly(rate: float, expected: float) -> None:
    assert rounded(rate, 100e6) == pytest.approx(expected)


def test_two_copies_to_one_broker_share_what_it_can_take() -> None:
    both = stage(
        one_move(), one_move(partition=8, replicas=(11, 20), target=(11, 30), size_bytes=2 * GB)
    )
    # 50 MB/s each for 20 s, then the second one alone: 1 GB at 100 MB/s.
    assert seconds(spec(stage=both)) == pytest.approx(30.0, abs=TOLERANCE)
    assert least_seconds(spec(stage=both)) == pytest.approx(30.0)


def test_a_batch_waits_for_the_one_before_at_the_pace_of_its_looks() -> None:
    both = stage(one_move(), one_move(partition=8))
    # The tool looks each second: 10 s and a part of one, then 10 s.
    found = seconds(spec(stage=both, pacing="batch:1"))
    assert 20.0 <= found <= 21.0 + TOLERANCE


@pytest.mark.parametrize("pacing", ["all", "batch:1", "incremental:2", "steps:1/INF/INF"])
def test_every_pacing_carries_the_plan_out(pacing: str) -> None:
    parts = [one_move(partition=number, size_bytes=GB // 10) for number in range(4)]
    row = rehearse_once(spec(stage=stage(*parts), pacing=pacing))
    assert (row.verdict, row.pacing) == (DONE, pacing)
    assert row.requests == {"all": 1, "batch:1": 4, "steps:1/INF/INF": 1}.get(pacing, row.requests)


def test_more_replicas_and_another_order() -> None:
    row = rehearse_once(spec(stage=stage(one_move(target=(30, 20, 10)))))
    assert (row.verdict, row.bytes_moved) == (DONE, GB)


def test_partitions_of_one_topic_may_have_several_replication_factors() -> None:
    # The second topic is called as the world would call the other factor of the first.
    parts = [
        one_move(partition=0),
        one_move(partition=1, replicas=(10, 20, 40), target=(10, 30, 40)),
        one_move(partition=2, replicas=(10,), target=(20, 10)),
        one_move(topic="foo-2", partition=0),
        one_move(topic="a.b", partition=0),
        one_move(topic="a_b", partition=0),
    ]
    row = rehearse_once(spec(stage=stage(*parts)))
    assert (row.verdict, row.text, row.bytes_moved) == (DONE, "", 6 * GB)


def test_a_new_broker_that_is_lost_leaves_the_plan_stuck() -> None:
    row = rehearse_once(spec(fault="broker-loss", seed=seed_of("broker-loss", 30)))
    assert row.fault.startswith("broker 30 is away for good")
    assert (row.verdict, row.finish_s) == (STUCK, None)
    assert row.text == "1 partition: waiting for broker 30, which is dead"


def test_a_replica_that_goes_is_not_waited_for() -> None:
    row = rehearse_once(spec(fault="broker-loss", seed=seed_of("broker-loss", 20)))
    assert row.fault.startswith("broker 20 is away for good")
    assert row.verdict == DONE


def test_a_throttle_below_what_is_written_never_ends() -> None:
    busy = stage(one_move(bytes_in_per_s=5e6))
    row = rehearse_once(spec(stage=busy, throttle=10**6))
    assert row.verdict == STUCK
    assert "broker 30 does not catch up with the 5 MB/s that are written" in row.text


def test_who_loses_both_replicas_is_without_a_leader() -> None:
    alone = one_move(replicas=(20,), target=(30,))
    seed = seed_of("broker-restart", 20, (20, 30))
    row = rehearse_once(spec(stage=stage(alone), fault="broker-restart", seed=seed))
    assert row.fault.startswith("broker 20 is away for ")
    away = float(row.fault.split(" for ")[1].split()[0])
    assert row.leaderless_s == pytest.approx(away, abs=1.0)
    assert row.min_isr_breach_s == pytest.approx(away, abs=1.0)
    assert row.verdict == DONE


def test_a_slow_disk_costs_time() -> None:
    seed = seed_of("slow-disk", 30)
    row = rehearse_once(spec(fault="slow-disk", seed=seed))
    fault = drawn(MODELS["slow-disk"], seed, (10, 20, 30))
    assert fault is not None
    assert row.finish_s is not None
    # What is left when it begins is copied at 10 MB/s in place of 100.
    assert row.finish_s == pytest.approx(10 * fault.at + 100 * (1 - fault.at), rel=0.05)


@pytest.mark.parametrize("fault", ["controller-failover", "network-loss"])
def test_what_comes_back_holds_no_plan_up_for_good(fault: str) -> None:
    row = rehearse_once(spec(fault=fault, seed=1, pacing="batch:1"))
    assert row.verdict == DONE, row.text
    assert row.fault


def test_a_run_gives_up_after_the_time_that_it_has() -> None:
    row = rehearse_once(spec(give_up_s=5.0))
    assert (row.verdict, row.finish_s) == (STUCK, None)
    assert row.virtual_s == pytest.approx(5.0, abs=1.0)


def test_equal_specs_give_equal_rows_and_other_seeds_others() -> None:
    first = spec(fault="broker-restart", seed=1, pacing="batch:1")
    assert rehearse_once(first) == rehearse_once(first)
    hashes = {
        rehearse_once(msgspec.structs.replace(first, seed=seed)).trace_hash for seed in range(3)
    }
    assert len(hashes) > 1


def test_specs_and_rows_travel() -> None:
    run = spec(fault="broker-restart", seed=1)
    encoded = msgspec.json.encode(run)
    assert msgspec.json.decode(encoded, type=RunSpec) == run
    row = rehearse_once(run)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(row), type=RunRow) == row


def test_the_lab_s_invariants_hold_where_they_are_checked() -> None:
    row = rehearse_once(spec(fault="broker-restart", seed=1, checked=True))
    assert (row.verdict, row.violated) == (DONE, ())


def test_leaders_that_are_not_of_the_plan_count_in_the_skew() -> None:
    # 10 leads the partition; four others are led by 20.
    row = rehearse_once(spec(stage=stage(one_move(), reserved=(Reserved(20, leads=4),))))
    assert row.skew_before == pytest.approx(4 * 3 / 5)


def test_a_dead_broker_on_the_stage_is_dead_from_the_beginning() -> None:
    there = stage(one_move(replicas=(10, 20), target=(10, 30)))
    dead = Stage(there.brokers, (20,), there.partitions)
    row = rehearse_once(spec(stage=dead))
    assert (row.verdict, row.max_urp) == (DONE, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"pacing": "slowly"}, "'slowly' is no pacing"), ({"fault": "flood"}, "no fault model")],
)
def test_what_is_not_known_is_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rehearse_once(spec(**changes))
