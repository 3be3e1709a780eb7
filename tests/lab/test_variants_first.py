"""Bugs of history put back in, first half: elections, zombies, fences, replies, the API, deletions.

Each turns red where it says it does, by the invariant that is about it, and klamm is green in the
same runs.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import perform
from klamm.tools.lab.matrix import Cell, klamm_beside, look
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import NOT_EXPRESSED, f26

SEEDS = 150

#: The rows of the catalogue that are proven here, and what each violates; "story" is a claim.
#: Where there are several, which one is seen first depends on how things fall.
RED: Mapping[str, str] = {
    "F02": "I9 I3",
    "F04": "story",
    "F05": "liveness",
    "F19": "I3 I9",
    "F20": "liveness",
    "F25": "I9 I13",
    "F26": "story I2",
    "F30": "I1",
    "F31": "I1",
    "F33": "I1",
    "F35": "I1",
    "F36": "liveness",
    "F38": "liveness",
    "F39": "liveness",
    "F40": "I4",
    "F45": "I7 I9 liveness",
    "F50": "story",
    "F51": "story",
    "F52": "liveness",
    "F54": "I11",
    "H3": "liveness I9",
    "H5": "I9 I13",
    "H6": "story",
    "H8": "I5",
    "N3": "story",
    "N5": "story",
    "N6": "story I4",
    "N7": "story",
    "N8": "story",
    "N13": "liveness",
    "N14": "story",
    "N15": "story",
}
WHERE = {id_: registry.variant(id_).exposed_by for id_ in RED}


@cache
def found(id_: str) -> Cell:
    return look(id_, WHERE[id_], SEEDS)


def test_no_row_is_missing() -> None:
    ids = (2, 4, 5, 19, 20, 25, 26, 30, 31, 33, 35, 36, 38, 39, 40, 45, 50, 51, 52, 54)
    rows = {f"F{number:02}" for number in ids}
    rows |= {f"H{number}" for number in (3, 5, 6, 8, 10)}
    rows |= {f"N{number}" for number in (3, 5, 6, 7, 8, 13, 14, 15)}
    assert rows == RED.keys() | {"H10"}
    assert "H10" in NOT_EXPRESSED


@pytest.mark.parametrize("id_", RED)
def test_a_variant_is_red_by_the_invariant_it_is_about(id_: str) -> None:
    cell = found(id_)
    assert cell.invariant in RED[id_].split(), cell


@pytest.mark.parametrize("scope", sorted({*WHERE.values()} & ALL_SCOPES.keys()))
def test_klamm_is_green_in_the_runs_in_which_variants_are_red(scope: str) -> None:
    cells = [found(id_) for id_ in RED if WHERE[id_] == scope]
    product = look("", scope, max(cell.runs for cell in cells))
    assert not product.red, product.text


@pytest.mark.parametrize("id_", [id_ for id_ in RED if WHERE[id_] == OWN_SCRIPT])
def test_klamm_is_green_in_the_script_in_which_a_variant_is_red(id_: str) -> None:
    product = klamm_beside(id_, found(id_))
    assert not product.red, product.text


def test_both_bugs_of_one_row_are_seen() -> None:
    case = perform(replace(f26.SCRIPT, variant="F26"))
    claims = [beat.holds for beat in case.stage.beats if beat.holds is not None]
    assert claims == [False, False], "an unknown partition in List, and an empty target"
