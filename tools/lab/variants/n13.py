"""N13: a move ends although its leaving replicas could not be taken out of the ISR."""

from dataclasses import replace

from klamm.controller.core.changes import SetAwaiting, SetPartition
from klamm.controller.core.model import ClusterState
from klamm.controller.core.ops import Op
from klamm.controller.core.plan import Commit, Stop
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.places import Place, locate
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import lost_end, with_leadership_of


class EndsAllTheSame(Node):
    """A node that ends a move without its state writes if those meet a conflict."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; where a state could not be written, write the rest and tell nobody."""
        lost = lost_end(self, event)
        if lost is None or not _is_state(lost.flight.commit.ops[lost.conflict.index]):
            return super().handle(now, event)
        lost.turns.answered()
        return (lost.turns.send(_without_states(lost.flight.commit, lost.turns.state)),)


def _is_state(op: Op) -> bool:
    return locate(op.path).place is Place.STATE


def _without_states(commit: Commit, state: ClusterState) -> Commit:
    ops = tuple(op for op in commit.ops if not _is_state(op))
    changes = tuple(
        with_leadership_of(state, change) if isinstance(change, SetPartition) else change
        for change in commit.changes
        if not isinstance(change, SetAwaiting)
    )
    messages = tuple(message for message in commit.messages if not isinstance(message, Stop))
    return replace(commit, ops=ops, changes=changes, messages=messages)


VARIANT = Variant(
    id="N13",
    story="At the end of a move the leaving replicas go through four states: offline, deletion"
    " started, deleted, gone. The first of them takes the replica out of the ISR; where that write"
    " fails, the error is logged, the replica stays where it was, and is never told to delete. The"
    " sequence goes on all the same and declares the move done: a broker keeps a log of a partition"
    " that it does not have. klamm writes both in one multi and decides again after a conflict.",
    reference="Kafka 3.9, ReplicaStateMachine.scala, doRemoveReplicasFromIsr",
    exposed_by="moves",
    node_factory=EndsAllTheSame,
)
