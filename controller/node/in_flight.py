"""The Commit that the store works on, and what a Plan means to write of partitions' states."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from klamm.controller.core.events import (
    AlterReassignment,
    BeginEntry,
    BeginStep,
    Cause,
    CheckPartition,
    RunElection,
)
from klamm.controller.core.model import ClusterState, Partition, TopicPartition
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

    They are those to be moved or given their preferred leader, those whose move looks finished,
    and those of brokers that are gone or were. One too many costs a read, one too few a second
    decision.
    """
    found: set[TopicPartition] = set()
    for cause in causes:
        event = cause.event
        if isinstance(event, RunElection):
            found.update(filter(partial(_is_led_elsewhere, state), state.election.partitions))
        elif isinstance(event, AlterReassignment | BeginEntry | BeginStep | CheckPartition):
            partition = state.partition(event.partition)
            if partition is not None and _is_in_question(event, partition, state):
                found.add(event.partition)
    return found


def _is_in_question(
    event: AlterReassignment | BeginEntry | BeginStep | CheckPartition,
    partition: Partition,
    state: ClusterState,
) -> bool:
    assignment, leadership = partition.assignment, partition.leadership
    if leadership is None:
        return False
    if isinstance(event, AlterReassignment):
        return assignment.moving or event.target is not None
    if isinstance(event, BeginStep):
        return True
    if isinstance(event, BeginEntry):
        # Of a partition that does not move the target is where it is.
        return state.admin.target(event.partition) not in (None, assignment.target)
    if event.restarted:
        # Its leader may have taken one into the ISR of whom we do not know it yet.
        return True
    in_sync = leadership.isr
    return assignment.moving and all(each in in_sync for each in assignment.target)


def _is_led_elsewhere(state: ClusterState, name: TopicPartition) -> bool:
    """Tell whether somebody else leads the partition than the first of its replicas."""
    partition = None if state.election.held else state.partition(name)
    if partition is None or partition.leadership is None:
        return False
    return partition.assignment.replicas[:1] != (partition.leadership.leader,)


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
