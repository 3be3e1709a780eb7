"""The bytes that producers write and followers fetch, between all models, without I/O.

A shortcut, and meant as one: the simulated brokers have no Produce and no Fetch. Instead, this
fabric looks at what the models host and lets logs grow as time passes. It keeps to what a fetch
session would do: a follower gets data only in its leader's epoch and only if the leader counts it
among the replicas; it cuts its log back to the leader's end first; the leader learns its log end
offset; at the end it stays and fetches on, or falls behind when the log grows faster. A broker's
bandwidth goes both ways, in and out, and is shared fairly, as its throttles' rates are.

Logs on disk are brought up to date by `sync`, not continuously: call it before looking at them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.flows import Fetched as Fetched
from klamm.tools.brokers.flows import Flow, Flows, Link, Quota, Route, Source
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.pauses import Pauses
from klamm.tools.brokers.producers import Growth, Producers
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.storage import Log

#: A byte is whole that misses no more than this part: rates are fractions, bytes are not.
_WHOLE = 1e-6


class Replication:
    """All data of `models`, which is the caller's and may change at any time.

    After a change of a partition, of what is written to it, or of a broker as a whole, `refresh`
    must be told. `frozen` brokers fetch nothing, `slow` ones at most so many bytes per second, and
    those of `pauses` now and then. What is `reserved` of a broker's bandwidth, in and out, in bytes
    per second, others use.
    """

    def __init__(
        self,
        models: Mapping[int, BrokerModel],
        bandwidth: float,
        produce_rate: float = 0.0,
        copy_rate: float = math.inf,
    ) -> None:
        if not 0 < bandwidth < math.inf:
            raise ValueError(f"bandwidth is {bandwidth}: it must be a positive number of bytes/s")
        self._models = models
        self._bandwidth = bandwidth
        self._now = -math.inf
        self._flows = Flows(copy_rate)
        self._of: dict[TopicPartition, dict[int, Flow]] = {}
        self._stale = False
        self.producers = Producers(produce_rate)
        self.frozen: set[int] = set()
        self.slow: dict[int, float] = {}
        self.reserved: dict[int, tuple[float, float]] = {}
        self.pauses = Pauses()
        self.fetched: dict[int, Fetched] = {}
        #: Bytes that replicas which were being added have fetched from a broker, by broker.
        self.served_adding: dict[int, int] = {}
        #: Those bytes by the replica that has fetched them.
        self.added: dict[tuple[TopicPartition, int], int] = {}

    # --- time --------------------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        """When the next follower arrives at its leader's end, or a pause begins or ends."""
        self._share()
        return min(self._flows.deadline, self.pauses.deadline)

    def advance(self, now: float) -> None:
        """Let bytes flow until `now`, and report every follower that arrives, in order of time."""
        while (due := self.deadline) <= now:
            self._pass(due)
            if self.pauses.advance(due):
                self._stale = True
            for flow in self._flows.arrived():
                self._arrive(flow)
        self._pass(now)

    def _pass(self, now: float) -> None:
        self._flows.advance(now)
        self._now = now

    def _share(self) -> None:
        """Share all links anew if anything has changed; who cannot keep up begins to lag."""
        while self._stale:
            self._stale = False
            ways = {}
            finite = {}
            for id_, model in self._models.items():
                into, out = self.reserved.get(id_, (0.0, 0.0))
                ways[Link.OUT, id_] = max(0.0, self._bandwidth - out)
                most = min(max(0.0, self._bandwidth - into), self.slow.get(id_, math.inf))
                ways[Link.IN, id_] = 0.0 if self.pauses.pausing(id_) else most
                quotas = model.throttles.quotas
                if quotas.leader < math.inf:
                    finite[Link.LEADER_QUOTA, id_] = quotas.leader
                if quotas.follower < math.inf:
                    finite[Link.FOLLOWER_QUOTA, id_] = quotas.follower
            for flow in self._flows.share(ways, finite):
                self._fall_behind(flow)

    # --- logs --------------------------------------------------------------------------------

    def sync(self, names: Iterable[TopicPartition]) -> None:
        """Write into the logs of these partitions what has flowed until now."""
        for name in names:
            growth = self.producers.growth(name)
            if growth is not None:
                growth.log.end = max(growth.log.end, math.floor(growth.end(self._now) + _WHOLE))
            flows = self._of.get(name, {}).values()
            for flow in flows:
                self._sync(flow)
            if growth is not None or not all(flow.route.settled for flow in flows):
                self._report(name)

    def _sync(self, flow: Flow) -> None:
        growth = self._growth_of(flow)
        led = None if growth is None and flow.route.settled else self._led(flow)
        if led is None:
            return
        end = growth.end(self._now) if growth is not None else led.log.end
        reached = math.floor(end - self._flows.lag(flow) + _WHOLE)
        flow.log.end = max(flow.log.end, min(reached, led.log.end))
        self._count(flow)

    def _count(self, flow: Flow) -> None:
        """Add what a flow has carried since the last time to its broker's account."""
        account = self.fetched.setdefault(flow.follower, Fetched())
        carried = flow.log.end - flow.counted
        if flow.adding:
            account.adding += carried
            leader = flow.source.leader
            self.served_adding[leader] = self.served_adding.get(leader, 0) + carried
            replica = flow.name, flow.follower
            self.added[replica] = self.added.get(replica, 0) + carried
        else:
            account.others += carried
        flow.counted = flow.log.end

    def _report(self, name: TopicPartition) -> None:
        """Let leaders know where their followers are, and those what all members have."""
        flows = [flow for flow in self._of.get(name, {}).values() if self._led(flow)]
        leaders = {flow.source.leader for flow in flows}
        if (growth := self.producers.growth(name)) is not None:
            leaders.add(growth.source.leader)
        for leader in leaders:
            model = self._models.get(leader)
            led = model.replicas.get(name) if model else None
            if model is None or led is None or not led.leads:
                continue  # it has changed a moment ago, and is about to be looked at again
            ends = {flow.follower: flow.log.end for flow in flows if flow.source.leader == leader}
            model.progressed(self._now, name, ends)
        for flow in flows:
            led = self._led(flow)
            if led is not None and flow.route.settled:
                flow.log.high_watermark = min(flow.log.end, led.log.high_watermark)

    # --- what flows --------------------------------------------------------------------------

    def refresh(self, name: TopicPartition) -> None:
        """Look at one partition again, at the time of the last `advance`."""
        self.sync((name,))
        self._stale = True
        hosts = (model.replicas.get(name) for model in self._models.values())
        self.producers.follow(self._now, name, [host for host in hosts if host and host.leads])
        flows = self._of.setdefault(name, {})
        for broker in sorted({*self._models, *flows}):
            model = self._models.get(broker)
            replica = model.replicas.get(name) if model else None
            source = self._source(broker, replica) if replica else None
            flow = flows.get(broker)
            if flow is not None and (flow.source != source or flow.log is not _log(replica)):
                self._detach(flow)
                flow = None
            if replica is not None and source is not None and flow is None:
                self._attach(broker, replica, source)
        for flow in flows.values():
            route = self._route(flow, flow.route.settled)
            if route != flow.route:
                lag = self._flows.lag(flow)
                self._flows.take(flow)
                self._flows.put(flow, route, lag)
        if not flows:
            del self._of[name]

    def _growth_of(self, flow: Flow) -> Growth | None:
        """Return the growth of the log that a flow comes from, if it grows."""
        growth = self.producers.growth(flow.name)
        return growth if growth is not None and growth.source == flow.source else None

    def _source(self, broker: int, replica: Replica) -> Source | None:
        """Return where the follower gets data from now; None if nowhere."""
        if not replica.fetching or broker in self.frozen:
            return None
        leader = self._models.get(replica.leader)
        led = leader.replicas.get(replica.name) if leader else None
        if led is None or not led.serves(broker, replica.leader_epoch):
            return None
        return Source(replica.leader, replica.leader_epoch)

    def _led(self, flow: Flow) -> Replica | None:
        """Return the flow's source, unless it has gone or changed since."""
        leader = self._models.get(flow.source.leader)
        led = leader.replicas.get(flow.name) if leader else None
        serves = led is not None and led.serves(flow.follower, flow.source.leader_epoch)
        return led if serves else None

    def _route(self, flow: Flow, settled: bool) -> Route:
        growth = self._growth_of(flow)
        follower, leader = self._models[flow.follower], self._models[flow.source.leader]
        by_leader = by_follower = Quota.UNLISTED
        if leader.throttles.leads(flow.name):
            # The source of a throttled move serves the ISR first (RM.shouldLeaderThrottle).
            in_sync = flow.follower in leader.replicas[flow.name].isr
            by_leader = Quota.COUNTED if in_sync else Quota.LIMITED
        if follower.throttles.follows(flow.name):
            by_follower = Quota.COUNTED if settled else Quota.LIMITED
        return Route(
            flow.source.leader,
            flow.follower,
            growth.rate if growth is not None else 0.0,
            by_leader,
            by_follower,
            settled,
        )

    def _attach(self, broker: int, replica: Replica, source: Source) -> None:
        """Begin fetching: truncate, and tell the leader where the follower stands."""
        name, log = replica.name, replica.log
        leader = self._models[source.leader]
        end = leader.replicas[name].log.end
        log.cut_to(end)
        adding = broker in replica.adding
        flow = Flow(name, broker, source, log, adding, log.end, _NOWHERE)
        self._of[name][broker] = flow
        if log.end < end:
            growth = self._growth_of(flow)
            exact = growth.end(self._now) if growth is not None else end
            self._flows.put(flow, self._route(flow, settled=False), exact - log.end)
            leader.fetched(self._now, name, broker, log.end, stays=False)
        else:
            self._settle(flow)

    def _arrive(self, flow: Flow) -> None:
        self.sync((flow.name,))
        self._flows.take(flow)
        self._settle(flow)

    def _settle(self, flow: Flow) -> None:
        """Let a flow stay at its leader's end."""
        self._stale = True
        leader = self._models[flow.source.leader]
        led = leader.replicas[flow.name].log
        flow.log.end = led.end
        self._count(flow)
        self._flows.put(flow, self._route(flow, settled=True))
        leader.fetched(self._now, flow.name, flow.follower, led.end, stays=True)
        flow.log.high_watermark = led.high_watermark

    def _fall_behind(self, flow: Flow) -> None:
        """Let a flow lag whose leader's log grows faster than it can fetch."""
        self._stale = True
        self.sync((flow.name,))
        self._flows.take(flow)
        leader = self._models[flow.source.leader]
        leader.fetching_ended(self._now, flow.name, flow.follower, lags=True)
        self._flows.put(flow, self._route(flow, settled=False))

    def _detach(self, flow: Flow) -> None:
        """End fetching."""
        self._flows.take(flow)
        del self._of[flow.name][flow.follower]
        leader = self._models.get(flow.source.leader)
        if leader is not None:
            leader.fetching_ended(self._now, flow.name, flow.follower)

    # --- to look at --------------------------------------------------------------------------

    def lagging(self) -> Iterator[tuple[Flow, float]]:
        """Give the flows that are behind their leader's end now, and by how many bytes."""
        self._share()
        return self._flows.lagging()

    def rates(self) -> dict[int, tuple[float, float]]:
        """Return what brokers fetch and serve at this moment, in bytes per second, by broker."""
        self._share()
        rates = dict.fromkeys(self._models, (0.0, 0.0))
        for route, rate in self._flows.rates():
            fetched, served = rates.get(route.follower, (0.0, 0.0))
            rates[route.follower] = fetched + rate, served
            fetched, served = rates.get(route.leader, (0.0, 0.0))
            rates[route.leader] = fetched, served + rate
        return rates


_NOWHERE = Route(-1, -1, 0.0, Quota.UNLISTED, Quota.UNLISTED, False)


def _log(replica: Replica | None) -> Log | None:
    return replica.log if replica else None
