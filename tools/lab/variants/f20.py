"""F20: a controller that resigns forgets who waits for an answer."""

from klamm.controller.node import Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import KnowsAskers, unanswered


class ForgetsQueue(KnowsAskers):
    """A node that, when it leaves office, drops its queue without a reply."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; requests that are only queued when it ends the office stay silent."""
        before = self.turns
        queued = self.requests_of(before.queue) if before is not None else frozenset()
        effects = super().handle(now, event)
        if before is None or self.turns is before:
            return effects
        return tuple(unanswered(effects, queued))


VARIANT = Variant(
    id="F20",
    story="Requests to alter and to list reassignments were events in the controller's queue, each"
    " with a callback that sends the response. When the controller shut down or resigned, the queue"
    " was cleared and the callbacks with it: clients waited for their whole time-out, and did not"
    " know whether to ask again. The fix gives every event a way to be pre-empted, which answers"
    " NOT_CONTROLLER.",
    reference="KAFKA-10193, apache/kafka#9050, 680e68413b4 (2.7.0)",
    exposed_by="deposed",
    node_factory=ForgetsQueue,
)
