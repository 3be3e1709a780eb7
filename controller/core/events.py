"""Events: what can make the controller decide something, each about one thing.

A request for many partitions is as many events with one reply (design: a cause is one event on
one partition, topic, broker or znode entry). Facts tell what was read; they never have a reply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from klamm.controller.core.model import Broker, CommitCounter, Leadership, Topic, TopicPartition
from klamm.controller.core.origins import Origin
from klamm.controller.znodes.admin import Reassignment, Rejection

#: As a count of partitions or replicas: the configured default.
UNSET = -1


@dataclass(frozen=True, slots=True)
class AlterReassignment:
    """Start or replace a move to `target`, or cancel the present one if it is None."""

    partition: TopicPartition
    target: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class CreateTopic:
    """Create a topic by counts or by an explicit assignment.

    `start` and `shift` are the draws of Kafka's assignment algorithm (AdminUtils,
    assignReplicasToBrokers). Counts of -1 (`UNSET`) ask for the configured defaults. `topic_id` is
    what the topic gets if topics have ids. `invalid_config` says why its configs are refused, if
    nothing else is wrong with it.
    """

    name: str
    partitions: int
    replication_factor: int
    assignment: Mapping[int, tuple[int, ...]]
    configs: Mapping[str, str]
    start: int
    shift: int
    validate_only: bool = False
    topic_id: UUID | None = None
    invalid_config: str | None = None


@dataclass(frozen=True, slots=True)
class CreatePartitions:
    """Let a topic have `count` partitions, the new ones on these brokers if they are given."""

    topic: str
    count: int
    assignments: tuple[tuple[int, ...], ...] | None = None
    validate_only: bool = False


@dataclass(frozen=True, slots=True)
class DeleteTopic:
    """Delete a topic, as soon as none of its partitions moves."""

    name: str


@dataclass(frozen=True, slots=True)
class AlterPartition:
    """A leader's wish for another ISR, by the epochs that it knows (KIP-497).

    `broker` and `broker_epoch` are who asks. `topic_id`, if the request gave one, is what it
    called the topic of `partition`.
    """

    partition: TopicPartition
    broker: int
    broker_epoch: int
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    leader_recovery_state: int = 0
    topic_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ShutDownBroker:
    """A broker asks to be relieved of what it leads, because it will stop (KIP-143, KIP-380).

    An epoch of -1 (`UNSET`) comes from brokers that do not know theirs.
    """

    broker: int
    broker_epoch: int


@dataclass(frozen=True, slots=True)
class ElectPreferred:
    """Give the lead of a partition to the first of its replicas."""

    partition: TopicPartition


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
    """A topic's znode, or a partition's state, is there but cannot be read; `text` names it."""

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
class CheckDeletion:
    """Follow-up: go on with the deletion of a topic as far as it can go."""

    topic: str


@dataclass(frozen=True, slots=True)
class ClearDebts:
    """Follow-up: write down that deletes owed for this topic have been made."""

    topic: str


@dataclass(frozen=True, slots=True)
class BeginEntry:
    """Follow-up: carry out what /admin/reassign_partitions says of a partition."""

    partition: TopicPartition


@dataclass(frozen=True, slots=True)
class TidyEntries:
    """Follow-up: take out of /admin/reassign_partitions what is finished; then what waited."""


@dataclass(frozen=True, slots=True)
class RunElection:
    """Follow-up: carry out what /admin/preferred_replica_election says, and remove it."""


@dataclass(frozen=True, slots=True)
class RemoveZnode:
    """Follow-up: remove a znode that has been dealt with, and whatever is below it."""

    path: str


@dataclass(frozen=True, slots=True)
class CheckPartition:
    """Follow-up: bring a partition's leadership in line with who is alive, or end its move.

    `restarted` brokers are online, but were gone in between: what they led or had in sync may be
    lost, so this once they count as offline. `reassigned`: somebody else changed the assignment,
    which the replicas must learn in a new leader epoch.
    """

    partition: TopicPartition
    restarted: frozenset[int] = frozenset()
    reassigned: bool = False


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
)
#: What clients ask for: the events that have a reply.
RequestEvent = (
    AlterReassignment
    | CreateTopic
    | CreatePartitions
    | DeleteTopic
    | AlterPartition
    | ShutDownBroker
    | ElectPreferred
)
#: What a decision wants looked at in the next turn.
FollowUp = (
    CheckPartition
    | CheckDeletion
    | ClearDebts
    | RemoveZnode
    | BeginEntry
    | TidyEntries
    | RunElection
)
Event = RequestEvent | FollowUp | Fact


@dataclass(frozen=True, slots=True)
class Cause:
    """An event with its number; the number is how its result finds the request it belongs to.

    `origin` is for the journal alone: nothing is decided by it.
    """

    id: int
    event: Event
    origin: Origin | None = None
