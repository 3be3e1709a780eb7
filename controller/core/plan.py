"""Plans: what a decision asks for, as an ordered tuple of Commits.

Each Commit is one fenced multi below the size limit, together with all that becomes true with
it. Whoever carries a Plan out does commit, apply, send for each Commit, never for the whole Plan;
after any outcome but committed the rest of the Plan is dropped and its causes decided again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.events import CheckPartition
from klamm.controller.core.model import (
    Awaiting,
    Broker,
    CommitCounter,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import Op
from klamm.controller.core.results import Result

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


Change = (
    SetBrokers
    | SetNodes
    | SetTopic
    | TouchTopic
    | SetPartition
    | SetAwaiting
    | SetCounter
    | SetUnreadable
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
    """UpdateMetadata of the partition to every broker."""

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

    A broker that `restarted` before anybody saw it gone is not told what it led: whether it still
    may is decided next.
    """

    broker: int
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class Forget:
    """The broker is gone: whatever it had not been told yet is void."""

    broker: int


Message = Lead | Publish | Stop | Announce | Refill | Forget

# --- commits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """One line for the journal: the kind of decision and what it was about."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of a Plan; without operations it is applied at once, without a multi.

    `causes` are settled once it is applied, with a result where somebody waits for one.
    `follow_ups` are events of the next turn.
    """

    ops: tuple[Op, ...] = ()
    changes: tuple[Change, ...] = ()
    messages: tuple[Message, ...] = ()
    results: tuple[tuple[int, Result], ...] = ()
    causes: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    follow_ups: tuple[CheckPartition, ...] = ()


Plan = tuple[Commit, ...]
