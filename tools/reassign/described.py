"""What topics and partitions look like now, with the stock tool's complaints when one is missing.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (getReplicaAssignmentForTopics,
getReplicaAssignmentForPartitions, describeTopics).
"""

from __future__ import annotations

from collections.abc import Collection

from klamm.tools.admin import Admin, TopicPartition, errors
from klamm.tools.reassign.output import CommandError

Assignment = dict[TopicPartition, tuple[int, ...]]


def of_topics(admin: Admin, topics: Collection[str]) -> Assignment:
    """Return the replicas of every partition of these topics; CommandError if one is missing."""
    found = {}
    for topic, future in admin.describe_topics(sorted(set(topics))).futures.items():
        try:
            described = future.result()
        except errors.UnknownTopicOrPartitionError as error:
            raise CommandError(f"Topic {topic} not found.") from error
        for number, partition in described.partitions.items():
            found[TopicPartition(topic, number)] = partition.replicas
    return found


def of_partitions(admin: Admin, partitions: Collection[TopicPartition]) -> Assignment:
    """Return the replicas of these partitions; raises CommandError if one is missing."""
    known = of_topics(admin, {name.topic for name in partitions})
    return chosen(known, partitions)


def chosen(known: Assignment, partitions: Collection[TopicPartition]) -> Assignment:
    """Pick partitions out of an assignment; raises CommandError if one is missing."""
    missing = sorted(set(partitions) - set(known))
    if missing:
        raise CommandError(f"Unable to find partition: {', '.join(map(str, missing))}")
    return {name: known[name] for name in partitions}
