"""Who does many independent pieces of work: this process, or Spark's executors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

import msgspec

Item = TypeVar("Item", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)


class Runner(Protocol):
    """Applies a function to each item, and gives the results in the order of the items.

    `function` is a module's function that is annotated with its item and its result, both structs
    of msgspec: that is how they travel to other processes. What it raises is raised here.
    """

    def run(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results, each as soon as those before it are there."""


class Local:
    """Does the work in this process, one item after the other, each when it is asked for."""

    def run(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results; nothing is done before the first is asked for."""
        return map(function, items)
