"""F35: a controller that has resigned still works off what was queued before."""

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.tools.lab.variant import Variant


class DrainsQueue(Node):
    """A node that decides on all causes it still has when it leaves office, and writes that."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; as its session lives, nobody keeps it from writing after the end."""
        turns, session = self.turns, self.office.session
        effects = super().handle(now, event)
        resigned = turns is not None and self.turns is not turns
        if turns is None or not resigned or not self.connected or self.office.session != session:
            return effects
        plan = self.decide_over(turns.state, list(turns.open), turns.settings)
        return effects + tuple(
            Commit(self.office.next_request(), commit.ops, fence=None)
            for commit in plan
            if commit.ops
        )


VARIANT = Variant(
    id="F35",
    story="Callbacks of watches waited in the ZooKeeper client's queue while the controller worked."
    " When it resigned it took its listeners away, but what was queued was delivered all the same:"
    " a node that was not controller any more elected leaders and wrote partition states beside"
    " its successor. The fix looks in every callback whether the node is controller.",
    reference="KAFKA-4447 (also 1578, 2300), a786be94788 (0.10.2.0)",
    exposed_by="deposed",
    node_factory=DrainsQueue,
)
