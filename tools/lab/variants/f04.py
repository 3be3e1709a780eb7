"""F04: a controller that comes back goes on with the moves that it remembers."""

from klamm.controller.core.decide import decide
from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.data import Phase
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input, Turn
from klamm.controller.node.turns import Decide
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import in_office


class NeverForgets(Node):
    """A node that keeps the moves of its former office, and takes them up in the next."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.remembered: dict[TopicPartition, tuple[int, ...]] = {}

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; where it ends loading, go on with what was under way long ago."""
        was_loading = self.phase is Phase.LOADING
        effects = super().handle(now, event)
        if self.state is None or self.turns is None:
            return effects
        if was_loading and self.remembered:
            self.turns.add(AlterReassignment(*move) for move in self.remembered.items())
            effects += super().handle(now, Turn())
        self.remembered = {
            name: partition.assignment.target for name, partition in self.state.moving()
        }
        return effects


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 3 fetches nothing, so a move to it does not end. n1 has begun it.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    stage.say("n1 loses its session, n2 takes over, and is asked for brokers 2 and 4 instead.")
    world.do("expire n1")
    world.settle(but=lambda name: name.startswith("n1 "))
    world.settle()
    world.ask("n2", move("t", 0, 2, 4))
    world.advance(60.0)
    stage.claim(stage.replicas("t", 0) == [2, 4], "t-0 is on brokers 2 and 4")
    stage.say("Then n2 loses its session, and n1 is controller again.")
    world.do("expire n2")
    world.settle(but=lambda name: name.startswith("n2 "))
    world.settle()
    stage.claim(in_office(world) == ["n1"], "n1 is in office")
    stage.claim(stage.replicas("t", 0) == [2, 4], "t-0 is still on brokers 2 and 4")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F04",
    story="A move did not come to its end under controller C0. The operator cleared the znode of"
    " reassignments, had the controller move to C1 and submitted another target there, which was"
    " reached. Later C0 became controller again: the map of moves in its memory had never been"
    " cleared when it resigned, so it took the old move up and carried the partition back. The fix"
    " clears the controller's context with every resignation.",
    reference="KAFKA-5310, apache/kafka#3122, beeddc25d6b (0.11.0.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=NeverForgets,
)
