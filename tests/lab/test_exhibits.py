"""Every exhibit goes as its story says: green for klamm, red for the bug that it is about."""

import os
import subprocess
import sys

import pytest

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Case, Exhibit, Stage, perform
from klamm.tools.lab.performing import heading, narrated

EXHIBITS = [registry.exhibit(id_) for id_ in registry.exhibit_ids()]
#: Requirement rows, and the cases that prove them: exhibit and number.
PROVEN = {
    "R455-50": ("E7-1", "E7-2", "E7-3", "E7-4"),
    "R455-51": ("E6-1", "E6-3"),
    "R455-52": ("E1-6",),
    "R455-86": ("E1-1", "E1-7"),
    "R455-87": ("E1-2", "E1-3", "E1-11"),
    "R455-98": ("E5-1", "E5-4", "E5-7"),
    "R1335-34": ("E16-1",),
}


def rows_of(case: str) -> list[str]:
    return [row for row, cases in PROVEN.items() if case in cases]


CASES = [
    pytest.param(
        case,
        id=f"{exhibit.id}-{number}",
        marks=pytest.mark.req(*rows_of(f"{exhibit.id}-{number}")),
    )
    for exhibit in EXHIBITS
    for number, case in enumerate(exhibit.cases, 1)
]


def test_all_of_the_catalogue_are_there() -> None:
    assert registry.exhibit_ids() == [f"E{number}" for number in range(1, 17)]


def test_cases_that_prove_something_are_there() -> None:
    named = {case for cases in PROVEN.values() for case in cases}
    assert named <= {param.id for param in CASES}


@pytest.mark.parametrize("case", CASES)
def test_a_case_goes_as_its_story_says(case: Case) -> None:
    performed = perform(case)
    text = narrated(performed)
    assert performed.found == case.red, text
    assert all(len(line) <= 96 for line in text.splitlines())


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.id)
def test_the_product_is_green_and_somebody_else_is_not(exhibit: Exhibit) -> None:
    assert not exhibit.cases[0].variant
    assert not exhibit.cases[0].red
    assert any(case.red for case in exhibit.cases), "a story in which nothing ever goes wrong"


def test_each_rule_of_a_cancel_is_told_as_it_goes() -> None:
    """The verdict of a red one is an invariant's, which no claim after it could change."""
    ends = {}
    for case in registry.exhibit("E6").cases:
        if case.red:
            beats = perform(case).stage.beats
            assert [beat.text for beat in beats if beat.holds is False] == [], case.name
            ends[case.name.partition(":")[0].partition(",")[0], case.variant] = beats[-1].text
    assert ends == {
        ("min-isr", ""): "1 had nearly all of the data: it is deleted",
        ("zk", "F15"): "3 has its log still",
        ("zk", "apache"): "3, which alone had all of the data, has deleted it",
    }


def test_a_claim_that_does_not_hold_makes_a_case_red() -> None:
    def script(stage: Stage) -> None:
        stage.say("nothing happens")
        stage.claim(stage.replicas("t", 0) == [9], "t-0 is on broker 9")
        stage.claim(False, "and more")

    case = Case("wrong", registry.exhibit("E8").cases[0].scope, script)
    performed = perform(case)
    assert performed.found == "story"
    assert not performed.as_expected
    text = narrated(performed)
    assert "! not so: t-0 is on broker 9" in text
    assert "story at step 0: not so: t-0 is on broker 9" in text
    assert "UNEXPECTED: it should be green" in text


def test_an_error_of_a_script_is_found_as_a_fault() -> None:
    def script(stage: Stage) -> None:
        stage.world.do("make coffee")

    performed = perform(Case("wrong", registry.exhibit("E8").cases[0].scope, script))
    assert performed.found == "fault"
    assert performed.violation is not None
    assert "'make coffee' is not possible now" in performed.violation.text


def told(hash_seed: str) -> str:
    code = (
        "from klamm.tools.lab import registry\n"
        "from klamm.tools.lab.exhibit import perform\n"
        "from klamm.tools.lab.performing import narrated\n"
        "for id_ in ('E8', registry.exhibit_ids()[-1]):\n"
        "    for case in registry.exhibit(id_).cases:\n"
        "        print(narrated(perform(case), whole=True))\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=120,
    )
    return done.stdout


def test_a_story_is_told_in_the_same_words_by_every_process() -> None:
    assert told("1") == told("4711")


def test_the_heading_has_title_and_story() -> None:
    text = heading(registry.exhibit("E8"))
    assert text.startswith("E8: A zombie writes\n===")
    assert all(len(line) <= 100 for line in text.splitlines())
