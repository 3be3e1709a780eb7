"""What is measured of a rehearsal while time passes: traffic, copies, and how long producers wait.

The lab's own meter looks at every flow whenever anything has happened, which is exact and takes
too long for a plan of hundreds of partitions. Here rates are counted all the time, by route, and
single flows are looked at now and then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from klamm.controller.znodes.topic import TopicZnode
from klamm.tools.lab.evidence.meter import Meter, Place
from klamm.tools.lab.evidence.site import Site
from klamm.tools.rehearsal.traffic import TrafficCount

if TYPE_CHECKING:
    from klamm.tools.lab.evidence.metered import MeteredWorld

#: What a lagging replica gains at least between two looks, as a part of its lag, to be coming on.
_GAINS: Final = 1e-6
#: How much of the time in which nothing has come on passes until the next look.
_PATIENCE: Final = 0.1


class Gauge(Meter):
    """Measures one world from this moment of its on; `every` are the seconds between two looks
    while copies come on.

    `copied` are the bytes that replicas being added have fetched until the last look, and
    `gained_at` is when one of them was seen last that had come nearer to its leader's end.
    """

    def __init__(self, site: Site, now: float, every: float = 10.0) -> None:
        super().__init__(site, now)
        self._begun = self.gained_at = now
        self.every = every
        self._lags: dict[Place, float] = {}
        self.traffic = TrafficCount()

    def elapse(self, world: MeteredWorld, seconds: float) -> None:
        """Count a stretch of time that is about to pass."""
        if seconds <= 0:
            return
        rates = world.cluster.replication.rates()
        for fetched, served in rates.values():
            self.peak_in = max(self.peak_in, fetched)
            self.peak_out = max(self.peak_out, served)
        self.traffic.add(world.now - self._begun, seconds, rates)

    def passed(self, world: MeteredWorld) -> None:
        """Look if it is time to."""
        if world.now >= self.next_look:
            self.look(world)

    def assigned(self, world: MeteredWorld, topic: str, znode: TopicZnode) -> None:
        """Nothing: copies are told apart in the end."""

    def look(self, world: MeteredWorld) -> None:
        """Look at every flow that lags, and at what was copied."""
        cluster = world.cluster
        lags: dict[Place, float] = {}
        for flow, lag in cluster.replication.lagging():
            led = cluster.brokers[flow.source.leader].replicas[flow.name]
            rate = cluster.replication.producers.rate(flow.name)
            if rate and flow.follower in led.isr:
                joined = world.joined.get((flow.name, flow.follower), world.now)
                self.worst_wait = max(self.worst_wait, min(lag / rate, world.now - joined))
            if flow.adding:
                lags[Place(flow.name, flow.follower)] = lag
        before = self._lags
        if any(lag < before.get(key, 0.0) * (1 - _GAINS) for key, lag in lags.items()):
            self.gained_at = world.now
        self._lags = lags
        # The longer nothing has come on, the less there is to see.
        self.next_look = world.now + max(self.every, _PATIENCE * (world.now - self.gained_at))
        cluster.replication.sync(sorted({place.name for place in lags}))
        self.copied = sum(each.adding for each in cluster.replication.fetched.values())

    @property
    def lags(self) -> dict[Place, float]:
        """How many bytes the replicas being added were behind at the last look."""
        return self._lags
