"""`klamm lab`: seeds tried, repeated, shortened, written down; what the lab has by name."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli.lab import command
from klamm.tools.lab import registry, replaying
from klamm.tools.lab.faults import FAULTS
from klamm.tools.lab.invariants import INVARIANTS
from klamm.tools.lab.scopes import SCOPES

#: A variant that leaves requests without an answer, in a scope that has some.
FAILS = ("--variant", "F20", "--scope", "nodes")


def lab(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_seeds_are_tried_and_counted() -> None:
    result = lab("run", "--seeds", "20")
    assert result.exit_code == 0, result.output
    assert "20 runs, " in result.output and "none failed" in result.output


def test_several_processes_try_as_many() -> None:
    result = lab("run", "--seeds", "30", "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert "30 runs, " in result.output


def test_no_time_begins_nothing() -> None:
    result = lab("run", "--seconds", "0")
    assert result.exit_code == 0, result.output
    assert "0 runs, " in result.output


def test_a_run_is_shown_as_text_and_as_a_page(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    result = lab("replay", "3", "--html", str(page))
    assert result.exit_code == 0, result.output
    assert result.output.startswith("scope    failover\n")
    assert "replay   klamm lab replay 3 --scope failover" in result.output
    assert "verdict  every invariant held" in result.output
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_what_fails_is_named_with_how_to_see_it_again(tmp_path: Path) -> None:
    result = lab("run", "--seeds", "200", *FAILS)
    assert result.exit_code == 1
    seed = result.output.split("seed ")[1].split(":")[0]
    again = f"klamm lab replay {seed} --scope nodes --variant F20"
    assert again in result.output
    script = tmp_path / "found.txt"
    shrunk = lab("shrink", seed, *FAILS, "--to", str(script), "--runs", "60")
    assert shrunk.exit_code == 0, shrunk.output
    assert f"klamm lab replay {script}" in shrunk.output
    found = replaying.read(script.read_text(), script.name)
    assert (found.scope, found.variant, found.seed) == ("nodes", "F20", seed)
    replayed = lab("replay", str(script))
    assert replayed.exit_code == 1
    assert f"verdict  {found.found.split(' ')[0]} does not hold" in replayed.output


def test_the_lists_name_everything() -> None:
    result = lab("list")
    assert result.exit_code == 0, result.output
    named = {line.split()[0] for line in result.output.splitlines() if line.startswith("  ")}
    assert {*SCOPES, *FAULTS, *INVARIANTS, *registry.variant_ids()} <= named


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--variant", "X1"), "there is no variant 'X1'; there are: "),
        (("replay", "nowhere.txt"), "neither a seed nor a script"),
        (("run", "--scope", "none"), "'none' is not one of"),
        (("shrink", "1"), "1 shows nothing wrong"),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(arguments: tuple[str, ...], said: str) -> None:
    result = lab(*arguments)
    assert result.exit_code != 0
    assert said in result.output


def test_a_script_of_an_unknown_scope_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "odd.txt"
    script.write_text(replaying.written(replaying.Script("odd", ("n1 turn",))))
    result = lab("replay", str(script))
    assert "there is no scope 'odd'; there are: failover, " in result.output
