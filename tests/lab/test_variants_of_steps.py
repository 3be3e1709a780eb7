"""Mistakes of moves in steps: each turns red by what it is about, and klamm is green there."""

from collections.abc import Mapping

import pytest

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import STORY
from klamm.tools.lab.matrix import row

#: What each violates.
RED: Mapping[str, str] = {"S1": "V2", "S2": STORY}


def test_no_row_is_missing() -> None:
    assert RED.keys() == {id_ for id_ in registry.variant_ids() if id_.startswith("S")}


@pytest.mark.req("R435-19", "R435-46")
@pytest.mark.parametrize("id_", RED)
def test_a_variant_is_red_and_klamm_is_green(id_: str) -> None:
    found = row(id_)
    assert found.proven, found
    assert found.variant.invariant == RED[id_], found.variant
