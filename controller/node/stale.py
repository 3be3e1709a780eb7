"""What must be read again before anything is decided on it."""

from dataclasses import dataclass, field
from typing import Self

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.places import Place, locate


@dataclass(slots=True)
class Stale:
    """What must be read again: lists as flags, single things by name."""

    brokers: bool = False
    nodes: bool = False
    topic_list: bool = False
    notifications: bool = False
    deletions: bool = False
    reassignments: bool = False
    election: bool = False
    counter: bool = False
    ledger_list: bool = False
    log_dir_events: bool = False
    #: What is kept of requests that assign partitions.
    status: bool = False
    cluster_config: bool = False
    #: What is known of the configs of all topics, if anything is.
    topic_configs: bool = False
    topics: set[str] = field(default_factory=set)
    states: set[TopicPartition] = field(default_factory=set)
    configs: set[str] = field(default_factory=set)
    #: Topics of which the deletes that are owed are to be read.
    ledgers: set[str] = field(default_factory=set)
    hint_list: bool = False
    #: Topics of which the hints about moves in steps are to be read.
    hints: set[str] = field(default_factory=set)
    #: Znodes of which all that is below them is to be read.
    subtrees: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(
            self.brokers
            or self.nodes
            or self.topic_list
            or self.notifications
            or self.deletions
            or self.reassignments
            or self.election
            or self.counter
            or self.topics
            or self.states
            or self.configs
            or self.ledger_list
            or self.log_dir_events
            or self.status
            or self.cluster_config
            or self.topic_configs
            or self.ledgers
            or self.hint_list
            or self.hints
            or self.subtrees
        )

    def __ior__(self, other: Self) -> Self:
        self.brokers |= other.brokers
        self.nodes |= other.nodes
        self.topic_list |= other.topic_list
        self.notifications |= other.notifications
        self.deletions |= other.deletions
        self.reassignments |= other.reassignments
        self.election |= other.election
        self.counter |= other.counter
        self.topics |= other.topics
        self.states |= other.states
        self.configs |= other.configs
        self.ledger_list |= other.ledger_list
        self.log_dir_events |= other.log_dir_events
        self.status |= other.status
        self.cluster_config |= other.cluster_config
        self.topic_configs |= other.topic_configs
        self.ledgers |= other.ledgers
        self.hint_list |= other.hint_list
        self.hints |= other.hints
        self.subtrees |= other.subtrees
        return self

    def add(self, path: str) -> None:
        """Note that this znode may have changed."""
        location = locate(path)
        match location.place:
            case Place.BROKERS | Place.BROKER:
                self.brokers = True
            case Place.NODES | Place.NODE:
                self.nodes = True
            case Place.TOPICS:
                self.topic_list = True
            case Place.TOPIC | Place.PARTITIONS:
                self.topics.add(location.topic)
            case Place.STATE:
                if location.partition is not None:
                    self.states.add(location.partition)
            case Place.NOTIFICATIONS | Place.NOTIFICATION:
                self.notifications = True
            case Place.DELETIONS | Place.DELETION:
                self.deletions = True
            case Place.REASSIGNMENTS:
                self.reassignments = True
            case Place.ELECTION:
                self.election = True
            case Place.CLUSTER_CONFIG:
                self.cluster_config = True
            case Place.TOPIC_CONFIGS:
                self.cluster_config = self.topic_configs = True
            case Place.TOPIC_CONFIG:
                self.configs.add(path)
            case Place.COUNTER:
                self.counter = True
            case Place.LOG_DIR_EVENTS | Place.LOG_DIR_EVENT:
                self.log_dir_events = True
            case Place.STATUS | Place.STATUS_HEADER | Place.STATUS_CHUNK:
                self.status = True
            case Place.LEDGERS:
                self.ledger_list = True
            case Place.LEDGER:
                self.ledgers.add(location.topic)
            case Place.HINTS_LIST:
                self.hint_list = True
            case Place.HINTS:
                # Without their parent, too, none can be made.
                self.hint_list = True
                self.hints.add(location.topic)
            case Place.CONTROLLER | Place.OTHER:
                pass


def everything(*, status: bool = False) -> Stale:
    """What taking office must read; `status`, too, if this node keeps that."""
    return Stale(
        brokers=True,
        nodes=True,
        topic_list=True,
        notifications=True,
        deletions=True,
        reassignments=True,
        election=True,
        counter=True,
        ledger_list=True,
        hint_list=True,
        log_dir_events=True,
        status=status,
        cluster_config=True,
        topic_configs=True,
    )
