"""Waves: how the moves of a client were paced, by when they were accepted.

A tool that submits a large plan in portions (KIP-1335) leaves accepts in waves, and nothing else
says how large its portions were. A *wave* is accepts of one client with no pause of more than a gap
between two of them. A *run* is waves that follow each other while moves of the run are under way,
or shortly after. Of each run this finds N, the batch size:

at once       one wave; N is its size
batches       every wave but the last has N moves, and begins when the one before has ended
incremental   N moves at first, then as many as have ended: there are never more than N under way
irregular     none of these; N is not known
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from klamm.tools.pipeline.tables import INT, LONG, TEXT, Row, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Within one wave no pause is longer. A tool sends a portion in one request, or a few at once.
GAP_MS = 500
#: A run is over when nothing has moved, and nothing was asked for, for so long.
PAUSE_MS = 15_000

READS = ("cluster", "date", "client_id", "move_id", "requested_ms", "ended_ms", "source")

WAVES = Table(
    "waves",
    1,
    ("client_id", "run", "wave"),
    {
        "client_id": TEXT,
        # From 1 on, of a client; and of a run.
        "run": INT,
        "wave": INT,
        "moves": INT,
        "first_ms": LONG,
        "last_ms": LONG,
        # When its last move ended; null while one is under way.
        "ended_ms": LONG,
        # Of the run, the same in each of its waves: how it was paced, by which N, how many waves
        # it has, and the most moves that were under way at once.
        "pacing": TEXT,
        "batch": INT,
        "waves": INT,
        "most_in_flight": INT,
    },
)
#: A run, and what all of its waves say of it.
_RUN = ("cluster", "client_id", "run", "pacing", "batch", "waves", "most_in_flight")


@dataclass(frozen=True, slots=True)
class _Wave:
    moves: tuple[Row, ...]

    @property
    def first_ms(self) -> int:
        return int(self.moves[0]["requested_ms"])

    @property
    def last_ms(self) -> int:
        return int(self.moves[-1]["requested_ms"])

    @property
    def ended_ms(self) -> int | None:
        ends = [each["ended_ms"] for each in self.moves]
        return None if None in ends else max(ends)

    @property
    def quiet_ms(self) -> int:
        """When nothing of it was asked for or ended any more, as far as is known."""
        return max(self.last_ms, *(int(each["ended_ms"] or 0) for each in self.moves))


def waves(rows: Sequence[Row], gap_ms: int, pause_ms: int) -> list[dict[str, Any]]:
    """Return rows of `WAVES` for the moves of one client, in order of when they were asked for."""
    asked = [row for row in rows if row["requested_ms"] is not None]
    grouped: list[list[Row]] = []
    for row in asked:
        if grouped and row["requested_ms"] - grouped[-1][-1]["requested_ms"] <= gap_ms:
            grouped[-1].append(row)
        else:
            grouped.append([row])
    runs: list[list[_Wave]] = []
    quiet_ms = 0
    for each in grouped:
        wave = _Wave(tuple(each))
        if runs and wave.first_ms - quiet_ms <= pause_ms:
            runs[-1].append(wave)
            quiet_ms = max(quiet_ms, wave.quiet_ms)
        else:
            runs.append([wave])
            quiet_ms = wave.quiet_ms
    return [row for number, run in enumerate(runs, 1) for row in _rows(number, run)]


def _rows(number: int, run: Sequence[_Wave]) -> list[dict[str, Any]]:
    moves = [row for wave in run for row in wave.moves]
    flights = in_flight(moves, [wave.last_ms for wave in run])
    pacing, batch = _pacing(run, flights)
    return [
        {
            "cluster": wave.moves[0]["cluster"],
            "date": wave.moves[0]["date"],
            "client_id": wave.moves[0]["client_id"],
            "run": number,
            "wave": place,
            "moves": len(wave.moves),
            "first_ms": wave.first_ms,
            "last_ms": wave.last_ms,
            "ended_ms": wave.ended_ms,
            "pacing": pacing,
            "batch": batch,
            "waves": len(run),
            "most_in_flight": max(flights),
        }
        for place, wave in enumerate(run, 1)
    ]


def _pacing(run: Sequence[_Wave], flights: Sequence[int]) -> tuple[str, int | None]:
    """Tell how a run was paced; `flights` are how many moves were under way after each wave."""
    sizes = [len(wave.moves) for wave in run]
    batch = sizes[0]
    if len(run) == 1:
        return "at once", batch
    one_by_one = all(
        one.ended_ms is not None and one.ended_ms <= other.first_ms for one, other in pairwise(run)
    )
    if one_by_one and set(sizes[:-1]) == {batch} and sizes[-1] <= batch:
        return "batches", batch
    # Every wave fills up what has ended, but for the last one, which may be all that is left.
    if not one_by_one and set(flights[:-1]) == {batch} and flights[-1] <= batch:
        return "incremental", batch
    return "irregular", None


def in_flight(moves: Sequence[Row], times_ms: Iterable[int]) -> list[int]:
    """Count moves under way right after those of each time were asked for, these included."""
    starts = sorted(row["requested_ms"] for row in moves)
    ends = sorted(row["ended_ms"] for row in moves if row["ended_ms"] is not None)
    # What copies nothing has ended at once, and counts at its time.
    at_once = Counter(row["ended_ms"] for row in moves if row["ended_ms"] == row["requested_ms"])
    return [
        bisect_right(starts, at_ms) - bisect_right(ends, at_ms) + at_once[at_ms]
        for at_ms in times_ms
    ]


def runs(found: pa.Table) -> list[dict[str, Any]]:
    """Return each run of rows of `WAVES`: what its waves say of it, its moves, and from when on."""
    grouped: dict[tuple[Any, ...], list[Row]] = {}
    for row in found.to_pylist():
        grouped.setdefault(tuple(row[name] for name in _RUN), []).append(row)
    ordered = sorted(grouped.items(), key=lambda each: (each[0][0], each[0][1] or "", each[0][2]))
    return [
        {
            **dict(zip(_RUN, key, strict=True)),
            "moves": sum(row["moves"] for row in rows),
            "first_ms": min(row["first_ms"] for row in rows),
            "last_ms": max(row["last_ms"] for row in rows),
        }
        for key, rows in ordered
    ]


def runs_on_spark(found: DataFrame) -> DataFrame:
    """Return each run of rows of `WAVES`: what its waves say of it, its moves, and from when on."""
    from pyspark.sql import functions as F

    return (
        found.groupBy(*_RUN)
        .agg(
            F.sum("moves").alias("moves"),
            F.min("first_ms").alias("first_ms"),
            F.max("last_ms").alias("last_ms"),
        )
        .orderBy("cluster", F.coalesce("client_id", F.lit("")), "run")
    )
