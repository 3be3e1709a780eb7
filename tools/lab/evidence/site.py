"""The cluster that is measured: brokers, topics, what producers write, and the plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from klamm.controller.core.ibp import InterBrokerProtocol, by_name
from klamm.controller.core.model import TopicPartition
from klamm.tools.lab.scope import Scope

Targets = Mapping[TopicPartition, tuple[int, ...]]

MB = 10**6

_PROTOCOL: InterBrokerProtocol = by_name("3.9-IV0")


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is.

    `old` brokers hold everything and as many new ones stand beside them. Of each topic's
    `partitions` there are `replicas` each; those of the last topic, which is there if `wide` is
    more than 0, are on so many. Partitions hold from `least_bytes` to `most_bytes`, all of a topic
    the same. `busy` says what producers write: up to which part of all partitions, the busiest
    first, and how much to each of them. `bandwidth` is what a broker can replicate each way,
    `copy_rate` what one replica that lags fetches at most: bytes per second.
    """

    old: int = 4
    topics: int = 8
    partitions: int = 12
    replicas: int = 3
    wide: int = 4
    least_bytes: int = 200 * MB
    most_bytes: int = 1000 * MB
    busy: tuple[tuple[float, float], ...] = ((0.05, 2.0 * MB), (0.2, 0.4 * MB), (1.0, 0.05 * MB))
    bandwidth: float = 100.0 * MB
    copy_rate: float = 10.0 * MB
    min_in_sync: int = 2


def draw(seed: int, *what: object) -> float:
    """Return a number from 0 up to 1 for one question; the same one on every machine."""
    text = ":".join(map(str, (seed, *what)))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") / 2**64


@dataclass(frozen=True)
class Site:
    """A cluster of old brokers whose every partition is to move to new ones.

    It is what a change of machines asks for, and KIP-435's own example: all replicas of a
    partition change. Which topics are busy is drawn from `seed`.
    """

    seed: int = 0
    size: Size = Size()

    @cached_property
    def assignments(self) -> Mapping[str, Mapping[int, tuple[int, ...]]]:
        """Return where replicas are in the beginning, by topic and partition."""
        size = self.size
        found: dict[str, Mapping[int, tuple[int, ...]]] = {}
        for topic in range(size.topics):
            last = topic == size.topics - 1 and size.wide > 0
            count = size.wide if last else size.replicas
            found[f"t{topic:02}"] = {
                partition: tuple((topic + partition + at) % size.old + 1 for at in range(count))
                for partition in range(size.partitions)
            }
        return found

    @cached_property
    def rates(self) -> Mapping[TopicPartition, float]:
        """Return what is written to each partition, in bytes per second.

        A few are busy and most are not, and which ones they are is drawn.
        """
        names = sorted(self.plan, key=lambda name: draw(self.seed, "rank", *name))
        return {
            name: next(rate for part, rate in self.size.busy if rank < part * len(names))
            for rank, name in enumerate(names)
        }

    @property
    def brokers(self) -> int:
        """Return how many brokers there are: 1, 2, ..."""
        return 2 * self.size.old

    def in_sync_needed(self, name: TopicPartition) -> int:
        """Return min.insync.replicas of a partition."""
        return self.size.min_in_sync

    @property
    def ingest(self) -> float:
        """Return what is written to all partitions together, in bytes per second."""
        return sum(self.rates.values())

    @cached_property
    def plan(self) -> Targets:
        """Return the plan: broker 1 hands all it has to the first new one, and so on."""
        old = self.size.old
        return {
            TopicPartition(topic, partition): tuple(broker + old for broker in replicas)
            for topic, partitions in self.assignments.items()
            for partition, replicas in partitions.items()
        }

    @cached_property
    def needed(self) -> int:
        """Return the bytes that the plan has to copy, were nothing written meanwhile."""
        return sum(len(to) * self.topic_bytes[name.topic] for name, to in self.plan.items())

    @cached_property
    def topic_bytes(self) -> Mapping[str, int]:
        """Return what each partition of a topic holds in the beginning."""
        least, most = self.size.least_bytes, self.size.most_bytes
        return {
            topic: least + int(draw(self.seed, "bytes", topic) * (most - least))
            for topic in self.assignments
        }

    def scope(self) -> Scope:
        """Return the world that this is."""
        size = self.size
        return Scope(
            "evidence",
            f"{size.old} brokers whose partitions are to move to {size.old} new ones.",
            nodes=1,
            brokers=self.brokers,
            topics=self.assignments,
            topic_bytes=self.topic_bytes,
            bandwidth=size.bandwidth,
            copy_rate=size.copy_rate,
            protocol=_PROTOCOL,
            auto_leader_rebalance=True,
        )
