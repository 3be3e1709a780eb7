"""F50: a move whose topic was deleted spoils the start of every broker."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.events import BrokersRead, Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Plan, Stop
from klamm.controller.core.settings import Settings
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.turns import Decide
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orphans import Orphans
from klamm.tools.lab.variants._scripts import lose_broker, remove_what_moves


class AbortedStarts(Orphans):
    """Decides as klamm does, but does only half of what the start of a broker asks for."""

    def __call__(self, state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
        """Decide over a turn; an exception about a lost topic ends what follows from brokers."""
        self.look(state)
        causes = tuple(causes)
        plan = decide(state, causes, settings)
        readings = [each.event for each in causes if isinstance(each.event, BrokersRead)]
        fails = any(read.brokers.keys() - state.brokers.keys() for read in readings)
        if not (self.orphans and state.brokers and fails and plan):
            return plan
        first = plan[0]
        messages = tuple(each for each in first.messages if not isinstance(each, Stop))
        return (replace(first, messages=messages, follow_ups=()), *plan[1:])


class KeepsMoves(Node):
    """A node that does not clear the moves of a deleted topic."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, AbortedStarts())


def _script(stage: Stage) -> None:
    world = stage.world
    remove_what_moves(stage)
    stage.say("Topic u is to be deleted. Its broker 4 is away, so that takes until it is back.")
    lose_broker(world, 4)
    world.settle()
    world.ask("n1", delete("u"))
    world.settle()
    stage.claim(stage.exists(paths.topic("u")), "u waits for broker 4")
    stage.say("Broker 4 comes back.")
    world.do("start b4")
    world.settle()
    # No rest: what brokers hold of t nobody can tell them to delete, now that its znodes are gone.
    stage.claim(not stage.exists(paths.topic("u")), "u is gone")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="F50",
    story="A topic was deleted while a partition of it moved, and the deletion was done first. The"
    " move stayed in the controller's memory and could never end. Whenever a broker started, the"
    " controller went through the moves that wait for brokers, came to the one without a topic, and"
    " threw: what comes after that in the same handler was not done, neither the deletions that"
    " waited for this broker nor the registration of its handlers. A fix exists in LinkedIn's fork"
    " alone.",
    reference="KAFKA-8249, linkedin/kafka #14",
    exposed_by=OWN_SCRIPT,
    node_factory=KeepsMoves,
)
