"""F39: who finds its own name in `/controller` takes the election for done."""

from klamm.controller.node import Node
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._election import EARLY_RETURN


class ReturnsEarly(Node):
    """A node that does not begin its work when `/controller` names it already."""

    transitions = EARLY_RETURN


VARIANT = Variant(
    id="F39",
    story="A node's election was carried out by ZooKeeper, but the answer was lost with the"
    " connection. It asked who is controller, read its own id, and returned: there was nothing to"
    " elect. That it had never run the code that a new controller must run occurred to nobody, so"
    " the cluster had a controller in name only, for as long as that session lived. The early"
    " return is still there in Kafka 3.9; klamm compares the owner of the znode and its epoch with"
    " its own election.",
    reference="KAFKA-13407, apache/kafka#11476 (unmerged)",
    exposed_by="sessions",
    node_factory=ReturnsEarly,
)
