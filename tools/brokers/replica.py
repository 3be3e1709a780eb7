"""One partition as one broker hosts it: leader, follower, or neither yet (kafka.cluster.Partition).

AddingReplicas and RemovingReplicas are kept to be shown and decide nothing: a broker knows its
replica list and no more of a reassignment than that.
"""

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrPartitionState
from klamm.tools.brokers.storage import Log


@dataclass(frozen=True, slots=True)
class IsrChange:
    """What a leader wants its partition's state to become, and the state that it starts from."""

    name: TopicPartition
    leader: int
    leader_epoch: int
    controller_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    topic_id: UUID | None = None


@dataclass(slots=True)
class Follower:
    """What a leader knows of a follower by its fetches (kafka.cluster.Replica).

    `end` is None before the first fetch. `fetching`: it has reached the leader's end and goes on
    fetching there, so it is caught up at every moment without being told so again; `lagging`: it
    fetches and has not. `served_at` is when it last got or had all there was, `in_sync_until` when
    it left the ISR, `max_lag` what it has lacked at most: nothing is decided by them.
    """

    end: int | None = None
    caught_up_at: float = -math.inf
    fetching: bool = False
    lagging: bool = False
    served_at: float = -math.inf
    in_sync_until: float = -math.inf
    max_lag: int = 0
    _fetched_at: float = -math.inf
    _leader_end_then: int | None = None

    def fetched(self, now: float, end: int, leader_end: int) -> None:
        """Note a fetch from `end`; being caught up can show one fetch late.

        Source: Replica.updateFetchStateOrThrow.
        """
        if end >= leader_end:
            self.caught_up_at = max(self.caught_up_at, now)
        elif self._leader_end_then is not None and end >= self._leader_end_then:
            self.caught_up_at = max(self.caught_up_at, self._fetched_at)
        self.note(now, end, leader_end)
        self._fetched_at = now
        self._leader_end_then = leader_end

    def note(self, now: float, end: int, leader_end: int) -> None:
        """Note how far it has come, without what that means for the ISR."""
        if end != self.end or end >= leader_end:
            self.served_at = now
        self.end = end
        self.max_lag = max(self.max_lag, leader_end - end)

    def reset(self, now: float, leader_end: int, in_sync: bool) -> None:
        """Start a new leader epoch: members of the ISR get the benefit of the doubt.

        Source: Replica.resetReplicaState.
        """
        self.caught_up_at = now if in_sync else -math.inf
        self.fetching = self.lagging = False
        if self.end is not None:
            self._fetched_at = self.caught_up_at
            self._leader_end_then = leader_end

    def is_caught_up(self, now: float, leader_end: int, lag_max: float) -> bool:
        """Tell whether it has everything, or had everything not long ago."""
        return self.fetching or self.end == leader_end or now - self.caught_up_at <= lag_max


@dataclass(slots=True)
class Replica:
    """A hosted partition. `fetching`: as a follower it wants the leader's data.

    `isr` is the committed one, known to leaders only; `pending` a change of it that is neither
    accepted nor known to be refused for good. Nothing else is proposed while there is one.
    """

    name: TopicPartition
    broker: int
    log: Log
    leader: int = NO_LEADER
    leader_epoch: int = -1
    partition_epoch: int = 0
    controller_epoch: int = 0
    replicas: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    isr: tuple[int, ...] = ()
    epoch_start: int = 0
    followers: dict[int, Follower] = field(default_factory=dict)
    pending: IsrChange | None = None
    fetching: bool = False

    @property
    def leads(self) -> bool:
        """Tell whether this broker leads the partition, as far as it knows."""
        return self.leader == self.broker

    def lead(self, now: float, order: LeaderAndIsrPartitionState) -> None:
        """Become leader, or stay it, in a new leader epoch (Partition.makeLeader)."""
        if order.partition_epoch < self.partition_epoch:
            return
        known = self.followers if self.leads else {}
        before = self.isr if self.leads else ()
        self._take(order)
        self.isr = order.isr
        self.epoch_start = self.log.end
        self.fetching = False
        self.followers = {
            broker: known.get(broker, Follower())
            for broker in order.replicas
            if broker != self.broker
        }
        for broker, follower in self.followers.items():
            follower.reset(now, self.epoch_start, broker in self.isr)
        self.left(now, before)

    def follow(self, order: LeaderAndIsrPartitionState) -> None:
        """Become follower in a new leader epoch (Partition.makeFollower)."""
        if order.partition_epoch < self.partition_epoch:
            return
        self._take(order)
        self.isr = ()
        self.followers = {}
        self.fetching = True

    def _take(self, order: LeaderAndIsrPartitionState) -> None:
        self.leader = order.leader
        self.leader_epoch = order.leader_epoch
        self.partition_epoch = order.partition_epoch
        self.controller_epoch = order.controller_epoch
        self.replicas = order.replicas
        self.adding = order.adding_replicas
        self.removing = order.removing_replicas
        self.pending = None

    def serves(self, broker: int, leader_epoch: int) -> bool:
        """Tell whether a fetch of this broker in this epoch gets data, not 74, 75 or 6."""
        return self.leads and leader_epoch == self.leader_epoch and broker in self.followers

    def fetched(self, now: float, broker: int, end: int, stays: bool) -> None:
        """Note a fetch of a follower that `serves` accepts; `stays` says that it goes on there."""
        follower = self.followers[broker]
        follower.fetched(now, end, self.log.end)
        follower.fetching, follower.lagging = stays, not stays

    def fetching_ended(self, now: float, broker: int, lags: bool = False) -> None:
        """Note that a follower has made its last fetch, or the last one at the leader's end."""
        follower = self.followers.get(broker)
        if follower is None:
            return
        if follower.fetching:
            follower.fetched(now, self.log.end, self.log.end)
            follower.fetching = False
        follower.lagging = lags

    def progressed(self, now: float, ends: Mapping[int, int]) -> None:
        """Note how far followers have come that lag."""
        for broker, end in ends.items():
            if not self.followers[broker].fetching:
                self.followers[broker].note(now, end, self.log.end)

    def left(self, now: float, before: Iterable[int]) -> None:
        """Note who is in the ISR no more, of those who were in it before."""
        for broker in before:
            if broker not in self.isr and broker in self.followers:
                self.followers[broker].in_sync_until = now

    def raise_high_watermark(
        self, now: float, alive: Container[int], lag_max: float, min_in_sync: int = 1
    ) -> None:
        """Move it up to what every member has, and every other follower that is about to join.

        Not while the ISR is smaller than min.insync.replicas, or than all replicas if those are
        fewer. Source: Partition.maybeIncrementLeaderHW, effectiveMinIsr.
        """
        if len(self.isr) < min(min_in_sync, len(self.replicas)):
            return
        members = {*self.isr, *(self.pending.isr if self.pending else ())}
        ends = [
            self.log.end if follower.fetching else -1 if follower.end is None else follower.end
            for broker, follower in self.followers.items()
            if broker in members
            or (broker in alive and follower.is_caught_up(now, self.log.end, lag_max))
        ]
        self.log.high_watermark = max(self.log.high_watermark, min([self.log.end, *ends]))

    def joiner(self, alive: Container[int], fetcher: int | None = None) -> int | None:
        """Return a follower whose fetch puts it into the ISR (Partition.maybeExpandIsr).

        That may be a fetch of `fetcher` now, or the next one of a follower that stays.
        """
        if not self.leads or self.pending is not None:
            return None
        bar = max(self.log.high_watermark, self.epoch_start)
        for broker, follower in self.followers.items():
            fetches = follower.fetching or broker == fetcher
            reached = follower.end is not None and follower.end >= bar
            reached |= follower.fetching
            if fetches and reached and broker not in self.isr and broker in alive:
                return broker
        return None

    @property
    def awaits_a_joiner(self) -> bool:
        """Tell whether a follower stays at the leader's end that is not in the ISR."""
        staying = (broker for broker, follower in self.followers.items() if follower.fetching)
        return self.leads and any(broker not in self.isr for broker in staying)

    def laggards(self, now: float, lag_max: float) -> tuple[int, ...]:
        """Return the ISR members that must leave it (getOutOfSyncReplicas)."""
        if not self.leads or self.pending is not None:
            return ()
        return tuple(
            broker
            for broker in self.isr
            if broker != self.broker
            and (
                broker not in self.followers
                or not self.followers[broker].is_caught_up(now, self.log.end, lag_max)
            )
        )

    def propose(self, isr: tuple[int, ...]) -> IsrChange:
        """Make a change of the ISR the pending one."""
        self.pending = IsrChange(
            self.name,
            self.broker,
            self.leader_epoch,
            self.controller_epoch,
            self.partition_epoch,
            isr,
            self.log.topic_id,
        )
        return self.pending

    def refused(self, change: IsrChange) -> bool:
        """Go back to the committed ISR; False if an order has overtaken the change."""
        if self.pending is not change:
            return False
        self.pending = None
        return True

    def accepted(self, change: IsrChange, partition_epoch: int) -> bool:
        """Commit the pending change; False if an order has overtaken it."""
        if not self.refused(change):
            return False
        self.isr = change.isr
        self.partition_epoch = partition_epoch
        return True
