"""What a request comes to, in the core's own words; handlers turn it into response messages."""

from dataclasses import dataclass
from enum import Enum, auto
from uuid import UUID

from klamm.controller.core.model import Leadership, TopicPartition


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
    INVALID_CONFIG = auto()
    NOT_CONTROLLER = auto()
    NO_REASSIGNMENT_IN_PROGRESS = auto()
    REASSIGNMENT_IN_PROGRESS = auto()
    UNKNOWN_MEMBER_ID = auto()
    TOPIC_DELETION_DISABLED = auto()
    REQUEST_TIMED_OUT = auto()
    BROKER_NOT_AVAILABLE = auto()
    STALE_BROKER_EPOCH = auto()
    FENCED_LEADER_EPOCH = auto()
    INVALID_UPDATE_VERSION = auto()
    INELIGIBLE_REPLICA = auto()
    OPERATION_NOT_ATTEMPTED = auto()
    UNKNOWN_TOPIC_ID = auto()
    ELECTION_NOT_NEEDED = auto()
    CLUSTER_AUTHORIZATION_FAILED = auto()
    TOPIC_AUTHORIZATION_FAILED = auto()
    PREFERRED_LEADER_NOT_AVAILABLE = auto()
    ELIGIBLE_LEADERS_NOT_AVAILABLE = auto()
    RESOURCE_NOT_FOUND = auto()


#: Texts repeat what clients have named, which may be as long as a string of the protocol can be:
#: 32767 bytes. With one word more there could be no response.
MOST_CHARACTERS = 2_000


def shortened(text: str) -> str:
    """Return a text for a client, cut if it is too long for a response."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal with the text that the client shows to its user, shortened."""

    fault: Fault
    message: str

    def __post_init__(self) -> None:
        """Shorten the text."""
        if len(self.message) > MOST_CHARACTERS:
            object.__setattr__(self, "message", shortened(self.message))


@dataclass(frozen=True, slots=True)
class Done:
    """A part of a request that was carried out and is durable."""


@dataclass(frozen=True, slots=True)
class TopicCreated:
    """A topic that exists now: partition count, replication factor and id, if any, as stored."""

    partitions: int
    replication_factor: int
    topic_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class IsrAltered:
    """What a leader may go by from now on: the state as it is durable, with its partition epoch."""

    leadership: Leadership


@dataclass(frozen=True, slots=True)
class ShutDownAllowed:
    """A broker may leave, best after what `remaining` names, which nobody else can lead now."""

    remaining: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class AssignedReplica:
    """What a request comes to for one broker of a partition; `refusal` None: it is accepted."""

    partition: TopicPartition
    broker: int
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class PartitionsAssigned:
    """A request whose accepted replicas are to move, by its number; -1 if none was accepted."""

    request_id: int
    replicas: tuple[AssignedReplica, ...]


Result = PartitionsAssigned | Done | TopicCreated | IsrAltered | ShutDownAllowed | Refusal

NOT_CONTROLLER = Refusal(
    Fault.NOT_CONTROLLER, "This is not the correct controller for this cluster."
)
