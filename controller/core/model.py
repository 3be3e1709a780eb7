"""The cluster as the controller knows it: immutable values, replaced and never changed.

Words: RS is the stored replica list, AR and RR the adding and removing replicas in it; origin is
RS without AR, what a cancel goes back to; target is RS without RR, where a move ends (KIP-455,
"Proposed Changes").
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from klamm.controller.znodes.admin import TopicPartition as TopicPartition
from klamm.controller.znodes.brokers import Endpoint as Endpoint
from klamm.controller.znodes.parsing import no_extra
from klamm.controller.znodes.state import NO_LEADER as NO_LEADER


@dataclass(frozen=True, slots=True)
class Assignment:
    """RS, AR and RR of one partition, as its topic znode holds them."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    @property
    def origin(self) -> tuple[int, ...]:
        """RS without AR, in RS order."""
        return tuple(broker for broker in self.replicas if broker not in self.adding)

    @property
    def target(self) -> tuple[int, ...]:
        """RS without RR, in RS order."""
        return tuple(broker for broker in self.replicas if broker not in self.removing)

    @property
    def moving(self) -> bool:
        """Tell whether a reassignment of the partition is under way."""
        return bool(self.adding or self.removing)


@dataclass(frozen=True, slots=True)
class Leadership:
    """A partition's state znode and the dataVersion at which it was read or written."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    controller_epoch: int
    version: int
    leader_recovery_state: int = 0
    extra: Mapping[str, Any] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition; without leadership while no replica of it was ever online."""

    assignment: Assignment
    leadership: Leadership | None = None

    @property
    def leader(self) -> int:
        """The leader's broker id, or NO_LEADER."""
        return self.leadership.leader if self.leadership else NO_LEADER

    @property
    def additions_to_make(self) -> tuple[int, ...]:
        """The adding replicas that are not in sync, so that they may have no log yet."""
        in_sync = self.leadership.isr if self.leadership else ()
        return tuple(broker for broker in self.assignment.adding if broker not in in_sync)


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: the content of its znode, with the states of its partitions.

    `bare` are the partition directories that exist without a state znode; None if not even their
    parent exists. `extra` are keys of the znode that klamm does not know and writes back.
    """

    name: str
    version: int
    partitions: Mapping[int, Partition]
    topic_id: UUID | None = None
    bare: frozenset[int] | None = None
    extra: Mapping[str, Any] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Broker:
    """A registered broker or klamm node; its epoch is the czxid of its znode."""

    id: int
    epoch: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Awaiting:
    """Deletes that must wait until the leader has acknowledged the epoch that dropped them."""

    leader: int
    leader_epoch: int
    deletes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CommitCounter:
    """/klamm/commit: written by Commits that leave no other witness; version None: no znode."""

    count: int = 0
    version: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterState:
    """Everything the controller decides from; equal to ZooKeeper after each applied Commit.

    `fence_version` is the dataVersion of /controller_epoch that our election left behind.
    `nodes` are the klamm nodes, listed to brokers and clients beside the brokers. `unreadable`
    are znodes of topics and states that cannot be read, by path, with a text that says why: what
    they belong to is left alone until they are changed.
    """

    controller_id: int
    epoch: int
    fence_version: int
    brokers: Mapping[int, Broker] = field(default_factory=dict)
    nodes: Mapping[int, Broker] = field(default_factory=dict)
    topics: Mapping[str, Topic] = field(default_factory=dict)
    awaiting: Mapping[TopicPartition, Awaiting] = field(default_factory=dict)
    commits: CommitCounter = field(default_factory=CommitCounter)
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def partition(self, name: TopicPartition) -> Partition | None:
        """Return the partition, or None if the topic or the number is unknown."""
        topic = self.topics.get(name.topic)
        return topic.partitions.get(name.partition) if topic else None

    def is_replica(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker is in the partition's replica list."""
        partition = self.partition(name)
        return partition is not None and broker in partition.assignment.replicas

    def partitions(self) -> Iterator[tuple[TopicPartition, Partition]]:
        """Every partition with its name, by topic as loaded and then by number as stored."""
        for topic in self.topics.values():
            for number, partition in topic.partitions.items():
                yield TopicPartition(topic.name, number), partition

    def moving(self) -> Iterator[tuple[TopicPartition, Partition]]:
        """The partitions with a reassignment under way."""
        return (item for item in self.partitions() if item[1].assignment.moving)
