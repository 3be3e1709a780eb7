"""Where two histories part: per partition, the first decision that is another one.

Compared is what controllers decided, in order, and not when, nor in which office, nor what brokers
did in between: two clusters to which the same has been done should agree on it. What comes after
the first difference follows from it, and is only counted. Known differences are named by the rows
D1 to D15 that compare Kafka's documents with its code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import comb, erfc, sqrt
from typing import Any, Final

from klamm.tools.pipeline.history.order import ORDER
from klamm.tools.pipeline.steps import ByKey
from klamm.tools.pipeline.tables import EVIDENCE, INT, LONG, TEXT, Row, Table

#: What is decided about a partition, by whom it is told.
_TOLD_BY: Final = ("journal", "controller-log", "metadata-log")
DECISIONS: Final = (
    *("accept", "supersede", "cancel", "end", "refuse", "no-op"),
    *("elect", "elect-unclean", "initialize", "stuck"),
    *("step-begin", "step-end", "step-abandoned"),
    *("entry-resumed", "entry-done", "entry-refused", "entry-superseded", "entry-discarded"),
)
DIVERGENCES: Final = Table(
    "divergences",
    1,
    ("topic", "partition"),
    {
        "topic": TEXT,
        "partition": INT,
        # How many decisions agree before; and how many there are on each side.
        "agreed": LONG,
        "first_has": LONG,
        "second_has": LONG,
        # What each decided then; null if it decided nothing more.
        "first": TEXT,
        "second": TEXT,
        # A row such as D3, or null for what no row names.
        "named": TEXT,
        "first_at": EVIDENCE,
        "second_at": EVIDENCE,
    },
    clustered=False,
)
_READS: Final = ("cluster", "origin", "kind", "topic", "partition", "after", "rpc_error")


def divergences(first: str, second: str) -> ByKey:
    """Return the work on rows of `events` of two clusters: a row per partition that differs."""
    columns = dict.fromkeys((*_READS, *ORDER, "source", "line"))
    return ByKey(
        ("topic", "partition"),
        ORDER,
        tuple(columns),
        DIVERGENCES,
        partial(_diverges, first=first, second=second),
    )


def decided(row: Row) -> str:
    """Say what was decided, so that equal decisions have equal texts."""
    after, error = row["after"] or {}, row["rpc_error"]
    parts = [row["kind"]]
    if after.get("replicas"):
        parts.append(str(after["replicas"]))
        parts += [f"{name} {after[name]}" for name in ("adding", "removing") if after.get(name)]
        if row["kind"].startswith(("elect", "initialize", "end")):
            parts.append(f"leader {after.get('leader')}")
    if error:
        parts.append(f"error {error}")
    return " ".join(parts)


def _diverges(rows: Sequence[Row], first: str, second: str) -> Iterator[dict[str, Any]]:
    told = [row for row in rows if row["kind"] in DECISIONS and row["origin"] in _TOLD_BY]
    ours = [row for row in told if row["cluster"] == first]
    theirs = [row for row in told if row["cluster"] == second]
    for at, (one, other) in enumerate(zip_longest(ours, theirs)):
        said = one and decided(one), other and decided(other)
        if said[0] != said[1]:
            yield {
                "topic": rows[0]["topic"],
                "partition": rows[0]["partition"],
                "agreed": at,
                "first_has": len(ours),
                "second_has": len(theirs),
                "first": said[0],
                "second": said[1],
                "named": _named(one, other),
                "first_at": _evidence(one),
                "second_at": _evidence(other),
            }
            return


def _named(one: Row | None, other: Row | None) -> str | None:
    kinds = {row["kind"] for row in (one, other) if row}
    if one and other and kinds <= {"accept", "supersede"}:
        replicas = [(row["after"] or {}).get("replicas") or () for row in (one, other)]
        # The same brokers in another order, on the way to the same target.
        return "D3" if sorted(replicas[0]) == sorted(replicas[1]) else None
    if one and other and kinds == {"cancel"}:
        return "D4"
    return "D5" if any(kind.startswith("entry-") for kind in kinds) else None


def _evidence(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else {"source": row["source"], "line": row["line"]}


# Sets of runs


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric of two sets of runs, paired by seed.

    `ranks` are the values at `SHARES`, of each set; `less` and `more` count the pairs in which the
    second has less, or more, than the first; `median` is that of second minus first. `p` is how
    likely so uneven a count is if neither tends to have more (sign test, two-sided); `sure` says
    that it is below 5% by Holm's method, which counts in that several metrics are asked.
    """

    metric: str
    pairs: int
    first: tuple[float, ...]
    second: tuple[float, ...]
    median: float | None
    less: int
    more: int
    p: float
    sure: bool = False


#: Where distributions are looked at.
SHARES: Final = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def sign_test(less: int, more: int) -> float:
    """Return the chance of so uneven a count or worse, if both are equally likely."""
    pairs, fewer = less + more, min(less, more)
    if pairs == 0:
        return 1.0
    if pairs <= 1000:
        tail = sum(comb(pairs, each) for each in range(fewer + 1))
        return float(min(1.0, 2 * tail / 2**pairs))
    # The binomial is all but normal here; half a pair corrects for counts being whole.
    return min(1.0, erfc((pairs / 2 - fewer - 0.5) / sqrt(pairs / 4) / sqrt(2)))


def holm(differences: Sequence[Difference], level: float = 0.05) -> list[Difference]:
    """Mark which differences are sure, all of them together."""
    by_p = sorted(range(len(differences)), key=lambda at: (differences[at].p, at))
    sure: set[int] = set()
    for rank, at in enumerate(by_p):
        if differences[at].p > level / (len(differences) - rank):
            break
        sure.add(at)
    return [
        Difference(
            *(each.metric, each.pairs, each.first, each.second),
            *(each.median, each.less, each.more, each.p),
            sure=at in sure,
        )
        for at, each in enumerate(differences)
    ]
