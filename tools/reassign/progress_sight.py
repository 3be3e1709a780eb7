"""What a watch goes by: what one look at moves has shown, and what is said of those not done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from klamm.controller.handlers.k17904_describe_reassignments import DEFERRED
from klamm.tools.admin import (
    PartitionDescription,
    ReassignmentDetails,
    StepDetails,
    TopicPartition,
    TopicPartitionReplica,
)
from klamm.tools.reassign.copies import Copy
from klamm.tools.reassign.state import States


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a partition is not done; `lasts` if it will not pass by itself; maybe of one broker."""

    text: str
    lasts: bool = False
    broker: int | None = None


@dataclass(frozen=True, slots=True)
class Slow:
    """A partition that is not done: its least finished copy, None if it copies nothing."""

    name: TopicPartition
    copy: Copy | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look has shown: of the partitions, of their topics and of the brokers' disks.

    `details` are what klamm's controller says of moves; other controllers say nothing.
    `unthrottled` are topics that are known to have no throttled replicas.
    """

    states: States
    described: Mapping[TopicPartition, PartitionDescription] = field(default_factory=dict)
    brokers: Collection[int] = ()
    sizes: Mapping[TopicPartitionReplica, int] = field(default_factory=dict)
    details: Mapping[TopicPartition, ReassignmentDetails] = field(default_factory=dict)
    unthrottled: Collection[str] = ()

    def step(self, name: TopicPartition) -> StepDetails | None:
        """Return how far a move is that is made in steps, where the controller tells of them."""
        details = self.details.get(name)
        return None if details is None else details.step

    def waiting_for(self, name: TopicPartition) -> str | None:
        """Return what a move waits for, in the controller's words."""
        details = self.details.get(name)
        return None if details is None else details.waiting_for

    def is_deferred(self, name: TopicPartition) -> bool:
        """Tell whether a move waits for the end of a step of another."""
        step = self.step(name)
        return step is not None and step.waits == DEFERRED

    def is_due(self, copy: Copy) -> bool:
        """Tell whether a copy is to be made by now, and not in a later step or after a wait."""
        step = self.step(copy.name)
        return step is None or (
            copy.broker in step.hosted_replicas and not self.is_deferred(copy.name)
        )
