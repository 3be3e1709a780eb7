"""H6: whose request meets the fence is not answered."""

from klamm.controller.node import Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.store.port import CommitDone, Fenced
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import depose, is_of_n1
from klamm.tools.lab.variants._ways import KnowsAskers, unanswered


class SilentAtFence(KnowsAskers):
    """A node that drops the callbacks of the event in which it learns that it was replaced."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; who asked for what the fence refused hears nothing."""
        turns = self.turns
        fenced = isinstance(event, CommitDone) and isinstance(event.outcome, Fenced)
        executed = self.requests_of(turns.taken.values()) if turns is not None else frozenset()
        effects = super().handle(now, event)
        if turns is None or self.turns is turns or not fenced:
            return effects
        return tuple(unanswered(effects, executed))


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A client asks n1 for a move. What n1 has decided to write is still on its way.")
    asked = world.ask("n1", move("t", 0, 2, 3))
    world.until(lambda: world.happened.action == "n1 turn")
    world.settle(but=lambda name: name == "n1 turn")
    world.do("n1 turn")
    stage.say("An operator deletes /controller, and n2 is elected. Then the write arrives.")
    depose(world)
    world.settle(but=is_of_n1)
    world.settle()
    stage.claim(bool(asked.responses), "n1's client is answered")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="H6",
    story="Since KAFKA-10193 a controller that resigns answers the requests in its queue. The one"
    " that it is at is none of them: if its write meets the check of the epoch, the exception"
    " ControllerMoved leaves the handler, the controller resigns, and nobody calls the callback."
    " That client waits until its own time-out and cannot know what became of its request. klamm"
    " answers it with NOT_CONTROLLER like all others.",
    reference="Kafka 3.9, KafkaController.scala, process (read in the source)",
    exposed_by=OWN_SCRIPT,
    node_factory=SilentAtFence,
)
