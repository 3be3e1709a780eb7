"""What a request comes to, in the core's own words; handlers turn it into response messages."""

from dataclasses import dataclass
from enum import Enum, auto


class Fault(Enum):
    """Why a request or a part of it was refused; the names are those of Kafka's error codes."""

    UNKNOWN_SERVER_ERROR = auto()
    UNKNOWN_TOPIC_OR_PARTITION = auto()
    INVALID_TOPIC_EXCEPTION = auto()
    TOPIC_ALREADY_EXISTS = auto()
    INVALID_PARTITIONS = auto()
    INVALID_REPLICATION_FACTOR = auto()
    INVALID_REPLICA_ASSIGNMENT = auto()
    INVALID_REQUEST = auto()
    NOT_CONTROLLER = auto()
    NO_REASSIGNMENT_IN_PROGRESS = auto()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal with the text that the client shows to its user."""

    fault: Fault
    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """A part of a request that was carried out and is durable."""


@dataclass(frozen=True, slots=True)
class TopicCreated:
    """A topic that exists now: partition count and replication factor as stored."""

    partitions: int
    replication_factor: int


Result = Done | TopicCreated | Refusal

NOT_CONTROLLER = Refusal(
    Fault.NOT_CONTROLLER, "This is not the correct controller for this cluster."
)
