"""What all who look at a cluster want alike, while topics come and go."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from klamm.tools.admin.client import Admin
from klamm.tools.admin.errors import UnknownTopicOrPartitionError
from klamm.tools.admin.names import ConfigResource, ResourceType, TopicPartition
from klamm.tools.admin.topic_descriptions import PartitionDescription

#: For so many milliseconds a broker is waited for to tell of itself: one that has just died is
#: still registered, and who watches wants to see the others.
LOOK_MS: Final = 5_000

MIN_ISR: Final = "min.insync.replicas"


def read_partitions(
    admin: Admin, topics: Collection[str] | None = None
) -> dict[TopicPartition, PartitionDescription]:
    """Return the partitions of these topics, or of all; those of topics that are gone are missing.

    Nothing is sent for no topic. Raises AdminError.
    """
    found: dict[TopicPartition, PartitionDescription] = {}
    if topics is not None and not topics:
        return found
    wanted = None if topics is None else sorted(topics)
    for topic, future in admin.describe_topics(wanted).futures.items():
        try:
            described = future.result()
        except UnknownTopicOrPartitionError:
            continue  # deleted since somebody named it
        for number, partition in described.partitions.items():
            found[TopicPartition(topic, number)] = partition
    return found


def read_min_isrs(admin: Admin, topics: Iterable[str]) -> dict[str, int]:
    """Return min.insync.replicas of these topics; those that are gone are missing.

    Nothing is sent for no topic. Raises AdminError.
    """
    resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
    found = {}
    for resource, future in admin.describe_configs(resources).futures.items():
        try:
            entry = future.result().get(MIN_ISR)
        except UnknownTopicOrPartitionError:
            continue  # deleted since somebody named it
        found[resource.name] = 1 if entry is None or entry.value is None else int(entry.value)
    return found
