"""What applying a Commit folds into the state."""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.admin_znodes import AdminElection, AdminReassignments
from klamm.controller.core.model import (
    Awaiting,
    Broker,
    CommitCounter,
    Deletion,
    Ledger,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import Limits, MinIsr, StepHints
from klamm.controller.core.status_book import StatusBook


@dataclass(frozen=True, slots=True)
class SetBrokers:
    """These are the registered brokers."""

    brokers: Mapping[int, Broker]


@dataclass(frozen=True, slots=True)
class SetNodes:
    """These are the registered klamm nodes."""

    nodes: Mapping[int, Broker]


@dataclass(frozen=True, slots=True)
class SetTopic:
    """The topic is as given; None removes it."""

    name: str
    topic: Topic | None


@dataclass(frozen=True, slots=True)
class TouchTopic:
    """The topic's znodes were written: its dataVersion, and `bare` as in `Topic`."""

    name: str
    version: int
    bare: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class SetPartition:
    """The partition is as given."""

    name: TopicPartition
    partition: Partition


@dataclass(frozen=True, slots=True)
class SetAwaiting:
    """Deletes of this partition wait for its leader, or do no longer if None."""

    name: TopicPartition
    awaiting: Awaiting | None


@dataclass(frozen=True, slots=True)
class SetCounter:
    """The commit counter is as given."""

    counter: CommitCounter


@dataclass(frozen=True, slots=True)
class SetUnreadable:
    """These are the znodes that cannot be read."""

    unreadable: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SetDeletion:
    """The topic is queued for deletion as given; None: it is not, or not any more."""

    name: str
    deletion: Deletion | None


@dataclass(frozen=True, slots=True)
class SetLedger:
    """The deletes owed for this topic are as given."""

    topic: str
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class SetOffline:
    """These replicas of the broker are on a failed log directory."""

    broker: int
    replicas: frozenset[TopicPartition]


@dataclass(frozen=True, slots=True)
class SetBelow:
    """This is below a znode that is to be removed, as in `SubtreeRead`; (): nothing is known."""

    root: str
    below: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SetAdmin:
    """This is known of /admin/reassign_partitions."""

    admin: AdminReassignments


@dataclass(frozen=True, slots=True)
class RefuseEntries:
    """The entries of these partitions in /admin/reassign_partitions cannot be carried out."""

    names: frozenset[TopicPartition]


@dataclass(frozen=True, slots=True)
class SetElection:
    """This is known of /admin/preferred_replica_election."""

    election: AdminElection


@dataclass(frozen=True, slots=True)
class SetShuttingDown:
    """These registered brokers have asked to leave."""

    brokers: frozenset[int]


@dataclass(frozen=True, slots=True)
class SetHeldBack:
    """The ends of these moves wait until `leader` has answered for others, oldest first."""

    leader: int
    waiting: Mapping[TopicPartition, None]


@dataclass(frozen=True, slots=True)
class SetLimits:
    """These are the limits of moves."""

    limits: Limits


@dataclass(frozen=True, slots=True)
class SetMinIsr:
    """This is what topics need in sync."""

    min_isr: MinIsr


@dataclass(frozen=True, slots=True)
class SetHints:
    """ZooKeeper holds this of the topic's moves in steps."""

    topic: str
    hints: StepHints


@dataclass(frozen=True, slots=True)
class SetHasHints:
    """The parent of what ZooKeeper holds of moves in steps is there, or is not."""

    there: bool


@dataclass(frozen=True, slots=True)
class SetRetention:
    """The status of a completed request is kept for so long."""

    status_retention_ms: int


@dataclass(frozen=True, slots=True)
class SetAlteration:
    """This request may move topics; as in `ClusterState`."""

    request: int


@dataclass(frozen=True, slots=True)
class SetStatus:
    """This is what requests that assign partitions have come to."""

    book: StatusBook


Change = (
    SetBrokers
    | SetShuttingDown
    | SetHeldBack
    | SetNodes
    | SetTopic
    | TouchTopic
    | SetPartition
    | SetAwaiting
    | SetCounter
    | SetUnreadable
    | SetDeletion
    | SetLedger
    | SetOffline
    | SetBelow
    | SetAdmin
    | RefuseEntries
    | SetElection
    | SetAlteration
    | SetLimits
    | SetMinIsr
    | SetHints
    | SetHasHints
    | SetRetention
    | SetStatus
)
