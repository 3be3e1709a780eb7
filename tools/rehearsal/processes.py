"""Runs in several processes of this machine."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

import msgspec

Item = TypeVar("Item", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)

#: Pieces of work that are handed out to a process before results are asked for.
_AHEAD = 4


class Processes:
    """A runner (see `klamm.tools.planner.runner`) with so many processes."""

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results in the order of the items."""
        if self._count == 1:
            yield from map(function, items)
            return
        # Processes that were forked would share locks with threads of this one.
        spawned = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self._count, mp_context=spawned) as pool:
            under_way: deque[Future[Result]] = deque()
            try:
                for item in items:
                    under_way.append(pool.submit(function, item))
                    if len(under_way) >= _AHEAD * self._count:
                        yield under_way.popleft().result()
                while under_way:
                    yield under_way.popleft().result()
            finally:
                for future in under_way:
                    future.cancel()
