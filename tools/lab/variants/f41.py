"""F41: brokers are told whom to follow before they know who is alive."""

from collections.abc import Iterator

from klamm.controller.brokers.outbox import Outbox
from klamm.controller.core.decide import decide
from klamm.controller.core.model import ClusterState
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.broker_links import BrokerLinks
from klamm.controller.node.effects import Send
from klamm.controller.node.turns import Decide
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node
from klamm.tools.lab.variants._scripts import lose_broker


class LeadsFirst(BrokerLinks):
    """Sends LeaderAndIsr before the list of those who are alive."""

    def send_due(self, state: ClusterState) -> Iterator[Send]:
        """Hand out the next request of every broker that has none in flight."""
        hasty = [each for each in self.outboxes.values() if each.announce and _has_leads(each)]
        for outbox in hasty:
            outbox.announce = False
        yield from super().send_due(state)
        for outbox in hasty:
            outbox.announce = True


def _has_leads(outbox: Outbox) -> bool:
    return bool(outbox.leads or outbox.unled)


class InHaste(Node):
    """A node that tells brokers whom to follow first of all."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.links = LeadsFirst(config.protocol, config.listener)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("n1 ends, and broker 2 with it. Both are replaced at the same moment.")
    lose_broker(world, 2)
    world.do("start b2")
    end_node(world, "n1")
    world.settle()
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F41",
    story="At a failover the new controller told each broker which partitions it leads and"
    " follows, and then who is alive. A broker that had just started knew of nobody: it looked for"
    " the leader among those alive, did not find it, and did not begin to fetch. It answered"
    " without an error, so nobody told it again, and it stayed out of sync. The fix sends the list"
    " of those alive first.",
    reference="KAFKA-4443, 7ed3768fb6e (0.10.2.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=InHaste,
)
