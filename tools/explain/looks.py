"""One look, put together from what a cluster has answered. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from klamm.tools.admin import (
    BatchEntry,
    LogDir,
    PartitionDescription,
    PartitionReassignment,
    ReassignmentDetails,
    TopicPartition,
    TopicPartitionReplica,
)
from klamm.tools.explain.facts import LogDirMove, Look, Partition, Step


def between_dirs(dirs: Mapping[int, tuple[LogDir, ...]]) -> Iterable[TopicPartition]:
    """Pick the partitions of which a replica moves to another directory of its broker."""
    for of_broker in dirs.values():
        for each in of_broker:
            yield from (name for name, log in each.replicas.items() if log.is_future)


def with_logs(
    at: float,
    partitions: Mapping[TopicPartition, Partition],
    dirs: Mapping[int, tuple[LogDir, ...]],
) -> Look:
    """Put together a look at these partitions with what brokers tell of their directories."""
    sizes = {}
    moves = {}
    failed: dict[int, tuple[str, ...]] = {}
    for broker, of_broker in dirs.items():
        broken = tuple(each.path for each in of_broker if each.error is not None)
        if broken:
            failed[broker] = broken
        for each in of_broker:
            for name, log in each.replicas.items():
                replica = TopicPartitionReplica(*name, broker)
                if name not in partitions:
                    continue
                if log.is_future:
                    moves[replica] = LogDirMove(each.path, log.size, log.offset_lag)
                else:
                    sizes[replica] = log.size
    return Look(at, partitions, sizes, moves, failed, frozenset(dirs))


def partition_of(
    known: PartitionDescription | None,
    move: PartitionReassignment | None,
    details: ReassignmentDetails | None,
    step: Step | None,
) -> Partition:
    """Put together a partition; None is what nobody told."""
    replicas = move.replicas if move else known.replicas if known else ()
    return Partition(
        replicas,
        move.adding_replicas if move else (),
        move.removing_replicas if move else (),
        known.leader if known else None,
        known.leader_epoch if known else None,
        known.isr if known else (),
        known.offline_replicas if known else (),
        move is not None,
        known is not None,
        details.original_replicas if details else None,
        details.waiting_for if details else None,
        details.owed_deletes if details else (),
        step,
    )


def step_of(
    name: TopicPartition,
    details: ReassignmentDetails | None,
    move: PartitionReassignment | None,
    known: PartitionDescription | None,
    batch: Mapping[TopicPartition, BatchEntry] | None,
) -> Step | None:
    """Return how far a move in steps is: as key 17904 tells, else as the batch of key 46 does.

    The batch does not say why a step does not run; that others do is the likely reason.
    """
    if details is not None and details.step is not None:
        of = details.step
        runs = of.waits is None
        return Step(
            of.hosted_replicas,
            runs,
            of.waits,
            of.number,
            of.most,
            of.kind,
            of.adding,
            since_ms=of.since_ms,
        )
    if batch is None or move is None:
        return None
    entry = batch.get(name)
    if entry is None:
        in_sync = known.isr if known else ()
        told = tuple(b for b in move.replicas if b not in move.adding_replicas or b in in_sync)
        return Step(told, runs=False, others=len(batch))
    adding = tuple(b for b in entry.target_brokers if b not in entry.current_brokers)
    hosted = (*entry.current_brokers, *adding)
    return Step(hosted, runs=True, adding=adding, others=len(batch) - 1)


def brokers_of(partitions: Iterable[Partition]) -> set[int]:
    """Return the brokers that have replicas of these, or lead them."""
    found: set[int] = set()
    for partition in partitions:
        found.update(partition.replicas)
        if partition.leader is not None:
            found.add(partition.leader)
    return found
