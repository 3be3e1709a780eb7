"""What is known of the znodes by which old tools order moves and elections: plain values.

Anybody writes them at any time, and no tool asks for a version. So a write of ours always does,
and what it leaves out has been dealt with.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from klamm.controller.core.ops import Delete, SetData
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import (
    Reassignment,
    TopicPartition,
    encode_reassign_partitions,
)

Targets = Mapping[TopicPartition, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AdminReassignments:
    """/admin/reassign_partitions; its dataVersion is None if there is none.

    `czxid` is the transaction that made it: another one is another znode. `entries` are the
    targets that it names, in its order. `accepted` is the set that is under way, which later
    writes change nothing of; all else in `entries` waits until the set is done. Of the set,
    `refused` cannot be carried out, and `overridden` has been given another target by a request
    while its entry stays (profile kip-455). `unclean`: the znode also holds what is no entry.
    `too_large`: the journal has been told that it cannot be written back.
    """

    version: int | None = None
    czxid: int = 0
    entries: Targets = field(default_factory=dict)
    accepted: Targets = field(default_factory=dict)
    refused: frozenset[TopicPartition] = frozenset()
    overridden: frozenset[TopicPartition] = frozenset()
    unclean: bool = False
    too_large: bool = False

    def target(self, name: TopicPartition) -> tuple[int, ...] | None:
        """Where the set under way moves this partition, if the znode still says so."""
        target = self.accepted.get(name)
        return target if target is not None and self.entries.get(name) == target else None

    def beyond(self) -> dict[TopicPartition, tuple[int, ...]]:
        """The entries that are not part of the set under way."""
        return {name: to for name, to in self.entries.items() if self.accepted.get(name) != to}

    def removal(self, kept: Targets, *, bears: bool = False) -> SetData | Delete:
        """The write that leaves these entries; without any the znode goes if it `bears` none."""
        if self.version is None:
            raise ValueError(f"{paths.REASSIGN_PARTITIONS} is not there to be written")
        if not (kept or bears):
            return Delete(paths.REASSIGN_PARTITIONS, self.version)
        data = encode_reassign_partitions(Reassignment(*name, to) for name, to in kept.items())
        return SetData(paths.REASSIGN_PARTITIONS, data, self.version)

    def after(
        self, kept: Targets, accepted: Targets, *, bears: bool = False
    ) -> "AdminReassignments":
        """What is known once `removal` is done; with the znode all that was about it goes."""
        if self.version is None or not (kept or bears):
            return AdminReassignments()
        left = self.taking(accepted)
        return replace(left, version=self.version + 1, entries=kept, unclean=False, too_large=False)

    def taking(self, accepted: Targets) -> "AdminReassignments":
        """What is known with this set under way; an entry that is new to it has not been judged."""
        old = {name for name, to in accepted.items() if self.accepted.get(name) == to}
        refused, overridden = self.refused & old, self.overridden & old
        return replace(self, accepted=accepted, refused=refused, overridden=overridden)

    def without(self, names: Collection[TopicPartition]) -> tuple[Targets, Targets]:
        """The entries, and of them the set under way, without those of these partitions."""
        gone = frozenset(names)
        kept = {name: to for name, to in self.entries.items() if name not in gone}
        return kept, {name: to for name, to in self.accepted.items() if name not in gone}

    def refusing(self, names: frozenset[TopicPartition]) -> "AdminReassignments":
        """What is known once the entries of these partitions have been found impossible."""
        return replace(self, refused=self.refused | names) if names else self

    def overriding(self, names: Collection[TopicPartition]) -> "AdminReassignments":
        """What is known once requests have given these partitions other targets."""
        return replace(self, overridden=self.overridden.union(names))


@dataclass(frozen=True, slots=True)
class AdminElection:
    """/admin/preferred_replica_election, its fields as above, and what it asks to be led.

    `held` says what came of it once that is durable, and only the znode has still to go; "" until
    then.
    """

    version: int | None = None
    czxid: int = 0
    partitions: tuple[TopicPartition, ...] = ()
    held: str = ""
