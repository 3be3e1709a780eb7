"""Looks at a cluster through the public APIs of any Kafka, and klamm's own where it is served.

Asked are keys 46, 3, 60, 32, 35 and 17904. What this client may not see, or a node does not answer,
is left out and named in `Facts.unseen`; only the list of moves and Metadata must be had.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from klamm.controller.configs.cluster_wide import LIMITS
from klamm.controller.configs.throttle_keys import RATES
from klamm.tools.admin import (
    Admin,
    BatchEntry,
    ConfigResource,
    LogDir,
    PartitionDescription,
    PartitionReassignment,
    ReassignmentDetails,
    ResourceType,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.admin.partitions import LOOK_MS, read_partitions
from klamm.tools.explain.facts import (
    TOPIC_KEYS,
    Configs,
    Facts,
    LogDirMove,
    Look,
    Partition,
    Step,
)

#: (seconds) -> None, and () -> seconds of a clock that only goes forward.
Sleep = Callable[[float], None]
Now = Callable[[], float]


class NoSuchPartitionError(Exception):
    """There is no such partition in the cluster."""


@dataclass
class Gatherer:
    """Looks at one partition, or at everything that moves, between directories too, or owes.

    `watch` are the seconds between two looks; with 0 there is but one.
    """

    admin: Admin
    partition: TopicPartition | None
    watch: float
    sleep: Sleep
    now: Now
    _unseen: dict[str, errors.AdminError] = field(default_factory=dict)
    _batch: Mapping[TopicPartition, BatchEntry] | None = None

    def facts(self) -> Facts:
        """Look; raises AdminError, and NoSuchPartitionError for one that is not there."""
        first = self._look()
        last = first
        if self.watch > 0 and first.partitions:
            self.sleep(self.watch)
            last = self._look()
        topics = sorted({name.topic for name, one in last.partitions.items() if one.exists})
        alive = self.admin.describe_cluster().result().brokers
        concerned = sorted(_brokers(last.partitions.values()) & set(alive))
        of_topics = self._configs(ResourceType.TOPIC, topics)
        of_brokers = self._configs(ResourceType.BROKER, map(str, concerned), LOOK_MS)
        return Facts(
            first,
            last,
            frozenset(alive),
            of_topics,
            {int(broker): configs for broker, configs in of_brokers.items()},
            tuple(f"{what}: {error}" for what, error in self._unseen.items()),
        )

    def _look(self) -> Look:
        """Look at the logs first: who has caught up in them may be in sync by the time of the rest.

        Unless one was named, partitions that do not move any more are not in the look.
        """
        begun = self.now()
        dirs = self._log_dirs()
        wanted = None if self.partition is None else {self.partition}
        moves = self._moves(wanted)
        details = self._details(wanted)
        self._batch = self._running() if moves and not details else None
        names = {*moves, *details, *_between_dirs(dirs)} if wanted is None else wanted
        return _with_logs(begun, self._partitions(names, moves, details), dirs)

    def _moves(
        self, wanted: Collection[TopicPartition] | None
    ) -> Mapping[TopicPartition, PartitionReassignment]:
        if wanted is None:
            return self.admin.list_partition_reassignments().result()
        return self.admin.list_partition_reassignments(wanted).result()

    def _details(
        self, wanted: Collection[TopicPartition] | None
    ) -> Mapping[TopicPartition, ReassignmentDetails]:
        """Ask klamm's own key; other controllers do not know it, and that is no news."""
        try:
            if wanted is None:
                return self.admin.describe_reassignments().result()
            return self.admin.describe_reassignments(wanted).result()
        except errors.UnsupportedVersionError:
            return {}
        except errors.ApiError as error:
            self._miss("what only klamm's controller tells", error)
            return {}

    def _running(self) -> Mapping[TopicPartition, BatchEntry] | None:
        """Ask for all steps that run, where nobody tells more; None if moves are not limited."""
        try:
            return self.admin.list_reassignment_batch().result()
        except errors.UnsupportedVersionError:
            return None
        except errors.ApiError as error:
            self._miss("which steps of moves run", error)
            return None

    def _partitions(
        self,
        names: Collection[TopicPartition],
        moves: Mapping[TopicPartition, PartitionReassignment],
        details: Mapping[TopicPartition, ReassignmentDetails],
    ) -> dict[TopicPartition, Partition]:
        described = read_partitions(self.admin, {name.topic for name in names})
        found = {}
        for name in sorted(names):
            known, move = described.get(name), moves.get(name)
            if known is None and move is None and name not in details:
                if name == self.partition:
                    raise NoSuchPartitionError(f"there is no partition {name}")
                continue  # a broker still has a copy of what was deleted
            step = _step(name, details.get(name), move, known, self._batch)
            found[name] = _partition(known, move, details.get(name), step)
        return found

    def _log_dirs(self) -> Mapping[int, tuple[LogDir, ...]]:
        """Ask every broker that lives, since strays may be anywhere."""
        brokers = sorted(self.admin.describe_cluster().result().brokers)
        found = {}
        for broker, future in self.admin.describe_log_dirs(brokers, LOOK_MS).futures.items():
            try:
                found[broker] = future.result()
            except errors.AdminError as error:
                self._miss(f"the log directories of broker {broker}", error)
        return found

    def _configs(
        self, kind: ResourceType, names: Iterable[str], timeout_ms: int | None = None
    ) -> dict[str, Configs]:
        found: dict[str, Configs] = {}
        resources = [ConfigResource(kind, name) for name in names]
        for name, future in self.admin.describe_configs(resources, timeout_ms).futures.items():
            try:
                entries = future.result()
            except errors.AdminError as error:
                self._miss(f"the configs of {name}", error)
                continue
            keys = TOPIC_KEYS if kind is ResourceType.TOPIC else (*RATES, *LIMITS)
            found[name.name] = {
                key: value
                for key in keys
                if key in entries and (value := entries[key].value) is not None
            }
        return found

    def _miss(self, what: str, error: errors.AdminError) -> None:
        self._unseen[what] = error


def _between_dirs(dirs: Mapping[int, tuple[LogDir, ...]]) -> Iterable[TopicPartition]:
    """Pick the partitions of which a replica moves to another directory of its broker."""
    for of_broker in dirs.values():
        for each in of_broker:
            yield from (name for name, log in each.replicas.items() if log.is_future)


def _with_logs(
    at: float,
    partitions: Mapping[TopicPartition, Partition],
    dirs: Mapping[int, tuple[LogDir, ...]],
) -> Look:
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


def _partition(
    known: PartitionDescription | None,
    move: PartitionReassignment | None,
    details: ReassignmentDetails | None,
    step: Step | None,
) -> Partition:
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


def _step(
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
        return Step(of.hosted_replicas, runs, of.waits, of.number, of.most, of.kind, of.adding)
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


def _brokers(partitions: Iterable[Partition]) -> set[int]:
    found: set[int] = set()
    for partition in partitions:
        found.update(partition.replicas)
        if partition.leader is not None:
            found.add(partition.leader)
    return found
