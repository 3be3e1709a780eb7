"""What producers write: how fast each partition's log grows, and whose log that is."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.flows import Source
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.storage import Log


@dataclass(slots=True, eq=False)
class Growth:
    """A leader's log that producers write to, at `rate` bytes per second from `since` on."""

    source: Source
    log: Log
    rate: float
    base: float
    since: float

    def end(self, now: float) -> float:
        """Return the log's end, with the fraction of a byte that is being written."""
        return self.base + self.rate * (now - self.since)


class Producers:
    """The rates of all partitions, and the logs that grow."""

    def __init__(self, rate: float) -> None:
        self._rate = _checked(rate)
        self._own: dict[TopicPartition, float] = {}
        self._growths: dict[TopicPartition, Growth] = {}

    def set_rate(self, rate: float, name: TopicPartition | None) -> None:
        """Set one partition's rate, or that of all without one of their own, in bytes per second.

        Raises ValueError for a rate below 0.
        """
        if name is None:
            self._rate = _checked(rate)
        else:
            self._own[name] = _checked(rate)

    def rate(self, name: TopicPartition) -> float:
        """Return what is written to a partition while it has a leader, in bytes per second."""
        return self._own.get(name, self._rate)

    def growth(self, name: TopicPartition) -> Growth | None:
        """Return the growth of a partition, if it grows."""
        return self._growths.get(name)

    def follow(self, now: float, name: TopicPartition, leaders: Iterable[Replica]) -> None:
        """Write to the newest of the brokers that believe to lead: so the metadata says."""
        rate = self.rate(name)
        newest = max(leaders, key=lambda led: (led.leader_epoch, led.broker), default=None)
        if newest is None or not rate:
            self._growths.pop(name, None)
            return
        source, log = Source(newest.broker, newest.leader_epoch), newest.log
        growth = self._growths.get(name)
        if growth is None or growth.source != source or growth.log is not log:
            self._growths[name] = Growth(source, log, rate, log.end, now)
        elif growth.rate != rate:
            self._growths[name] = Growth(source, log, rate, growth.end(now), now)


def _checked(rate: float) -> float:
    if not 0 <= rate < math.inf:
        raise ValueError(f"a produce rate is {rate}: it must be bytes/s, 0 or more")
    return rate
