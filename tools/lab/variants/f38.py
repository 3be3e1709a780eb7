"""F38: a controller resigns in memory alone, and `/controller` still names it."""

from klamm.controller.node import Node, Now
from klamm.controller.node.candidacy import abandon
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.store.port import SessionEvent, SessionState
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._election import EARLY_RETURN


class ResignsInMemory(Node):
    """A node that leaves office with its connection, although its session goes on."""

    transitions = EARLY_RETURN

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; when the connection is lost the office is over, and nobody is told."""
        effects = super().handle(now, event)
        if isinstance(event, SessionEvent) and event.state is SessionState.SUSPENDED:
            self.out = []
            abandon(self, "the connection to ZooKeeper is lost")
            effects += tuple(self.out)
        return effects


VARIANT = Variant(
    id="F38",
    story="Several events made the controller resign although its session lived: a connection that"
    " had to be made anew, an authentication that failed, a registration still held by an earlier"
    " session. It cleared its memory and stood for office again, but `/controller`, an ephemeral of"
    " that very session, still named it, and the election ended there. Nobody controlled the"
    " cluster, and ZooKeeper said that somebody did. The fixes let only the end of the session be"
    " a reason to resign.",
    reference="KAFKA-5473, 7165, 7987, 13461; e5daa40e316 (1.1.0), eb3335ef592 (2.2.0),"
    " 5df8457e05f (2.8.0), da56146c60c (3.0.1)",
    exposed_by="sessions",
    node_factory=ResignsInMemory,
)
