"""Curves of progress: what status writes and status answers say of each replica (KIP-179).

Of a request with a number (version 8 of the proposal) the journal has every status write: how many
records of how many, so that a percentage needs no bytes. Of the current text's ReplicaStatus, the
answers say how far a replica is behind; `klamm reassign --dialect kip-179-alter --progress --json`
prints one as a line. A percentage falls, and a lag grows, when producers are faster than a copy:
such rows are kept like all others, and marked as `fell`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from klamm.tools.pipeline.tables import PROGRESS, Row

#: The request that rows of status answers belong to: those have no number.
ANSWERS = "answers"
#: Kinds of the journal's entries that carry rows of status.
KINDS = ("assignment-status",)

READS = (
    "cluster",
    "date",
    "controller_epoch",
    "at_ms",
    "seq",
    "source",
    "line",
    "detail",
)
#: A curve is of one replica in one request; its points are in the order of writes.
CURVE = ("cluster", "request", "topic", "partition", "broker")
POINTS = ("controller_epoch", "ts_ms", "seq", "line")


class _Replica(msgspec.Struct):
    topic: str
    partition: int
    broker: int
    numerator: int
    denominator: int
    error: int
    complete: bool = False


class _Status(msgspec.Struct):
    request_id: int
    replicas: list[_Replica] = []


class _Detail(msgspec.Struct):
    status: _Status | None = None


_DETAIL = msgspec.json.Decoder(_Detail)


def points(row: Row) -> Iterator[dict[str, Any]]:
    """Return a row of `progress` for each replica that an entry has news of."""
    status = _DETAIL.decode(row["detail"]).status if row["detail"] else None
    for each in status.replicas if status else ():
        known = each.denominator > 0
        yield {
            "cluster": row["cluster"],
            "date": row["date"],
            "request": str(status.request_id) if status else None,
            "ts_ms": row["at_ms"],
            "seq": row["seq"],
            "controller_epoch": row["controller_epoch"],
            "topic": each.topic,
            "partition": each.partition,
            "broker": each.broker,
            "percent": _percent(each.numerator, each.denominator) if known else None,
            "lag": each.denominator - each.numerator if known else None,
            "in_sync": each.complete and not each.error,
            "source": row["source"],
            "line": row["line"],
        }


def curve(rows: Sequence[Row]) -> Iterator[Row]:
    """Mark the points of one replica's curve, which are in order, that are worse than the last.

    A write is compared by its percentage, an answer by its lag. A point without either is passed
    over, and so is one of a replica that is complete: its percentage is not told any more.
    """
    before: float | None = None
    for row in rows:
        # Less is worse for both.
        value = (
            -row["lag"] if row["request"] == ANSWERS and row["lag"] is not None else row["percent"]
        )
        yield {**row, "fell": before is not None and value is not None and value < before}
        before = before if value is None else value


def _percent(numerator: int, denominator: int) -> float:
    return min(100.0, 100.0 * numerator / denominator)


COLUMNS = tuple(PROGRESS.schema.names)
