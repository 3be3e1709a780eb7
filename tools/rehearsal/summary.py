"""What many runs say together: for each pacing and fault model, and which pacing is best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from klamm.tools.rehearsal.spec import DONE, RunRow

#: A wait of producers that is shorter than that, in seconds, is nobody's business.
_WAIT: Final = 1.0
#: How a reason of a run begins.
_COUNT: Final = re.compile(r"^[0-9]+ partitions?: ")


class Summary(msgspec.Struct, frozen=True):
    """All runs of one pacing under one fault model; times in seconds.

    Times to the end are of the runs that ended, None if none did. The worst of all runs are what
    begins with `worst`; `into` are the bytes that each broker fetched, on average.
    """

    pacing: str
    fault_model: str
    runs: int
    stuck: int
    broken: int
    p50_s: float | None
    p95_s: float | None
    worst_min_isr_s: float
    worst_leaderless_s: float
    worst_urp: int
    worst_wait_s: float
    worst_skew: float
    skew_after: float
    peak: float
    bytes_moved: float
    bytes_wasted: float
    into: dict[int, float]
    out: dict[int, float]
    #: Why runs were stuck or broken, the most frequent first, and how many of them.
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def risk(self) -> float:
        """The part of the runs that did not end well."""
        return (self.stuck + self.broken) / self.runs


def quantile(values: Sequence[float], share: float) -> float | None:
    """Return the value that `share` of all do not exceed, by nearest rank; None of nothing."""
    ranked = sorted(values)
    # In whole thousandths, as 0.95 * 20 is a little less, or more, than 19.
    rank = -(-round(share * 1000) * len(ranked) // 1000)
    return ranked[max(rank, 1) - 1] if ranked else None


def summaries(rows: Iterable[RunRow]) -> list[Summary]:
    """Sum runs up, in the order in which pacings and fault models are met first."""
    groups: dict[tuple[str, str], list[RunRow]] = {}
    for row in rows:
        groups.setdefault((row.fault_model, row.pacing), []).append(row)
    return [_summary(group) for group in groups.values()]


def _summary(rows: Sequence[RunRow]) -> Summary:
    ended = [row.finish_s for row in rows if row.finish_s is not None]
    bad = [row for row in rows if row.verdict != DONE]
    into, out = Counter[int](), Counter[int]()
    for row in rows:
        for each in row.traffic:
            into[each.broker] += round(sum(each.into))
            out[each.broker] += round(sum(each.out))
    count = len(rows)
    return Summary(
        pacing=rows[0].pacing,
        fault_model=rows[0].fault_model,
        runs=count,
        stuck=sum(not row.violated for row in bad),
        broken=sum(bool(row.violated) for row in bad),
        p50_s=quantile(ended, 0.5),
        p95_s=quantile(ended, 0.95),
        worst_min_isr_s=max(row.min_isr_breach_s for row in rows),
        worst_leaderless_s=max(row.leaderless_s for row in rows),
        worst_urp=max(row.max_urp for row in rows),
        worst_wait_s=max(row.worst_wait_s for row in rows),
        worst_skew=max(row.skew_worst for row in rows),
        skew_after=max(row.skew_after for row in rows),
        peak=max(max(row.peak_in, row.peak_out) for row in rows),
        bytes_moved=sum(row.bytes_moved for row in rows) / count,
        bytes_wasted=sum(row.bytes_wasted for row in rows) / count,
        into={broker: total / count for broker, total in sorted(into.items())},
        out={broker: total / count for broker, total in sorted(out.items())},
        reasons=tuple(_reasons(bad)),
    )


def _reasons(bad: Sequence[RunRow]) -> list[tuple[str, int]]:
    """Count runs by each of their reasons, whatever number of partitions it held up."""
    found = Counter(
        reason
        for row in bad
        for reason in dict.fromkeys(_COUNT.sub("", each) for each in row.text.split("; "))
    )
    return sorted(found.items(), key=lambda each: (-each[1], each[0]))


class Best(msgspec.Struct, frozen=True):
    """The best pacing, and a sentence that says why."""

    pacing: str
    why: str


def best(all_of: Sequence[Summary]) -> Best:
    """Judge pacings over all fault models. The first that matters is the first they differ in.

    Which is: the part of runs that does not end, the longest time without a leader, then below
    min.insync.replicas, in whole seconds; whether producers wait longer than a second; the time to
    the end (p95, within 5% is equal), and what a broker replicates at its peak.
    """
    pacings = list(dict.fromkeys(each.pacing for each in all_of))
    scores = {pacing: _score([s for s in all_of if s.pacing == pacing]) for pacing in pacings}
    left = pacings
    lost: list[tuple[int, str]] = []
    for at, (_, slack) in enumerate(_MATTERS):
        least = min(scores[each][at] for each in left)
        kept = [each for each in left if scores[each][at] <= least * (1 + slack) + 1e-9]
        if len(kept) < len(left):
            lost += [(at, each) for each in left if each not in kept]
            left = kept
    winner = left[0]
    if len(left) == len(pacings) > 1:
        if scores[winner][0] == 1:
            return Best(winner, "No pacing is better than another: with none of them it ends.")
        return Best(winner, f"No pacing is better than another here; {winner} is the simplest.")
    reasons = [
        _MATTERS[at][0].format(
            mine=_shown(at, scores[winner][at]), other=other, its=_shown(at, scores[other][at])
        )
        for at, other in lost
    ]
    if len(pacings) == 1:
        reasons = ["it is the only one that was tried"]
    elif len(left) > 1:
        reasons.append(f"{' and '.join(left[1:])} would do as well")
    return Best(winner, f"{winner} is best: {'; '.join(reasons)}.")


#: What counts, in this order: how it is said, and by what part more is still the same.
_MATTERS: Final = (
    ("{mine} of its runs do not end, with {other} {its}", 0.0),
    ("no partition is without a leader for longer than {mine}, with {other} {its}", 0.0),
    ("no partition is below min.insync.replicas for longer than {mine}, with {other} {its}", 0.0),
    ("producers wait {mine} at most for replicas in sync, with {other} {its}", 0.0),
    ("it takes {mine} in 95% of its runs, with {other} {its}", 0.05),
    ("a broker replicates {mine} at its peak, with {other} {its}", 0.05),
)


def _score(own: Sequence[Summary]) -> tuple[float, ...]:
    waits = max(each.worst_wait_s for each in own)
    # What did not end has counted already.
    ends = [each.p95_s for each in own if each.p95_s is not None]
    return (
        sum(each.stuck + each.broken for each in own) / sum(each.runs for each in own),
        round(max(each.worst_leaderless_s for each in own)),
        round(max(each.worst_min_isr_s for each in own)),
        waits if waits > _WAIT else 0.0,
        max(ends, default=math.inf),
        max(each.peak for each in own),
    )


def _shown(at: int, value: float) -> str:
    if at == 0:
        return f"{value:.0%}" if value else "none"
    if at == len(_MATTERS) - 1:
        return f"{value / 1e6:.0f} MB/s"
    return seconds(value)


def seconds(value: float | None) -> str:
    """Write a time: 4.2 s, 12:30 or 1:02:03; never, if it did not end."""
    if value is None or math.isinf(value):
        return "never"
    if value < 60:
        return f"{value:.3g} s"
    hours, rest = divmod(round(value), 3600)
    text = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else text
