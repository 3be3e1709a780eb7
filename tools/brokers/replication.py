"""The bytes that followers fetch, between all broker models of one process, without I/O.

A shortcut, and meant as one: the simulated brokers have no Produce and no Fetch. Instead, this
fabric looks at what the models host and moves bytes from leaders to followers as time passes. It
keeps to what a fetch session would do: a follower gets data only in its leader's epoch and only if
the leader counts it among the replicas; it cuts its log back to the leader's end first; the leader
learns its log end offset; at the end it stays and fetches on. A broker shares its bandwidth, in
bytes per second, equally among the partitions that it copies.

Left out so far: producers (a leader's log does not grow), throttles, bandwidth per pair.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.replica import Replica

#: Less than this many bytes to go is arrived: rates are fractions, bytes are not.
_ARRIVED = 0.5

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Source:
    """Whom a follower fetches from, and in which leader epoch."""

    leader: int
    leader_epoch: int


@dataclass(slots=True)
class _Copy:
    """A follower's way to its leader's end: bytes from `start` on."""

    source: _Source
    start: int
    to_go: float
    total: int

    @property
    def end(self) -> int:
        return self.start + max(0, self.total - math.ceil(self.to_go))


class Replication:
    """All fetching between `models`, which is the caller's and may change at any time.

    After a change of a partition, or of a broker as a whole, `refresh` must be told.
    """

    def __init__(self, models: Mapping[int, BrokerModel], bandwidth: float) -> None:
        if not 0 < bandwidth < math.inf:
            raise ValueError(f"bandwidth is {bandwidth}: it must be a positive number of bytes/s")
        self._models = models
        self._bandwidth = bandwidth
        self._now = -math.inf
        self._copies: dict[int, dict[TopicPartition, _Copy]] = {}
        self._settled: dict[int, dict[TopicPartition, _Source]] = {}
        self.frozen: set[int] = set()

    @property
    def deadline(self) -> float:
        """When the next follower arrives at its leader's end."""
        return min(map(self._arrival, self._copies), default=math.inf)

    def advance(self, now: float) -> None:
        """Move bytes until `now`, and report every follower that arrives, in order of time."""
        while self._copies:
            broker = min(self._copies, key=lambda broker: (self._arrival(broker), broker))
            arrival = self._arrival(broker)
            if arrival > now:
                break
            self._move(arrival)
            nearest = min(copy.to_go for copy in self._copies[broker].values())
            for name, copy in sorted(self._copies[broker].items()):
                if copy.to_go <= max(nearest, _ARRIVED):
                    self._arrived(name, broker, copy.source)
        self._move(now)

    def refresh(self, name: TopicPartition) -> None:
        """Look at one partition again, at the time of the last `advance`."""
        for broker, model in sorted(self._models.items()):
            replica = model.replicas.get(name)
            source = self._source(broker, replica) if replica else None
            if source != self._present(broker, name):
                self._detach(broker, name)
                if replica is not None and source is not None:
                    self._attach(broker, replica, source)
        gone = {*self._copies, *self._settled} - self._models.keys()
        for broker in sorted(gone):
            self._detach(broker, name)

    def _arrival(self, broker: int) -> float:
        copies = self._copies[broker].values()
        return self._now + min(copy.to_go for copy in copies) * len(copies) / self._bandwidth

    def _move(self, now: float) -> None:
        for broker, copies in self._copies.items():
            received = (now - self._now) * self._bandwidth / len(copies)
            logs = self._models[broker].disks.logs
            for name, copy in copies.items():
                copy.to_go = max(0.0, copy.to_go - received)
                logs[name].end = copy.end
        self._now = now

    def _source(self, broker: int, replica: Replica) -> _Source | None:
        """Return where the follower gets data from now; None if nowhere."""
        if not replica.fetching or broker in self.frozen:
            return None
        leader = self._models.get(replica.leader)
        led = leader.replicas.get(replica.name) if leader else None
        if led is None or not led.serves(broker, replica.leader_epoch):
            return None
        return _Source(replica.leader, replica.leader_epoch)

    def _present(self, broker: int, name: TopicPartition) -> _Source | None:
        copy = self._copies.get(broker, {}).get(name)
        return copy.source if copy else self._settled.get(broker, {}).get(name)

    def _attach(self, broker: int, replica: Replica, source: _Source) -> None:
        """Begin fetching: truncate, and tell the leader where the follower stands."""
        name = replica.name
        leader = self._models[source.leader]
        leader_end = leader.replicas[name].log.end
        replica.log.cut_to(leader_end)
        missing = leader_end - replica.log.end
        if missing:
            copy = _Copy(source, replica.log.end, missing, missing)
            self._copies.setdefault(broker, {})[name] = copy
            leader.fetched(self._now, name, broker, replica.log.end, stays=False)
        else:
            self._arrived(name, broker, source)

    def _arrived(self, name: TopicPartition, broker: int, source: _Source) -> None:
        _drop(self._copies, broker, name)
        self._settled.setdefault(broker, {})[name] = source
        leader = self._models[source.leader]
        led, log = leader.replicas[name].log, self._models[broker].replicas[name].log
        log.end = led.end
        leader.fetched(self._now, name, broker, log.end, stays=True)
        log.high_watermark = led.high_watermark

    def _detach(self, broker: int, name: TopicPartition) -> None:
        """End fetching, if there was any."""
        _drop(self._copies, broker, name)
        source = _drop(self._settled, broker, name)
        leader = self._models.get(source.leader) if source else None
        if leader is not None:
            leader.fetching_ended(self._now, name, broker)


def _drop(
    table: dict[int, dict[TopicPartition, _T]], broker: int, name: TopicPartition
) -> _T | None:
    """Remove and return an entry, and a broker without entries with it."""
    entries = table.get(broker, {})
    entry = entries.pop(name, None)
    if not entries:
        table.pop(broker, None)
    return entry
