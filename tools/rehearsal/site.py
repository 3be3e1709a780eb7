"""The stage of a rehearsal as the lab's world has it.

There brokers are 1, 2, ... in the order of their ids, and a topic has only those partitions that
the plan names, numbered anew; `by_name` and `id_of` lead back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from klamm.controller.core.ibp import InterBrokerProtocol, by_name
from klamm.controller.core.model import TopicPartition
from klamm.tools.lab.evidence.site import Site, Targets
from klamm.tools.lab.scope import Scope
from klamm.tools.rehearsal.spec import RunSpec, Stage, StagePartition

_PROTOCOL: InterBrokerProtocol = by_name("3.9-IV0")
_EMPTY = Stage((), (), ())
#: So much of a topic's name leaves room for a number in the 249 characters that a name may have.
_STEM = 240


@dataclass(frozen=True)
class StageSite(Site):
    """A site that is a user's cluster. `seed` and `size` of the lab's own mean nothing here."""

    spec: RunSpec = RunSpec(_EMPTY)

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return {id_: number for number, id_ in enumerate(self.spec.stage.brokers, 1)}

    def number(self, broker: int) -> int:
        """Return a broker's number in the world; raises KeyError for one that has no part."""
        return self._numbers[broker]

    def id_of(self, number: int) -> int:
        """Return the id of the world's broker of this number."""
        return self.spec.stage.brokers[number - 1]

    @cached_property
    def by_name(self) -> Mapping[TopicPartition, StagePartition]:
        """Return the stage's partitions by their names in the world."""
        found: dict[TopicPartition, StagePartition] = {}
        counts: dict[str, int] = {}
        topics = _topics(self.spec.stage.partitions)
        for each in self.spec.stage.partitions:
            topic = topics[each.topic, len(each.replicas)]
            number = counts.get(topic, 0)
            counts[topic] = number + 1
            found[TopicPartition(topic, number)] = each
        return found

    @cached_property
    def assignments(self) -> Mapping[str, Mapping[int, tuple[int, ...]]]:
        """Return where replicas are in the beginning."""
        found: dict[str, dict[int, tuple[int, ...]]] = {}
        for name, each in self.by_name.items():
            replicas = tuple(map(self.number, each.replicas))
            found.setdefault(name.topic, {})[name.partition] = replicas
        return found

    @cached_property
    def rates(self) -> Mapping[TopicPartition, float]:
        """Return what is written to each partition, in bytes per second: see `rounded`."""
        return {
            name: rounded(each.bytes_in_per_s, self.spec.bandwidth)
            for name, each in self.by_name.items()
        }

    @cached_property
    def plan(self) -> Targets:
        """Return the plan."""
        return {name: tuple(map(self.number, each.target)) for name, each in self.by_name.items()}

    @cached_property
    def needed(self) -> int:
        """Return the bytes that the plan has to copy, were nothing written meanwhile."""
        return sum(
            each.size_bytes * len({*each.target} - {*each.replicas})
            for each in self.spec.stage.partitions
        )

    @property
    def brokers(self) -> int:
        """Return how many brokers there are."""
        return len(self.spec.stage.brokers)

    def in_sync_needed(self, name: TopicPartition) -> int:
        """Return min.insync.replicas of a partition."""
        return self.by_name[name].min_isr

    def scope(self) -> Scope:
        """Return the world that this is: a second node is there to take over."""
        spec = self.spec
        return Scope(
            "rehearsal",
            "a cluster on which a plan is tried",
            nodes=2,
            brokers=self.brokers,
            topics=self.assignments,
            log_bytes={name: each.size_bytes for name, each in self.by_name.items()},
            partition_bytes=0,
            bandwidth=spec.bandwidth,
            copy_rate=math.inf if spec.copy_rate is None else spec.copy_rate,
            protocol=_PROTOCOL,
            auto_leader_rebalance=True,
        )


def _topics(partitions: Iterable[StagePartition]) -> dict[tuple[str, int], str]:
    """Return the world's topic for each topic and replication factor.

    Reassignments may leave a topic with several factors, and nobody can create such a one (Kafka
    3.9, AdminZkClient.validateTopicCreate): the world has another topic for each further factor.
    """
    partitions = [*partitions]
    found: dict[tuple[str, int], str] = {}
    # '.' and '_' are the same in names of metrics, and no topic may be called as another is there.
    flat = {each.topic.replace(".", "_") for each in partitions}
    named = set[str]()
    for each in partitions:
        if (each.topic, len(each.replicas)) in found:
            continue
        name, serial = each.topic, 2
        own = each.topic.replace(".", "_") not in named
        while not own and name.replace(".", "_") in flat:
            name, serial = f"{each.topic[:_STEM]}-{serial}", serial + 1
        named.add(name.replace(".", "_"))
        flat.add(name.replace(".", "_"))
        found[each.topic, len(each.replicas)] = name
    return found


def rounded(rate: float, bandwidth: float) -> float:
    """Return about the same rate, the less exactly the less of a broker's bandwidth it is.

    Flows of equal rate are moved together, which is what makes large plans take seconds. From a
    hundredth of the bandwidth on a rate has two digits, from a thousandth on one; below, it is 1, 2
    or 5 of some power of ten, and below a hundred-thousandth nothing.
    """
    part = rate / bandwidth
    if part < 1e-5:
        return 0.0
    if part >= 1e-3:
        return float(f"{rate:.{2 if part >= 1e-2 else 1}g}")
    power = 10.0 ** math.floor(math.log10(rate))
    return min((step * power for step in (1, 2, 5, 10)), key=lambda each: abs(each - rate))


def least_seconds(spec: RunSpec) -> float:
    """Return what the plan's copies take at least, in seconds; infinite if one cannot end.

    That is bytes over bandwidth, or the throttle, of the broker that has most to fetch, and of the
    slowest single replica. Who serves is not known before, so what is served does not count.
    """
    fetched: dict[int, int] = {}
    longest = 0.0
    taken = {each.broker: each.into for each in spec.stage.reserved}
    limit = min(spec.throttle or math.inf, spec.bandwidth)
    for each in spec.stage.partitions:
        for broker in {*each.target} - {*each.replicas}:
            fetched[broker] = fetched.get(broker, 0) + each.size_bytes
            if each.size_bytes:
                own = min(spec.copy_rate or math.inf, limit) - each.bytes_in_per_s
                longest = max(longest, _over(each.size_bytes, own))
    for broker, size in fetched.items():
        free = min(limit, spec.bandwidth - taken.get(broker, 0.0))
        longest = max(longest, _over(size, free))
    return longest


def _over(size: float, rate: float) -> float:
    if not size:
        return 0.0
    return size / rate if rate > 0 else math.inf
