"""A good client is answered while others behave badly, and they cost bounded memory."""

import pytest

from klamm.tools.bench.hostile import ATTACKS, WAVE, Report, run

#: What a wave of connections may cost, with room for what the allocator keeps.
MOST_BYTES = 200 * 2**20


def check(found: Report) -> None:
    assert found.answers > 0
    assert found.memory < MOST_BYTES, "memory does not grow with the connections that have been"


def test_a_good_client_among_hostile_ones() -> None:
    check(run(500, hold=0.5))


@pytest.mark.slow
def test_a_good_client_among_ten_thousand_hostile_ones() -> None:
    check(run(10_000))


def test_a_wave_has_every_attack() -> None:
    assert len(ATTACKS) < WAVE


def test_what_was_measured_is_told_in_a_line() -> None:
    told = str(Report(500, 0.0005, 0.001, 700, 2**20))
    assert told == (
        "500 hostile connections   alone 0.50 ms   among them 1.00 ms   ratio 2.0   700 answers"
        "   memory +1.0 MiB"
    )
