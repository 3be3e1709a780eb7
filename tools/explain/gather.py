"""Looks at a cluster through the public APIs of any Kafka, and klamm's own where it is served.

Asked are keys 46, 3, 60, 32, 35 and 17904. What this client may not see, or a node does not answer,
is left out and named in `Facts.unseen`; only the list of moves and Metadata must be had.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from klamm.controller.configs.cluster_wide import LIMITS
from klamm.controller.configs.throttle_keys import RATES
from klamm.controller.handlers.k17904_describe_reassignments import DEFERRED
from klamm.tools.admin import (
    Admin,
    BatchEntry,
    ConfigResource,
    LogDir,
    PartitionReassignment,
    ReassignmentDetails,
    ResourceType,
    TopicPartition,
    errors,
)
from klamm.tools.admin.partitions import LOOK_MS, read_partitions
from klamm.tools.explain.facts import (
    TOPIC_KEYS,
    Configs,
    Facts,
    Look,
    Partition,
)
from klamm.tools.explain.looks import (
    between_dirs,
    brokers_of,
    partition_of,
    step_of,
    with_logs,
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
        first = self._look(is_last=self.watch == 0)
        last = first
        if self.watch > 0 and first.partitions:
            self.sleep(self.watch)
            last = self._look(is_last=True)
        topics = sorted({name.topic for name, one in last.partitions.items() if one.exists})
        cluster = self.admin.describe_cluster().result()
        alive = cluster.brokers
        asked = brokers_of(last.partitions.values()) | {cluster.controller_id}
        concerned = [broker for broker in sorted(alive) if broker in asked]
        of_topics = self._configs(ResourceType.TOPIC, topics)
        of_brokers = self._configs(ResourceType.BROKER, map(str, concerned), LOOK_MS)
        return Facts(
            first,
            last,
            frozenset(alive),
            of_topics,
            {int(broker): configs for broker, configs in of_brokers.items()},
            tuple(f"{what}: {error}" for what, error in self._unseen.items()),
            cluster.controller_id,
            self.partition,
        )

    def _look(self, *, is_last: bool) -> Look:
        """Look at partitions and logs: at the logs first the last time, and last before that.

        Who has caught up in the logs may be in sync by the time of the rest; and who leads at both
        ends led all the time between two looks at the logs.
        """
        if is_last:
            begun = self.now()
            dirs = self._log_dirs()
            return with_logs(begun, self._seen(between_dirs(dirs)), dirs)
        partitions = self._seen(())
        begun = self.now()
        dirs = self._log_dirs()
        if self.partition is None:
            others = {*between_dirs(dirs)} - partitions.keys()
            partitions |= self._partitions(others, {}, {})
        return with_logs(begun, partitions, dirs)

    def _seen(self, more: Iterable[TopicPartition]) -> dict[TopicPartition, Partition]:
        """Look at what is asked for: one with those it waits for, or all that moves, and these.

        Unless one was named, partitions that do not move any more are not in the look.
        """
        wanted = None if self.partition is None else {self.partition}
        moves = self._moves(wanted)
        details = self._details(wanted)
        self._batch = self._running() if moves and not details else None
        if wanted is None:
            return self._partitions({*moves, *details, *more}, moves, details)
        holders = self._holders(details) if moves else frozenset()
        if holders:
            wanted |= holders
            moves, details = self._moves(wanted), self._details(wanted)
        return self._partitions(wanted, moves, details)

    def _holders(
        self, details: Mapping[TopicPartition, ReassignmentDetails]
    ) -> AbstractSet[TopicPartition]:
        """Return whose steps run, if the one that is named waits for a slot."""
        if self._batch is not None:
            return frozenset() if self.partition in self._batch else self._batch.keys()
        if not any(one.step is not None and one.step.waits == DEFERRED for one in details.values()):
            return frozenset()
        return {
            name
            for name, one in self._details(None).items()
            if one.step is not None and one.step.waits is None
        }

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
            step = step_of(name, details.get(name), move, known, self._batch)
            found[name] = partition_of(known, move, details.get(name), step)
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
