import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli.pipeline import command
from klamm.tools.lab import registry, replaying
from klamm.tools.lab.run import Opening, again, run
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.jobs import lab_runs, sweep
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.reports.sweep import page
from klamm.tools.pipeline.tables import RUNS


def _klamm(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def _work(cells: list[sweep.Cell], seeds: int, revision: str = "r") -> lab_runs.Work:
    kinds = [cell.kind for cell in cells]
    return lab_runs.Work(sweep.PROFILE, kinds, 0, seeds, sweep.STEP, revision, 100)


def _heard(told: list[int]) -> lab_runs.Told:
    return lambda seeds, runs: told.append(runs)


def test_every_variant_has_a_cell_that_must_be_red_and_the_product_is_beside_it() -> None:
    cells = sweep.cells()
    assert {cell.variant for cell in cells if cell.must == "red"} == {*registry.variant_ids()}
    green = {cell.scope for cell in cells if not cell.variant and cell.must == "green"}
    assert green >= {cell.scope for cell in cells}
    assert green >= {"failover", "all", "crash-points start", "script F01"}
    assert len(cells) == len({(cell.scope, cell.variant) for cell in cells})
    assert {cell.scope for cell in cells} <= {*sweep.places()}


def test_what_is_named_in_both_is_tried_in_all_combinations() -> None:
    cells = sweep.cells(("failover", "moves"), ("F33", "F35"))
    assert [(cell.scope, cell.variant) for cell in cells] == [
        (scope, variant) for scope in ("failover", "moves") for variant in ("", "F33", "F35")
    ]


def test_a_row_says_what_the_run_of_that_seed_was() -> None:
    cell = sweep.Cell("failover", "", single=False, must="green")
    (row,) = sweep.do({"git_rev": "r", "seed": 3, **cell.kind})
    finished = run(Opening(ALL_SCOPES["failover"]), 3)
    assert (row["verdict"], row["violated"], row["text"]) == ("kept", [], None)
    assert (row["steps"], row["virtual_s"]) == (len(finished.world.events), finished.world.now)
    assert row["run_id"] == "apache-3.9/failover/0000000003@r"
    (same,) = sweep.do({"git_rev": "r", "seed": 3, **cell.kind})
    (other,) = sweep.do({"git_rev": "r", "seed": 4, **cell.kind})
    assert row == same
    assert row["trace_hash"] != other["trace_hash"]


@pytest.mark.parametrize(
    ("scope", "variant", "verdict"),
    [
        ("script F31", "F31", "broken"),
        ("script F31", "", "kept"),
        ("E2", "", "kept"),
        ("crash-points start", "", "kept"),
    ],
)
def test_scripts_exhibits_and_crash_points_are_runs_too(
    scope: str, variant: str, verdict: str
) -> None:
    (row,) = sweep.do({"git_rev": "r", "seed": 0, **sweep.Cell(scope, variant, True, "").kind})
    assert row["verdict"] == verdict
    assert bool(row["violated"]) == (verdict == "broken")
    assert row["steps"] > 0


def test_runs_that_the_lake_has_are_not_done_again(tmp_path: Path) -> None:
    cells, lake, told = sweep.cells(("failover",), ("F33",)), Lake(tmp_path), list[int]()
    lab_runs.do_plain(_work(cells, 2), lake, _heard(told))
    lab_runs.do_plain(_work(cells, 3), lake, _heard(told))
    assert told == [4, 2]
    names = lake.read_plain(RUNS)["run_id"].to_pylist()
    assert len({*names}) == len(names) == 6
    lab_runs.do_plain(_work(cells, 1, "of other code"), lake, _heard(told))
    lab_runs.do_plain(_work(cells, 1), lake, _heard(told), again=True)
    assert told[2:] == [2, 2]
    revisions = lake.read_plain(RUNS)["git_rev"].to_pylist()
    assert sorted(revisions) == ["of other code"] * 2 + ["r"] * 2


def test_rounds_hold_every_seed_once() -> None:
    work = _work(sweep.cells(("failover",), ("F33",)), 10)
    assert [*work.rounds(most=7)] == [range(n, min(n + 3, 10)) for n in (0, 3, 6, 9)]


@pytest.mark.parametrize(
    ("runs", "cores", "tasks"), [(1, 2, 1), (6, 2, 6), (400, 2, 8), (20_000, 2, 100), (0, 2, 1)]
)
def test_tasks_are_enough_for_all_cores_and_none_is_empty(
    runs: int, cores: int, tasks: int
) -> None:
    assert lab_runs.tasks_for(runs, cores, 200) == tasks


def _json(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_command_finds_a_bug_and_leaves_out_what_it_does_not_need(tmp_path: Path) -> None:
    where = tmp_path / "runs"
    shown = [id_ for id_ in registry.variant_ids() if registry.variant(id_).exposed_by == "alone"]
    options = ("--variant", shown[0], "--seeds", 12, "--shrink", "all", "--plain")
    result = _klamm("sweep", where, *options, "--json", "--report", tmp_path / "page.html")
    found = _json(result)
    assert result.exit_code == 0, result.output
    assert [(cell["variant"], cell["says"]) for cell in found["cells"]] == [
        ("", "well"),
        (shown[0], "well"),
    ]
    (trace,) = found["traces"]
    script = replaying.read(Path(trace).read_text(), trace)
    opening = Opening(ALL_SCOPES["alone"], registry.variant(shown[0]))
    violation = again(opening, script.lines).violation
    assert violation is not None
    assert script.found.startswith(violation.invariant)
    assert "Sweep of the lab" in (tmp_path / "page.html").read_text()


def test_a_variant_that_is_not_found_ends_with_1(tmp_path: Path) -> None:
    shown = [id_ for id_ in registry.variant_ids() if registry.variant(id_).exposed_by == "deposed"]
    assert "F33" in shown
    result = _klamm("sweep", tmp_path, "--variant", "F33", "--seeds", 1, "--plain")
    assert result.exit_code == 1
    assert "deposed, F33: NOT FOUND" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--scope", "nowhere"), "there is no 'nowhere'"),
        (("--variant", "F999"), "there is no variant 'F999'"),
        (("--seeds", "0"), "0 is not in the range"),
        (("--plain", "--master", "local[2]"), "--plain needs no Spark"),
    ],
)
def test_what_cannot_be_asked_for_ends_with_2(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    result = _klamm("sweep", tmp_path, *options)
    assert result.exit_code == 2
    assert message in result.output


def test_the_page_tells_what_is_not_as_it_must_be() -> None:
    row = {
        "scope": "all",
        "variant": "",
        "must": "green",
        "says": "NOT GREEN",
        "runs": 10,
        "broken": 1,
        "first_seed": 7,
        "violated": ["I1"],
        "text": "step 3: <two controllers>",
        "steps": 100,
        "digest": 1,
    }
    never = {"scope": "x", "variant": "F33", "must": "red", "says": "not run"}
    text = page([row, never], "0.1.0+abc", ["traces/all-klamm-7.txt"]).html()
    assert "NOT GREEN" in text
    assert "&lt;two controllers&gt;" in text
    assert "traces/all-klamm-7.txt" in text
