"""Which thing of the cluster a znode path is about: for watch events, conflicts and answers."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes.parsing import INT32_MAX

#: Characters that a topic's name may have to be told to brokers: a string of the protocol holds
#: 32,767 bytes, and a character takes four of them at most. (Lawful names are far shorter.)
MAX_NAME = 8_191


class Place(Enum):
    """The kinds of znodes that a controller reads."""

    CONTROLLER = auto()
    BROKERS = auto()
    BROKER = auto()
    NODES = auto()
    NODE = auto()
    TOPICS = auto()
    TOPIC = auto()
    PARTITIONS = auto()
    STATE = auto()
    NOTIFICATIONS = auto()
    NOTIFICATION = auto()
    DELETIONS = auto()
    DELETION = auto()
    REASSIGNMENTS = auto()
    ELECTION = auto()
    CLUSTER_CONFIG = auto()
    TOPIC_CONFIGS = auto()
    TOPIC_CONFIG = auto()
    COUNTER = auto()
    LOG_DIR_EVENTS = auto()
    LOG_DIR_EVENT = auto()
    LEDGERS = auto()
    LEDGER = auto()
    HINTS_LIST = auto()
    HINTS = auto()
    STATUS = auto()
    STATUS_HEADER = auto()
    STATUS_CHUNK = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Location:
    """A place, with the topic or partition that it belongs to."""

    place: Place
    topic: str = ""
    partition: TopicPartition | None = None


@lru_cache(maxsize=4096)
def locate(path: str) -> Location:
    """Return what a path is about; a path inside a topic that is no state belongs to the topic."""
    match path.split("/")[1:]:
        case [_, _, name, *_] if len(name) > MAX_NAME:
            return Location(Place.OTHER)
        case ["controller"]:
            return Location(Place.CONTROLLER)
        case ["brokers", "ids"]:
            return Location(Place.BROKERS)
        case ["brokers", "ids", _]:
            return Location(Place.BROKER)
        case ["klamm", "nodes"]:
            return Location(Place.NODES)
        case ["klamm", "nodes", _]:
            return Location(Place.NODE)
        case ["brokers", "topics"]:
            return Location(Place.TOPICS)
        case ["brokers", "topics", topic]:
            return Location(Place.TOPIC, topic)
        case ["brokers", "topics", topic, "partitions", name, "state"] if (
            number := partition_number(name)
        ) is not None:
            return Location(Place.STATE, topic, TopicPartition(topic, number))
        case ["brokers", "topics", topic, "partitions", *_]:
            return Location(Place.PARTITIONS, topic)
        case ["isr_change_notification"]:
            return Location(Place.NOTIFICATIONS)
        case ["isr_change_notification", _]:
            return Location(Place.NOTIFICATION)
        case ["admin", "delete_topics"]:
            return Location(Place.DELETIONS)
        case ["admin", "delete_topics", topic]:
            return Location(Place.DELETION, topic)
        case ["admin", "reassign_partitions", *_]:
            return Location(Place.REASSIGNMENTS)
        case ["admin", "reassign_partitions_status"]:
            return Location(Place.STATUS)
        case ["admin", "reassign_partitions_status", _]:
            return Location(Place.STATUS_HEADER)
        case ["admin", "reassign_partitions_status", _, _]:
            return Location(Place.STATUS_CHUNK)
        case ["admin", "preferred_replica_election", *_]:
            return Location(Place.ELECTION)
        case ["config", "brokers", "<default>"]:
            return Location(Place.CLUSTER_CONFIG)
        case ["config", "topics"]:
            return Location(Place.TOPIC_CONFIGS)
        case ["config", "topics", topic]:
            return Location(Place.TOPIC_CONFIG, topic)
        case ["klamm", "commit"]:
            return Location(Place.COUNTER)
        case ["log_dir_event_notification"]:
            return Location(Place.LOG_DIR_EVENTS)
        case ["log_dir_event_notification", _]:
            return Location(Place.LOG_DIR_EVENT)
        case ["klamm", "replica_deletions"]:
            return Location(Place.LEDGERS)
        case ["klamm", "replica_deletions", topic]:
            return Location(Place.LEDGER, topic)
        case ["klamm", "reassignment_steps"]:
            return Location(Place.HINTS_LIST)
        case ["klamm", "reassignment_steps", topic]:
            return Location(Place.HINTS, topic)
        case _:
            return Location(Place.OTHER)


def partition_number(name: str) -> int | None:
    """Return the partition whose directory has this name; None if it is none: "007", "x"."""
    # One of these for every partition of the cluster when an office begins.
    if not (name.isascii() and name.isdecimal()) or len(name) > 10:
        return None
    number = int(name)
    return number if number <= INT32_MAX and str(number) == name else None
