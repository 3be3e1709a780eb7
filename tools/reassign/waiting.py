"""Waiting: a clock that tests can turn, a deadline, and looks at partitions until they are done.

KIP-1335 waits for ever; the deadline is klamm's own, and nothing is cancelled when it passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, Protocol

from klamm.tools.admin import TopicPartition
from klamm.tools.reassign.state import PartitionState, Target, Verdict

Targets = Mapping[TopicPartition, Target]
Read = Callable[[Targets], Mapping[TopicPartition, PartitionState]]

#: For how long a partition must look wrong before it is taken to be.
DOUBT_SECONDS: Final = 5.0


class Clock(Protocol):
    """Time that passes: seconds since any moment."""

    def monotonic(self) -> float:
        """Return the time."""

    def sleep(self, seconds: float) -> None:
        """Let so much of it pass."""


class _SystemClock:
    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


SYSTEM_CLOCK: Final[Clock] = _SystemClock()


class DeadlineError(Exception):
    """The time is over; `waiting_for` is what was not complete yet."""

    def __init__(self, deadline_ms: int, waiting_for: Iterable[object]) -> None:
        names = ",".join(map(str, waiting_for))
        super().__init__(f"Timed out after {deadline_ms} ms waiting for: {names}")
        self.deadline_ms = deadline_ms


class InconsistentError(Exception):
    """A partition that was submitted is not moving and has not the replicas of the plan."""

    def __init__(self, state: PartitionState) -> None:
        super().__init__(state.inconsistency)
        self.state = state


class Patience:
    """How long to sleep between two looks, and when to give up: counted from its making.

    Both are in milliseconds; without a deadline it waits for ever.
    """

    def __init__(self, clock: Clock, poll_interval_ms: int, deadline_ms: int | None = None) -> None:
        self.clock = clock
        self._poll_interval = poll_interval_ms / 1000
        self._deadline_ms = deadline_ms
        self._end = None if deadline_ms is None else clock.monotonic() + deadline_ms / 1000

    def sleep(self, waiting_for: Iterable[object]) -> None:
        """Sleep for one interval, but not beyond the deadline; raises DeadlineError at it."""
        seconds = self._poll_interval
        if self._end is not None and self._deadline_ms is not None:
            left = self._end - self.clock.monotonic()
            if left <= 0:
                raise DeadlineError(self._deadline_ms, waiting_for)
            seconds = min(seconds, left)
        self.clock.sleep(seconds)


class Flight:
    """Partitions that were submitted and are not complete as far as was seen.

    The controller says that a move has ended, and a broker that has not heard of it yet says where
    the replicas were. So a partition that looks inconsistent is doubtful at first, and believed to
    be inconsistent when it looks so again after DOUBT_SECONDS.
    """

    def __init__(self, read: Read, clock: Clock) -> None:
        self.targets: dict[TopicPartition, Target] = {}
        self._read = read
        self._clock = clock
        self._doubtful_since: dict[TopicPartition, float] = {}

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def is_doubtful(self) -> bool:
        """Tell whether any partition looked inconsistent at the last look."""
        return bool(self._doubtful_since)

    def add(self, targets: Targets) -> None:
        """Take partitions in."""
        self.targets.update(targets)

    def look(self) -> None:
        """Drop what is complete; raises InconsistentError, and whatever reading raises."""
        now = self._clock.monotonic()
        doubtful = {}
        for name, state in self._read(self.targets).items():
            if state.verdict is Verdict.COMPLETE:
                del self.targets[name]
            elif state.verdict is Verdict.INCONSISTENT:
                since = doubtful[name] = self._doubtful_since.get(name, now)
                if now - since >= DOUBT_SECONDS:
                    raise InconsistentError(state)
        self._doubtful_since = doubtful


def await_complete(
    targets: Targets,
    read: Read,
    patience: Patience,
    after_look: Callable[[Collection[TopicPartition]], None] = lambda _: None,
) -> None:
    """Return when all partitions are complete; raises InconsistentError and DeadlineError.

    `after_look` is told after each look which ones are not.
    """
    flight = Flight(read, patience.clock)
    flight.add(targets)
    while True:
        flight.look()
        after_look(flight.targets)
        if not flight:
            return
        patience.sleep(flight.targets)
