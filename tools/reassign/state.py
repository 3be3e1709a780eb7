"""How far the partitions of a plan are, as the cluster tells: what verify and pacing go by.

Nothing is remembered between two looks, so a tool that was killed goes on with what is there
(KIP-1335, Completion check; requirements of the stock tool's verify).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition
from klamm.tools.admin.partitions import read_partitions

#: The replicas that a plan wants a partition to have, in order, the preferred leader first.
Target = tuple[int, ...]


@unique
class Verdict(Enum):
    """What a look at a partition of the plan has shown."""

    MOVING = "moving"
    """The controller lists it."""
    CATCHING_UP = "catching up"
    """It is not listed and has its replicas, but not all of them are in the ISR."""
    COMPLETE = "complete"
    """It is not listed, has its replicas in the order of the plan, and all are in the ISR."""
    INCONSISTENT = "inconsistent"
    """It is not listed, and has other replicas, or the same in another order."""


@dataclass(frozen=True, slots=True)
class PartitionState:
    """One partition of the plan at one look.

    `current` are its replicas, those that are being added or removed included; none if there is
    no such partition. `isr` is empty for a partition that moves: nobody asked for it.
    """

    name: TopicPartition
    target: Target
    current: tuple[int, ...]
    isr: tuple[int, ...] = ()
    moving: bool = False

    @property
    def is_placed(self) -> bool:
        """Tell whether it rests on the replicas of the plan: what --verify calls completed."""
        return not self.moving and self.current == self.target

    @property
    def verdict(self) -> Verdict:
        """Judge it; this is the completion check of both paced modes (KIP-1335)."""
        if self.moving:
            return Verdict.MOVING
        if self.current != self.target:
            return Verdict.INCONSISTENT
        if set(self.isr) != set(self.target):
            return Verdict.CATCHING_UP
        return Verdict.COMPLETE

    @property
    def inconsistency(self) -> str:
        """The words that the stock tool has for a partition whose replicas are other ones."""
        return (
            f"There is no active reassignment of partition {self.name}, but replica set is"
            f" {_ids(self.current)} rather than {_ids(self.target)}."
        )


@dataclass(frozen=True, slots=True)
class States:
    """One look: the partitions asked about, in the order of the plan, and all that move at all."""

    partitions: Mapping[TopicPartition, PartitionState]
    moving: Mapping[TopicPartition, PartitionReassignment]


def read_states(admin: Admin, targets: Mapping[TopicPartition, Target]) -> States:
    """Look at the partitions: key 46 for everything, then the topics of those not listed there.

    Raises ApiError. A topic or partition that does not exist has no replicas.
    """
    moving = admin.list_partition_reassignments().result()
    at_rest = read_partitions(admin, {name.topic for name in targets if name not in moving})
    found = {}
    for name, target in targets.items():
        if (move := moving.get(name)) is not None:
            found[name] = PartitionState(name, target, move.replicas, moving=True)
        elif (partition := at_rest.get(name)) is not None:
            found[name] = PartitionState(name, target, partition.replicas, partition.isr)
        else:
            found[name] = PartitionState(name, target, ())
    return States(found, moving)


def _ids(replicas: Iterable[int]) -> str:
    return ",".join(map(str, replicas))
