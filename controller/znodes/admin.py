"""Orders and notices that name partitions: the old ways to move replicas and elect leaders.

    /admin/reassign_partitions
        {"version":1,"partitions":[{"topic":"foo","partition":0,"replicas":[1,2]}]}
    /admin/preferred_replica_election, /isr_change_notification/isr_change_N
        {"version":1,"partitions":[{"topic":"foo","partition":0}]}
    /log_dir_event_notification/log_dir_event_N
        {"version":1,"broker":3,"event":1}

Anybody may write these, so each entry is judged alone: a bad one is a value with a reason, not an
error. Only data with no list of entries at all is an error.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import Int32, Natural, Replicas, dump, parse, repeated, shown


class TopicPartition(NamedTuple):
    """A partition's name; sorts by topic, then number."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Reassignment(msgspec.Struct, frozen=True):
    """An order to give a partition these replicas, in this order."""

    topic: str
    partition: int
    replicas: tuple[int, ...]


class Rejection(msgspec.Struct, frozen=True):
    """An entry that cannot be carried out: its JSON text and why."""

    entry: str
    reason: str


class ReassignPartitionsZnode(msgspec.Struct, frozen=True):
    """What `/admin/reassign_partitions` orders; no partition stands in `entries` twice."""

    entries: tuple[Reassignment, ...]
    rejected: tuple[Rejection, ...] = ()


class PartitionsZnode(msgspec.Struct, frozen=True):
    """A list of partitions; none stands in `entries` twice."""

    entries: tuple[TopicPartition, ...]
    rejected: tuple[Rejection, ...] = ()


class LogDirEvent(msgspec.Struct, frozen=True):
    """A broker's word that a log directory failed; `event` is 1 for that, the only kind."""

    broker: int
    event: int = 1


class _ListJson(msgspec.Struct):
    partitions: list[msgspec.Raw]


class _ReassignmentJson(msgspec.Struct):
    topic: str
    partition: Natural
    replicas: Replicas


class _PartitionJson(msgspec.Struct):
    topic: str
    partition: Natural


class _EventJson(msgspec.Struct):
    broker: Natural
    event: Int32


_LIST = msgspec.json.Decoder(_ListJson)
_REASSIGNMENT = msgspec.json.Decoder(_ReassignmentJson)
_PARTITION = msgspec.json.Decoder(_PartitionJson)
_EVENT = msgspec.json.Decoder(_EventJson)

# msgspec's errors and those of UTF-8 are ValueErrors as well.
_BAD_ENTRY = (ValueError, RecursionError)


def decode_reassign_partitions(
    data: bytes | None, path: str = paths.REASSIGN_PARTITIONS
) -> ReassignPartitionsZnode:
    """Read the orders; raises ZnodeError when there is no list of them.

    Stock controllers ignore the whole znode for one unknown key; here the stock tool's own JSON
    with its `log_dirs` is fine. A partition named twice has the later order. Whether topic,
    partition and brokers exist is for others to say.
    """
    accepted: dict[TopicPartition, tuple[msgspec.Raw, Reassignment]] = {}
    rejected = []
    for raw in parse(_LIST, data, path).partitions:
        try:
            fields = _REASSIGNMENT.decode(raw)
            _check_replicas(fields.replicas)
        except _BAD_ENTRY as error:
            rejected.append(_rejection(raw, str(error)))
            continue
        key = TopicPartition(fields.topic, fields.partition)
        if key in accepted:
            rejected.append(
                _rejection(accepted.pop(key)[0], "a later entry names the partition again")
            )
        accepted[key] = (raw, Reassignment(fields.topic, fields.partition, fields.replicas))
    return ReassignPartitionsZnode(tuple(entry for _, entry in accepted.values()), tuple(rejected))


def encode_reassign_partitions(entries: Iterable[Reassignment]) -> bytes:
    """Write the orders, byte for byte as Kafka's encoder does."""
    return dump({"version": 1, "partitions": [*entries]})


def decode_partitions(data: bytes | None, path: str) -> PartitionsZnode:
    """Read the partitions of a preferred election or ISR notice; ZnodeError without a list."""
    accepted: dict[TopicPartition, None] = {}
    rejected = []
    for raw in parse(_LIST, data, path).partitions:
        try:
            fields = _PARTITION.decode(raw)
        except _BAD_ENTRY as error:
            rejected.append(_rejection(raw, str(error)))
        else:
            accepted[TopicPartition(fields.topic, fields.partition)] = None
    return PartitionsZnode(tuple(accepted), tuple(rejected))


def encode_partitions(entries: Iterable[TopicPartition]) -> bytes:
    """Write the partitions of a preferred election or ISR notice."""
    listed = [{"topic": topic, "partition": partition} for topic, partition in entries]
    return dump({"version": 1, "partitions": listed})


def decode_log_dir_event(data: bytes | None, path: str) -> LogDirEvent:
    """Read a notice of a failed log directory; raises ZnodeError."""
    fields = parse(_EVENT, data, path)
    return LogDirEvent(fields.broker, fields.event)


def encode_log_dir_event(event: LogDirEvent) -> bytes:
    """Write a notice of a failed log directory."""
    return dump({"version": 1, "broker": event.broker, "event": event.event})


def _check_replicas(replicas: Replicas) -> None:
    if not replicas:
        raise ValueError("it has no replicas")
    again = repeated(replicas)
    if again is not None:
        raise ValueError(f"it has broker {again} twice")


def _rejection(raw: msgspec.Raw, reason: str) -> Rejection:
    return Rejection(shown(bytes(raw)), reason)
