"""F16: the leader is stopped because it is no target any more, and nobody is elected."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import NO_LEADER
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Decide as klamm does, but a leader that is dropped has no successor, now or later."""
    name = event.partition
    before = draft.partition(name)
    moves.alter(draft, cause, event)
    after = draft.partition(name)
    if before is None or before.leadership is None or after is None or after.leadership is None:
        return
    leader = before.leadership.leader
    if leader != NO_LEADER and leader not in after.assignment.replicas:
        draft.lead(name, NO_LEADER, after.leadership.isr)
        draft.unit(name).check_later = False


VARIANT = Variant(
    id="F16",
    story="A replica that a move had added was in sync, and as it was the first of the list it was"
    " elected as preferred leader. Then somebody asked for another target without it. The"
    " controller stopped it at once, as it does with replicas that are not needed any more, and"
    " that was the leader. Phase A of a move elects nobody, so there was nobody left to copy from,"
    " and the move could not end. A change that would have refused such a request was not taken.",
    reference="KAFKA-14808, apache/kafka#13451 (closed)",
    exposed_by="E7",
    decide=deciding(AlterReassignment, _alter),
)
