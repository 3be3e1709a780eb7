"""F36: after a second expiry a node that is elected again does not begin its work."""

from collections.abc import Mapping

from klamm.controller.core.decide import decide
from klamm.controller.node import Node, NodeConfig, Now, Phase
from klamm.controller.node.candidacy import on_election_done, on_election_read
from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.machine import TRANSITIONS, Step
from klamm.controller.node.turns import Decide
from klamm.controller.store.port import CommitDone, Committed, ReadDone
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._election import return_early


class BelievesItself(Node):
    """A node that starts work only if, for all it remembers, somebody else was controller."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.remembered = -1

    @property
    def believes(self) -> bool:
        """Tell whether it remembers to be controller, though it is not in office."""
        return self.turns is None and self.remembered == self.config.node_id

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, and remember who is controller."""
        effects = super().handle(now, event)
        if self.controller_id != -1:
            self.remembered = self.controller_id
        return effects


def _on_election_read(node: NodeData, event: ReadDone) -> None:
    if isinstance(node, BelievesItself) and node.believes:
        return_early(node, event)
    else:
        on_election_read(node, event)


def _on_election_done(node: NodeData, event: CommitDone) -> None:
    won = event.request == node.office.election and isinstance(event.outcome, Committed)
    if won and isinstance(node, BelievesItself) and node.believes:
        node.phase, node.controller_id = Phase.STANDBY, node.config.node_id
    else:
        on_election_done(node, event)


_INSTEAD: Mapping[Step, Step] = {
    on_election_read: _on_election_read,
    on_election_done: _on_election_done,
}
BelievesItself.transitions = {key: _INSTEAD.get(step, step) for key, step in TRANSITIONS.items()}


VARIANT = Variant(
    id="F36",
    story="A node's session expired several times in a row. Each time it created `/controller`"
    " anew, but its handler compared the id there with the one that it remembered, found its own,"
    " and concluded that nothing had changed: neither resignation nor start-up was run. From then"
    " on the znode named a controller which did nothing, and a restart of that node was the only"
    " help. The fix resigns at every expiry, whoever is named.",
    reference="KAFKA-4229, 3f0168cd35c (0.10.2.0)",
    exposed_by="alone",
    node_factory=BelievesItself,
)
