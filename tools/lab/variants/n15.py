"""N15: a topic that is created anew is taken for the one that was moving when it was deleted."""

from collections.abc import Iterable

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.turns import Decide
from klamm.tools.lab.clients import create
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orphans import Orphans
from klamm.tools.lab.variants._scripts import remove_what_moves, state_of

#: No cause of a turn has this number.
_NOBODYS = -1


class PhantomMoves(Orphans):
    """Decides as klamm does, and completes moves of topics that are gone when they are back."""

    def __call__(self, state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
        """Decide over a turn."""
        self.look(state)
        back = [name for name in sorted(self.orphans) if _is_new(state, name)]
        phantoms = (Cause(_NOBODYS, CheckPartition(name, reassigned=True)) for name in back)
        return decide(state, (*causes, *phantoms), settings)


def _is_new(state: ClusterState, name: TopicPartition) -> bool:
    """Tell whether a partition is in its first leader epoch: its move is not completed yet."""
    partition = state.partition(name)
    held = partition.leadership if partition is not None else None
    return held is not None and held.leader_epoch == 0


class KeepsMoves(Node):
    """A node that does not clear the moves of a deleted topic."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, PhantomMoves())


def _script(stage: Stage) -> None:
    world = stage.world
    remove_what_moves(stage)
    stage.say("A topic of the same name is created.")
    world.ask("n1", create("t", {0: (1, 4)}))
    world.settle()
    epoch = state_of(stage, "t", 0).leader_epoch
    # No rest: broker 1 holds a log of the former topic, in a later epoch, as after any such hand.
    stage.claim(epoch == 0, f"it is in its first leader epoch: {epoch}")


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N15",
    story="The partitions that are being reassigned are a set in the controller's memory, from"
    " which the end of a move takes them. The deletion of a topic does not. A topic that is created"
    " anew under the same name finds its partitions in the set, and phase B is run for a move that"
    " nobody has asked for: another leader epoch, another round of requests. klamm has no such"
    " set: what moves is what the topic says.",
    reference="Kafka 3.9, ControllerContext.scala, removeTopic",
    exposed_by=OWN_SCRIPT,
    node_factory=KeepsMoves,
)
