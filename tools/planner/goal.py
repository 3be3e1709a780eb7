"""What a plan is to reach, whatever command asked for it: the input of the solving."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from klamm.tools.planner.bounds import Offer, fewest
from klamm.tools.planner.snapshot import Partition, Snapshot


class PlanError(Exception):
    """No plan can be made; the message names the value and the way out."""


@dataclass(frozen=True)
class Cluster:
    """The brokers of a snapshot as the planner sees them.

    `racks` numbers the rack of each broker. Without rack awareness every broker is alike: all
    stand in racks of their own, so that no choice is better than another.
    """

    snapshot: Snapshot
    racks: Mapping[int, int]
    alive: frozenset[int]
    capacities: Mapping[int, int]

    @staticmethod
    def of(snapshot: Snapshot, *, rack_aware: bool = True) -> Cluster:
        """Number the racks; raises PlanError where some brokers have one and others have none."""
        live = [broker for broker in snapshot.brokers if broker.alive]
        bare = [broker.id for broker in live if broker.rack is None]
        if rack_aware and bare and len(bare) < len(live):
            raise PlanError(
                f"Brokers {listed(bare)} have no rack, and others have one. Set broker.rack on"
                " them too, or give --disable-rack-aware."
            )
        named = {each.id: each.rack for each in snapshot.brokers}
        for partition in snapshot.partitions:
            for id_ in partition.replicas:
                named.setdefault(id_, None)
        keys = {
            id_: (0, rack, 0) if rack is not None and rack_aware else (1, "", id_)
            for id_, rack in named.items()
        }
        numbers = {key: number for number, key in enumerate(sorted(set(keys.values())))}
        return Cluster(
            snapshot,
            {id_: numbers[keys[id_]] for id_ in sorted(keys)},
            frozenset(broker.id for broker in live),
            {each.id: each.capacity_bytes for each in live if each.capacity_bytes is not None},
        )

    @cached_property
    def bytes(self) -> dict[int, int]:
        """What each broker stores, in bytes; a replica that is leaving is still there."""
        found = dict.fromkeys(self.racks, 0)
        for partition in self.snapshot.partitions:
            for id_ in partition.replicas:
                found[id_] += partition.size_bytes
        return found


@dataclass(frozen=True)
class Goal:
    """What is wanted of some partitions, and of the brokers that they are on.

    Weights are 1 a replica, or a replica's bytes if `by_bytes`; loads are sums of them over the
    `counted` partitions, among them some that may not change. `least` and `most` bound the load of
    those brokers that are to be levelled; a broker that is not in them may have any.
    """

    cluster: Cluster
    #: Those that may change, by their number in the snapshot.
    partitions: Mapping[int, Partition]
    #: How many replicas each is to have.
    factors: Mapping[int, int]
    counted: tuple[Partition, ...]
    #: Brokers that all of these partitions have to leave.
    off: frozenset[int]
    #: Brokers that may lose a replica for the sake of balance.
    givers: frozenset[int]
    #: Brokers that may get one.
    takers: frozenset[int]
    least: Mapping[int, int] = field(default_factory=dict)
    most: Mapping[int, int] = field(default_factory=dict)
    by_bytes: bool = False
    #: Replicas stay where they are, and only their order changes, of any of the partitions.
    leaders_only: bool = False
    #: Partitions that would have changed, and why they must not.
    left_out: Mapping[str, str] = field(default_factory=dict)

    def weight(self, partition: Partition) -> int:
        """Return what one replica of it counts."""
        return partition.size_bytes if self.by_bytes else 1

    @cached_property
    def loads(self) -> dict[int, int]:
        """The load of each broker before; a partition in the midst of a move counts as moved."""
        found = dict.fromkeys(self.cluster.racks, 0)
        for partition in self.counted:
            for id_ in partition.target:
                found[id_] += self.weight(partition)
        return found

    @cached_property
    def lower_bound(self) -> int:
        """The fewest replicas that any plan for this goal moves, as counting alone shows.

        Replicas on brokers to be left and those still missing must be put somewhere; what brings
        other brokers down to their most moves too; and so much must come as takes brokers up to
        their least, the largest first of those that fit.
        """
        needed = sum(
            max(0, self.factors[index] - len(set(partition.target) - self.off))
            for index, partition in self.partitions.items()
        )
        gives = sum(
            fewest(
                (
                    Offer(weight, None)
                    for weight, partition in self._by_weight
                    if id_ in partition.target
                ),
                self.loads[id_] - high,
            )
            for id_, high in self.most.items()
            if self.loads[id_] > high
        )
        return max(needed + gives, self._least_to_come())

    @cached_property
    def _by_weight(self) -> list[tuple[int, Partition]]:
        """What may change, the largest first."""
        weighed = [(self.weight(each), each) for each in self.partitions.values()]
        return sorted(weighed, key=lambda each: -each[0])

    def _least_to_come(self) -> int:
        """Return how many replicas it takes at least to bring every broker up to its least."""
        short = {
            id_: low - self.loads[id_] for id_, low in self.least.items() if low > self.loads[id_]
        }
        if not self.by_bytes:
            return sum(short.values())
        # Who gives nothing can take no replica that is more than all it may get.
        room = {
            id_: self.most[id_] - self.loads[id_]
            if id_ in self.most and id_ not in self.givers
            else math.inf
            for id_ in short
        }
        alone = sum(
            fewest(
                (
                    Offer(weight, None)
                    for weight, partition in self._by_weight
                    if weight <= room[id_] and id_ not in partition.target
                ),
                lacks,
            )
            for id_, lacks in short.items()
        )
        # All together get each replica once, and who takes nothing gives only what is above its
        # least.
        budgets = {
            id_: max(0, self.loads[id_] - self.least.get(id_, 0))
            for id_ in self.givers - self.takers
        }
        largest = max(room.values(), default=0)
        together = (
            Offer(weight, giver)
            for weight, partition in self._by_weight
            if weight <= largest
            for giver in self._sources(partition)
            if weight <= budgets.get(giver, weight)
        )
        return max(alone, fewest(together, sum(short.values()), budgets))

    def _sources(self, partition: Partition) -> Iterator[int]:
        """Yield who may lose a replica of a partition; of goals with bounds no factor grows."""
        return (id_ for id_ in partition.target if id_ in self.givers or id_ in self.off)


def listed(values: Iterable[object]) -> str:
    """Write values for people, sorted as they are: 1, 2, 3; of very many only the first ones."""
    texts = [str(value) for value in values]
    return ", ".join(texts[:20]) + (f" and {len(texts) - 20} more" if len(texts) > 20 else "")
