"""What a broker knows of those who copy what it leads: the port of request 17903."""

import math
import time
from collections.abc import Callable

import trio

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.copies import UNKNOWN, ReplicaStatus
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.replica import Replica


def wall_ms() -> int:
    """Return the milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class LedCopies:
    """The followers of a broker that runs; `carry_out` makes what requests come of looking."""

    def __init__(
        self,
        broker: int,
        cluster: Cluster,
        carry_out: Callable[[Effects], None],
        clock: Callable[[], int] = wall_ms,
    ) -> None:
        self._broker = broker
        self._cluster = cluster
        self._carry_out = carry_out
        self._clock = clock

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        """Return what the leader knows of a replica at this moment; None if it is not leader."""
        now = trio.current_time()
        self._carry_out(self._cluster.advance(now))
        led = self._cluster.led(self._broker, name)
        return None if led is None else status_of(led, broker, now, self._clock())

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        """Refuse what is the controller's to hear: its request is not served by brokers."""
        raise RuntimeError(f"broker {self._broker} is no controller that could hear {reports}")


def status_of(led: Replica, broker: int, now: float, now_ms: int) -> ReplicaStatus:
    """Return what a leader knows of a replica; `now` is the model's time, `now_ms` the wall's."""
    if broker == led.broker:
        return ReplicaStatus(now_ms, now_ms, UNKNOWN, 0, 0)

    def at(moment: float) -> int:
        return UNKNOWN if moment == -math.inf else now_ms - round((now - moment) * 1000)

    follower = led.followers.get(broker)
    if follower is None:
        return ReplicaStatus(now_ms)
    in_sync_ms = now_ms if broker in led.isr else at(follower.in_sync_until)
    if follower.fetching:
        return ReplicaStatus(now_ms, in_sync_ms, now_ms, 0, follower.max_lag)
    if follower.end is None:
        return ReplicaStatus(now_ms, in_sync_ms)
    lag = max(0, led.log.end - follower.end)
    max_lag = max(lag, follower.max_lag)
    return ReplicaStatus(now_ms, in_sync_ms, at(follower.served_at), lag, max_lag)
