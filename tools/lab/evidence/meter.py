"""What carrying a plan out costs a cluster, measured while it is carried out.

Rates and lags are looked at whenever time passes, at both ends of each stretch: between two of
them nothing changes but linearly. Disks are looked at every few seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.znodes.state import StateZnode
from klamm.controller.znodes.topic import TopicZnode
from klamm.tools.brokers.storage import Log
from klamm.tools.lab.evidence.site import Site

if TYPE_CHECKING:
    from klamm.tools.brokers.cluster import Cluster
    from klamm.tools.lab.evidence.metered import MeteredWorld

#: Seconds between two looks at the disks.
LOOK_EVERY = 10.0


class Place(NamedTuple):
    """A replica: of which partition, on which broker."""

    name: TopicPartition
    broker: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What a policy has cost.

    `seconds` is from the first request to the end of the last move, None if it did not end in
    time. `peak_in` and `peak_out` are the most that any broker fetched and served for replication
    at any time, in bytes per second. `worst_wait` is how long, in seconds, a record has waited for
    a member of the ISR, counted from when it was written, or from when the member joined: so long
    has a producer with acks=all. `under_min_isr` are seconds times partitions whose ISR was smaller
    than min.insync.replicas, or that had no leader: producers with acks=all get errors.

    `copied` are the bytes that replicas fetched while they were being added, `again` those of them
    that were thrown away with a replica that did not stay. `adding` is how many replicas were being
    copied at once at most, but for those that were in sync before and catch up. `extra_disk` are
    the most bytes that lay on all disks beyond what the replication factors ask for.
    """

    seconds: float | None
    peak_in: float
    peak_out: float
    worst_wait: float
    under_min_isr: float
    copied: int
    again: int
    adding: int
    extra_disk: int


class Meter:
    """Measures one world from this moment of its on."""

    def __init__(self, site: Site, now: float) -> None:
        self._site = site
        self._copies: dict[Place, Log] = {}
        self.next_look = now
        self._short = 0
        self.peak_in = self.peak_out = 0.0
        self.worst_wait = 0.0
        self.under_min_isr = 0.0
        self.kept = self.thrown = 0
        self.copied = 0
        self.adding = 0
        self.extra_disk = 0

    # --- time --------------------------------------------------------------------------------

    def elapse(self, world: MeteredWorld, seconds: float) -> None:
        """Count a stretch of time that is about to pass; nothing changes in it but by flowing."""
        if seconds <= 0:
            return
        for fetched, served in world.cluster.replication.rates().values():
            self.peak_in = max(self.peak_in, fetched)
            self.peak_out = max(self.peak_out, served)
        if world.acted:
            world.acted = False
            self._short = sum(starmap(self._is_short, world.states.items()))
            self._look_at_flows(world)
        self.under_min_isr += self._short * seconds

    def passed(self, world: MeteredWorld) -> None:
        """Look again at its end, before anybody has done anything about it."""
        self._look_at_flows(world)
        if world.now >= self.next_look:
            self.next_look = world.now + LOOK_EVERY
            self.look(world)

    def _is_short(self, name: TopicPartition, state: StateZnode) -> bool:
        return state.leader == NO_LEADER or len(state.isr) < self._site.in_sync_needed(name)

    def _look_at_flows(self, world: MeteredWorld) -> None:
        cluster, adding = world.cluster, 0
        for flow, lag in cluster.replication.lagging():
            led = cluster.brokers[flow.source.leader].replicas[flow.name]
            in_sync = flow.follower in led.isr
            if in_sync and (rate := cluster.replication.producers.rate(flow.name)):
                joined = world.joined.get((flow.name, flow.follower), world.now)
                self.worst_wait = max(self.worst_wait, min(lag / rate, world.now - joined))
            if flow.adding:
                place = Place(flow.name, flow.follower)
                self._note(world, place, flow.log)
                adding += place not in world.joined
        self.adding = max(self.adding, adding)

    # --- copies ------------------------------------------------------------------------------

    def _note(self, world: MeteredWorld, place: Place, log: Log) -> None:
        known = self._copies.get(place)
        if known is not log:
            if known is not None:
                self._throw(world, place)
            self._copies[place] = log

    def _throw(self, world: MeteredWorld, place: Place) -> None:
        self.thrown += world.cluster.replication.added.pop(place, 0)
        world.joined.pop(place, None)
        del self._copies[place]

    def assigned(self, world: MeteredWorld, topic: str, znode: TopicZnode) -> None:
        """Learn of a new assignment: a copy that is no longer being added, and stays, is kept."""
        replication = world.cluster.replication
        for place in [each for each in self._copies if each.name.topic == topic]:
            number = place.name.partition
            adding = place.broker in znode.adding.get(number, ())
            if not adding and place.broker in znode.partitions[number]:
                replication.sync((place.name,))
                self.kept += replication.added.pop(place, 0)
                del self._copies[place]

    def look(self, world: MeteredWorld) -> None:
        """Look at the disks: what was copied, what was thrown away, and how much there is."""
        cluster = world.cluster
        names = sorted({place.name for place in self._copies})
        cluster.replication.sync(names)
        for place, log in [*self._copies.items()]:
            if cluster.disks(place.broker).logs.get(place.name) is not log:
                self._throw(world, place)
        self.copied = sum(each.adding for each in cluster.replication.fetched.values())
        self.extra_disk = max(self.extra_disk, self._extra(cluster, names))

    def _extra(self, cluster: Cluster, names: Iterable[TopicPartition]) -> int:
        extra = 0
        disks = [cluster.disks(broker).logs for broker in range(1, self._site.brokers + 1)]
        for name in names:
            ends = [log.end for logs in disks if (log := logs.get(name)) is not None]
            wanted = len(self._site.plan[name]) * max(ends, default=0)
            extra += max(0, sum(ends) - wanted)
        return extra

    def result(self, world: MeteredWorld, seconds: float | None) -> Measured:
        """Return all of it."""
        self.look(world)
        return Measured(
            seconds,
            self.peak_in,
            self.peak_out,
            self.worst_wait,
            self.under_min_isr,
            self.copied,
            self.thrown,
            self.adding,
            self.extra_disk,
        )
