"""H5: memory says that a move has ended, ZooKeeper that it goes on."""

from dataclasses import replace

from klamm.controller.core.changes import SetPartition
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.store.port import CommitDone, Committed
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import lost_end, with_leadership_of


class EndsInMemory(Node):
    """A node for which a move is over, whatever becomes of the write that ends it."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; an end that meets a conflict is kept in memory, and nothing follows."""
        lost = lost_end(self, event)
        if lost is not None:
            lost.flight.commit = _in_memory(lost.flight.commit, lost.turns.state)
            event = CommitDone(self.office.session, lost.flight.request, Committed(()))
        return super().handle(now, event)


def _in_memory(commit: Commit, state: ClusterState) -> Commit:
    """Return the first step of the end alone: no replica is adding or removing any more."""
    changes = tuple(
        with_leadership_of(state, change)
        for change in commit.changes
        if isinstance(change, SetPartition)
    )
    return replace(commit, changes=changes, messages=(), follow_ups=())


VARIANT = Variant(
    id="H5",
    story="Phase B of a reassignment first takes the adding and removing replicas out of the"
    " controller's memory, and then writes states and topic znode. If a write fails, the exception"
    " ends in the event loop, which logs it and goes on. From then on List says that nothing moves,"
    " ZooKeeper says the opposite, the replicas that should go are never stopped, and partitions"
    " can neither be added nor the topic deleted. klamm's memory changes with the answer of"
    " ZooKeeper and not before.",
    reference="Kafka 3.9, KafkaController.scala, onPartitionReassignment (read in the source)",
    exposed_by="moves",
    node_factory=EndsInMemory,
)
