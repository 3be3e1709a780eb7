"""Who enters and leaves the ISRs of the partitions that one broker leads.

Sources: Kafka 3.9, Partition.maybeExpandIsr, maybeShrinkIsr; ReplicaManager.maybeShrinkIsr.
"""

import math
from collections.abc import Container, Iterable, Mapping

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.publisher import Accepted, Publisher, Verdict
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.settings import Times


class Membership:
    """Looks after `replicas`, which are the caller's, and publishes what must change.

    `alive` is, in every call, what the broker knows of who lives: no other may join.
    """

    def __init__(
        self,
        replicas: Mapping[TopicPartition, Replica],
        publisher: Publisher,
        times: Times,
        now: float,
    ) -> None:
        self._replicas = replicas
        self._publisher = publisher
        self._times = times
        self._waiting: set[TopicPartition] = set()
        self._retry_at = math.inf
        self._check_at = now + times.replica_lag_max / 2

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return min(self._check_at, self._retry_at)

    def fetched(self, replica: Replica, follower: int, alive: Container[int]) -> None:
        """Let a follower in that has just fetched, if it has come far enough."""
        if replica.awaits_a_joiner:
            self._waiting.add(replica.name)
        self._expand(replica, alive, follower)

    def settle(
        self, now: float, verdicts: Iterable[Verdict], alive: Container[int]
    ) -> list[TopicPartition]:
        """Take verdicts on published changes; return the partitions whose ISR is another now."""
        changed = []
        for verdict in verdicts:
            change = verdict.change
            replica = self._replicas.get(change.name)
            if replica is None:
                continue
            if isinstance(verdict, Accepted):
                before = replica.isr
                if replica.accepted(change, verdict.partition_epoch):
                    replica.left(now, before)
                    changed.append(change.name)
                    self._expand(replica, alive)
            elif replica.refused(change):
                # The followers' next fetches, or the next look at the laggards, try again.
                self._waiting.add(change.name)
                self._retry_at = min(self._retry_at, now + self._times.fetch_wait)
        return changed

    def retry(self, now: float, alive: Container[int]) -> None:
        """Try again for followers that stay at the leader's end without being members."""
        self._retry_at = math.inf
        for name in sorted(self._waiting):
            replica = self._replicas.get(name)
            if replica is not None and replica.awaits_a_joiner:
                self._expand(replica, alive)
            else:
                self._waiting.discard(name)

    def led_to_check(self, now: float) -> Iterable[TopicPartition]:
        """Return the led partitions if it is time to look for members that lag, else none."""
        if now < self._check_at:
            return ()
        return [name for name, replica in self._replicas.items() if replica.leads]

    def advance(self, now: float, alive: Container[int]) -> None:
        """Let members that lag leave, and try again for those that wait."""
        if now >= self._retry_at:
            self.retry(now, alive)
        lag_max = self._times.replica_lag_max
        if now >= self._check_at:
            self._check_at = now + lag_max / 2
            for replica in self._replicas.values():
                laggards = replica.laggards(now, lag_max)
                if laggards:
                    isr = tuple(member for member in replica.isr if member not in laggards)
                    self._publisher.submit(replica.propose(isr))

    def _expand(self, replica: Replica, alive: Container[int], fetcher: int | None = None) -> None:
        joiner = replica.joiner(alive, fetcher)
        if joiner is not None:
            self._publisher.submit(replica.propose((*replica.isr, joiner)))
