"""H3: between the look whether anything moves and the write of new partitions, a move begins."""

from collections.abc import Iterable

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CreatePartitions
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._growth import grown
from klamm.tools.lab.variants._ways import after, split


def looks_before(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but add partitions by the state that the turn began with."""
    growth, others = split(causes, CreatePartitions)
    plan = decide(state, others, settings)
    return (*plan, *grown(state, after(state, plan), growth, settings)) if growth else plan


VARIANT = Variant(
    id="H3",
    story="Since KAFKA-9038 createPartitions asks whether the topic moves before it writes. It asks"
    " in a request's thread, and the controller starts moves in its own: one that begins between"
    " question and write is overwritten, for both write the whole znode at any version. ZooKeeper"
    " then knows of no move, the controller of no new partitions. klamm decides both in one place"
    " and writes at the version that it has read.",
    reference="Kafka 3.9, ZkAdminManager.scala, AdminZkClient.scala (read in the source)",
    exposed_by="growth",
    decide=looks_before,
)
