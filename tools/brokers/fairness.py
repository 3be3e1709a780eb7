"""Max-min fair shares of links, by progressive filling.

All flows rise together. Whoever has what it wants stops; when a link is full, everybody on it
stops, and the others go on: nobody could get more without taking it from one who has no more.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)

#: Shares within this part of each other are equal: sums of fractions differ in the last digits.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Demand(Generic[L]):
    """`count` flows alike, each over all of `links`; each takes `most` and no more."""

    count: int
    links: tuple[L, ...]
    most: float = math.inf


class _Link(Generic[K]):
    """A link's room, the flows on it that still rise, and everybody who ever was on it."""

    __slots__ = ("load", "riders", "room")

    def __init__(self, capacity: float) -> None:
        self.room = capacity
        self.load = 0
        self.riders: list[K] = []

    def level(self) -> float:
        """Return how high the flows on it can rise together; there is one at least."""
        return max(0.0, self.room) / self.load


def shares(demands: Mapping[K, Demand[L]], capacities: Mapping[L, float]) -> dict[K, float]:
    """Return what one flow of each demand gets.

    A link without a capacity has no end: it holds nobody back.
    """
    rising = {key: demand for key, demand in demands.items() if demand.count}
    modest = sorted(rising, key=lambda key: -rising[key].most)  # the next one to be content last
    links: dict[L, _Link[K]] = {link: _Link(capacity) for link, capacity in capacities.items()}
    ways: dict[K, list[_Link[K]]] = {}
    for key, demand in rising.items():
        ways[key] = [links[link] for link in demand.links if link in links]
        for way in ways[key]:
            way.load += demand.count
            way.riders.append(key)
    rates: dict[K, float] = {}

    def stop(key: K, level: float) -> None:
        demand = rising.pop(key, None)
        if demand is not None:
            count, rates[key] = demand.count, min(level, demand.most)
            taken = count * rates[key]
            for way in ways[key]:
                way.load -= count
                way.room -= taken

    busy = list(links.values())
    while rising:
        while modest[-1] not in rising:
            modest.pop()
        busy = [each for each in busy if each.load]
        levels = [each.level() for each in busy]
        level = min(min(levels, default=math.inf), rising[modest[-1]].most)
        reach = level * (1 + TOLERANCE)
        full = [each for each, its in zip(busy, levels, strict=True) if its <= reach < math.inf]
        for each in full:
            for key in each.riders:
                stop(key, level)
        while modest and (modest[-1] not in rising or rising[modest[-1]].most <= reach):
            stop(modest.pop(), level)
    return rates
