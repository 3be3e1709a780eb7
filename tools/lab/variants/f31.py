"""F31: a controller that was replaced goes on under the epoch of its successor."""

from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import Effect, SetTimer
from klamm.controller.node.inputs import Input, Timer
from klamm.controller.node.turns import Decide
from klamm.controller.store.port import ReadDone, Znode
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import decode_controller_epoch
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import depose, in_office, is_of_n1

_LATER = "whose epoch"
_LATER_SECONDS = 1.0


class AdoptsEpoch(Node):
    """A node in office that takes whatever epoch it reads for its own, and looks whose it is later.

    Later is when the event that tells it comes to the head of its queue.
    """

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.put_off: ReadDone | None = None

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input."""
        if self.put_off is not None and event == Timer(_LATER):
            late, self.put_off = self.put_off, None
            return super().handle(now, late)
        if self.turns is not None and isinstance(event, ReadDone):
            for found in event.outcome if isinstance(event.outcome, tuple) else ():
                if isinstance(found, Znode) and self._adopts(event, found):
                    self.put_off = event
                    return (SetTimer(_LATER, _LATER_SECONDS),)
        return super().handle(now, event)

    def _adopts(self, event: ReadDone, found: Znode) -> bool:
        if found.path != paths.CONTROLLER_EPOCH or event.request != self.office.question:
            return False
        assert self.turns is not None
        epoch, state = decode_controller_epoch(found.data), self.turns.state
        if epoch == state.epoch:
            return False
        self.turns.state = replace(state, epoch=epoch, fence_version=found.version)
        return True


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("An operator deletes /controller. n2 is elected while n1 hears nothing.")
    depose(world)
    world.settle(but=is_of_n1)
    stage.claim(in_office(world) == ["n1", "n2"], "n2 is in office, and n1 does not know it")
    stage.say("n1 asks how things stand. As the answer comes, so does a client's request.")
    inbox = world.nodes["n1"].inbox
    world.until(lambda: any(isinstance(event, ReadDone) for event in inbox))
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    replicas = stage.replicas("t", 0)
    stage.claim(replicas == [1, 2], f"n1 has written nothing more: t-0 is on {replicas}")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F31",
    story="A controller stood still for a long garbage collection, and another was elected. When"
    " it woke, its watch on the epoch's znode told it of the new number before anything told it"
    " that the number was another's: it took it for its own, and all that was made to stop former"
    " controllers let it pass. The fix has a controller use only the epoch that its own election"
    " gave it.",
    reference="KAFKA-1096, 62f208704fe (0.8.2.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=AdoptsEpoch,
)
