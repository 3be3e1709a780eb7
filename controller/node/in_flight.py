"""The Commit that the store works on, and what a Plan means to write of partitions' states."""

from collections.abc import Iterable
from dataclasses import dataclass

from klamm.controller.core.model import TopicPartition
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
