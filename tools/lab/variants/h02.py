"""H2: an order to brokers that there are not, given by znode, waits for ever."""

from klamm.controller.core.events import BeginEntry
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import begin_unjudged, order
from klamm.tools.lab.variants._ways import deciding


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 1 and 9; there is no broker 9.")
    order(world, ("t", 0, (1, 9)))
    world.settle()
    world.advance(2.0)
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 is where it was, and waits for nobody")
    stage.claim(not stage.exists(paths.REASSIGN_PARTITIONS), "the next tool can give orders")
    stage.rest()


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="H2",
    story="A client that names an unknown broker, a dead one, or a negative id is refused. The same"
    " in /admin/reassign_partitions is taken as it is: the replica is added, and the move waits for"
    " a broker that never comes. It holds the znode, so that no tool can order anything, until a"
    " client cancels it. klamm judges orders by znode as it does requests.",
    reference="Kafka 3.9, KafkaController.scala, processZkPartitionReassignment (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(BeginEntry, begin_unjudged),
)
