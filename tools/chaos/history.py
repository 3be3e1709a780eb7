"""The history of a chaos run: JSON lines of what was asked, answered, broken and seen.

Times (`at`) are seconds since the run began, of the monotonic clock of the process that writes it
all down; `Began.wall_ms` ties them to the journals of the nodes. A partition is named TOPIC:NUMBER.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

HISTORY = "history.jsonl"


class Replicas(NamedTuple):
    """A partition's assignment: RS, AR and RR, as the topic's znode has them."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    @property
    def moving(self) -> bool:
        """Tell whether a move is under way."""
        return bool(self.adding or self.removing)


class _Tagged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A JSON object that says by its `type` which one it is."""


class Alter(_Tagged, frozen=True):
    """AlterPartitionReassignments: a target by partition, None to cancel."""

    moves: dict[str, tuple[int, ...] | None]


class ListMoves(_Tagged, frozen=True):
    """ListPartitionReassignments of everything."""


class Create(_Tagged, frozen=True):
    """CreateTopics of one topic, with the replicas of each partition."""

    topic: str
    partitions: tuple[tuple[int, ...], ...]


class Grow(_Tagged, frozen=True):
    """CreatePartitions: one more, with these replicas, so that there are `count`."""

    topic: str
    count: int
    replicas: tuple[int, ...]


class Delete(_Tagged, frozen=True):
    """DeleteTopics of one topic."""

    topic: str


Ask = Alter | ListMoves | Create | Grow | Delete


class Event(_Tagged, frozen=True):
    """What happened at a moment."""

    at: float


class Began(Event, frozen=True):
    """The first event of all."""

    wall_ms: int
    seed: int
    seconds: float
    nodes: tuple[int, ...]
    brokers: tuple[int, ...]
    #: For how long after its connection ended a request may still come true, in seconds.
    aftermath: float


class Sent(Event, frozen=True):
    """A client has begun to send a request; `connection` is a number of this run's own."""

    client: str
    connection: int
    correlation_id: int
    node: int
    ask: Ask


class Answered(Event, frozen=True):
    """A response: Kafka's error code by partition or topic, or `error` for all of it."""

    connection: int
    correlation_id: int
    error: int = 0
    codes: dict[str, int] = {}


class Closed(Event, frozen=True):
    """A connection has ended, by the peer or after a time in vain; the text says which."""

    connection: int
    why: str


class Strayed(Event, frozen=True):
    """A connection got bytes that answer nothing that waits: a second answer, or garbage."""

    connection: int
    text: str


class Fault(Event, frozen=True):
    """Something is broken (`over` false) or mended, such as `freeze` of `node 901`."""

    action: str
    target: str
    over: bool = False


class Ended(Event, frozen=True):
    """A node's process has ended and nobody had ended it."""

    node: int
    status: int
    said: str


class Elected(Event, frozen=True):
    """/controller names another node or none, or /controller_epoch holds another epoch."""

    node: int | None
    epoch: int


class Looked(Event, frozen=True):
    """What the topic znodes held at some moment between `since` and `at`."""

    since: float
    topics: dict[str, dict[int, Replicas]]


class Dropped(Event, frozen=True):
    """A broker's disk holds a partition no more that it held a moment ago."""

    broker: int
    partition: str


class Healing(Event, frozen=True):
    """Faults and load have ended: from here on all must come right."""


class Quiet(Event, frozen=True):
    """Nothing moves any more; what is asked from here on must all be granted."""


class StateSeen(msgspec.Struct, frozen=True):
    """A partition's state, from its znode or from Metadata."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]


class Final(Event, frozen=True):
    """What there is at the end: in ZooKeeper, in the controller's memory, on the brokers.

    `topics` and `states` are the znodes; `listed` what the controller lists as moving, `told` by
    node what it says in Metadata, the replicas and the state; `disks` and `leads` are by broker.
    """

    controller: int | None
    epoch: int
    topics: dict[str, dict[int, Replicas]]
    states: dict[str, StateSeen]
    listed: dict[str, Replicas]
    told: dict[int, dict[str, tuple[tuple[int, ...], StateSeen]]]
    disks: dict[int, tuple[str, ...]]
    leads: dict[int, tuple[str, ...]]
    alive: tuple[int, ...]
    deletions: tuple[str, ...]


AnyEvent = (
    Began
    | Sent
    | Answered
    | Closed
    | Strayed
    | Fault
    | Ended
    | Elected
    | Looked
    | Dropped
    | Healing
    | Quiet
    | Final
)

_DECODER = msgspec.json.Decoder(AnyEvent)


class HistoryError(Exception):
    """A history cannot be read; the text names the line and says why."""


def encode(event: AnyEvent) -> bytes:
    """Return an event's line, without the line's end."""
    return msgspec.json.encode(event)


def decode(lines: Iterable[bytes]) -> Iterator[AnyEvent]:
    """Read lines; raises HistoryError."""
    for number, line in enumerate(lines, 1):
        try:
            yield _DECODER.decode(line)
        except msgspec.DecodeError as error:
            raise HistoryError(f"line {number} is no event: {error}") from error


def read(folder: Path) -> Sequence[AnyEvent]:
    """Read the history of a run from its folder; raises HistoryError."""
    path = folder / HISTORY
    try:
        return tuple(decode(path.read_bytes().splitlines()))
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}") from error
    except HistoryError as error:
        raise HistoryError(f"{path}: {error}") from error


def partition(topic: str, number: int) -> str:
    """Name a partition."""
    return f"{topic}:{number}"


def topic_of(name: str) -> str:
    """Return the topic of a partition's name."""
    return name.rpartition(":")[0]
