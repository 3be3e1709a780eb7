"""N3: a partition that was never led, and is to be moved, ends every new controller's start."""

from collections.abc import Iterable, Iterator

from klamm.controller.core.model import ClusterState
from klamm.controller.node import Node, Now
from klamm.controller.node.candidacy import withdraw
from klamm.controller.node.data import Phase
from klamm.controller.node.effects import Commit, Effect, Send
from klamm.controller.node.inputs import Input
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import bury, in_office, lose_broker, put_topic


class FailsToStart(Node):
    """A node that cannot take office while a move has no state to go on from."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; where it ends loading, an exception may end the start as well."""
        was_loading = self.phase is Phase.LOADING
        effects = super().handle(now, event)
        state = self.state
        if was_loading and state is not None and self.is_fatal(state):
            self.out = []
            withdraw(self, "a reassignment failed while the controller was starting")
            effects = (*_nothing_begun(effects), *self.out)
        return effects

    @staticmethod
    def is_fatal(state: ClusterState) -> bool:
        """Tell whether a partition moves that has no state, and none of whose replicas is alive."""
        return any(
            partition.leadership is None and state.alive.isdisjoint(partition.assignment.replicas)
            for _, partition in state.moving()
        )


def _nothing_begun(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Leave out what a start that fails does not come to."""
    return (effect for effect in effects if not isinstance(effect, Commit | Send))


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Brokers 3 and 4 are away. Topic x was made for broker 3, and never had a leader.")
    lose_broker(world, 3)
    lose_broker(world, 4)
    world.settle()
    stage.say("A stored move of it to broker 4 waits for either of them.")
    put_topic(world, "x", {0: (4, 3)}, {0: (4,)}, {0: (3,)})
    world.settle()
    stage.say("n1 ends, and n2 is elected.")
    world.do("crash n1")
    bury(world, "n1")
    world.settle()
    stage.claim(in_office(world) == ["n2"], "n2 is in office")
    if stage.violation is None:
        stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N3",
    story="A partition whose replicas were never alive has no state znode. A reassignment of it was"
    " stored, but answered with an unknown error, for the next step reads the state. That was not"
    " the end: every controller that starts takes the stored move up and fails in the same place,"
    " before it has begun to control anything. As long as none of its replicas comes, the cluster"
    " goes from one controller to the next. klamm answers 0 and lets the move wait for a leader.",
    reference="Kafka 3.9, KafkaController.scala, onControllerFailover (measured)",
    exposed_by=OWN_SCRIPT,
    node_factory=FailsToStart,
)
