"""What a node asks of its driver. Every effect is carried out in the order given."""

from dataclasses import dataclass
from enum import Enum

from klamm.controller.core.model import Broker
from klamm.controller.core.ops import Check, Op
from klamm.controller.core.results import Result
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
class Journal:
    """Write down what was decided, or found, and why."""

    severity: Severity
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up this session: close it, and start a new one if the node should go on."""

    reason: str


Effect = (
    Commit | Update | ReadZnodes | ArmWatch | Send | CloseLink | Reply | SetTimer | Journal | Resign
)
