"""F45: what was read when an event was queued is acted on when it is out of date."""

from collections.abc import Iterable

from klamm.controller.core.decide import decide
from klamm.controller.core.events import BrokersRead, Cause, StateRead
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.turns import Decide
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import split


class CarriedReadings:
    """Decides as klamm does, but lets what was read wait behind what is queued."""

    def __init__(self) -> None:
        self.epoch = 0
        self.carried: list[Cause] = []

    def __call__(self, state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
        """Decide over a turn; a reading that had to wait counts after those made meanwhile."""
        late = self.carried if state.epoch == self.epoch else []
        self.epoch, self.carried = state.epoch, []
        readings, others = split(causes, BrokersRead, StateRead)
        if readings and others and not late and state.brokers:
            self.carried, readings = readings, []
        return decide(state, (*readings, *others, *late), settings)


class CarriesReadings(Node):
    """A node whose events carry what was read when they were queued."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, CarriedReadings())


VARIANT = Variant(
    id="F45",
    story="When ZooKeeper told of a change, the controller read the new list of brokers, or the new"
    " states, and queued an event that carried it. By the time the event was handled there could be"
    " something newer, which the controller knew already; then it went back to the older, and"
    " treated a broker as dead that had long returned. The fix reads when the event is handled.",
    reference="KAFKA-5502, KAFKA-5879; 6d2fbfc9111 (0.11.0.0), b5b266eeecc, b71ee043f89 (1.1.0)",
    exposed_by="moves",
    node_factory=CarriesReadings,
)
