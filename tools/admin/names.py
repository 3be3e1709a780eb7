"""What calls are about: partitions, replicas, configured things."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from klamm.controller.znodes.admin import TopicPartition as TopicPartition


class TopicPartitionReplica(NamedTuple):
    """A replica: a partition on a broker; sorts by topic, partition, broker."""

    topic: str
    partition: int
    broker: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}-{self.broker}"


class ResourceType(IntEnum):
    """What has configs, with Kafka's codes (ConfigResource.Type)."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8


class ConfigResource(NamedTuple):
    """A topic by name, or a broker by id; the broker "" is the default of all."""

    type: ResourceType
    name: str

    def __str__(self) -> str:
        return f"{self.type.name.lower()} {self.name or 'default'}"

    @property
    def broker(self) -> int | None:
        """The broker that must be asked itself, None where any node will do.

        Raises ValueError for a name that is no id.
        """
        if self.type is ResourceType.TOPIC or not self.name:
            return None
        if not (self.name.isascii() and self.name.isdecimal()):
            raise ValueError(f"{self}: the name of a broker is its id, such as '1'")
        return int(self.name)


class Everything:
    """The type of `EVERYTHING`, which stands for all partitions there are."""

    def __repr__(self) -> str:
        return "EVERYTHING"


EVERYTHING: Final = Everything()


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Gather partition numbers by topic, in the order in which they come."""
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(topic, []).append(number)
    return found
