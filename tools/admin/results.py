"""What a call gives at once: futures, one for each thing that it was asked about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")


def mapped(future: Future[V], make: Callable[[V], W]) -> Future[W]:
    """Return a future of what is made of another one's value; what `make` raises it fails with."""
    made: Future[W] = Future()
    made.set_running_or_notify_cancel()

    def settle(done: Future[V]) -> None:
        try:
            made.set_result(make(done.result()))
        except Exception as error:  # the other one's, or of what was asked of its value
            made.set_exception(error)

    future.add_done_callback(settle)
    return made


class Results(Generic[K, V]):
    """The futures of a call for many things, by thing, in the order of the question.

    `futures` has one for each; they end with a value or an `AdminError`, in any order.
    """

    def __init__(self, futures: Mapping[K, Future[V]]) -> None:
        self.futures = futures

    def all(self) -> Future[Mapping[K, V]]:
        """Return a future of all values; it fails with the first error in the question's order."""
        whole: Future[Mapping[K, V]] = Future()
        whole.set_running_or_notify_cancel()
        if not self.futures:
            whole.set_result({})
            return whole
        left = len(self.futures)
        lock = threading.Lock()

        def one_less(_: Future[V]) -> None:
            nonlocal left
            with lock:
                left -= 1
                is_last = left == 0
            if not is_last:
                return
            try:
                whole.set_result({key: future.result() for key, future in self.futures.items()})
            except Exception as error:  # any that a future failed with
                whole.set_exception(error)

        for future in self.futures.values():
            future.add_done_callback(one_less)
        return whole

    def result(self, timeout: float | None = None) -> Mapping[K, V]:
        """Wait for all values; raises the first error. `timeout` is in seconds."""
        return self.all().result(timeout)
