"""The cluster as the controller knows it: immutable values, replaced and never changed.

Words: RS is the stored replica list, AR and RR the adding and removing replicas in it; origin is
RS without AR, what a cancel goes back to; target is RS without RR, where a move ends (KIP-455,
"Proposed Changes").
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from klamm.controller.core.admin_znodes import AdminElection, AdminReassignments
from klamm.controller.core.pace import Limits, MinIsr, Pace, StepHints
from klamm.controller.core.slots import Slots
from klamm.controller.core.status_book import StatusBook
from klamm.controller.znodes.admin import TopicPartition as TopicPartition
from klamm.controller.znodes.brokers import Endpoint as Endpoint
from klamm.controller.znodes.parsing import no_extra
from klamm.controller.znodes.state import NO_LEADER as NO_LEADER

NOBODY: frozenset[int] = frozenset()
DAY_MS = 24 * 60 * 60 * 1000
NO_REPLICAS: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True)
class Assignment:
    """RS, AR and RR of one partition, as its topic znode holds them.

    `before` is RS as it was when the move began, if this controller began it. No znode holds that,
    and nothing is decided by it: it is there to be shown.
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    before: tuple[int, ...] | None = field(default=None, compare=False, repr=False)

    @property
    def origin(self) -> tuple[int, ...]:
        """RS without AR, in RS order."""
        if not self.adding:
            return self.replicas
        return tuple([broker for broker in self.replicas if broker not in self.adding])

    @property
    def target(self) -> tuple[int, ...]:
        """RS without RR, in RS order."""
        if not self.removing:
            return self.replicas
        return tuple([broker for broker in self.replicas if broker not in self.removing])

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
    """One partition; without leadership while no replica of it was ever online.

    `pace` is there while it is moved in steps, because moves are limited. It is beside what the
    partition's znodes hold: partitions are equal if those are.
    """

    assignment: Assignment
    leadership: Leadership | None = None
    pace: Pace | None = field(default=None, compare=False)

    @property
    def hosted(self) -> tuple[int, ...]:
        """The replicas that brokers are told of: all, or those that steps have come to."""
        return self.pace.hosted if self.pace else self.assignment.replicas

    @property
    def leader(self) -> int:
        """The leader's broker id, or NO_LEADER."""
        return self.leadership.leader if self.leadership else NO_LEADER

    @property
    def additions_to_make(self) -> tuple[int, ...]:
        """The adding replicas that are told of it and not in sync: they may have no log yet."""
        if not self.assignment.adding:
            return ()
        in_sync = self.leadership.isr if self.leadership else ()
        missing = tuple(broker for broker in self.assignment.adding if broker not in in_sync)
        return missing if self.pace is None else tuple(b for b in missing if b in self.hosted)


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
    #: The partitions that are moving, known without a look at all: lists of moves are asked often.
    moving: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the partitions that are moving."""
        # As `Assignment.moving` tells: a call for each of thousands would cost more than the rest.
        numbered = self.partitions.items()
        found = [n for n, p in numbered if p.assignment.adding or p.assignment.removing]
        object.__setattr__(self, "moving", tuple(found))


@dataclass(frozen=True, slots=True)
class Broker:
    """A registered broker or klamm node; its epoch is the czxid of its znode."""

    id: int
    epoch: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class Awaiting:
    """Deletes that must wait until the leader has acknowledged the epoch that dropped them.

    `handover`: the end of a move gave it the lead with that epoch.
    """

    leader: int
    leader_epoch: int
    deletes: tuple[int, ...]
    handover: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """The deletes that former replicas of a topic owe: /klamm/replica_deletions/TOPIC.

    `owed` are brokers by partition, just as the znode of this dataVersion has them; version None:
    there is no such znode. `paid` are those of them that owe nothing any more, because they have
    deleted or are replicas again, which the next write of the znode leaves out.
    """

    version: int | None = None
    owed: Mapping[int, frozenset[int]] = field(default_factory=dict)
    paid: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def due(self, partition: int) -> frozenset[int]:
        """The brokers that have to delete their logs of the partition, and have not yet."""
        return self.owed.get(partition, NOBODY) - self.paid.get(partition, NOBODY)

    def debtors(self) -> Iterator[tuple[int, int]]:
        """Every partition with a broker that has to delete its log."""
        for number in sorted(self.owed):
            for broker in sorted(self.due(number)):
                yield number, broker


@dataclass(frozen=True, slots=True)
class Deletion:
    """A topic that is queued for deletion, which waits while any of its partitions moves.

    `logs` is None until it starts. From then on clients see the topic no more. `logs` are the
    partitions by broker whose logs have not been deleted yet, `unheard` those by broker or klamm
    node that it has not acknowledged yet to be gone; when there are none of either the znodes go.
    `listed`: /admin/delete_topics holds the topic. `waiters` are the causes that are answered
    when the deletion starts.
    """

    logs: Mapping[int, frozenset[int]] | None = None
    listed: bool = True
    waiters: tuple[int, ...] = ()
    unheard: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def started(self) -> bool:
        """Tell whether the topic is gone for clients, and its replicas are being deleted."""
        return self.logs is not None

    @property
    def awaits_nobody(self) -> bool:
        """Tell whether it has started, and all have done and heard what they must."""
        return self.logs is not None and not self.logs and not self.unheard


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
    they belong to is left alone until they are changed. So are debts that ZooKeeper does not show:
    nobody is dropped as a replica until it does. `deleting` are the topics that are queued
    for deletion, some of which may have no topic znode. `shutting_down` are registered brokers
    that have asked to leave. `held_back` are, by broker, the moves that could end but for the lead,
    which this broker may take over only after it has answered for others; oldest first. `below`
    is what was found below znodes that are to be removed, as in `SubtreeRead`, where a removal
    has failed for it. `ledgers` are by topic the deletes that former replicas owe, also of topics
    that there are no more; `awaiting` are those of them that the leader does not let go yet.
    `offline_replicas` are by broker those whose log directory has failed.
    `admin` and `election` are the orders of old tools under /admin. `limits`, `min_isr` (read only
    while there are limits) and `status_retention_ms`, how long the status of a completed request is
    kept, are what the configs of the cluster and its topics say. `slots` are the moves that are
    made in steps, by how far they are, `hints` what ZooKeeper holds of them by topic, and
    `has_hints` says that the parent of those znodes is there. `alteration` is the request of
    AlterTopics that was the last one to move topics, by the number of its first cause. `status` is
    what requests that assign partitions have come to.
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
    shutting_down: frozenset[int] = frozenset()
    held_back: Mapping[int, Mapping[TopicPartition, None]] = field(default_factory=dict)
    deleting: Mapping[str, Deletion] = field(default_factory=dict)
    below: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    admin: AdminReassignments = field(default_factory=AdminReassignments)
    election: AdminElection = field(default_factory=AdminElection)
    ledgers: Mapping[str, Ledger] = field(default_factory=dict)
    offline_replicas: Mapping[int, frozenset[TopicPartition]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    min_isr: MinIsr = field(default_factory=MinIsr)
    status_retention_ms: int = DAY_MS
    status: StatusBook = field(default_factory=StatusBook)
    alteration: int = 0
    slots: Slots = field(default_factory=Slots)
    hints: Mapping[str, StepHints] = field(default_factory=dict)
    has_hints: bool = False

    @property
    def debts(self) -> Mapping[TopicPartition, frozenset[int]]:
        """The brokers that owe a delete, by partition, as /klamm/replica_deletions has them."""
        return {
            TopicPartition(topic, number): brokers
            for topic, ledger in self.ledgers.items()
            for number, brokers in ledger.owed.items()
        }

    def owes(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker has to delete its log of the partition, and has not yet."""
        ledger = self.ledgers.get(name.topic)
        return ledger is not None and broker in ledger.due(name.partition)

    @property
    def alive(self) -> frozenset[int]:
        """The registered brokers that are not shutting down: those that may be given work."""
        return frozenset(self.brokers.keys() - self.shutting_down)

    def peer(self, id_: int) -> Broker | None:
        """Return the broker or klamm node that is registered under this id, if any is."""
        return self.brokers.get(id_) or self.nodes.get(id_)

    def partition(self, name: TopicPartition) -> Partition | None:
        """Return the partition, or None if the topic or the number is unknown."""
        topic = self.topics.get(name.topic)
        return topic.partitions.get(name.partition) if topic else None

    def is_replica(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker is in the partition's replica list."""
        partition = self.partition(name)
        return partition is not None and broker in partition.assignment.replicas

    def is_hosted(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker is told of the partition, as one of its replicas."""
        partition = self.partition(name)
        return partition is not None and broker in partition.hosted

    def vanishing(self, topic: str) -> bool:
        """Tell whether the topic's deletion has started: for clients it is gone already."""
        deletion = self.deleting.get(topic)
        return deletion is not None and deletion.started

    def is_offline(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker, which may be alive, cannot use its log of the partition."""
        return name in self.offline_replicas.get(broker, NO_REPLICAS)

    def must_wait(self, name: TopicPartition, broker: int) -> bool:
        """Tell whether the broker was dropped as a replica, but the leader does not know it yet."""
        awaiting = self.awaiting.get(name)
        return awaiting is not None and broker in awaiting.deletes

    def partitions(self) -> Iterator[tuple[TopicPartition, Partition]]:
        """Every partition with its name, by topic as loaded and then by number as stored."""
        for topic in self.topics.values():
            for number, partition in topic.partitions.items():
                yield TopicPartition(topic.name, number), partition

    def moving(self) -> Iterator[tuple[TopicPartition, Partition]]:
        """The partitions with a reassignment under way."""
        for topic in self.topics.values():
            for number in topic.moving:
                yield TopicPartition(topic.name, number), topic.partitions[number]
