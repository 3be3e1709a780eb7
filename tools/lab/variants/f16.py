"""F16: the leader is stopped because it is no target any more, and nobody is elected."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause, ElectPreferred
from klamm.controller.core.model import NO_LEADER
from klamm.controller.core.origins import FromTimer
from klamm.controller.core.preferred import can_be_led
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input, Timer
from klamm.controller.node.rebalance import REBALANCE_TIMER
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import deciding


class ElectsWhatMoves(Node):
    """A node that gives leads back also where a move is under way, as Kafka does since 3.4.0."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        state, turns = self.state, self.turns
        if event == Timer(REBALANCE_TIMER) and state is not None and turns is not None:
            moving = (
                ElectPreferred(name)
                for name, each in state.partitions()
                if each.assignment.moving
                and each.leader != each.assignment.replicas[0]
                and can_be_led(each, state.alive)
            )
            turns.add(moving, FromTimer(REBALANCE_TIMER))
        return super().handle(now, event)


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
    " elected as preferred leader, since 3.4.0 by the controller itself, which looks soon after it"
    " takes over (KAFKA-10149). Then somebody asked for another target without it. The"
    " controller stopped it at once, as it does with replicas that are not needed any more, and"
    " that was the leader. Phase A of a move elects nobody, so there was nobody left to copy from,"
    " and the move could not end. A change that would have refused such a request was not taken.",
    reference="KAFKA-14808, apache/kafka#13451 (closed)",
    exposed_by="E7",
    node_factory=ElectsWhatMoves,
    decide=deciding(AlterReassignment, _alter),
)
