"""Throttles of copies between brokers: which is in force, and which is too low for any. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
)
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain.facts import Configs, Facts

#: Kafka's own tool advises not to go below (ReassignPartitionsCommandOptions.java).
SENSIBLE_RATE: Final = 1024

#: What is on a throttled list for all replicas of the topic.
_EVERY_REPLICA: Final = "*"


@dataclass(frozen=True, slots=True)
class Throttle:
    """The rate of bytes per second that is in force, which key it is, and on which broker."""

    rate: int
    key: str
    broker: int


def throttle_of(facts: Facts, name: TopicPartition, leader: int, follower: int) -> Throttle | None:
    """Return the lower of the rates that hold a copy up on either side, None without any.

    Source: KIP-73; Kafka 3.9, ReplicationQuotaManager.scala: a rate counts for listed replicas.
    """
    lists = facts.topics.get(name.topic, {})
    found = []
    for broker, list_key, rate_key in (
        (leader, LEADER_LIST, LEADER_RATE),
        (follower, FOLLOWER_LIST, FOLLOWER_RATE),
    ):
        rate = facts.brokers.get(broker, {}).get(rate_key, "")
        if rate.isdigit() and _is_listed(lists, list_key, name.partition, broker):
            found.append(Throttle(int(rate), rate_key, broker))
    return min(found, key=lambda each: each.rate, default=None)


def _is_listed(lists: Configs, key: str, partition: int, broker: int) -> bool:
    items = [item.strip() for item in lists.get(key, "").split(",")]
    return _EVERY_REPLICA in items or f"{partition}:{broker}" in items
