"""What every handler takes and gives.

A handler is a pure function of a `Context`, a decoded request body and its version. It answers
at once from the read model (`Answer`), hands events to the core (`Submit`), or gives the
connection up (`Disconnect`). Waiting, bytes and correlation ids are the server's matter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from klamm.controller.brokers.metadata import MetadataCache
from klamm.controller.core.events import RequestEvent as RequestEvent
from klamm.controller.core.model import Broker, ClusterState
from klamm.controller.core.results import Fault, Result
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.message import Message

#: The text of NOT_CONTROLLER in 45 and 46, as Kafka 3.9 words it.
NOT_CONTROLLER_TEXT = "This is not the correct controller for this cluster."


def no_draws(bound: int) -> int:
    """Stand in for the port of draws on nodes that never assign replicas."""
    raise LookupError(f"no source of draws below {bound}: only a controller assigns replicas")


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler may know of the node that serves the request.

    `advertised` are the versions that ApiVersions shows. `listener` is the one that the request
    came in by: clients are told the other nodes' endpoints of the same name. `state` is set on
    the active controller alone. `controllers` are the klamm nodes, None on a node that is only a
    broker. `draw(n)` gives an integer from 0 to n - 1, another one each time.
    """

    node_id: int
    listener: str
    advertised: Mapping[int, range]
    metadata: MetadataCache = field(default_factory=MetadataCache)
    state: ClusterState | None = None
    controllers: Mapping[int, Broker] | None = None
    draw: Callable[[int], int] = no_draws


@dataclass(frozen=True, slots=True)
class Answer:
    """The response, known at once."""

    response: Message


@dataclass(frozen=True, slots=True)
class Submit:
    """Events for the core; `respond` makes the response of one result per event, in order."""

    events: tuple[RequestEvent, ...]
    respond: Callable[[Sequence[Result]], Message]


@dataclass(frozen=True, slots=True)
class Disconnect:
    """No response is possible: close the connection, as Kafka does; the reason is for the log."""

    reason: str


Outcome = Answer | Submit | Disconnect


def error_code(fault: Fault) -> ErrorCode:
    """Return the wire's code of a fault; both use Kafka's names."""
    return ErrorCode[fault.name]
