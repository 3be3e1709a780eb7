"""How far moves have come: bytes, partitions, rate, time left, the slowest; without I/O or clock.

Whoever watches moves says what it saw and when; where the bytes come from does not matter here.
"""

from collections import deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from klamm.controller.core.model import TopicPartition

WINDOW_SECONDS = 3.0
SLOWEST = 5


class Copy(NamedTuple):
    """A replica that a move adds: `done` of `total` bytes are on the broker."""

    name: TopicPartition
    broker: int
    done: int
    total: int

    @property
    def left(self) -> int:
        """Bytes still to copy."""
        return max(0, self.total - self.done)


class Pace(Enum):
    """What the bytes of the last seconds mean for the end."""

    UNKNOWN = "unknown"
    MOVING = "moving"
    STALLED = "stalled"
    FALLING_BEHIND = "falling behind"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment. `rate` is in bytes per second, `seconds_left` None unless the pace is MOVING.

    `slowest` are the moves in flight that lack the greatest share, the worst first.
    """

    done: int
    total: int
    partitions_done: int
    partitions: int
    rate: float
    pace: Pace
    seconds_left: float | None
    slowest: tuple[Copy, ...]

    @property
    def share(self) -> float:
        """How much of the bytes is there, from 0 to 1."""
        return self.done / self.total if self.total else 1.0


class _Sample(NamedTuple):
    now: float
    done: int
    left: int


class Progress:
    """Keeps account of moves; `window` is the time in seconds that the rate is taken over.

    Producers may write meanwhile: totals grow, and who gains no ground on them is falling behind
    and has no time left to tell.
    """

    def __init__(self, copies: Iterable[Copy], window: float = WINDOW_SECONDS) -> None:
        self._copies = {(copy.name, copy.broker): copy for copy in copies}
        self._window = window
        self._samples: deque[_Sample] = deque()

    def add(self, copies: Iterable[Copy]) -> None:
        """Take in moves that were found later; what they have already is nobody's pace."""
        for copy in copies:
            if (copy.name, copy.broker) not in self._copies:
                self._copies[copy.name, copy.broker] = copy
                self._samples = deque(
                    _Sample(now, done + copy.done, left + copy.left)
                    for now, done, left in self._samples
                )

    def drop(self, names: AbstractSet[TopicPartition]) -> None:
        """Strike out moves that were cancelled."""
        self._copies = {key: copy for key, copy in self._copies.items() if key[0] not in names}
        self._samples.clear()  # what was copied for them is no pace of the others

    def update(
        self, now: float, seen: Iterable[Copy], in_flight: AbstractSet[TopicPartition]
    ) -> Snapshot:
        """Take what is seen at a time that never goes back; moves not in flight are finished."""
        for copy in seen:
            if (copy.name, copy.broker) in self._copies:
                self._copies[copy.name, copy.broker] = copy
        for key, copy in self._copies.items():
            if copy.name not in in_flight:
                self._copies[key] = copy._replace(done=copy.total)
        copies = self._copies.values()
        done, total = sum(copy.done for copy in copies), sum(copy.total for copy in copies)
        names = {copy.name for copy in copies}
        sample = _Sample(now, done, sum(copy.left for copy in copies))
        rate, pace, seconds_left = self._pace(sample, finished=names.isdisjoint(in_flight))
        if pace is Pace.DONE and in_flight:
            pace = Pace.UNKNOWN  # nothing is copied for what is left
        open_copies = [copy for copy in copies if copy.name in in_flight]
        open_copies.sort(key=lambda copy: (copy.done / copy.total if copy.total else 1.0, copy))
        return Snapshot(
            done,
            total,
            len(names - in_flight),
            len(names),
            rate,
            pace,
            seconds_left,
            tuple(open_copies[:SLOWEST]),
        )

    def _pace(self, sample: _Sample, *, finished: bool) -> tuple[float, Pace, float | None]:
        samples = self._samples
        samples.append(sample)
        while len(samples) > 2 and samples[1].now <= sample.now - self._window:
            samples.popleft()
        first = samples[0]
        seconds = sample.now - first.now
        rate = (sample.done - first.done) / seconds if seconds > 0 else 0.0
        if finished:
            return rate, Pace.DONE, None
        if seconds <= 0:
            return rate, Pace.UNKNOWN, None
        gained = (first.left - sample.left) / seconds
        if gained > 0:
            return rate, Pace.MOVING, sample.left / gained
        return rate, Pace.FALLING_BEHIND if rate > 0 else Pace.STALLED, None
