"""N1: orders that are not as they should be end every new controller's start."""

from klamm.controller.core.model import ClusterState
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order_text
from klamm.tools.lab.variants._scripts import bury, in_office
from klamm.tools.lab.variants.n03 import FailsToStart


class FailsOnOrders(FailsToStart):
    """A node that cannot take office while the admin znode holds what is no order."""

    @staticmethod
    def is_fatal(state: ClusterState) -> bool:
        """Tell whether something of the admin znode was not understood."""
        return state.admin.unclean


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("n1 ends. Before n2 is elected, a tool writes orders without the list of them.")
    world.do("crash n1")
    order_text(world, b'{"version":1}')
    bury(world, "n1")
    world.settle()
    stage.claim(in_office(world) == ["n2"], "n2 is in office")
    if stage.violation is None:
        stage.rest()


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="N1",
    story="The admin znode held an object without a list of partitions, an entry without replicas,"
    " or nothing at all. A controller in office logs the exception and goes on. One that is being"
    " elected reads the znode as part of its start, and the same exception ends that: it resigns,"
    " and so does the next, and the one after it. Until somebody removes the znode by hand the"
    " cluster has no controller. klamm lets nothing that a tool has written end its start.",
    reference="Kafka 3.9, KafkaController.scala, onControllerFailover (measured)",
    exposed_by=OWN_SCRIPT,
    node_factory=FailsOnOrders,
)
