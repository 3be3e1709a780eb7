"""What one can see of moves from outside, at one moment or two. Plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from klamm.controller.configs.throttle_keys import LISTS
from klamm.tools.admin.names import TopicPartition, TopicPartitionReplica

UNCLEAN: Final = "unclean.leader.election.enable"
MIN_ISR: Final = "min.insync.replicas"

TOPIC_KEYS: Final = (*LISTS, UNCLEAN, MIN_ISR)

#: Only those that were told; null values are left out.
Configs = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """How far a move is that is made in steps (KIP-435).

    `hosted` are the replicas that brokers are told of: only they can be in sync. `runs` tells
    whether a step does; `waits` says why none does, as key 17904 has it: offline, target-offline,
    not-in-sync or deferred. The rest is told by that key alone: `number` of the step that runs or
    is next, `most` that there are, and of the one that runs its `kind`, what it adds, and when it
    began, in milliseconds since the epoch. `others` are the steps that run of other moves, where
    the batch of key 46 has told it.
    """

    hosted: tuple[int, ...]
    runs: bool
    waits: str | None = None
    number: int | None = None
    most: int | None = None
    kind: str | None = None
    adding: tuple[int, ...] = ()
    others: int | None = None
    since_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition at one look.

    `moving` tells whether key 46 lists it; `replicas` are those of the list then, with the ones
    that come and go. `exists` tells whether Metadata knows it. `offline` are the replicas that
    Metadata calls so, on dead brokers or failed directories. `original`, `waiting_for` and
    `owed_deletes` come from klamm's own key 17904, and are empty without; `step` from that key, or
    from version 1 of key 46.
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    leader: int | None = None
    leader_epoch: int | None = None
    isr: tuple[int, ...] = ()
    offline: tuple[int, ...] = ()
    moving: bool = False
    exists: bool = True
    original: tuple[int, ...] | None = None
    waiting_for: str | None = None
    owed_deletes: tuple[int, ...] = ()
    step: Step | None = None

    @property
    def goal(self) -> tuple[int, ...]:
        """The replicas that the move ends with, in order."""
        return tuple(broker for broker in self.replicas if broker not in self.removing)

    @property
    def only_shrinks(self) -> bool:
        """Tell whether the move but takes replicas away."""
        return self.moving and not self.adding and bool(self.removing)


@dataclass(frozen=True, slots=True)
class LogDirMove:
    """A copy of a replica that is made in another directory of its broker, so many offsets behind.

    Key 35 counts the offsets up to the log's end.
    """

    path: str
    size: int
    offset_lag: int


@dataclass(frozen=True, slots=True)
class Look:
    """One look: `at` in seconds of any clock, sizes in bytes.

    `sizes` leaves out replicas that have no log, and those of brokers that were not asked or did
    not answer: `answered` names the brokers that did. `failed` are log directories by broker.
    """

    at: float
    partitions: Mapping[TopicPartition, Partition]
    sizes: Mapping[TopicPartitionReplica, int] = field(default_factory=dict)
    log_dir_moves: Mapping[TopicPartitionReplica, LogDirMove] = field(default_factory=dict)
    failed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    answered: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Facts:
    """Two looks, which may be one and the same, and what does not change between them.

    `alive` are the brokers of the cluster; `topics` and `brokers` are configs. `unseen` says what
    could not be looked at, and why. `controller` is its id. `asked` is the one partition
    that was asked for, None for all; the looks have others too, as far as it waits for them.
    """

    first: Look
    last: Look
    alive: frozenset[int]
    topics: Mapping[str, Configs] = field(default_factory=dict)
    brokers: Mapping[int, Configs] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    controller: int | None = None
    asked: TopicPartition | None = None

    @property
    def seconds(self) -> float:
        """The time between the looks; 0 if there was but one."""
        return self.last.at - self.first.at

    def size(self, look: Look, name: TopicPartition, broker: int) -> int | None:
        """Return the size of a log, 0 if the broker has none, None if nobody knows."""
        if broker not in look.answered:
            return None
        return look.sizes.get(TopicPartitionReplica(*name, broker), 0)

    def never_had(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether a broker had no log at either of two looks, not even an empty one."""
        log = TopicPartitionReplica(*name, broker)
        return self.seconds > 0 and not any(
            broker not in look.answered or log in look.sizes for look in (self.first, self.last)
        )

    def limit(self, key: str) -> int | None:
        """Return a limit of moves as the controller has it, or as brokers do; None if unknown."""
        known = self.brokers.get(self.controller, {}) if self.controller is not None else {}
        values = [known] if key in known else self.brokers.values()
        found = [value for configs in values if (value := configs.get(key, "")).isdigit()]
        return min(map(int, found), default=None)

    def growth(self, name: TopicPartition, broker: int) -> float | None:
        """Return by how many bytes per second a log grew, None if nobody knows.

        A log that became smaller, since old segments went, counts as one that did not grow.
        """
        if self.seconds <= 0:
            return None
        before, after = (self.size(look, name, broker) for look in (self.first, self.last))
        if before is None or after is None:
            return None
        return max(0.0, (after - before) / self.seconds)
