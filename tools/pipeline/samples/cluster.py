"""Clusters as they might be: few large topics, many small ones, racks, and a broker that is gone.

Sizes of topics follow Zipf's law. Some topics grow and others do not, so that what is even today is
not in a month. The same seed and size give the same cluster, on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from klamm.tools.planner.snapshot import NO_LEADER, Broker, Partition, Snapshot

#: When every sample begins: 2026-01-05, a Monday, in UTC.
BEGIN_MS: Final = 1_767_571_200_000
DAY_MS: Final = 86_400_000
_ZIPF = 1.1
_MIB = 1024 * 1024
#: Bytes of the partition of the largest topic, at the beginning.
_LARGEST = 40 * 1024 * _MIB
_WORDS = ("orders", "clicks", "payments", "users", "stock", "mail", "search", "audit", "prices")


@dataclass(frozen=True, slots=True)
class Size:
    """How large a sample is. `events` are lines of journals, `days` are snapshots of a day each."""

    brokers: int
    racks: int
    partitions: int
    events: int
    days: int

    def __post_init__(self) -> None:
        for name, least in (("brokers", 5), ("racks", 1), ("partitions", 40), ("events", 100)):
            if getattr(self, name) < least:
                raise ValueError(f"{getattr(self, name)} {name}: a sample has at least {least}")
        if self.days < 0:
            raise ValueError(f"{self.days} days: there cannot be less than none")


SIZES: Final = {
    "small": Size(brokers=6, racks=3, partitions=60, events=1_000, days=14),
    "medium": Size(brokers=24, racks=4, partitions=5_000, events=200_000, days=14),
    "large": Size(brokers=100, racks=5, partitions=100_000, events=10_000_000, days=2),
}


def cluster(seed: int, size: Size) -> Snapshot:
    """Return the cluster as it begins."""
    rng = Random(f"{seed}/cluster")  # noqa: S311 - chance that can be had again
    brokers = tuple(
        Broker(
            id=1 + number,
            rack=f"rack-{'abcdefghijklmnopqrstuvwxyz'[number % size.racks % 26]}",
            capacity_bytes=0,
            # One broker of six or more is gone, and its replicas are out of sync.
            alive=size.brokers < 6 or number != size.brokers - 1,
        )
        for number in range(size.brokers)
    )
    dead = {each.id for each in brokers if not each.alive}
    partitions = tuple(
        _partition(rng, topic, number, factor, share, size.brokers, dead)
        for topic, count, factor, share in _topics(rng, size.partitions)
        for number in range(count)
    )
    held = sum(each.size_bytes * len(each.replicas) for each in partitions)
    # Half as much again as would be needed if all were even, so that growth has somewhere to go.
    capacity = max(held * 3 // (2 * size.brokers), 1)
    return Snapshot(
        cluster_id=f"sample-{seed}",
        taken_ms=BEGIN_MS,
        brokers=tuple(Broker(b.id, b.rack, capacity, b.alive) for b in brokers),
        partitions=partitions,
    )


def grown(first: Snapshot, seed: int, day: int) -> Snapshot:
    """Return the cluster as it is `day` days later, if nothing has been moved."""
    partitions = []
    for each in first.partitions:
        rng = Random(f"{seed}/{each.topic}")  # noqa: S311
        growth = rng.choice((0.0, 0.0, 0.002, 0.01, 0.03))
        noise = Random(f"{seed}/{each.topic}/{each.partition}/{day}").uniform(-1, 1)  # noqa: S311
        factor = 1 + growth * day + 0.002 * noise * min(day, 1)
        # Some are led by somebody else on a day, as after a restart.
        strays = day > 0 and noise > 0.8 and each.leader != NO_LEADER
        partitions.append(
            Partition(
                each.topic,
                each.partition,
                each.replicas,
                leader=each.isr[-1] if strays else each.leader,
                isr=each.isr,
                size_bytes=round(each.size_bytes * factor),
                bytes_in_per_s=round(each.bytes_in_per_s * factor, 3),
                min_isr=each.min_isr,
            )
        )
    return Snapshot(
        first.cluster_id, first.taken_ms + day * DAY_MS, first.brokers, tuple(partitions)
    )


def _topics(rng: Random, partitions: int) -> list[tuple[str, int, int, float]]:
    """Return name, partitions, replicas, and size of a partition against the largest topic's."""
    topics: list[tuple[str, int, int, float]] = []
    left = partitions
    while left:
        place = len(topics)
        most = max(1, round(partitions / 6 / (place + 1) ** 0.7))
        count = min(left, max(1, rng.randint(max(1, most // 2), most)))
        name = f"{_WORDS[place % len(_WORDS)]}-{place // len(_WORDS)}"
        factor = rng.choices((1, 2, 3, 4), weights=(1, 3, 15, 1))[0] if place else 3
        topics.append((name, count, factor, 1 / (place + 1) ** _ZIPF))
        left -= count
    return topics


def _partition(
    rng: Random,
    topic: str,
    number: int,
    factor: int,
    share: float,
    brokers: int,
    dead: set[int],
) -> Partition:
    # Neighbours are in different racks. Low ids are preferred a little: clusters age unevenly.
    start = int(brokers * rng.random() ** 1.25)
    replicas = tuple((start + at) % brokers + 1 for at in range(factor))
    isr = tuple(id_ for id_ in replicas if id_ not in dead)
    size = round(_LARGEST * share * rng.uniform(0.7, 1.3))
    return Partition(
        topic,
        number,
        replicas,
        leader=isr[0] if isr else NO_LEADER,
        isr=isr or replicas,
        size_bytes=size,
        # What it holds is what came in within a week.
        bytes_in_per_s=round(size / (7 * DAY_MS / 1000), 3),
        min_isr=2 if factor >= 3 else 1,
    )
