"""Replication throttles as one broker obeys them (KIP-73).

A topic lists its throttled replicas, `partition:broker` each, once for leaders and once for
followers; a broker has a rate for each of its two roles, in bytes per second. A broker looks at
the entries with its own id only. A topic without min.insync.replicas has that of
the broker's own configs, or of the cluster's default ones. Sources: Kafka 3.9, ConfigHandler
(TopicConfigHandler, BrokerConfigHandler), ReplicationQuotaManager.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.controller.configs.throttle_keys import FOLLOWER_LIST, LEADER_LIST, RATES
from klamm.controller.core.model import TopicPartition

MIN_IN_SYNC = "min.insync.replicas"

_EVERY = "*"
#: Of an int64.
_MOST_DIGITS = 19


@dataclass(frozen=True, slots=True)
class Listed:
    """The partitions of one topic that a broker throttles in one role."""

    every: bool = False
    numbers: frozenset[int] = frozenset()

    def __contains__(self, number: int) -> bool:
        """Tell whether the partition of this number is one of them."""
        return self.every or number in self.numbers


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """What a broker heeds of a topic's configs; None is what the broker has for all topics."""

    leads: Listed = Listed()
    follows: Listed = Listed()
    min_in_sync: int | None = None


#: Of a topic without configs.
UNSET = TopicSettings()


def topic_settings(config: Mapping[str, str], broker: int) -> TopicSettings:
    """Read a topic's configs for one broker.

    Whoever writes configs checks them; a value that makes no sense all the same counts as unset.
    """
    return TopicSettings(
        _listed(config.get(LEADER_LIST, ""), broker),
        _listed(config.get(FOLLOWER_LIST, ""), broker),
        _number(MIN_IN_SYNC, config),
    )


@dataclass(frozen=True, slots=True)
class Quotas:
    """A broker's rates in bytes per second, infinite where none is set.

    `log_dirs` is that of copies between its own log directories.
    """

    leader: float = math.inf
    follower: float = math.inf
    log_dirs: float = math.inf


def quotas(own: Mapping[str, str], default: Mapping[str, str]) -> Quotas:
    """Read a broker's rates: its own configs go before the cluster's default ones."""
    rates = (_rate(key, own, default) for key in RATES)
    return Quotas(*rates)


def least_in_sync(own: Mapping[str, str], default: Mapping[str, str]) -> int:
    """Read min.insync.replicas of topics that have none: in the same order."""
    for config in (own, default):
        number = _number(MIN_IN_SYNC, config)
        if number is not None:
            return number
    return 1


@dataclass(slots=True)
class Throttles:
    """Everything that one broker has read of throttles and topics' settings.

    `topics` are those that set anything, whether it hosts them or not.
    """

    quotas: Quotas = Quotas()
    least_in_sync: int = 1
    topics: dict[str, TopicSettings] = field(default_factory=dict)

    def leads(self, name: TopicPartition) -> bool:
        """Tell whether the partition is throttled where this broker leads it."""
        return name.partition in self.topics.get(name.topic, UNSET).leads

    def follows(self, name: TopicPartition) -> bool:
        """Tell whether the partition is throttled where this broker follows."""
        return name.partition in self.topics.get(name.topic, UNSET).follows

    def min_in_sync(self, topic: str) -> int:
        """Return the min.insync.replicas that holds for a topic."""
        own = self.topics.get(topic, UNSET).min_in_sync
        return self.least_in_sync if own is None else own


def _listed(value: str, broker: int) -> Listed:
    if value.strip() == _EVERY:
        return Listed(every=True)
    numbers = set()
    for entry in value.split(","):
        number, _, of = map(_whole, entry.strip().partition(":"))
        if number is not None and of == broker:
            numbers.add(number)
    return Listed(numbers=frozenset(numbers))


def _number(key: str, config: Mapping[str, str]) -> int | None:
    return _whole(config.get(key, ""))


def _whole(text: str) -> int | None:
    """Read a number; None for what is none, or longer than any that counts."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _rate(key: str, own: Mapping[str, str], default: Mapping[str, str]) -> float:
    value = own.get(key, default.get(key, ""))
    return float(value) if value.isdecimal() else math.inf
