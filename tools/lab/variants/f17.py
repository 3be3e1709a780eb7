"""F17: one long move anywhere keeps all leads where they are."""

from dataclasses import replace

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect, SetTimer
from klamm.controller.node.inputs import Input, Timer
from klamm.controller.node.rebalance import REBALANCE_TIMER
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker


class WaitsForMoves(Node):
    """A node that leaves all leads where they are while any partition moves."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        topics = self.state.topics.values() if self.state is not None else ()
        if event == Timer(REBALANCE_TIMER) and any(topic.moving for topic in topics):
            return (SetTimer(REBALANCE_TIMER, float(self.config.leader_imbalance_check_seconds)),)
        return super().handle(now, event)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 1 was placed to lead u-0, and dies. t-0 is moved to brokers 2 and 3.")
    lose_broker(world, 1)
    world.settle()
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    stage.say("Broker 1 is back. Broker 3 copies nothing for more than five minutes.")
    world.do("start b1")
    world.advance(310.0)
    stage.claim(stage.replicas("t", 0) == [2, 3, 1], "t-0 moves still")
    leader = stage.leadership("u", 0)[0]
    stage.claim(leader == 1, f"u-0 does not wait for it: {leader} leads")
    stage.rest()


SCRIPT = Case("klamm", replace(TWO_TOPICS, auto_leader_rebalance=True), _script)
VARIANT = Variant(
    id="F17",
    story="Every few minutes a controller gives leads back to the brokers where they were placed."
    " It did nothing of the kind while any partition moved, for of those that move the first"
    " replica may not have caught up. So a move that took days kept the leads of all other"
    " partitions wherever the last restarts had driven them, and a few brokers had all the work.",
    reference="KAFKA-10149, apache/kafka#12543, 47adb866369 (3.4.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=WaitsForMoves,
)
