"""Bugs that an exhibit shows: its first case, which klamm passes, turns red with each of them."""

from collections.abc import Mapping

import pytest

from klamm.tools.lab.matrix import look, row

#: What each violates.
RED: Mapping[str, str] = {"D1": "I9", "D2": "I9", "F15": "I5", "F16": "story"}


@pytest.mark.parametrize("id_", RED)
def test_a_variant_is_red_in_its_exhibit_and_klamm_is_green(id_: str) -> None:
    found = row(id_)
    assert found.proven, found
    assert found.variant.invariant == RED[id_], found.variant


def test_swapped_lists_and_lost_ids_are_seen_by_the_same_story() -> None:
    assert [look(id_, "E2").invariant for id_ in ("F02", "F54")] == ["I9", "I11"]
