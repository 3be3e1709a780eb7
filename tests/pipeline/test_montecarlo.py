import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli.pipeline import command
from klamm.tools.lab.evidence.site import MB, Size
from klamm.tools.pipeline.jobs import montecarlo
from klamm.tools.pipeline.tables import RUNS
from klamm.tools.rehearsal.run import rehearse_once
from klamm.tools.rehearsal.spec import RunSpec

TINY = Size(old=2, topics=1, partitions=2, replicas=2, wide=0, most_bytes=300 * MB, min_in_sync=1)


def _row(spec: RunSpec) -> dict[str, Any]:
    (kind,) = montecarlo.kinds({"tiny": spec}, ["all"], ["none"])
    known = {montecarlo.plan_key(spec): spec}
    (row,) = montecarlo.do(known, {"git_rev": "r", "seed": 5, **kind})
    return row


def test_a_row_is_what_the_rehearsal_of_that_seed_says() -> None:
    spec = RunSpec(montecarlo.sample(size=TINY))
    row = _row(spec)
    found = rehearse_once(RunSpec(spec.stage, "all", "none", 5))
    assert (row["verdict"], row["finish_s"]) == ("done", found.finish_s)
    assert row["trace_hash"] == found.trace_hash
    assert row["bytes_moved"] == found.bytes_moved
    assert row["run_id"] == f"rehearsal/tiny/{row['plan_hash']}/none/all/0000000005@r"
    assert {*row} <= {*RUNS.schema.names}
    assert json.loads(row["detail"])["requests"] == found.requests
    assert row == _row(spec)


def test_what_changes_a_run_changes_its_plan_hash() -> None:
    spec = RunSpec(montecarlo.sample(size=TINY))
    keys = {
        montecarlo.plan_key(each)
        for each in (
            spec,
            RunSpec(spec.stage, bandwidth=5e6),
            RunSpec(spec.stage, throttle=1_000_000),
            RunSpec(montecarlo.sample(1, TINY)),
        )
    }
    assert len(keys) == 4
    assert montecarlo.plan_key(RunSpec(spec.stage, "batch:3", "broker-loss", 8)) in keys


def _outcome(pacing: str, finish: float | None, **more: object) -> dict[str, Any]:
    first: dict[str, Any] = {
        "plan": "p",
        "plan_hash": "h",
        "fault_model": "none",
        "pacing": pacing,
        "runs": 20,
        "stuck": 0,
        "broken": 0,
        "finish_s": [finish] * len(montecarlo.SHARES),
        "min_isr_breach_s": 0.0,
        "leaderless_s": 0.0,
        "max_urp": 0,
        "bytes_moved": 10.0,
        "bytes_wasted": 0.0,
        "first_seed": None,
        "text": None,
        "digest": 1,
    }
    return {**first, **more}


def test_the_best_ends_most_often_then_hurts_least_then_is_the_quickest() -> None:
    quick = _outcome("quick", 10.0, min_isr_breach_s=5.0)
    gentle, slow = _outcome("gentle", 20.0), _outcome("slow", 30.0)
    stuck = _outcome("stuck", None, stuck=2, first_seed=7, text="waiting for broker 3")
    assert montecarlo.best([slow, stuck, quick, gentle]) is gentle
    assert montecarlo.best([quick, stuck]) is quick
    assert montecarlo.sentences([stuck, gentle]) == [
        (
            "p, none: best is gentle: 20 of 20 end, 95% within 20 s, and never below"
            " min.insync.replicas."
        ),
        "p, none, stuck: 2 of 20 do not end well; seed 7: waiting for broker 3",
    ]


def _klamm(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def test_the_command_tells_the_odds_and_does_nothing_twice(tmp_path: Path) -> None:
    options = ("--seeds", 1, "--pacing", "all", "--faults", "none", "--plain")
    first = _klamm("montecarlo", tmp_path / "runs", *options, "--report", tmp_path / "page.html")
    assert first.exit_code == 0, first.output
    assert "sample, none: best is all: 1 of 1 end" in first.stdout
    assert "Plans under faults" in (tmp_path / "page.html").read_text()
    second = _klamm("montecarlo", tmp_path / "runs", *options, "--json")
    assert "0 runs done" in second.stderr
    (outcome,) = json.loads(second.stdout)["outcomes"]
    assert (outcome["plan"], outcome["runs"]) == ("sample", 1)


def test_a_plan_of_a_file_is_carried_out_on_its_snapshot(tmp_path: Path) -> None:
    snapshot, plan = tmp_path / "now.json", tmp_path / "plan.json"
    snapshot.write_text(
        '{"format":"klamm-snapshot","version":1,"cluster_id":"c","taken_ms":0,'
        '"brokers":[{"id":1},{"id":2},{"id":3}],"partitions":[{"topic":"t","partition":0,'
        '"replicas":[1,2],"leader":1,"isr":[1,2],"size_bytes":1000000000}]}'
    )
    plan.write_text('{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,3]}]}')
    options = ("--plan", plan, "--pacing", "all", "--faults", "none", "--seeds", 1, "--plain")
    found = _klamm(
        "montecarlo",
        tmp_path / "runs",
        *options,
        "--snapshot",
        snapshot,
        "--bandwidth",
        10,
        "--json",
    )
    (outcome,) = json.loads(found.stdout)["outcomes"]
    # 1 GB at 10 MB/s.
    assert outcome["finish_s"][10] == pytest.approx(100.0, abs=1.0)
    assert outcome["plan"] == "plan.json"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pacing", "hastily"), "'hastily' is no pacing"),
        (("--faults", "meteor"), "'meteor' is not one of"),
        (("--bandwidth", "0"), "0.0 is not in the range"),
        (("--plan", __file__), "--plan needs a --snapshot"),
        (("--snapshot", __file__), "needs a --plan"),
        (("--plan", __file__, "--snapshot", __file__), "test_montecarlo.py"),
    ],
)
def test_what_cannot_be_asked_for_ends_with_2(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    result = _klamm("montecarlo", tmp_path, *options, "--plain")
    assert result.exit_code == 2
    assert message in result.output
