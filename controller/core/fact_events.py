"""Facts: events that tell what was read in ZooKeeper or heard of brokers; they have no reply."""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.model import Broker, CommitCounter, Leadership, Topic, TopicPartition
from klamm.controller.core.pace import Limits
from klamm.controller.core.status_book import StatusBook
from klamm.controller.znodes.admin import Reassignment, Rejection
from klamm.controller.znodes.klamm import ReassignmentStep


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
class LimitsRead:
    """The limits of moves that hold for the cluster, by its configs as just read."""

    limits: Limits


@dataclass(frozen=True, slots=True)
class MinIsrRead:
    """min.insync.replicas as just read: `topics` by name, `default` of those without their own.

    None as a topic's: it has none of its own. None as `default`: that was not read. `complete`:
    all that have one of their own are given.
    """

    default: int | None
    topics: Mapping[str, int | None]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class HintsListRead:
    """The topics of which there are hints about moves in steps; None: not even their parent."""

    topics: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class HintsRead:
    """What ZooKeeper says of a topic's moves in steps, as just read; version None: no znode.

    `hidden`: there is a znode, and ZooKeeper does not show it. What cannot be made out is no hint.
    """

    topic: str
    version: int | None
    steps: Mapping[int, ReassignmentStep]
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class RetentionRead:
    """How long the status of a completed request is kept, by the configs as just read."""

    status_retention_ms: int


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


@dataclass(frozen=True, slots=True)
class StatusRead:
    """All that is kept of requests that assign partitions, as just read."""

    book: StatusBook


@dataclass(frozen=True, slots=True)
class ReplicaProgress:
    """How far a follower has copied a partition, by what its leader has served it.

    `follower_end` is the follower's log end offset, the others are the first and the end offset of
    the leader's log.
    """

    partition: TopicPartition
    follower: int
    follower_end: int
    leader_start: int
    leader_end: int


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """What followers have copied, as of `at_ms` milliseconds since the epoch."""

    reports: tuple[ReplicaProgress, ...]
    at_ms: int


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
    | LimitsRead
    | MinIsrRead
    | HintsListRead
    | HintsRead
    | RetentionRead
    | LeaderAcknowledged
    | FetchProgress
    | StatusRead
    | LogDirEventsRead
    | ReplicasFound
    | ReplicasDeleted
    | WithdrawalsHeard
)
