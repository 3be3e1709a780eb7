"""Plans: what a decision asks for, as an ordered tuple of Commits.

Each Commit is one fenced multi below the size limit, together with all that becomes true with
it. Whoever carries a Plan out does commit, apply, send for each Commit, never for the whole Plan;
after any outcome but committed the rest of the Plan is dropped and its causes decided again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.admin_znodes import AdminElection, AdminReassignments
from klamm.controller.core.events import FollowUp
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
from klamm.controller.core.ops import Op
from klamm.controller.core.pace import Limits, MinIsr, StepHints, StepNote
from klamm.controller.core.results import Result
from klamm.controller.core.status_book import StatusBook, StatusNote

# --- changes: what applying a Commit folds into the state -------------------------------------


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

# --- messages: who must learn what of which partition -----------------------------------------


@dataclass(frozen=True, slots=True)
class Lead:
    """LeaderAndIsr of the partition to these brokers; `is_new` are those that must make a log."""

    name: TopicPartition
    brokers: tuple[int, ...]
    is_new: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Publish:
    """UpdateMetadata of the partition to every broker; one that is gone is taken back there."""

    name: TopicPartition


@dataclass(frozen=True, slots=True)
class Stop:
    """StopReplica of the partition to one broker, which also deletes its log if `delete`."""

    name: TopicPartition
    broker: int
    delete: bool


@dataclass(frozen=True, slots=True)
class Announce:
    """UpdateMetadata with the live brokers only, to every broker."""


@dataclass(frozen=True, slots=True)
class Refill:
    """The broker is new, or came back with a new epoch: all it must know, from the state.

    A broker that comes while an office is under way may have `restarted` since the state was
    written: it is not told what it leads by that state, for whether it still may is decided next.
    """

    broker: int
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class Relead:
    """LeaderAndIsr to the broker of all that it has replicas of, as it is: it says how they are."""

    broker: int


@dataclass(frozen=True, slots=True)
class Forget:
    """The broker is gone: whatever it had not been told yet is void."""

    broker: int


Message = Lead | Publish | Stop | Announce | Refill | Relead | Forget

# --- commits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """What the journal says of one decision; `Draft.note` makes them.

    `kind` is one of `klamm.controller.node.kinds.KINDS`. `cause` is what was decided on (0: none
    of this turn), and `name` or `topic` what was decided about. `after` is the partition as this
    very decision left it, which a later one of the same turn may have changed again. `step` tells
    of a step of the partition's move, if it is about one, `status` of a request with a number.
    """

    kind: str
    text: str = ""
    cause: int = 0
    name: TopicPartition | None = None
    topic: str = ""
    after: Partition | None = None
    step: StepNote | None = None
    status: StatusNote | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of a Plan; without operations it is applied at once, without a multi.

    `causes` are settled once it is applied, with a result where somebody waits for one. `parts`
    are causes of which it carries out a part: a later Commit settles them.
    `follow_ups` are events of the next turn.
    """

    ops: tuple[Op, ...] = ()
    changes: tuple[Change, ...] = ()
    messages: tuple[Message, ...] = ()
    results: tuple[tuple[int, Result], ...] = ()
    causes: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    parts: tuple[int, ...] = ()


Plan = tuple[Commit, ...]
