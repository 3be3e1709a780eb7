"""How few replicas can bring brokers what they are short of: counting, without any solver.

A bound looks at less than a plan has to keep: racks and room do not count, and the last replica
may be a part of one. So a plan that moves more may still be the best there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, inf
from typing import NamedTuple

#: Fractions of replicas add up to less than a whole one by no more than this.
_ERROR = 1e-9


class Offer(NamedTuple):
    """A replica that may move: what it counts, and the broker that it leaves; None if it is new."""

    weight: int
    giver: int | None


def fewest(offers: Iterable[Offer], amount: int, budgets: Mapping[int, int] | None = None) -> int:
    """Return how many of the offers it takes at least to reach an amount; all, if they do not.

    The offers are sorted, the largest first. A broker in `budgets` gives no more than that.

    >>> fewest([Offer(5, 1), Offer(4, 1), Offer(2, 2)], 7)
    2
    >>> fewest([Offer(5, 1), Offer(4, 1), Offer(2, 2)], 7, {1: 5})
    2
    >>> fewest([Offer(5, 1), Offer(4, 1), Offer(2, 2), Offer(2, 2)], 8, {1: 4})
    3
    """
    count: float = 0.0
    left = dict(budgets or {})
    for weight, giver in offers:
        if amount <= 0:
            break
        most: float = inf if giver is None else left.get(giver, inf)
        given = min(weight, amount, most)
        if given <= 0:
            continue
        # A part of a replica counts as such: what fills a budget best may be several small ones.
        count += given / weight
        amount -= int(given)
        if giver in left:
            left[giver] -= int(given)
    return ceil(count - _ERROR)
