"""Followers' fetching as flows of bytes: who shares what with whom, and who arrives when.

Flows that are alike progress alike, so each group of them has one counter and one rate: a
thousand flows cost no more than one until they arrive. A flow lags, or it is settled: then it has
reached its leader's end, stays there, and takes what the leader's log grows by.
"""

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import NamedTuple

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.fairness import Demand, shares
from klamm.tools.brokers.storage import Log

#: Less than this many bytes to go is arrived: rates are fractions, bytes are not.
ARRIVED = 0.5

#: A flow is faster or slower than its leader's log grows only if it is so by more than this part.
_SAME = 1e-6


@unique
class Quota(Enum):
    """What a throttle is to a flow: nothing, a counter of its bytes, or a limit as well."""

    #: By identity: the hash of an Enum is a function of Python, and each flow asks for several.
    __hash__ = object.__hash__

    UNLISTED = "unlisted"
    COUNTED = "counted"
    LIMITED = "limited"


@unique
class Link(Enum):
    """What a broker has of each: its way in, its way out, and the rates of its two throttles."""

    __hash__ = object.__hash__

    IN = "in"
    OUT = "out"
    LEADER_QUOTA = "leader quota"
    FOLLOWER_QUOTA = "follower quota"


class Route(NamedTuple):
    """What makes flows alike; `growth` is what the leader's log grows by, in bytes per second."""

    leader: int
    follower: int
    growth: float
    leader_quota: Quota
    follower_quota: Quota
    settled: bool

    def links(self) -> tuple[tuple[Link, int], ...]:
        """Return everything that can hold such a flow back."""
        ways: tuple[tuple[Link, int], ...] = ((Link.OUT, self.leader), (Link.IN, self.follower))
        return ways + self.quotas(Quota.LIMITED)

    def quotas(self, kind: Quota) -> tuple[tuple[Link, int], ...]:
        """Return the throttles that are this to such a flow."""
        found: tuple[tuple[Link, int], ...] = ()
        if self.leader_quota is kind:
            found += ((Link.LEADER_QUOTA, self.leader),)
        if self.follower_quota is kind:
            found += ((Link.FOLLOWER_QUOTA, self.follower),)
        return found


class Source(NamedTuple):
    """Whom a follower fetches from, and in which leader epoch."""

    leader: int
    leader_epoch: int


@dataclass(slots=True, eq=False)
class Flow:
    """One follower's fetching of one partition.

    `adding` says that the follower was in AddingReplicas when it began. `counted` is the end of
    its log when its bytes were last counted. `arrives_at` is the progress of its group at which it
    will have reached its leader's end.
    """

    name: TopicPartition
    follower: int
    source: Source
    log: Log
    adding: bool
    counted: int
    route: Route
    arrives_at: float = 0.0


@dataclass(slots=True)
class Fetched:
    """Bytes that a broker has fetched: as a replica that was being added, and as any other.

    Nothing is decided by it; it is what a throttle of reassignment traffic alone would count.
    """

    adding: int = 0
    others: int = 0


@dataclass(slots=True)
class _Group:
    """Flows of one route. `rate` is what each of them gets, `progress` what each has gained.

    `most` is what each takes and no more, and `counted` the throttles that only count it.
    """

    route: Route
    most: float
    links: tuple[tuple[Link, int], ...] = ()
    counted: tuple[tuple[Link, int], ...] = ()
    flows: dict[TopicPartition, Flow] = field(default_factory=dict)
    queue: list[tuple[float, TopicPartition]] = field(default_factory=list)
    progress: float = 0.0
    rate: float = 0.0
    _demand: Demand[tuple[Link, int]] | None = None

    def __post_init__(self) -> None:
        self.links, self.counted = self.route.links(), self.route.quotas(Quota.COUNTED)

    @property
    def demand(self) -> Demand[tuple[Link, int]]:
        """What its flows take of their links. Most groups are the same from share to share."""
        if self._demand is None or self._demand.count != len(self.flows):
            self._demand = Demand(len(self.flows), self.links, self.most)
        return self._demand

    @property
    def gain(self) -> float:
        """Bytes per second by which lagging flows come nearer to their leader's end."""
        gain = self.rate - self.route.growth
        return 0.0 if abs(gain) <= _SAME * self.route.growth else gain

    def first(self) -> Flow | None:
        """Return the lagging flow that is nearest to its leader's end."""
        while self.queue:
            arrives_at, name = self.queue[0]
            flow = self.flows.get(name)
            if flow is not None and flow.arrives_at == arrives_at:
                return flow
            heapq.heappop(self.queue)
        return None


class Flows:
    """All flows, in groups. `advance` moves time; `share` must follow every other change.

    `copy_rate` is what a lagging flow takes at most, in bytes per second: a follower has one fetch
    under way, of so many bytes of each partition (replica.fetch.max.bytes).
    """

    def __init__(self, copy_rate: float = math.inf) -> None:
        if not copy_rate > 0:
            raise ValueError(f"a copy rate is {copy_rate}: it must be more than 0 bytes/s")
        self._copy_rate = copy_rate
        self._groups: dict[Route, _Group] = {}
        #: Those of the groups that lag, in the same order: only they come nearer to any end.
        self._lagging: dict[Route, _Group] = {}
        self._now = -math.inf
        #: None: it is to be worked out anew.
        self._deadline: float | None = None
        #: What the rates were shared of; None after a change of flows that take any.
        self._shared: tuple[object, object] | None = None

    def put(self, flow: Flow, route: Route, lag: float = 0.0) -> None:
        """Add a flow that is this many bytes behind its leader's end."""
        self._deadline = None
        group = self._groups.get(route)
        if group is None:
            most = route.growth if route.settled else self._copy_rate
            group = self._groups[route] = _Group(route, most)
            if not route.settled:
                self._lagging[route] = group
        flow.route, flow.arrives_at = route, group.progress + lag
        group.flows[flow.name] = flow
        self._changed(route)
        if not route.settled:
            heapq.heappush(group.queue, (flow.arrives_at, flow.name))

    def take(self, flow: Flow) -> None:
        """Remove a flow."""
        self._deadline = None
        self._changed(flow.route)
        group = self._groups[flow.route]
        del group.flows[flow.name]
        if not group.flows:
            del self._groups[flow.route]
            self._lagging.pop(flow.route, None)

    def _changed(self, route: Route) -> None:
        if route.growth or not route.settled:
            self._shared = None

    def lag(self, flow: Flow) -> float:
        """Return how many bytes a flow is behind its leader's end now."""
        if flow.route.settled:
            return 0.0
        return max(0.0, flow.arrives_at - self._groups[flow.route].progress)

    def advance(self, now: float) -> None:
        """Let every lagging flow gain what its rate gives it until `now`."""
        seconds, self._now = now - self._now, now
        self._deadline = None
        if 0 < seconds < math.inf:
            for group in self._lagging.values():
                group.progress += group.gain * seconds

    @property
    def deadline(self) -> float:
        """When the next flow arrives, if all stays as it is."""
        if self._deadline is None:
            self._deadline = min(map(self._arrival, self._lagging.values()), default=math.inf)
        return self._deadline

    def _arrival(self, group: _Group) -> float:
        first = group.first() if group.queue and group.gain > 0 else None
        if first is None:
            return math.inf
        return self._now + max(0.0, first.arrives_at - group.progress) / group.gain

    def arrived(self) -> list[Flow]:
        """Return, in order, the flows that are at their leader's end and outrun its growth."""
        found = []
        self._deadline = None
        for group in self._lagging.values():
            while group.gain > 0 and (flow := group.first()) is not None:
                if flow.arrives_at - group.progress > ARRIVED:
                    break
                heapq.heappop(group.queue)
                found.append(flow)
        return sorted(found, key=lambda flow: (flow.follower, flow.name))

    def share(
        self, ways: Mapping[tuple[Link, int], float], quotas: Mapping[tuple[Link, int], float]
    ) -> list[Flow]:
        """Give every flow its fair rate; return settled ones, in order, that cannot keep up.

        `ways` and `quotas` are in bytes per second. What a throttle counts and does not limit goes
        before what it limits. Its rate is kept exactly, while Kafka's brokers measure over eleven
        seconds and let each fetch through that starts below the rate.
        """
        if self._shared == (ways, quotas):
            return []
        self._shared = dict(ways), dict(quotas)
        self._deadline = None
        demands = {
            route: group.demand
            for route, group in self._groups.items()
            if route.growth or not route.settled
        }
        rates: Mapping[Route, float] = {}
        if demands:
            rates = shares(demands, {**ways, **self._left(demands, ways, quotas)})
        slow: list[Flow] = []
        for route, group in self._groups.items():
            group.rate = rates.get(route, 0.0)
            if route.settled and group.gain < 0:
                slow += group.flows.values()
        return sorted(slow, key=lambda flow: (flow.follower, flow.name))

    def _left(
        self,
        demands: Mapping[Route, Demand[tuple[Link, int]]],
        ways: Mapping[tuple[Link, int], float],
        quotas: Mapping[tuple[Link, int], float],
    ) -> dict[tuple[Link, int], float]:
        """Return what each throttle has left for the flows that it limits."""
        left = dict(quotas)
        counted = {route: self._groups[route].counted for route in demands if quotas}
        if any(counted.values()):
            first = shares(demands, {**ways, **dict.fromkeys(quotas, 0.0)})
            for route, throttles in counted.items():
                for throttle in throttles:
                    if throttle in left:
                        left[throttle] -= first[route] * demands[route].count
        return {throttle: max(0.0, rate) for throttle, rate in left.items()}

    def lagging(self) -> Iterator[tuple[Flow, float]]:
        """Give the flows that are behind their leader's end, and by how many bytes."""
        for group in self._lagging.values():
            for flow in group.flows.values():
                yield flow, max(0.0, flow.arrives_at - group.progress)

    def rates(self) -> Iterator[tuple[Route, float]]:
        """Give what the flows of each route carry together, in bytes per second."""
        for route, group in self._groups.items():
            if group.rate:
                yield route, group.rate * len(group.flows)
