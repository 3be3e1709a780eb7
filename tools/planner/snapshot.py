"""A snapshot of a cluster: what a plan is made from, and what a rehearsal carries it out on.

Its file is JSON for programs and people: one line a broker, one line a partition, both sorted.

    {"format":"klamm-snapshot","version":1,"cluster_id":"abc","taken_ms":1700000000000,
    "brokers":[
    {"id":1,"rack":"a","capacity_bytes":1000000000000},
    {"id":2,"rack":"b"}],
    "partitions":[
    {"topic":"foo","partition":0,"replicas":[1,2],"leader":1,"isr":[1,2],"size_bytes":4096}]}

What has its default is left out, and keys that are not known are passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from klamm.controller.core.topic_names import unlawful

T = TypeVar("T", bound=Hashable)

FORMAT: Final = "klamm-snapshot"
VERSION: Final = 1
NO_LEADER: Final = -1
#: The greatest broker id, and partition number, that Kafka's protocol can name.
_INT32: Final = 2**31 - 1


class SnapshotError(ValueError):
    """A text is no snapshot, or one that cannot be; the message says where and why."""


class Broker(msgspec.Struct, frozen=True, omit_defaults=True):
    """A broker. `rack` and `capacity_bytes` are None where nobody has said so.

    One that is not alive is known only because it holds replicas, or because a file names it.
    """

    id: int
    rack: str | None = None
    capacity_bytes: int | None = None
    alive: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.id <= _INT32:
            raise ValueError(f"broker {self.id}: an id is from 0 to {_INT32}")
        if self.capacity_bytes is not None and self.capacity_bytes < 0:
            raise ValueError(f"broker {self.id}: a capacity of {self.capacity_bytes} B")


class Partition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A partition as its topic znode and Metadata have it.

    `replicas` are RS, the preferred leader first, and hold `adding` and `removing` while it moves.
    `size_bytes` is that of one replica, the leader's where they differ; 0 if nobody knows.
    """

    topic: str
    partition: int
    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    leader: int = NO_LEADER
    isr: tuple[int, ...] = ()
    size_bytes: int = 0
    bytes_in_per_s: float = 0.0
    min_isr: int = 1

    def __post_init__(self) -> None:
        if (why := unlawful(self.topic)) is not None:
            raise ValueError(f"no topic can be called {self.topic!r}: {why}")
        if not self.replicas:
            raise ValueError(f"partition {self.name} has no replicas")
        if twice := _repeated(self.replicas):
            raise ValueError(f"partition {self.name} names broker {twice[0]} twice")
        if strange := {*self.adding, *self.removing} - {*self.replicas}:
            raise ValueError(f"partition {self.name} moves broker {min(strange)}, no replica of it")
        if self.partition < 0 or self.size_bytes < 0 or self.bytes_in_per_s < 0:
            raise ValueError(f"partition {self.name} has a number, size or rate below 0")
        if self.partition > _INT32 or not all(0 <= id_ <= _INT32 for id_ in self.replicas):
            raise ValueError(f"partition {self.name} or a broker of it is not from 0 to {_INT32}")
        if self.min_isr < 1:
            raise ValueError(f"partition {self.name} has a min_isr of {self.min_isr}: 1 at least")

    @property
    def name(self) -> str:
        """The partition as people write it: TOPIC-NUMBER."""
        return f"{self.topic}-{self.partition}"

    @property
    def moving(self) -> bool:
        """Tell whether a reassignment of it is under way."""
        return bool(self.adding or self.removing)

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas that it has once its move has ended; those that it has if none is."""
        return tuple(id_ for id_ in self.replicas if id_ not in self.removing)


class Snapshot(msgspec.Struct, frozen=True):
    """A cluster at one time: `taken_ms` is of the wall clock, since 1970.

    Brokers are sorted by id, partitions by topic and number, whatever order they came in, and each
    stands there once. Replicas may be on brokers that are not listed: nobody knows more of those.
    """

    cluster_id: str
    taken_ms: int
    brokers: tuple[Broker, ...]
    partitions: tuple[Partition, ...]

    def __post_init__(self) -> None:
        brokers = tuple(sorted(self.brokers, key=lambda each: each.id))
        partitions = tuple(sorted(self.partitions, key=lambda each: (each.topic, each.partition)))
        if double := _repeated(each.id for each in brokers):
            raise ValueError(f"broker {double[0]} stands there twice")
        if twice := _repeated((each.topic, each.partition) for each in partitions):
            raise ValueError(f"partition {twice[0][0]}-{twice[0][1]} stands there twice")
        msgspec.structs.force_setattr(self, "brokers", brokers)
        msgspec.structs.force_setattr(self, "partitions", partitions)


class _Head(msgspec.Struct):
    """What tells a snapshot from any other JSON."""

    format: str = ""
    version: int = 0


def decode(text: str | bytes) -> Snapshot:
    """Read a snapshot; raises SnapshotError."""
    try:
        head = msgspec.json.decode(text, type=_Head)
        if head.format != FORMAT:
            raise SnapshotError(f"it is no snapshot: its format is {head.format!r}, not {FORMAT!r}")
        if head.version != VERSION:
            raise SnapshotError(f"it has version {head.version} of {FORMAT}; known is {VERSION}")
        return msgspec.json.decode(text, type=Snapshot)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SnapshotError(f"it is no snapshot: {error}") from error


def encode(snapshot: Snapshot) -> str:
    """Write a snapshot, one line a broker and a partition."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "cluster_id": snapshot.cluster_id,
        "taken_ms": snapshot.taken_ms,
    }
    return (
        f"{_json(head)[:-1]},\n"
        f'"brokers":{_lines(snapshot.brokers)},\n"partitions":{_lines(snapshot.partitions)}}}\n'
    )


def read(file: Path) -> Snapshot:
    """Read a file; raises SnapshotError, and OSError."""
    try:
        return decode(file.read_bytes())
    except SnapshotError as error:
        raise SnapshotError(f"{file}: {error}") from error


def _lines(rows: Iterable[msgspec.Struct]) -> str:
    lines = ",\n".join(map(_json, rows))
    return f"[\n{lines}]" if lines else "[]"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _repeated(values: Iterable[T]) -> list[T]:
    return [value for value, count in Counter(values).items() if count > 1]
