"""`klamm lab`: seeds tried, repeated, shortened, written down; what the lab has by name."""

import sys
from collections.abc import Sequence
from itertools import count, islice
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli import _crash_points, _exhibits, _scripts, _seeds
from klamm.tools.cli.lab import command
from klamm.tools.lab import registry, replaying, shrink
from klamm.tools.lab.apache.crash_points import Row
from klamm.tools.lab.apache.scenarios import Scenario
from klamm.tools.lab.apache.stepped import ALL
from klamm.tools.lab.choices import Recorded
from klamm.tools.lab.events import Violation
from klamm.tools.lab.explore.search import Exploration
from klamm.tools.lab.faults import FAULTS
from klamm.tools.lab.invariants import INVARIANTS
from klamm.tools.lab.run import Finished, Opening, run
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.variants import module_of

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


def test_without_a_scope_the_general_ones_take_turns() -> None:
    batch = _seeds.BATCH
    planned = list(islice(_seeds.plan([*SCOPES], 7, None), len(SCOPES) + 1))
    assert [each.scope for each in planned] == [*SCOPES, next(iter(SCOPES))]
    assert [each.first for each in planned] == [7 + batch * at for at in range(len(planned))]
    assert [each.count for each in _seeds.plan(["a", "b"], 0, batch + 3)] == [batch, 3]
    result = lab("run", "--seeds", f"{batch + 3}")
    assert result.exit_code == 0, result.output
    first, second, last = result.output.splitlines()
    assert first.split()[:2] == ["failover", f"{batch}"]
    assert second.split()[:2] == ["nodes", "3"]
    assert last.startswith(f"{batch + 3} runs, ")


def test_a_variant_is_looked_for_where_it_shows() -> None:
    result = lab("run", "--seeds", "40", "--variant", "f33")
    assert result.exit_code == 1, result.output
    assert " --scope deposed --variant F33\n" in result.output


def test_a_variant_that_no_seed_shows_is_looked_for_elsewhere() -> None:
    result = lab("run", "--seeds", "1", "--variant", "F33", "--scope", "alone")
    assert result.exit_code == 0, result.output
    assert "klamm lab matrix F33" in result.output


def test_how_far_it_is_shows_on_a_terminal_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for terminal in (False, True):
        line = _seeds.Line(terminal)
        line.show("20 runs")
        line.show("40 runs, at once after those before")
        line.clear()
        line.clear()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "\r20 runs\x1b[K\r\x1b[K"


def test_ctrl_c_ends_it_with_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(
        batch: _seeds.Batch, variant: str, stops: bool, end: float | None
    ) -> list[_seeds.Tried]:
        if batch.first:
            raise KeyboardInterrupt
        return [_seeds.Tried(batch.scope, batch.count, 100)]

    monkeypatch.setattr(_seeds, "_try", interrupted)
    result = lab("run")
    assert result.exit_code == 130
    assert result.output.startswith(f"{_seeds.BATCH} runs, 100 events in ")


def test_a_run_cut_short_by_ctrl_c_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scripts, "run", interrupts)
    result = lab("replay", "1")
    assert result.exit_code == 130
    assert result.output == "stopped by Ctrl-C before there was a result\n"


def interrupts(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


def test_ctrl_c_leaves_what_was_shortened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = ("crash n2", "zk expires session 2 of n2", "crash n1", "zk expires session 1 of n1")
    script, left = tmp_path / "long.txt", tmp_path / "left.txt"
    script.write_text(replaying.written(replaying.Script("deposed", lines, "F20")))
    runs = count()

    def again(opening: Opening, script: Sequence[str], **_: object) -> Finished:
        if next(runs) == 3:  # two of the whole script, one of its half
            raise KeyboardInterrupt
        world = opening.world(Recorded(script))
        wrong = Violation("I1", 1, "wrong") if "crash n1" in script else None
        return Finished(world, wrong)

    monkeypatch.setattr(_scripts, "again", again)
    monkeypatch.setattr(shrink, "again", again)
    monkeypatch.setattr(Finished, "script", property(lambda _: lines))
    result = lab("shrink", str(script), "--to", str(left))
    assert result.exit_code == 130, result.output
    assert "stopped by Ctrl-C after 3 runs; more may be left out" in result.output
    assert replaying.read(left.read_text(), "left").lines == lines[2:]


def test_ctrl_c_leaves_the_scenarios_that_are_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def rows(scenarios: Sequence[Scenario]) -> list[Row]:
        if scenarios[0] is not ALL[0]:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr(_crash_points, "crash_table", rows)
    table = tmp_path / "table.md"
    result = lab("crash-points", "--to", str(table))
    assert result.exit_code == 130
    assert f"\n## {ALL[0].name.capitalize()}\n" in result.output
    assert f"\n## {ALL[1].name.capitalize()}\n" not in result.output
    assert result.output.endswith(f"stopped by Ctrl-C after 1 of {len(ALL)} scenarios\n")
    assert not table.exists(), "a file keeps what it has unless all is done"


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (("--bound", "2"), "CUT OFF by --bound: nothing is wrong so far; every run of so many"),
        (("--max-states", "3"), "CUT OFF by --max-states: nothing is wrong so far; "),
        (("--max-minutes", "0"), "CUT OFF by --max-minutes: nothing is wrong so far; "),
        (
            ("--first", "usual", "--deviations", "0", "--crashes", "0"),
            "CUT OFF by --deviations: nothing is wrong so far; every run that deviates so little",
        ),
    ],
)
def test_an_exploration_that_was_cut_off_says_so(bounds: tuple[str, ...], said: str) -> None:
    result = lab("explore", "--scope", "explore-tiny", *bounds)
    assert result.exit_code == 3, result.output
    assert result.output.splitlines()[-1].startswith(f"verdict  {said}")


def test_an_exploration_that_ctrl_c_ends_says_what_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def some(exploration: Exploration) -> NoReturn:
        exploration.found.states, exploration.found.waiting = 17, 4
        raise KeyboardInterrupt

    monkeypatch.setattr(Exploration, "run", some)
    result = lab("explore", "--scope", "explore-tiny")
    assert result.exit_code == 130
    counts, verdict = result.output.splitlines()
    assert counts.startswith("17 states (not all, 4 waiting), ")
    assert verdict.startswith("verdict  CUT OFF by Ctrl-C: nothing is wrong so far; 4 worlds wait")


def test_an_exploration_that_has_tried_everything_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exploration, "run", lambda exploration: exploration.found)
    result = lab("explore", "--scope", "explore-tiny")
    assert result.exit_code == 0
    verdict = result.output.splitlines()[-1]
    assert verdict == "verdict  nothing is wrong: every run was tried that --order turns allows"


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


def test_lines_of_a_script_that_are_not_possible_are_told(tmp_path: Path) -> None:
    lines = run(Opening(SCOPES["failover"]), 5).script[:8]
    script = tmp_path / "edited.txt"
    edited = (*lines[:2], "b9 answers n1", "  gap: 3", *lines[2:])
    script.write_text(replaying.written(replaying.Script("failover", edited)))
    page = tmp_path / "run.html"
    result = lab("replay", str(script), "--html", str(page))
    assert result.exit_code == 0, result.output
    told = f"script   2 of {len(edited)} lines were not possible, the first before step "
    assert told in result.output
    missed = [at for at, line in enumerate(result.output.splitlines()) if "not possible: " in line]
    at = missed[0]
    assert missed == [at, at + 1]
    assert result.output.splitlines()[at].endswith("not possible: b9 answers n1")
    step = result.output.split(told)[1].split(":")[0]
    assert result.output.splitlines()[at + 2].startswith(f"step {step} ")
    assert "not possible: b9 answers n1" in page.read_text()
    script.write_text(replaying.written(replaying.Script("failover", tuple(lines))))
    assert "not possible" not in lab("replay", str(script)).output


def test_an_exhibit_says_what_is_as_it_should_be() -> None:
    result = lab("exhibit", "E8")
    assert result.exit_code == 0, result.output
    assert "\ncase 2 of 2; alone with --case 2\n" in result.output
    assert "  ! not so: it took no effect" in result.output
    assert result.output.endswith("\n1 green, 1 red, as the story says\n")
    first, second = (result.output.index(f"\ncase {number} of 2") for number in (1, 2))
    assert result.output.index("\nRED ") < first < second, "there is a line for each before all"
    assert "case 2 of 2" not in lab("exhibit", "E8", "--case", "2").output


def test_of_many_cases_two_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exhibits, "_FEW", 3)
    cases = len(registry.exhibit("E4").cases)
    short, whole = lab("exhibit", "E4").output, lab("exhibit", "E4", "-v").output
    lines = [line for line in short.splitlines() if line.startswith(("GREEN", "RED"))]
    assert len(lines) == cases + 2
    told = [number for number in range(1, cases + 1) if f"\ncase {number} of" in short]
    red = [bool(case.red) for case in registry.exhibit("E4").cases]
    assert told == [1, 1 + red.index(True)]
    assert short.endswith("as the story says; -v tells the others as well\n")
    assert all(f"\ncase {number} of {cases};" in whole for number in range(1, cases + 1))


def test_a_module_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name = module_of("F33")
    monkeypatch.setitem(sys.modules, name, None)
    for arguments in (("list",), ("run", "--variant", "F33")):
        result = lab(*arguments)
        assert result.exit_code == 1
        assert f"{name} cannot be imported: ModuleNotFoundError" in result.output
    assert "1 runs, " in lab("run", "--seeds", "1", "--variant", "F20").output


def test_the_lists_name_everything() -> None:
    result = lab("list")
    assert result.exit_code == 0, result.output
    named = {
        line.split()[0].rstrip(",") for line in result.output.splitlines() if line.startswith("  ")
    }
    assert {*SCOPES, *FAULTS, *INVARIANTS, "I10", "apache", *registry.variant_ids()} <= named
    assert "  F33, seen in deposed; " in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--variant", "X1"), "there is no variant 'X1'; there are: "),
        (("replay", "nowhere.txt"), "nowhere.txt is neither a seed nor a script: there is no such"),
        (("replay", "1.5"), "1.5 is neither a seed nor a script: there is no such file, and seeds"),
        (("replay", "\u00b2"), "seeds are whole numbers from 0"),
        (("replay", "9" * 5000), "is neither a seed nor a script: file name too long"),
        (("replay", "."), ". is neither a seed nor a script: is a directory"),
        (("replay", "1", "--html", "/nowhere/page.html"), "there is no folder /nowhere to write"),
        (("shrink", "1", "--to", "/nowhere/a.txt"), "there is no folder /nowhere to write a.txt"),
        (("run", "--first", "-1"), "-1 is not in the range x>=0"),
        (("run", "--scope", "none"), "'none' is not one of"),
        (("shrink", "1"), "1 shows nothing wrong"),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(arguments: tuple[str, ...], said: str) -> None:
    result = lab(*arguments)
    assert result.exit_code != 0
    assert said in result.output


def test_a_script_is_of_the_world_that_it_names(tmp_path: Path) -> None:
    script = tmp_path / "mine.txt"
    script.write_text(replaying.written(replaying.Script("failover", ("n1 turn",))))
    for option in (("--scope", "nodes"), ("--variant", "F33")):
        result = lab("replay", str(script), *option)
        assert result.exit_code == 2
        assert "names its scope and variant itself" in result.output
    script.write_bytes(b"\xff")
    assert "neither a seed nor a script: the file is no text" in lab("replay", str(script)).output


def test_a_script_of_an_unknown_scope_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "odd.txt"
    script.write_text(replaying.written(replaying.Script("odd", ("n1 turn",))))
    result = lab("replay", str(script))
    assert "there is no scope 'odd'; there are: failover, " in result.output
