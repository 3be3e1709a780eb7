"""Bytes over time, broker by broker, in as many stretches whatever the time that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from klamm.tools.rehearsal.spec import Traffic

#: Stretches at most.
MOST: Final = 48


class TrafficCount:
    """Adds up what brokers fetch and serve; the stretches double when there are too many."""

    def __init__(self) -> None:
        self.width = 1.0
        self._into: dict[int, list[float]] = {}
        self._out: dict[int, list[float]] = {}

    def add(self, start: float, seconds: float, rates: Mapping[int, tuple[float, float]]) -> None:
        """Count `seconds` from `start` on, at these rates in and out by broker."""
        while start + seconds > self.width * MOST:
            self._double()
        for broker, (into, out) in rates.items():
            for rate, counts in ((into, self._into), (out, self._out)):
                if rate:
                    self._spread(counts.setdefault(broker, [0.0] * MOST), start, seconds, rate)

    def result(self, ids: Mapping[int, int], until: float) -> tuple[Traffic, ...]:
        """Return the stretches up to a time; `ids` are the brokers' by their numbers."""
        used = min(MOST, max(1, -int(-until // self.width)))
        return tuple(
            Traffic(
                id_,
                tuple(self._into.get(number, [0.0] * MOST)[:used]),
                tuple(self._out.get(number, [0.0] * MOST)[:used]),
            )
            for number, id_ in ids.items()
        )

    def _double(self) -> None:
        self.width *= 2
        for counts in (*self._into.values(), *self._out.values()):
            pairs = [counts[at] + counts[at + 1] for at in range(0, MOST, 2)]
            counts[:] = pairs + [0.0] * (MOST - len(pairs))

    def _spread(self, counts: list[float], start: float, seconds: float, rate: float) -> None:
        end = start + seconds
        at = int(start // self.width)
        while start < end and at < MOST:
            until = min(end, (at + 1) * self.width)
            counts[at] += (until - start) * rate
            start, at = until, at + 1
