"""N2: one topic that cannot be read ends every new controller's start."""

from klamm.controller.core.model import ClusterState
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node
from klamm.tools.lab.variants._scripts import in_office
from klamm.tools.lab.variants.n03 import FailsToStart


class FailsOnTopics(FailsToStart):
    """A node that cannot take office while a topic cannot be read."""

    @staticmethod
    def is_fatal(state: ClusterState) -> bool:
        """Tell whether some topic is poisoned."""
        return bool(state.unreadable)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool writes the replicas of t-0 as strings.")
    poisoned = b'{"version":2,"partitions":{"0":["1","2"]}}'
    world.write("poisons topic t", SetData(paths.topic("t"), poisoned, ANY_VERSION))
    world.settle()
    stage.say("n1 ends, and n2 is elected.")
    end_node(world, "n1")
    world.settle()
    stage.claim(in_office(world) == ["n2"], "n2 is in office")
    if stage.violation is None:
        stage.rest()


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="N2",
    story="A tool ordered a move with broker ids in quotation marks. Kafka's JSON reader made"
    " strings of them, which nobody looked at before they stood in the topic's own znode. From then"
    " on each controller that was elected read that topic, met the exception, and resigned: one bad"
    " topic, and the whole cluster was without a controller. klamm refuses such orders, and what it"
    " cannot read it leaves alone, and controls the rest.",
    reference="Kafka 3.9, KafkaController.scala, initializeControllerContext (measured)",
    exposed_by=OWN_SCRIPT,
    node_factory=FailsOnTopics,
)
