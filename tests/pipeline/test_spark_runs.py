"""What executors do is what this process does: runs, their sums, and pieces of work."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pipeline.squares import Number, squared

from klamm.tools.cli.pipeline import command
from klamm.tools.pipeline.jobs import lab_runs, montecarlo, sweep
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.pack import code_digest
from klamm.tools.pipeline.session import SparkMissingError, opened
from klamm.tools.pipeline.spark_runner import SparkRunner
from klamm.tools.pipeline.tables import RUNS
from klamm.tools.planner.runner import Local

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.toLocalIterator()]


def _runs(seed: int, count: int) -> pa.Table:
    """Return runs such as there might be, of several codes and jobs, in no order."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        verdict = draw.choice(["kept", "kept", "broken", "done", "done", "stuck"])
        rows.append(
            {
                **RUNS.empty,
                "cluster": lab_runs.CLUSTER,
                "run_id": str(number),
                "git_rev": draw.choice(["r", "r", "r", "old", None]),
                "profile": draw.choice([sweep.PROFILE, montecarlo.PROFILE, None]),
                "scope": draw.choice(["all", "failover"]),
                "variant": draw.choice(["", "F33"]),
                "seed": number,
                "plan_hash": draw.choice(["a", "b"]),
                "fault_model": draw.choice(["none", "broker-loss"]),
                "pacing": draw.choice(["all", "batch:3"]),
                "verdict": verdict,
                "violated": draw.choice([[], ["I1"], ["I3", "I9"]]),
                "text": draw.choice([None, "why"]),
                "steps": draw.randrange(100),
                "finish_s": None if verdict == "stuck" else round(draw.random() * 100, 1),
                "max_urp": draw.randrange(9),
                "min_isr_breach_s": draw.random(),
                "leaderless_s": draw.random(),
                "bytes_moved": draw.randrange(10**12),
                "bytes_wasted": draw.randrange(10**12),
                "trace_hash": f"{draw.getrandbits(128):032x}",
            }
        )
    draw.shuffle(rows)
    return pa.Table.from_pylist(rows, schema=RUNS.schema)


@pytest.mark.parametrize(("seed", "count"), [(0, 0), (1, 7), (2, 400)])
def test_sums_of_runs_are_the_same_with_and_without_spark(
    spark: SparkSession, seed: int, count: int
) -> None:
    runs = _runs(seed, count)
    frame = spark.createDataFrame(runs.to_pylist(), RUNS.struct)
    matrix = _rows(sweep.matrix_on_spark(frame, "r"))
    assert matrix == sweep.matrix_plain(runs, "r").to_pylist()
    outcomes = _rows(montecarlo.outcomes_on_spark(frame, "r"))
    assert outcomes == montecarlo.outcomes_plain(runs, "r").to_pylist()
    assert bool(outcomes) == bool(matrix) == bool(count)


def test_a_sweep_is_the_same_with_and_without_spark_and_goes_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    cells = [*sweep.cells(("failover",), ("F33",)), sweep.Cell("script F31", "F31", True, "red")]
    kinds, told = [cell.kind for cell in cells], list[int]()
    done = {}
    for name in ("spark", "plain"):
        lake = Lake(tmp_path / name)
        for seeds in (3, 4):
            # From seed 7 on: what has no seeds is among the runs all the same, once.
            work = lab_runs.Work(sweep.PROFILE, kinds, 7, seeds, sweep.STEP, code_digest(), 2)
            if name == "spark":
                lab_runs.do_on_spark(work, spark, lake, lambda _, runs: told.append(runs))
            else:
                lab_runs.do_plain(work, lake, lambda _, runs: told.append(runs))
        done[name] = lake.read_plain(RUNS).sort_by("run_id").to_pylist()
    assert done["spark"] == done["plain"]
    assert told == [7, 2, 7, 2]


def test_the_command_runs_in_a_session_that_is_there(spark: SparkSession, tmp_path: Path) -> None:
    told = []
    for options in (["--master", "local[2]"], ["--plain"]):
        arguments = ["sweep", str(tmp_path / options[0]), "--scope", "moves", "--variant", "F41"]
        result = CliRunner().invoke(command, [*arguments, "--seeds", "4", "--json", *options])
        told.append(result.stdout.replace(options[0], ""))
    assert told[0] == told[1]
    assert spark.range(3).count() == 3
    with pytest.raises(SparkMissingError, match=r"has a session of local\[2\] already"), opened():
        pass


def unknown(number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    return number


def test_results_come_in_the_order_of_the_items(spark: SparkSession) -> None:
    items = [Number(value) for value in (5, 3, 9, 0, 7)]
    runner = SparkRunner(spark, at_once=3)
    assert [*runner.run(squared, items)] == [*Local().run(squared, items)]
    assert [*runner.run(squared, [])] == []


def test_what_the_function_raises_is_raised_here(spark: SparkSession) -> None:
    found = SparkRunner(spark).run(squared, [Number(1), Number(13), Number(2)])
    assert next(found).value == 1
    with pytest.raises(ValueError, match="13 brings bad luck"):
        next(found)


def test_a_function_must_say_what_it_takes_and_gives(spark: SparkSession) -> None:
    with pytest.raises(TypeError, match="needs annotations"):
        next(SparkRunner(spark).run(unknown, [Number(1)]))
