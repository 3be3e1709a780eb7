"""What can happen to a node. Store events (`store.port`) are inputs as they are."""

from dataclasses import dataclass
from typing import Any

from klamm.controller.core.events import RequestEvent as RequestEvent
from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.origins import FromClient
from klamm.controller.store.port import (
    CommitDone,
    ReadDone,
    SessionEvent,
    UpdateDone,
    WatchDone,
    Watched,
)
from klamm.controller.store.transaction import Transaction
from klamm.protocol.codec import Message


@dataclass(frozen=True, slots=True)
class Request:
    """A client's request, cut into one event per partition or topic, each answered once.

    The node answers with one `Reply` of the same id, its results in the order of the events.
    `origin` is who asked, for the journal.
    """

    id: int
    events: tuple[RequestEvent, ...]
    origin: FromClient | None = None


@dataclass(frozen=True, slots=True)
class Transactions:
    """A client's request that any node with a session carries out: one `Transacted` of its id.

    `origin` is who asked, for the journal.
    """

    id: int
    transactions: tuple[Transaction[Any], ...]
    origin: FromClient | None = None


@dataclass(frozen=True, slots=True)
class BrokerAnswer:
    """A broker's answer to the `Send` of this number, or None if the link broke before it came."""

    broker: int
    broker_epoch: int
    send: int
    response: Message | None


@dataclass(frozen=True, slots=True)
class Timer:
    """The timer of this name, set by `SetTimer`, has run out."""

    name: str


@dataclass(frozen=True, slots=True)
class ControllerHeard:
    """The controller of this epoch has sent UpdateMetadata to this node, which believed it."""

    epoch: int


@dataclass(frozen=True, slots=True)
class ProgressHeard:
    """What followers had copied at `at_ms`, milliseconds since the epoch: told, or polled."""

    reports: tuple[ReplicaProgress, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class CopiesWanted:
    """Somebody asks how far the followers of these have come."""

    names: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """A request that alters something was answered; `text` says all of it, for the journal."""

    text: str
    origin: FromClient


@dataclass(frozen=True, slots=True)
class Woke:
    """This process has stood still for so many seconds: stopped, starved, or its machine was.

    Handed over before anything else that is done after that.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class Turn:
    """The driver has handed over all it had: decide over what is queued."""


Input = (
    Request
    | Transactions
    | BrokerAnswer
    | Timer
    | ControllerHeard
    | ProgressHeard
    | CopiesWanted
    | Audited
    | Woke
    | Turn
    | CommitDone
    | UpdateDone
    | ReadDone
    | WatchDone
    | Watched
    | SessionEvent
)
