"""What `klamm lab exhibit` shows, in a terminal and as a page."""

from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli._exhibits import exhibits
from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Performed, perform
from klamm.tools.lab.performing import narrated, outcome, sentences


@cache
def performed(number: int) -> Performed:
    """Perform the product's case of E8, or the one with the bug."""
    return perform(registry.exhibit("E8").cases[number - 1])


def show(*args: str, color: bool = False) -> Result:
    return CliRunner().invoke(exhibits, args, color=color)


def test_the_short_form_tells_of_writes_and_answers_under_their_sentences() -> None:
    lines = narrated(performed(1)).splitlines()
    late = lines.index("  * Now the write of n1 reaches ZooKeeper, where n2 rules.")
    claim = lines.index("  + it took no effect: t-0 is on [1, 2]")
    assert late < claim
    told = [line.strip() for line in lines]
    assert told[3].endswith("client asks n1: move t-0 to 2,3 (1)")
    assert "(1) n1 answers: NOT_CONTROLLER (41)" in told[claim:]
    assert "(2) n2 answers: done" in told[claim:]
    assert not any("wants" in line or "/klamm/commit" in line for line in lines)
    assert lines[-1] == "GREEN  klamm: every invariant and every claim held"


def test_the_whole_form_has_every_step_and_cuts_long_lines_visibly() -> None:
    happened = performed(1).stage.world.events
    lines = narrated(performed(1), whole=True).splitlines()
    assert [line.split()[1] for line in lines if line.startswith("    step ")] == [
        str(each.step) for each in happened
    ]
    assert any(line.endswith("...") for line in lines)
    assert all(len(line) <= 96 for line in lines)


def test_what_does_not_hold_is_told_at_its_step() -> None:
    violation = performed(2).violation
    assert violation is not None
    text = " ".join(" ".join(outcome(performed(2))).split())
    assert text == f"RED without the check: I1 at step {violation.step}: {violation.text}"


def test_sentences_belong_to_the_step_that_follows_and_the_last_ones_to_the_last() -> None:
    happened, beats = performed(1).stage.world.events, performed(1).stage.beats
    found = sentences(performed(1), happened)
    assert sum(map(len, found.values())) == len(beats)
    assert found[1][0].startswith("* t-0 is on brokers 1 and 2.")
    assert [text.split(",")[0] for text in found[6]] == ["* An operator deletes /controller"]
    assert found.keys() <= {each.step for each in happened}
    cut_off = sentences(performed(1), happened[:6])
    assert cut_off[6][0] == found[6][0]
    assert cut_off[6][-1] == f"* {beats[-1].text}"
    assert sentences(performed(1), []) == {}


def test_a_terminal_has_colours_and_a_pipe_has_none() -> None:
    assert "\x1b[32m\x1b[1mGREEN" in show("E8", "--case", "1", color=True).output
    assert "\x1b" not in show("E8", "--case", "1").output


def test_all_cases_are_told_and_then_summed_up() -> None:
    result = show("E8")
    assert result.exit_code == 0
    assert result.output.count("GREEN  klamm: ") == 2
    assert result.output.count("RED    without the check: I1") == 2


def test_the_page_has_the_sentences_too(tmp_path: Path) -> None:
    page = tmp_path / "e8.html"
    result = show("E8", "--case", "2", "--html", str(page))
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert '["story","! not so: it took no effect: t-0 is on [2, 3, 1]"]' in text
    assert "exhibit E8, without the check" in text


def test_without_an_id_all_are_listed() -> None:
    lines = show().output.splitlines()
    assert lines[7] == "  E8   A zombie writes"
    assert len(lines) == len(registry.exhibit_ids()) + 1


@pytest.mark.parametrize(
    ("args", "text"),
    [(("E99",), "there is no exhibit 'E99'"), (("E8", "--case", "3"), "E8 has 2 cases, no 3")],
)
def test_what_there_is_not_is_refused(args: tuple[str, ...], text: str) -> None:
    result = show(*args)
    assert result.exit_code == 2
    assert text in result.output
