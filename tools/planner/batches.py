"""A plan in portions: each bounded for every broker, and safe in any order.

No partition is in two portions, and what comes to a broker fits into what is free there today, so
no portion needs another to have been carried out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from klamm.tools.planner.plan import Change


@dataclass(frozen=True)
class Limit:
    """What may come to a broker, and be read from it, in one portion; None is no limit.

    A replica larger than `bytes` has its brokers to itself in a portion.
    """

    replicas: int | None = None
    bytes: int | None = None


@dataclass
class _Portion:
    changes: list[Change] = field(default_factory=list)
    replicas: Counter[tuple[str, int]] = field(default_factory=Counter)
    bytes: Counter[tuple[str, int]] = field(default_factory=Counter)

    def fits(self, flows: Counter[tuple[str, int]], size: int, limit: Limit) -> bool:
        return all(
            self.replicas[end] == 0
            or (
                (limit.replicas is None or self.replicas[end] + count <= limit.replicas)
                and (limit.bytes is None or self.bytes[end] + count * size <= limit.bytes)
            )
            for end, count in flows.items()
        )

    def add(self, change: Change, flows: Counter[tuple[str, int]]) -> None:
        self.changes.append(change)
        self.replicas.update(flows)
        for end, count in flows.items():
            self.bytes[end] += count * change.partition.size_bytes


def portions(changes: Iterable[Change], limit: Limit) -> list[tuple[Change, ...]]:
    """Divide changes, each into the first portion that has room at both ends for it.

    New copies are counted at those who get them and at the leader, whom all of them are read from.
    Changes that copy nothing are in the first portion.
    """
    found: list[_Portion] = []
    # Every portion before this one is full at one of the ends; looking there again is in vain.
    start: dict[tuple[str, int], int] = {}
    for change in changes:
        flows = Counter({("in", id_): 1 for id_ in change.joining})
        if change.joining:
            flows["out", change.source] = len(change.joining)
        at = max((start.get(end, 0) for end in flows), default=0)
        while at < len(found) and not found[at].fits(flows, change.partition.size_bytes, limit):
            at += 1
        if at == len(found):
            found.append(_Portion())
        found[at].add(change, flows)
        for end in flows:
            if limit.replicas is not None and found[at].replicas[end] >= limit.replicas:
                start[end] = max(start.get(end, 0), at + 1)
    return [tuple(portion.changes) for portion in found]
