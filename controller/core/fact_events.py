"""Facts: events that tell what was read in ZooKeeper or heard of brokers; they have no reply."""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.model import Broker, CommitCounter, Leadership, Topic, TopicPartition
from klamm.controller.znodes.admin import Reassignment, Rejection


@dataclass(frozen=True, slots=True)
class BrokersRead:
    """Every registered broker, as just read."""

    brokers: Mapping[int, Broker]


@dataclass(frozen=True, slots=True)
class NodesRead:
    """Every registered klamm node, as just read."""

    nodes: Mapping[int, Broker]


@dataclass(frozen=True, slots=True)
class TopicRead:
    """A topic znode as just read, with its partition states; None if the topic is gone.

    `czxid` is the transaction that made the znode: no other topic of this name has the same.
    """

    name: str
    topic: Topic | None
    czxid: int = 0


@dataclass(frozen=True, slots=True)
class StateRead:
    """A partition state znode as just read; None if there is none."""

    partition: TopicPartition
    leadership: Leadership | None


@dataclass(frozen=True, slots=True)
class FaultFound:
    """A znode is there but cannot be read: a topic's, a partition's state, or a topic's debts.

    `text` names it.
    """

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class DeletionsRead:
    """The topics that somebody wants deleted: every child of /admin/delete_topics."""

    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class DebtsRead:
    """The deletes owed for a topic as just read: brokers by partition; version None: no znode.

    `owed` is None if the znode is there and says nothing that can be read.
    """

    topic: str
    version: int | None
    owed: Mapping[int, frozenset[int]] | None


@dataclass(frozen=True, slots=True)
class AdminReassignmentsRead:
    """/admin/reassign_partitions as just read; version None: there is none.

    `fault` is why nothing of it can be read, or "".
    """

    version: int | None = None
    czxid: int = 0
    entries: tuple[Reassignment, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class AdminElectionRead:
    """/admin/preferred_replica_election as just read; the fields are those of the other one."""

    version: int | None = None
    czxid: int = 0
    partitions: tuple[TopicPartition, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class NotificationsRead:
    """ISR change notifications whose states have been read, so that they can be deleted."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubtreeRead:
    """All znodes below `root`, children before parents; None if the root itself is not there.

    Read where a removal met a child that nobody knew of, or missed one.
    """

    root: str
    below: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ConfigRead:
    """A config znode's dataVersion as just read; None if there is none."""

    path: str
    version: int | None


@dataclass(frozen=True, slots=True)
class CounterRead:
    """The commit counter as just read."""

    counter: CommitCounter


@dataclass(frozen=True, slots=True)
class LeaderAcknowledged:
    """A leader has the given leader epoch of a partition, or a newer one."""

    partition: TopicPartition
    broker: int
    leader_epoch: int


@dataclass(frozen=True, slots=True)
class ReplicasFound:
    """What a broker has answered of replicas: which are on a failed log directory, which are not.

    `broker_epoch` is that of the registration which was asked.
    """

    broker: int
    broker_epoch: int
    offline: frozenset[TopicPartition]
    online: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True)
class LogDirEventsRead:
    """Notices of failed log directories: their znodes, and the brokers that they name."""

    paths: tuple[str, ...]
    brokers: frozenset[int]


@dataclass(frozen=True, slots=True)
class ReplicasDeleted:
    """A broker that was told to delete its logs of these partitions of a topic holds none."""

    topic: str
    broker: int
    partitions: frozenset[int]


@dataclass(frozen=True, slots=True)
class WithdrawalsHeard:
    """A broker or klamm node knows that these partitions, by topic, are gone for clients."""

    peer: int
    partitions: Mapping[str, frozenset[int]]


Fact = (
    BrokersRead
    | NodesRead
    | TopicRead
    | StateRead
    | FaultFound
    | ConfigRead
    | CounterRead
    | NotificationsRead
    | SubtreeRead
    | DeletionsRead
    | AdminReassignmentsRead
    | AdminElectionRead
    | DebtsRead
    | LeaderAcknowledged
    | LogDirEventsRead
    | ReplicasFound
    | ReplicasDeleted
    | WithdrawalsHeard
)
