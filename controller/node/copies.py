"""What the controller has last heard of followers' copying, for whoever asks.

Simulated brokers tell it, Kafka's are polled. Kept is the latest of partitions that move, or that
were asked for a while ago; nothing of it survives the office, or is decided on here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import ClusterState, TopicPartition

#: For so long what was asked for is of interest, though it does not move.
WANTED_MS = 60_000
#: So many partitions can be of interest only for having been asked for.
MOST_WANTED = 10_000
#: How often what is of no interest any more is forgotten.
SWEEP_MS = 10_000

_NEVER = -1


class Copied(NamedTuple):
    """What was last heard of a follower, at `at_ms`, and what it comes to with all before.

    `fetched_ms` is when it was last seen to have got something, or to have all; `in_sync_ms` when
    it was last heard of as a member of the ISR; both -1 for never.
    """

    follower_end: int
    leader_end: int
    at_ms: int
    fetched_ms: int
    in_sync_ms: int
    max_lag: int

    @property
    def lag(self) -> int:
        """Records that the leader has and the follower has not."""
        return max(0, self.leader_end - self.follower_end)


@dataclass(slots=True)
class Copies:
    """One office's knowledge, by partition and follower."""

    latest: dict[TopicPartition, dict[int, Copied]] = field(default_factory=dict)
    #: Until when each partition is of interest that somebody has asked for, in order of asking.
    wanted: dict[TopicPartition, int] = field(default_factory=dict)
    _sweep_at_ms: int = 0

    def of(self, name: TopicPartition) -> Mapping[int, Copied]:
        """Return what is known of a partition's followers."""
        return self.latest.get(name, {})

    def want(self, names: Iterable[TopicPartition], now_ms: int) -> None:
        """Note that somebody asks for these; who asked for others long ago gives way."""
        for name in names:
            self.wanted.pop(name, None)
            self.wanted[name] = now_ms + WANTED_MS
        for name in tuple(self.wanted)[: max(0, len(self.wanted) - MOST_WANTED)]:
            del self.wanted[name]

    def interesting(self, state: ClusterState, now_ms: int) -> Iterator[TopicPartition]:
        """Return the partitions that are asked for, then others that move."""
        asked = {name for name, until in self.wanted.items() if until > now_ms}
        yield from (name for name in self.wanted if name in asked)
        yield from (name for name, _ in state.moving() if name not in asked)

    def take(self, reports: Iterable[ReplicaProgress], at_ms: int, state: ClusterState) -> None:
        """Take what was heard of replicas; what is older than what is known says nothing."""
        for report in reports:
            partition = state.partition(report.partition)
            if partition is None or report.follower not in partition.assignment.replicas:
                continue
            if not (partition.assignment.moving or report.partition in self.wanted):
                continue
            known = self.latest.setdefault(report.partition, {})
            before = known.get(report.follower)
            if before is not None and before.at_ms > at_ms:
                continue
            members = partition.leadership.isr if partition.leadership else ()
            known[report.follower] = _copied(report, at_ms, report.follower in members, before)
        if at_ms >= self._sweep_at_ms:
            self._sweep(at_ms, state)

    def _sweep(self, now_ms: int, state: ClusterState) -> None:
        """Forget what is of no interest any more."""
        self._sweep_at_ms = now_ms + SWEEP_MS
        self.wanted = {name: until for name, until in self.wanted.items() if until > now_ms}
        for name in tuple(self.latest):
            partition = state.partition(name)
            if partition is None or not (partition.assignment.moving or name in self.wanted):
                del self.latest[name]
                continue
            for broker in self.latest[name].keys() - {*partition.assignment.replicas}:
                del self.latest[name][broker]


def _copied(report: ReplicaProgress, at_ms: int, member: bool, before: Copied | None) -> Copied:
    lag = max(0, report.leader_end - report.follower_end)
    moved = before is not None and before.follower_end != report.follower_end
    fetched_ms = before.fetched_ms if before else _NEVER
    in_sync_ms = before.in_sync_ms if before else _NEVER
    return Copied(
        report.follower_end,
        report.leader_end,
        at_ms,
        at_ms if moved or not lag else fetched_ms,
        at_ms if member else in_sync_ms,
        max(lag, before.max_lag if before else 0),
    )
