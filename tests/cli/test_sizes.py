"""Amounts of data, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.cli._sizes import counted, format_bytes, parse_bytes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0", 0),
        ("4096", 4096),
        ("12B", 12),
        ("10MiB", 10 * 2**20),
        ("10 mib", 10 * 2**20),
        ("1.5GB", 1_500_000_000),
        ("1KB", 1000),
        ("1KiB", 1024),
        ("2TiB", 2**41),
        ("1MiB/s", 2**20),
        ("0.5KiB", 512),
    ],
)
def test_an_amount_is_read(text: str, found: int) -> None:
    assert parse_bytes(text) == found


@pytest.mark.parametrize(
    "text", ["", "MiB", "1 XB", "--1", "1e3", "nan", "inf", "1,5MB", "1MiB 2", "\u0663"]
)
def test_what_is_no_amount_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is no amount of data"):
        parse_bytes(text)


def test_an_amount_has_a_beginning_and_an_end() -> None:
    with pytest.raises(ValueError, match="'-1MiB' is less than nothing"):
        parse_bytes("-1MiB")
    with pytest.raises(ValueError, match="more than any broker could count"):
        parse_bytes("9999999999TiB")


@pytest.mark.parametrize(("number", "text"), [(0, "0 brokers"), (1, "1 broker"), (2, "2 brokers")])
def test_things_are_counted_as_people_do(number: int, text: str) -> None:
    assert counted(number, "broker") == text


@given(st.integers(0, 2**50))
def test_what_is_written_is_read_back_nearly(amount: int) -> None:
    again = parse_bytes(format_bytes(amount))
    assert abs(again - amount) <= max(1, amount // 10)
