"""An assignment in the making: who holds what, and what that comes to for each broker."""

from __future__ import annotations

from collections.abc import Iterable

from klamm.tools.planner.goal import Goal
from klamm.tools.planner.racks import allowed, crowding
from klamm.tools.planner.snapshot import Partition


class Layout:
    """The replicas of each partition of a goal, changed one by one; no rule is ever broken by it.

    `load` is in the goal's weights, `incoming` and `room` in bytes. Room is what is free today: a
    broker has it whatever order the moves are carried out in.
    """

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        racks, takers = goal.cluster.racks, sorted(goal.takers)
        self.now = {index: list(each.target) for index, each in goal.partitions.items()}
        self.load = dict(goal.loads)
        self.room = {
            id_: capacity - goal.cluster.bytes[id_]
            for id_, capacity in goal.cluster.capacities.items()
        }
        self.limits = {
            index: allowed(
                racks,
                each.target,
                [id_ for id_ in each.target if id_ not in goal.off],
                goal.factors[index],
                takers,
            )
            for index, each in goal.partitions.items()
        }

    def has_room(self, taker: int, partition: Partition) -> bool:
        """Tell whether a broker can store one more replica; one of no known capacity can."""
        return taker not in self.room or self.room[taker] >= partition.size_bytes

    def crowding_with(self, index: int, leaver: int | None, taker: int | None) -> int:
        """Return how crowded a partition's racks are after a change."""
        racks = self.goal.cluster.racks
        after = [racks[id_] for id_ in self.now[index] if id_ != leaver]
        if taker is not None:
            after.append(racks[taker])
        return crowding(after)

    def may_swap(self, index: int, leaver: int, taker: int) -> bool:
        """Tell whether a broker can take the place of another."""
        return (
            taker not in self.now[index]
            and self.has_room(taker, self.goal.partitions[index])
            and self.crowding_with(index, leaver, taker) <= self.limits[index]
        )

    def drop(self, index: int, leaver: int) -> None:
        """Take a replica away."""
        self.now[index].remove(leaver)
        self._count(index, leaver, -1)

    def add(self, index: int, taker: int) -> None:
        """Add a replica at the end."""
        self.now[index].append(taker)
        self._count(index, taker, 1)

    def swap(self, index: int, leaver: int, taker: int) -> None:
        """Put a broker in the place of another, in the order of the replicas too."""
        replicas = self.now[index]
        replicas[replicas.index(leaver)] = taker
        self._count(index, leaver, -1)
        self._count(index, taker, 1)

    def replace(self, index: int, replicas: Iterable[int]) -> None:
        """Set the replicas of a partition, and keep those that stay where they are in the order."""
        wanted = list(replicas)
        joiners = [id_ for id_ in wanted if id_ not in self.now[index]]
        for leaver in [id_ for id_ in self.now[index] if id_ not in wanted]:
            if joiners:
                self.swap(index, leaver, self._nearest(leaver, joiners))
            else:
                self.drop(index, leaver)
        for joiner in joiners:
            self.add(index, joiner)

    def moved(self) -> int:
        """Return how many replicas have to be copied."""
        parts = self.goal.partitions
        return sum(len(set(self.now[at]) - set(parts[at].target)) for at in parts)

    def amiss(self) -> int:
        """Return how far all loads are from what the goal allows, added up."""
        least, most = self.goal.least, self.goal.most
        short = sum(max(0, low - self.load[id_]) for id_, low in least.items())
        return short + sum(max(0, self.load[id_] - high) for id_, high in most.items())

    def _nearest(self, leaver: int, joiners: list[int]) -> int:
        """Take the joiner that stands in the same rack, if one does."""
        racks = self.goal.cluster.racks
        found = min(joiners, key=lambda id_: racks[id_] != racks[leaver])
        joiners.remove(found)
        return found

    def _count(self, index: int, broker: int, by: int) -> None:
        partition = self.goal.partitions[index]
        self.load[broker] += by * self.goal.weight(partition)
        # Only what was not there today takes room; what leaves gives none before it has gone.
        if broker in self.room and broker not in partition.replicas:
            self.room[broker] -= by * partition.size_bytes
