"""Key 2: offsets of partitions, each asked of its leader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from klamm.protocol.generated.list_offsets_response import ListOffsetsResponse
from klamm.tools.admin import topic_descriptions
from klamm.tools.admin.apis import api
from klamm.tools.admin.errors import AdminError, TimeoutError_, error_of
from klamm.tools.admin.names import TopicPartition, by_topic
from klamm.tools.admin.routing import Session

# From 1 on there is one offset for a time.
_LIST = api("listOffsets", ListOffsetsRequest, ListOffsetsResponse, range(1, 10))

#: Instead of a time in ms.
LATEST, EARLIEST = -1, -2

#: A client's, not a replica's.
_CONSUMER = -1

#: Another leader, or none yet: a new look at the topic helps.
_PASSING = frozenset(
    {
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_NOT_AVAILABLE,
    }
)

_Outcomes = dict[TopicPartition, "PartitionOffset | AdminError"]


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """An offset; None where no record is as young as the time asked for.

    `timestamp` is that of the record, in ms, None for EARLIEST and LATEST.
    """

    offset: int | None
    timestamp: int | None
    leader_epoch: int | None


async def list_(session: Session, wanted: Mapping[TopicPartition, int]) -> _Outcomes:
    """Return the offset of each partition, or what is wrong with it."""
    found: _Outcomes = {}
    left = dict(wanted)
    while True:
        leaders = await _leaders(session, left, found)
        for leader, names in leaders.items():
            found.update(await _ask(session, leader, {name: wanted[name] for name in names}))
        left = {name: wanted[name] for name, outcome in found.items() if _passes(outcome)}
        if not left:
            return found
        try:
            await session.pause("listOffsets")
        except TimeoutError_:
            return found  # with what was wrong the last time


async def _leaders(
    session: Session, names: Mapping[TopicPartition, int], found: _Outcomes
) -> dict[int, list[TopicPartition]]:
    """Gather partitions by leader; what has none is noted as found wrong."""
    described = await topic_descriptions.describe(session, tuple(by_topic(names)))
    leaders: dict[int, list[TopicPartition]] = {}
    for name in names:
        topic = described.get(name.topic)
        if isinstance(topic, AdminError):
            found[name] = topic
        elif topic is None or (partition := topic.partitions.get(name.partition)) is None:
            found[name] = error_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None)
        elif partition.leader is None:
            found[name] = error_of(ErrorCode.LEADER_NOT_AVAILABLE, None)
        else:
            leaders.setdefault(partition.leader, []).append(name)
    return leaders


async def _ask(session: Session, leader: int, wanted: Mapping[TopicPartition, int]) -> _Outcomes:
    asked = tuple(
        ListOffsetsTopic(
            topic,
            tuple(
                ListOffsetsPartition(number, timestamp=wanted[TopicPartition(topic, number)])
                for number in numbers
            ),
        )
        for topic, numbers in by_topic(wanted).items()
    )
    answer = await session.ask(_LIST, leader, lambda _: ListOffsetsRequest(_CONSUMER, 0, asked))
    return {
        TopicPartition(topic.name, partition.partition_index): error_of(partition.error_code, None)
        if partition.error_code
        else PartitionOffset(
            _known(partition.offset), _known(partition.timestamp), _known(partition.leader_epoch)
        )
        for topic in answer.topics
        for partition in topic.partitions
    }


def _passes(outcome: PartitionOffset | AdminError) -> bool:
    return getattr(outcome, "code", None) in _PASSING


def _known(value: int) -> int | None:
    return None if value < 0 else value
