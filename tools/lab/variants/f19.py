"""F19: partitions are added during a move, by somebody who knows nothing of it."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CreatePartitions
from klamm.controller.core.model import Assignment, ClusterState, Topic
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._growth import grown
from klamm.tools.lab.variants._ways import after, split


def grows_any_time(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but add partitions as if no partition were moving."""
    growth, others = split(causes, CreatePartitions)
    plan = decide(state, others, settings)
    if not growth:
        return plan
    present = after(state, plan)
    still = replace(present, topics={n: _still(topic) for n, topic in present.topics.items()})
    return (*plan, *grown(still, present, growth, settings))


def _still(topic: Topic) -> Topic:
    partitions = {
        number: replace(partition, assignment=Assignment(partition.assignment.replicas))
        for number, partition in topic.partitions.items()
    }
    return replace(topic, partitions=partitions)


VARIANT = Variant(
    id="F19",
    story="createPartitions ran in a request's thread: it read the topic's znode, added partitions"
    " and wrote all of it back. Adding and removing replicas were no part of what it wrote, so the"
    " moves of the topic were gone from ZooKeeper while the controller still had them in memory;"
    " what it wrote next lost the new partitions. The fix refuses new partitions with"
    " REASSIGNMENT_IN_PROGRESS while a partition of the topic moves.",
    reference="KAFKA-9038, apache/kafka#7582, 43262d358a4 (2.4.0)",
    exposed_by="growth",
    decide=grows_any_time,
)
