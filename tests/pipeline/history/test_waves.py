"""Waves: what N a tool has used, found from nothing but when moves were accepted and ended."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.pipeline.history.waves import GAP_MS, PAUSE_MS, waves

POLL_MS = 1_000


def move(asked_ms: int, ended_ms: int | None) -> dict[str, Any]:
    return {
        "cluster": "c",
        "date": "2026-01-01",
        "client_id": "tool",
        "move_id": f"t-0#{asked_ms}",
        "requested_ms": asked_ms,
        "ended_ms": ended_ms,
        "source": "api",
    }


def found(moves: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return waves(sorted(moves, key=lambda row: row["requested_ms"]), GAP_MS, PAUSE_MS)


def in_batches(lengths_ms: Sequence[int], batch: int) -> list[dict[str, Any]]:
    """What a tool does that waits for each portion, and looks once a second."""
    now, moves = 10_000, []
    for start in range(0, len(lengths_ms), batch):
        part = lengths_ms[start : start + batch]
        moves += [move(now, now + length) for length in part]
        now += -(-max(part) // POLL_MS) * POLL_MS
        now += POLL_MS
    return moves


def incremental(lengths_ms: Sequence[int], batch: int) -> list[dict[str, Any]]:
    """What a tool does that fills up, once a second, what has ended."""
    now, moves, left = 10_000, list[dict[str, Any]](), list(lengths_ms)
    while left:
        under_way = sum(each["ended_ms"] > now for each in moves)
        for length in left[: batch - under_way]:
            moves.append(move(now, now + length))
        left = left[max(batch - under_way, 0) :]
        now += POLL_MS
    return moves


@pytest.mark.req("R1335-37")
@given(st.lists(st.integers(1, 9_000), min_size=2, max_size=40), st.integers(1, 9))
def test_the_size_of_portions_is_found(lengths_ms: list[int], batch: int) -> None:
    rows = found(in_batches(lengths_ms, batch))
    expected = -(-len(lengths_ms) // batch)
    assert len(rows) == expected
    if expected == 1:
        assert {(row["pacing"], row["batch"]) for row in rows} == {("at once", len(lengths_ms))}
    else:
        assert {(row["pacing"], row["batch"]) for row in rows} == {("batches", batch)}
    assert sum(row["moves"] for row in rows) == len(lengths_ms)
    assert {row["most_in_flight"] for row in rows} == {min(batch, len(lengths_ms))}


@pytest.mark.req("R1335-37")
@given(st.lists(st.integers(1_001, 9_000), min_size=12, max_size=40), st.integers(2, 6))
def test_how_many_an_incremental_tool_keeps_under_way_is_found(
    lengths_ms: list[int], batch: int
) -> None:
    rows = found(incremental(lengths_ms, batch))
    # Where all of each portion end at once, nothing tells it from one that waits.
    assert {row["pacing"] for row in rows} <= {"incremental", "batches"}
    assert {row["batch"] for row in rows} == {batch}


def test_plans_that_are_far_apart_are_runs_of_their_own() -> None:
    early = [move(0, 500), move(1_000, 1_500)]
    late = [move(1_500 + PAUSE_MS + 1, None)]
    rows = found([*early, *late])
    assert [(row["run"], row["wave"], row["waves"]) for row in rows] == [
        (1, 1, 2),
        (1, 2, 2),
        (2, 1, 1),
    ]
    assert [row["ended_ms"] for row in rows] == [500, 1_500, None]


def test_moves_by_hand_have_no_n() -> None:
    rows = found([move(0, 9_000), move(2_000, 3_000), move(4_000, 4_100), move(4_001, 4_100)])
    assert {(row["pacing"], row["batch"]) for row in rows} == {("irregular", None)}
