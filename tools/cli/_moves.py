"""What the demo moves: the topics of four old brokers, one replica of each to two new ones."""

import random
from collections.abc import Mapping

from klamm.controller.core.model import TopicPartition
from klamm.tools.cli._sizes import MIB
from klamm.tools.cli._topics import NewTopic

BROKERS = (0, 1, 2, 3, 4, 5)
OLD, NEW = BROKERS[:4], BROKERS[4:]
TOUR = TopicPartition("tour", 0)
#: Topics, and what each of their partitions holds.
SIZES = {"orders": 8 * MIB, "payments": 5 * MIB, "clicks": 3 * MIB, "users": 2 * MIB, "audit": MIB}
NAMES = tuple(SIZES)
_TOUR_BYTES = 24 * MIB


def topics(partitions: int) -> dict[str, NewTopic]:
    """Return topics with so many partitions together, all on the old brokers, and one to look at.

    Whose replicas are where is drawn, always alike.
    """
    draw = random.Random(partitions)  # noqa: S311 - a cluster that has grown, not a secret
    found = {TOUR.topic: NewTopic(TOUR.topic, assignments=(OLD[:3],), partition_bytes=_TOUR_BYTES)}
    for number, name in enumerate(NAMES):
        count = partitions // len(NAMES) + (number < partitions % len(NAMES))
        replicas = tuple(tuple(draw.sample(OLD, 3)) for _ in range(count))
        found[name] = NewTopic(name, assignments=replicas, partition_bytes=SIZES[name])
    return found


def targets(created: Mapping[str, NewTopic]) -> dict[TopicPartition, tuple[int, ...]]:
    """Return where the replicas go: one of each partition to a new broker, in turn."""
    found: dict[TopicPartition, tuple[int, ...]] = {}
    for name in NAMES:
        for number, replicas in enumerate(created[name].assignments):
            place, new = len(found) % len(replicas), NEW[len(found) % len(NEW)]
            moved = (*replicas[:place], new, *replicas[place + 1 :])
            found[TopicPartition(name, number)] = moved
    return found
