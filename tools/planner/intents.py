"""The five things that people want of a plan, each as a goal; all raise PlanError."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor

from klamm.tools.planner.goal import Cluster, Goal, PlanError, listed
from klamm.tools.planner.racks import crowding
from klamm.tools.planner.snapshot import Partition

#: How far a broker's bytes may be from its share, unless somebody says otherwise.
TOLERANCE = 0.1


def generate(cluster: Cluster, topics: Collection[str], brokers: Collection[int]) -> Goal:
    """Put topics onto the brokers of a list, level among them, as the stock --generate does.

    Unlike it, whatever stands well stays where it is.
    """
    takers = _alive(cluster, brokers)
    chosen = _chosen(cluster, topics)
    off = frozenset(cluster.racks) - takers
    goal = _goal(cluster, chosen, chosen, off=off, givers=takers, takers=takers)
    return _levelled(goal, takers, 0.0)


def drain(
    cluster: Cluster, brokers: Collection[int], topics: Collection[str] | None = None
) -> Goal:
    """Empty brokers, dead ones too; what they do not hold is not touched."""
    off = _known(cluster, brokers)
    takers = cluster.alive - off
    if not takers:
        raise PlanError(
            f"But for {listed(sorted(off))} no broker is alive that could take anything; name"
            " fewer."
        )
    affected = {
        index: each
        for index, each in _chosen(cluster, topics).items()
        if off.intersection(each.replicas)
    }
    everything = dict(enumerate(cluster.snapshot.partitions))
    return _goal(cluster, affected, everything, off=off, givers=frozenset(), takers=takers)


def expand(
    cluster: Cluster,
    brokers: Collection[int],
    topics: Collection[str] | None = None,
    *,
    by_bytes: bool = False,
    tolerance: float = TOLERANCE,
) -> Goal:
    """Give new brokers their fair share; no other broker gets anything."""
    new = _alive(cluster, brokers)
    givers = cluster.alive - new
    if not givers:
        raise PlanError("Every broker is named as new; name only those that are to be filled.")
    everything = dict(enumerate(cluster.snapshot.partitions))
    goal = _goal(
        cluster,
        _chosen(cluster, topics),
        everything,
        givers=givers,
        takers=new,
        by_bytes=by_bytes,
    )
    even = _levelled(goal, cluster.alive, tolerance if by_bytes else 0.0)
    # Nobody takes from a new broker, gives below its own share, or has to come down to it.
    return replace(
        even,
        least={
            id_: low if id_ in new else min(low, goal.loads[id_]) for id_, low in even.least.items()
        },
        most={
            id_: max(goal.loads[id_], even.most[id_] if by_bytes else even.least[id_])
            for id_ in new
        },
    )


def replication_factor(cluster: Cluster, topics: Collection[str], factor: int) -> Goal:
    """Give every partition of some topics so many replicas; the others are not touched."""
    if not 1 <= factor <= len(cluster.alive):
        raise PlanError(
            f"Replication factor {factor} does not go with {len(cluster.alive)} brokers alive;"
            " it may be from 1 to that."
        )
    chosen = _chosen(cluster, topics)
    strict = [each for each in chosen.values() if each.min_isr > factor]
    if strict:
        raise PlanError(
            f"min.insync.replicas of {strict[0].topic} is {strict[0].min_isr}, and"
            f" {factor} replicas would never do for acks=all. Lower it first."
        )
    other = {at: each for at, each in chosen.items() if len(each.target) != factor}
    everything = dict(enumerate(cluster.snapshot.partitions))
    goal = _goal(cluster, other, everything, givers=frozenset(), takers=cluster.alive)
    return replace(goal, factors=dict.fromkeys(goal.partitions, factor))


def rebalance(
    cluster: Cluster,
    topics: Collection[str] | None = None,
    *,
    by_bytes: bool = False,
    tolerance: float = TOLERANCE,
) -> Goal:
    """Level replicas, or bytes within a tolerance, among all brokers that are alive."""
    everything = dict(enumerate(cluster.snapshot.partitions))
    goal = _goal(
        cluster,
        _chosen(cluster, topics),
        everything,
        givers=cluster.alive,
        takers=cluster.alive,
        by_bytes=by_bytes,
    )
    return _levelled(goal, cluster.alive, tolerance if by_bytes else 0.0)


def leaders(cluster: Cluster, topics: Collection[str] | None = None) -> Goal:
    """Level preferred leaders by the order of replicas alone: nothing is copied."""
    everything = dict(enumerate(cluster.snapshot.partitions))
    nobody = frozenset[int]()
    goal = _goal(cluster, _chosen(cluster, topics), everything, givers=nobody, takers=nobody)
    return replace(goal, leaders_only=True)


def _goal(
    cluster: Cluster,
    wanted: Mapping[int, Partition],
    counted: Mapping[int, Partition],
    *,
    givers: frozenset[int],
    takers: frozenset[int],
    off: frozenset[int] = frozenset(),
    by_bytes: bool = False,
) -> Goal:
    """Leave out what must not be planned for, and say why."""
    left_out = {}
    for partition in wanted.values():
        if partition.moving:
            left_out[partition.name] = "it is moving; wait for its end, or cancel that"
        elif not cluster.alive.intersection(partition.isr or partition.target):
            left_out[partition.name] = "no replica to copy from is alive; bring one back"
    chosen = {at: each for at, each in wanted.items() if each.name not in left_out}
    return Goal(
        cluster,
        chosen,
        {index: len(each.target) for index, each in chosen.items()},
        tuple(counted.values()),
        off,
        givers,
        takers,
        by_bytes=by_bytes,
        left_out=left_out,
    )


@dataclass(frozen=True)
class _Pool:
    """Brokers that share a load among themselves."""

    brokers: tuple[int, ...]
    load: int

    @property
    def share(self) -> float:
        return self.load / len(self.brokers)


def _levelled(goal: Goal, brokers: frozenset[int], tolerance: float) -> Goal:
    """Bound the load of brokers by their fair share; what nobody may move stays out of it."""
    least, most = {}, {}
    for pool in _pools(goal, brokers):
        for id_ in pool.brokers:
            least[id_] = floor(pool.share * (1 - tolerance))
            most[id_] = ceil(pool.share * (1 + tolerance))
    return replace(goal, least=least, most=most)


def _pools(goal: Goal, brokers: frozenset[int]) -> Iterable[_Pool]:
    """Return who shares with whom: everybody, or each rack by itself.

    Where each partition has just one replica in every rack, no rack can give to another.
    """
    racks = goal.cluster.racks
    members: dict[int, list[int]] = {}
    for id_ in sorted(brokers):
        members.setdefault(racks[id_], []).append(id_)
    apart = all(
        crowding(racks[id_] for id_ in each.target) == 0
        and {racks[id_] for id_ in each.target} == set(members)
        for each in goal.counted
    )
    total = sum(goal.weight(each) * len(each.target) for each in goal.counted)
    # What is on brokers that do not count here, and need not be left, is not theirs to share.
    elsewhere = sum(
        load for id_, load in goal.loads.items() if id_ not in brokers and id_ not in goal.off
    )
    if not apart:
        return [_Pool(tuple(sorted(brokers)), total - elsewhere)]
    return [
        _Pool(
            tuple(ids),
            sum(
                load
                for id_, load in goal.loads.items()
                if racks[id_] == rack and (id_ in brokers or id_ in goal.off)
            ),
        )
        for rack, ids in sorted(members.items())
    ]


def _chosen(cluster: Cluster, topics: Collection[str] | None) -> dict[int, Partition]:
    """Return the partitions of topics, or all if none are named."""
    known = {each.topic for each in cluster.snapshot.partitions}
    missing = sorted(set(topics or ()) - known)
    if missing:
        raise PlanError(
            f"There is no topic {listed(missing)} in the snapshot; it has"
            f" {listed(sorted(known)) or 'none'}."
        )
    return {
        index: each
        for index, each in enumerate(cluster.snapshot.partitions)
        if topics is None or each.topic in topics
    }


def _known(cluster: Cluster, brokers: Collection[int]) -> frozenset[int]:
    strange = sorted(set(brokers) - set(cluster.racks))
    if strange:
        raise PlanError(
            f"There is no broker {listed(strange)}; the snapshot has"
            f" {listed(sorted(cluster.racks)) or 'none'}."
        )
    return frozenset(brokers)


def _alive(cluster: Cluster, brokers: Collection[int]) -> frozenset[int]:
    dead = sorted(_known(cluster, brokers) - cluster.alive)
    if dead:
        raise PlanError(
            f"Broker {listed(dead)} is not alive and can take nothing; start it, or leave it out."
        )
    return frozenset(brokers)
