"""Events: what can make the controller decide something, each about one thing.

A request for many partitions is as many events with one reply (design: a cause is one event on
one partition, topic, broker or znode entry). Facts tell what was read; they never have a reply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from klamm.controller.core.fact_events import AdminElectionRead as AdminElectionRead
from klamm.controller.core.fact_events import AdminReassignmentsRead as AdminReassignmentsRead
from klamm.controller.core.fact_events import BrokersRead as BrokersRead
from klamm.controller.core.fact_events import ConfigRead as ConfigRead
from klamm.controller.core.fact_events import CounterRead as CounterRead
from klamm.controller.core.fact_events import DebtsRead as DebtsRead
from klamm.controller.core.fact_events import DeletionsRead as DeletionsRead
from klamm.controller.core.fact_events import Fact as Fact
from klamm.controller.core.fact_events import FaultFound as FaultFound
from klamm.controller.core.fact_events import FetchProgress as FetchProgress
from klamm.controller.core.fact_events import HintsListRead as HintsListRead
from klamm.controller.core.fact_events import HintsRead as HintsRead
from klamm.controller.core.fact_events import LeaderAcknowledged as LeaderAcknowledged
from klamm.controller.core.fact_events import LimitsRead as LimitsRead
from klamm.controller.core.fact_events import LogDirEventsRead as LogDirEventsRead
from klamm.controller.core.fact_events import MinIsrRead as MinIsrRead
from klamm.controller.core.fact_events import NodesRead as NodesRead
from klamm.controller.core.fact_events import NotificationsRead as NotificationsRead
from klamm.controller.core.fact_events import ReplicaProgress as ReplicaProgress
from klamm.controller.core.fact_events import ReplicasDeleted as ReplicasDeleted
from klamm.controller.core.fact_events import ReplicasFound as ReplicasFound
from klamm.controller.core.fact_events import RetentionRead as RetentionRead
from klamm.controller.core.fact_events import StateRead as StateRead
from klamm.controller.core.fact_events import StatusRead as StatusRead
from klamm.controller.core.fact_events import SubtreeRead as SubtreeRead
from klamm.controller.core.fact_events import TopicRead as TopicRead
from klamm.controller.core.fact_events import WithdrawalsHeard as WithdrawalsHeard
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.origins import Origin

#: As a count of partitions or replicas: the configured default.
UNSET = -1


@dataclass(frozen=True, slots=True)
class AlterReassignment:
    """Start or replace a move to `target`, or cancel the present one if it is None.

    With `keeps_factor` a target of another size than the present one is refused (KIP-860).
    """

    partition: TopicPartition
    target: tuple[int, ...] | None
    keeps_factor: bool = False


@dataclass(frozen=True, slots=True)
class AssignPartitions:
    """Give partitions these replicas, if nothing moves, in a request that gets a number.

    A partition that is named twice stands here twice (KIP-179, version 8).
    """

    targets: tuple[tuple[TopicPartition, tuple[int, ...]], ...]


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
class AlterTopic:
    """Let a topic have other partitions, another factor or other replicas (KIP-179).

    A count of -1 (`UNSET`) stays as it is. `assignment` are partitions with their replicas, as a
    request names them; others stay where they are. Without any, replicas that are needed are
    chosen. `place` is the topic's in its request, from 0.
    """

    name: str
    partitions: int = UNSET
    replicas: int = UNSET
    assignment: tuple[tuple[int, tuple[int, ...]], ...] = ()
    place: int = 0


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
class ElectUnclean:
    """Give a partition that nobody can lead any live replica as leader, if need be with losses."""

    partition: TopicPartition


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
class BeginStep:
    """Follow-up: begin the next step of a partition's move, if there is a slot for it."""

    partition: TopicPartition


@dataclass(frozen=True, slots=True)
class RemoveHints:
    """Follow-up: remove all that ZooKeeper holds of steps, for moves are not limited any more."""


@dataclass(frozen=True, slots=True)
class CheckStatus:
    """Follow-up: complete the replicas of this partition that requests wait for, if they are."""

    partition: TopicPartition


@dataclass(frozen=True, slots=True)
class WriteStatus:
    """Follow-up: write what requests have come to, with the `progress` of replicas on their way."""

    progress: bool = False


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


#: What clients ask for: the events that have a reply.
RequestEvent = (
    AlterReassignment
    | AssignPartitions
    | CreateTopic
    | CreatePartitions
    | AlterTopic
    | DeleteTopic
    | AlterPartition
    | ShutDownBroker
    | ElectPreferred
    | ElectUnclean
)
#: What a decision wants looked at in the next turn.
FollowUp = (
    CheckPartition
    | CheckDeletion
    | ClearDebts
    | RemoveZnode
    | BeginEntry
    | BeginStep
    | RemoveHints
    | TidyEntries
    | CheckStatus
    | WriteStatus
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
