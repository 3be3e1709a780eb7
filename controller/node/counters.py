"""Counters of a controller in office, by the names of Kafka's metrics; all from the state.

Kafka 3.9: KafkaController.scala (ActiveControllerCount, GlobalTopicCount, GlobalPartitionCount)
and ReplicaManager.scala (ReassigningPartitions, which a broker counts for what it leads). Bytes in
and out of a reassignment are the brokers' to count.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from klamm.controller.core.model import ClusterState

COUNTERS_TIMER = "counters"


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of one moment; `reassigning_by_leader` has -1 for partitions without a leader."""

    active_controllers: int
    topics: int = 0
    partitions: int = 0
    reassigning: int = 0
    reassigning_by_leader: Mapping[int, int] | None = None

    def by_name(self) -> dict[str, int | dict[int, int]]:
        """Return the counts by the names of Kafka's metrics."""
        return {
            "ActiveControllerCount": self.active_controllers,
            "GlobalTopicCount": self.topics,
            "GlobalPartitionCount": self.partitions,
            "ReassigningPartitions": self.reassigning,
            "ReassigningPartitionsByLeader": dict(self.reassigning_by_leader or {}),
        }


def count(state: ClusterState | None) -> Counters:
    """Count in the state of a controller; None is that of any other node.

    What it costs is a look at each topic and at each partition that moves.
    """
    if state is None:
        return Counters(0)
    by_leader = Counter(partition.leader for _, partition in state.moving())
    return Counters(
        1,
        len(state.topics),
        sum(len(topic.partitions) for topic in state.topics.values()),
        by_leader.total(),
        {broker: by_leader[broker] for broker in sorted(by_leader)},
    )
