"""F33: writes do not check that their writer is still controller."""

from dataclasses import replace

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.tools.lab.variant import Variant


class WritesUnfenced(Node):
    """A node whose multis carry no check of the controller epoch."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        return tuple(
            replace(effect, fence=None) if isinstance(effect, Commit) else effect
            for effect in super().handle(now, event)
        )


VARIANT = Variant(
    id="F33",
    story="A controller that loses `/controller` hears of it by an event in a queue, and finishes"
    " what it is at before it looks there. Brokers refused its requests by their epoch, but its"
    " writes to ZooKeeper were as good as anybody's: it could undo what its successor had written"
    " already. The fix puts a check of the epoch znode's version into every multi.",
    reference="KAFKA-6082, apache/kafka#5101, 297fb396a00 (2.1.0)",
    exposed_by="deposed",
    node_factory=WritesUnfenced,
)
