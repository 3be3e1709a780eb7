from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.codegen import function, names, versions
from klamm.tools.codegen.versions import NONE, OPEN, VersionRange

RANGES = st.tuples(st.integers(0, 8), st.integers(0, 8) | st.just(OPEN)).map(
    lambda ends: VersionRange(*ends) if ends[0] <= ends[1] else NONE
)
PROBES = (*range(10), OPEN)


@pytest.mark.parametrize("text", ["0", "3", "0-7", "2-2", "5+", "none"])
def test_what_is_read_is_printed_alike(text: str) -> None:
    expected = "2" if text == "2-2" else text
    assert str(VersionRange.parse(text)) == expected


@pytest.mark.parametrize("text", ["", "3-1", "-1", "1-", "+", "01", "1 - 2", "all", "0-40000"])
def test_what_is_no_range_is_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is no version range") as refused:
        VersionRange.parse(text)
    assert repr(text) in str(refused.value)


@given(RANGES, RANGES)
def test_algebra_is_that_of_sets(one: VersionRange, other: VersionRange) -> None:
    for version in PROBES:
        in_one, in_other = version in one, version in other
        assert (version in one.intersect(other)) == (in_one and in_other)
        assert any(version in part for part in one.subtract(other)) == (in_one and not in_other)
    assert one.covers(other) == (not other.subtract(one))
    assert bool(one) == any(version in one for version in PROBES)


@pytest.mark.parametrize("module", [versions, names, function])
def test_examples_in_docstrings(module: object) -> None:
    outcome = doctest.testmod(module)  # type: ignore[arg-type] # a module
    assert outcome.attempted > 0
    assert outcome.failed == 0
