"""What every handler takes and gives.

A handler is a pure function of a `Context`, a decoded request body and its version. It answers
at once from the read model (`Answer`), hands events to the core (`Submit`) or read-modify-writes
to the node's door (`Transact`), or gives the connection up (`Disconnect`). Waiting, bytes and
correlation ids are the server's matter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from klamm.controller.brokers.metadata import MetadataCache
from klamm.controller.core.events import RequestEvent as RequestEvent
from klamm.controller.core.model import Broker, ClusterState
from klamm.controller.core.results import Fault, Result
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.handlers.copies import NO_COPIES, Copies
from klamm.controller.handlers.log_dirs import NO_LOG_DIRS, LogDirs
from klamm.controller.security.acls import CLUSTER_NAME, Operation, ResourceType
from klamm.controller.security.authorizer import ALLOW_ALL, Authorizer
from klamm.controller.security.principals import ANONYMOUS, Client
from klamm.controller.store.transaction import Transaction
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.message import Message

#: The text of NOT_CONTROLLER in 45 and 46, as Kafka 3.9 words it.
NOT_CONTROLLER_TEXT = "This is not the correct controller for this cluster."
#: The texts of CLUSTER_AUTHORIZATION_FAILED and TOPIC_AUTHORIZATION_FAILED (Errors.java).
CLUSTER_DENIED_TEXT = "Cluster authorization failed."
TOPIC_DENIED_TEXT = "Topic authorization failed."


def no_draws(bound: int) -> int:
    """Stand in for the port of draws on nodes that never assign replicas."""
    raise LookupError(f"no source of draws below {bound}: only a controller assigns replicas")


def no_topic_ids() -> UUID:
    """Stand in for the port of topic ids on nodes that create no topics."""
    raise LookupError("no source of topic ids: only a controller creates topics")


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler may know of the node that serves the request.

    `advertised` are the versions that ApiVersions shows. `listener` is the one that the request
    came in by: clients are told the other nodes' endpoints of the same name. `state` is set on
    the active controller alone. `controllers` are the klamm nodes, None on a node that is only a
    broker. `draw(n)` gives an integer from 0 to n - 1, another one each time, and
    `draw_topic_id()` an id for a new topic. `rules` are the node's profile, `properties` the
    configs that it was started with. `honours_timeouts` says that requests are answered in the
    time that they name. `client` is who asks, `authorizer` says what it may do. `log_dirs` are
    the node's own, `copies` is what it knows of how far followers have come.
    """

    node_id: int
    listener: str
    advertised: Mapping[int, range]
    metadata: MetadataCache = field(default_factory=MetadataCache)
    state: ClusterState | None = None
    controllers: Mapping[int, Broker] | None = None
    draw: Callable[[int], int] = no_draws
    draw_topic_id: Callable[[], UUID] = no_topic_ids
    rules: Rules = APACHE_3_9
    properties: Mapping[str, str] = field(default_factory=dict)
    honours_timeouts: bool = False
    client: Client = Client(ANONYMOUS, "", "")
    authorizer: Authorizer = ALLOW_ALL
    log_dirs: LogDirs = NO_LOG_DIRS
    copies: Copies = NO_COPIES

    def allows(
        self, operation: Operation, resource_type: ResourceType, name: str = CLUSTER_NAME
    ) -> bool:
        """Tell whether who asks may do this with the resource of this name."""
        return self.authorizer.allows(self.client, operation, resource_type, name)

    def allows_cluster(self, operation: Operation) -> bool:
        """Tell whether who asks may do this with the cluster."""
        return self.allows(operation, ResourceType.CLUSTER)


@dataclass(frozen=True, slots=True)
class Answer:
    """The response, known at once."""

    response: Message


@dataclass(frozen=True, slots=True)
class Timeout:
    """The response, if there is no other after `seconds`; what was submitted goes on.

    It is made of what is known then.
    """

    seconds: float
    response: Callable[[Context], Message]


@dataclass(frozen=True, slots=True)
class Submit:
    """Events for the core; `respond` makes the response of one result per event, in order."""

    events: tuple[RequestEvent, ...]
    respond: Callable[[Sequence[Result]], Message]
    timeout: Timeout | None = None


@dataclass(frozen=True, slots=True)
class Transact:
    """Transactions for the node's door; `respond` makes the response of one result per each.

    A result is what the transaction decided, or a Refusal. Where what is to be read depends on
    what was read, `respond` gives transactions again.
    """

    transactions: tuple[Transaction[Any], ...]
    respond: "Callable[[Sequence[Any]], Message | Transact]"


@dataclass(frozen=True, slots=True)
class Disconnect:
    """No response is possible: close the connection, as Kafka does; the reason is for the log."""

    reason: str


Outcome = Answer | Submit | Transact | Disconnect


def error_code(fault: Fault) -> ErrorCode:
    """Return the wire's code of a fault; both use Kafka's names."""
    return ErrorCode[fault.name]
