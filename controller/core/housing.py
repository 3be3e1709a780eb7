"""Replicas that were put on a klamm node, which holds none, and the brokers that take them.

Brokers place the topics that they create by themselves, __consumer_offsets and
__transaction_state among them, on any node that UpdateMetadata lists as live. Source: Kafka 3.9,
ZkAdminManager.scala (createTopics with the brokers of metadataCache.getAliveBrokers).
"""

from collections.abc import Collection
from dataclasses import replace

from klamm.controller.core.model import Assignment, Topic


def housed(topic: Topic, nodes: Collection[int], brokers: Collection[int]) -> Topic:
    """Return the topic with brokers in the place of nodes, in partitions that nobody led yet.

    Each place goes to a broker that has no replica of the partition, in turn by partition; where
    all have one it is left out. What nobody can take stays as it is.
    """
    changed = {}
    for number, partition in topic.partitions.items():
        if partition.leadership is not None:
            continue
        replicas = partition.assignment.replicas
        wanted = _without_nodes(replicas, nodes, sorted(brokers), number)
        if wanted and wanted != replicas and not partition.assignment.moving:
            changed[number] = replace(partition, assignment=Assignment(wanted))
    return replace(topic, partitions={**topic.partitions, **changed}) if changed else topic


def _without_nodes(
    replicas: tuple[int, ...], nodes: Collection[int], brokers: list[int], turn: int
) -> tuple[int, ...]:
    wanted: list[int] = []
    for replica in replicas:
        if replica not in nodes:
            wanted.append(replica)
            continue
        free = [broker for broker in brokers if broker not in wanted and broker not in replicas]
        if free:
            wanted.append(free[turn % len(free)])
    return tuple(wanted)
