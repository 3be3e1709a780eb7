"""The Commit that the store works on, and what a Plan means to write of partitions' states."""

from collections.abc import Iterable
from dataclasses import dataclass

from klamm.controller.core.events import AlterReassignment, Cause, CheckPartition
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Check, SetData
from klamm.controller.core.plan import Commit as PlannedCommit
from klamm.controller.node.places import Place, locate
from klamm.controller.store.port import Unknown
from klamm.controller.store.witness import Inquiry


@dataclass(slots=True)
class InFlightCommit:
    """The Commit that the store works on, the number of the request, and its fence.

    With an inquiry its answer was lost, and what became of it is being found out.
    """

    request: int
    commit: PlannedCommit
    fence: Check
    unknown: Unknown | None = None
    inquiry: Inquiry | None = None


def states_in_question(causes: Iterable[Cause], state: ClusterState) -> set[TopicPartition]:
    """The partitions whose state a Plan for these causes sets, as far as one sees at a glance.

    They are those to be moved, those whose move looks finished, and those of brokers that are gone
    or were. One too many costs a read, one
    too few a second decision.
    """
    found = set()
    for cause in causes:
        event = cause.event
        if not isinstance(event, AlterReassignment | CheckPartition):
            continue
        partition = state.partition(event.partition)
        if partition is None or partition.leadership is None:
            continue
        moving = partition.assignment.moving
        if isinstance(event, AlterReassignment):
            expected = moving or event.target is not None
        elif event.restarted:
            # Its leader may have taken one into the ISR of whom we do not know it yet.
            expected = True
        else:
            in_sync = partition.leadership.isr
            expected = moving and all(each in in_sync for each in partition.assignment.target)
        if expected:
            found.add(event.partition)
    return found


def states_set(plan: Iterable[PlannedCommit]) -> set[TopicPartition]:
    """The partitions whose existing state znode the Plan writes."""
    return {
        location.partition
        for commit in plan
        for op in commit.ops
        if isinstance(op, SetData)
        and (location := locate(op.path)).place is Place.STATE
        and location.partition is not None
    }
