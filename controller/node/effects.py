"""What a node asks of its driver. Every effect is carried out in the order given."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from klamm.controller.core.events import Cause
from klamm.controller.core.model import Broker, Partition, Topic, TopicPartition
from klamm.controller.core.ops import Check, Op
from klamm.controller.core.origins import Origin
from klamm.controller.core.pace import StepNote
from klamm.controller.core.plan import Message as Planned
from klamm.controller.core.results import Result
from klamm.controller.core.status_book import StatusNote
from klamm.controller.node.counters import Counters
from klamm.controller.store.port import Read, Watch
from klamm.protocol.codec import Message


@dataclass(frozen=True, slots=True)
class Commit:
    """Carry out a fenced multi; answered by `CommitDone`."""

    request: int
    ops: tuple[Op, ...]
    fence: Check | None


@dataclass(frozen=True, slots=True)
class Update:
    """Carry out one unfenced conditional write; answered by `UpdateDone`."""

    request: int
    op: Op


@dataclass(frozen=True, slots=True)
class ReadZnodes:
    """Read znodes, after a `sync` if asked; answered by `ReadDone`."""

    request: int
    reads: tuple[Read, ...]
    sync: bool = False


@dataclass(frozen=True, slots=True)
class ArmWatch:
    """Watch znodes until the connection ends; answered by `WatchDone`."""

    request: int
    watches: tuple[Watch, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Send one request over the broker's link, which has one in flight; see `BrokerAnswer`.

    A link is opened to `broker`'s endpoint when the first Send names its epoch, and a new epoch
    replaces the link of the former one.
    """

    send: int
    broker: Broker
    message: Message
    version: int


@dataclass(frozen=True, slots=True)
class CloseLink:
    """Close the link to a broker that is gone or was replaced; its answers count no more."""

    broker: int


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the client's request: one result per event of it, in order."""

    request: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Transacted:
    """Answer a request made of transactions: what each decided or a Refusal, in order."""

    request: int
    results: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SetTimer:
    """Hand over `Timer(name)` after `seconds`; a timer of the same name is replaced."""

    name: str
    seconds: float


class Severity(Enum):
    """How much a note matters to an operator."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Content:
    """A part of a topic's partitions; `first` says that it is the first, or only, part."""

    topic: Topic
    partitions: Mapping[int, Partition]
    first: bool


@dataclass(frozen=True, slots=True)
class Journal:
    """Write down what was decided, or found, and why; `klamm.controller.node.lines` has the form.

    `sequence` numbers the entries of a node without a gap; an entry without one gets it, and the
    controller epoch (0 outside office), when it is handed to `NodeData.do`. `name` is the
    partition that it is about, or `topic` the topic. `origin` is where it comes from if there is
    no `cause`, which has its own. `step` is what there is to know of a step of a move.
    """

    severity: Severity
    kind: str
    text: str
    sequence: int = 0
    epoch: int = 0
    cause: Cause | None = None
    name: TopicPartition | None = None
    topic: str = ""
    before: Partition | None = None
    after: Partition | None = None
    ops: tuple[Op, ...] = ()
    messages: tuple[Planned, ...] = ()
    result: Result | None = None
    content: Content | None = None
    brokers: Mapping[int, Broker] | None = None
    counters: Counters | None = None
    origin: Origin | None = None
    status: StatusNote | None = None
    step: StepNote | None = None


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up this session: close it, and start a new one if the node should go on."""

    reason: str


Effect = (
    Commit
    | Update
    | ReadZnodes
    | ArmWatch
    | Send
    | CloseLink
    | Reply
    | Transacted
    | SetTimer
    | Journal
    | Resign
)
