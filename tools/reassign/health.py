"""--pause-when-unhealthy: hold the next group back while the cluster is worse off than at first.

What was wrong before the run is no reason, nor is what happens to the plan's own partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from klamm.tools.admin import (
    Admin,
    PartitionDescription,
    TopicPartition,
)
from klamm.tools.admin.partitions import MIN_ISR, read_min_isrs, read_partitions
from klamm.tools.reassign.state import Target
from klamm.tools.reassign.texts import plural
from klamm.tools.reassign.waiting import Patience

#: So many partitions are named when many are concerned.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Health:
    """One look: the brokers that are there, and what ails partitions outside the plan.

    `holders` have replicas, or will by the plan: klamm's controllers are listed as brokers too.
    A partition is offline without a leader, and under-replicated while its ISR is short; a replica
    that a move adds does not count as missing (KIP-352).
    """

    brokers: frozenset[int] = frozenset()
    offline: frozenset[TopicPartition] = frozenset()
    under_min_isr: frozenset[TopicPartition] = frozenset()
    under_replicated: frozenset[TopicPartition] = frozenset()
    holders: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Fact:
    """Why a run pauses, and what would end the pause."""

    cause: str
    remedy: str


def judge(first: Health, now: Health) -> list[Fact]:
    """Say what has got worse, the gravest first; nothing if all is as it was or better."""
    facts = []
    if gone := sorted((first.brokers & first.holders) - now.brokers):
        who = f"broker{plural(len(gone))} {','.join(map(str, gone))}"
        facts.append(Fact(f"{who} vanished", f"{who} {'is' if len(gone) == 1 else 'are'} back"))
    for what, names in (
        ("offline", now.offline - first.offline),
        (f"under {MIN_ISR}", now.under_min_isr - first.under_min_isr - now.offline),
    ):
        if names:
            facts.append(
                Fact(f"{what} outside the plan: {_some(names)}", f"none of them is {what}")
            )
    before, after = len(first.under_replicated), len(now.under_replicated)
    if after > before:
        more = _some(now.under_replicated - first.under_replicated)
        facts.append(
            Fact(
                f"under-replicated partitions outside the plan grew from {before} to {after}:"
                f" {more}",
                f"no more than {before} are under-replicated",
            )
        )
    return facts


def look(admin: Admin, plan: Mapping[TopicPartition, Target]) -> Health:
    """Look at the whole cluster but the partitions of the plan; raises AdminError."""
    living = admin.describe_cluster().result().brokers
    holders = {broker for target in plan.values() for broker in target}
    moving = admin.list_partition_reassignments().result()
    known = read_partitions(admin)
    holders.update(broker for one in known.values() for broker in one.replicas)
    partitions = {name: one for name, one in known.items() if name not in plan}
    added = {name: len(move.adding_replicas) for name, move in moving.items()}
    short = {
        name: one
        for name, one in partitions.items()
        if len(one.isr) < len(one.replicas) - added.get(name, 0)
    }
    return Health(
        frozenset(living),
        frozenset(name for name, one in partitions.items() if one.leader is None),
        frozenset(_under_min_isr(admin, short)),
        frozenset(short),
        frozenset(holders),
    )


def _under_min_isr(
    admin: Admin, short: Mapping[TopicPartition, PartitionDescription]
) -> Iterable[TopicPartition]:
    """Pick those whose ISR is below their topic's minimum; only their topics are asked about."""
    least = read_min_isrs(admin, sorted({name.topic for name in short}))
    return [name for name, one in short.items() if len(one.isr) < least.get(name.topic, 0)]


@dataclass
class HealthGate:
    """Lets the next group pass as soon as the cluster is as well off as at the first look.

    `say` gets a line when a pause begins, when its reasons change, and when it ends.
    """

    read: Callable[[], Health]
    patience: Patience
    say: Callable[[str], None]
    first: Health = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.read()

    def __call__(self) -> None:
        """Wait; raises DeadlineError and whatever looking raises."""
        told: list[Fact] = []
        while facts := judge(self.first, self.read()):
            if facts != told:
                causes = "; ".join(fact.cause for fact in facts)
                remedies = ", and ".join(fact.remedy for fact in facts)
                self.say(f"Paused: {causes}. Nothing more is submitted until {remedies}.")
            told = facts
            self.patience.sleep(fact.remedy for fact in facts)
        if told:
            self.say("Going on: the cluster is as well as it was at the start.")


def _some(names: Collection[TopicPartition]) -> str:
    """Name a few."""
    first = ",".join(map(str, sorted(names)[:_NAMED]))
    more = len(names) - _NAMED
    return f"{first} and {more} more" if more > 0 else first
