"""F25: a move that only removes replicas is not seen to be one."""

from dataclasses import replace

from klamm.controller.core.model import Assignment, ClusterState, Partition, Topic
from klamm.controller.node import Node
from klamm.tools.lab.variant import Variant


class LooksAtAdditions(Node):
    """A node that shows as moving only what gets new replicas."""

    @property
    def state(self) -> ClusterState | None:
        """The cluster as this node shows it."""
        state = super().state
        if state is None:
            return None
        return replace(state, topics={n: _seen(topic) for n, topic in state.topics.items()})


def _seen(topic: Topic) -> Topic:
    if not topic.moving:
        return topic
    shown = {number: _shown(partition) for number, partition in topic.partitions.items()}
    return replace(topic, partitions=shown)


def _shown(partition: Partition) -> Partition:
    if partition.assignment.adding or not partition.assignment.removing:
        return partition
    return replace(partition, assignment=Assignment(partition.assignment.replicas))


VARIANT = Variant(
    id="F25",
    story="Whether a partition is being reassigned was computed from its adding replicas alone. A"
    " move that only takes replicas away, as one that lowers the replication factor does, was none"
    " by that: it counted as under-replicated for as long as it took, and tools that ask what is"
    " moving did not see it. The fix looks at both lists.",
    reference="d63eaaaa018, KAFKA-10125, apache/kafka#8837 (2.6.0)",
    exposed_by="moves",
    node_factory=LooksAtAdditions,
)
