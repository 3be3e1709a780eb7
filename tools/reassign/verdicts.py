"""What a cancel would do to a partition, under four rules by name. Pure, but for `of_cancel`.

A cancel takes away the replicas that a move adds. If only those are alive and in sync, nobody is
left to lead (KAFKA-14424), and if one of them leads, a Kafka with ZooKeeper stops the leader before
it has another (KAFKA-14808).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from klamm.tools.admin import (
    Admin,
    PartitionDescription,
    PartitionReassignment,
    TopicPartition,
)
from klamm.tools.admin.partitions import MIN_ISR, read_min_isrs, read_partitions
from klamm.tools.reassign import texts


@unique
class CancelRule(Enum):
    """Under which condition a move may be cancelled: what different controllers ask for."""

    ZK = "zk"
    """Always: Kafka with ZooKeeper asks for nothing (KafkaController.scala)."""
    KRAFT = "kraft"
    """One original replica is alive and in sync (PartitionReassignmentRevert.java)."""
    MIN_ISR = "min-isr"
    """All original ones are alive, or min.insync.replicas of them alive and in sync (LinkedIn's
    #442)."""
    ORIGINALS = "originals"
    """min.insync.replicas of the original ones are alive and in sync, for it goes back to all of
    them, dead ones too (LinkedIn's #445)."""


@dataclass(frozen=True, slots=True)
class CancelVerdict:
    """What a cancel comes to: `left` are original replicas that are alive and in sync.

    `lost` are those alive and in sync that it would take away. `refused` says why the rule is
    against it, None if it is not.
    """

    partition: TopicPartition
    originals: tuple[int, ...]
    left: tuple[int, ...]
    lost: tuple[int, ...]
    stops_leader: bool
    refused: str | None

    @property
    def loses_partition(self) -> bool:
        """Tell whether nobody could lead afterwards, though somebody can now."""
        return not self.left and bool(self.lost)

    @property
    def warning(self) -> str | None:
        """What to know before, whatever the rule; None if there is nothing."""
        if self.loses_partition:
            return (
                f"Cancelling {self.partition} would take away the only replicas that are alive and"
                f" in sync, {texts.ids(self.lost)}: nobody could lead until the originals"
                f" {texts.ids(self.originals)} are back, or ever without loss of records."
            )
        if self.stops_leader:
            return (
                f"Cancelling {self.partition} takes its leader away;"
                f" {texts.ids(self.left) or 'nobody'} may lead then. Kafka with ZooKeeper leaves"
                " it without a leader for a moment."
            )
        return None


def judge(
    name: TopicPartition,
    move: PartitionReassignment,
    partition: PartitionDescription,
    alive: Collection[int],
    min_isr: int,
    rule: CancelRule,
) -> CancelVerdict:
    """Judge the cancel of one move."""
    adding = set(move.adding_replicas)
    originals = tuple(broker for broker in move.replicas if broker not in adding)
    usable = {*partition.isr} & {*alive} - {*partition.offline_replicas}
    left = tuple(broker for broker in originals if broker in usable)
    return CancelVerdict(
        name,
        originals,
        left,
        tuple(sorted(usable & adding)),
        partition.leader in adding,
        _refusal(rule, originals, left, alive, min_isr),
    )


def _refusal(
    rule: CancelRule,
    originals: tuple[int, ...],
    left: tuple[int, ...],
    alive: Collection[int],
    min_isr: int,
) -> str | None:
    least = min(min_isr, len(originals))
    match rule:
        case CancelRule.ZK:
            return None
        case CancelRule.KRAFT if not left:
            return f"none of the originals {texts.ids(originals)} is alive and in sync"
        case CancelRule.MIN_ISR if {*originals} <= {*alive} and left:
            return None
        case CancelRule.MIN_ISR | CancelRule.ORIGINALS if len(left) < max(least, 1):
            return (
                f"{len(left)} of the originals {texts.ids(originals)} are alive and in sync, and"
                f" {MIN_ISR} asks for {max(least, 1)}"
            )
    return None


def of_cancel(
    admin: Admin, moves: Mapping[TopicPartition, PartitionReassignment], rule: CancelRule
) -> list[CancelVerdict]:
    """Look at the partitions that are to be cancelled, and judge; raises AdminError.

    One that Metadata does not know any more is left out: its topic is gone.
    """
    if not moves:
        return []
    topics = sorted({name.topic for name in moves})
    alive = admin.describe_cluster().result().brokers
    least = read_min_isrs(admin, topics) if rule in _BY_MIN_ISR else {}
    partitions = read_partitions(admin, topics)
    return [
        judge(name, move, partitions[name], alive, least.get(name.topic, 1), rule)
        for name, move in sorted(moves.items())
        if name in partitions
    ]


_BY_MIN_ISR: Final = frozenset({CancelRule.MIN_ISR, CancelRule.ORIGINALS})
