"""F05: a new controller gives up a move because one of its targets is not alive yet."""

from klamm.controller.core.events import AlterReassignment
from klamm.controller.node import Node, Now
from klamm.controller.node.data import Phase
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input, Turn
from klamm.tools.lab.variant import Variant


class GivesUpMoves(Node):
    """A node that drops the moves which it finds when it takes office, unless all can go on."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; where it ends loading, drop moves to brokers that are not there."""
        was_loading = self.phase is Phase.LOADING
        effects = super().handle(now, event)
        if not was_loading or self.state is None or self.turns is None:
            return effects
        alive = self.state.alive
        hopeless = [
            AlterReassignment(name, None)
            for name, partition in self.state.moving()
            if not alive.issuperset(partition.assignment.target)
        ]
        if not hopeless:
            return effects
        self.turns.add(hopeless)
        return effects + super().handle(now, Turn())


VARIANT = Variant(
    id="F05",
    story="A rolling restart took down the controller and, at the same time, a broker to which a"
    " partition was moving. The new controller found the move in ZooKeeper, saw that not all of"
    " its new replicas were alive, and failed it: the entry was removed as if it had never been"
    " asked for, although the broker was back a few seconds later. The fix lets a move wait for"
    " replicas that are away.",
    reference="KAFKA-4214, apache/kafka#1910, be6056abc99 (0.10.1.0)",
    exposed_by="bounces",
    node_factory=GivesUpMoves,
)
