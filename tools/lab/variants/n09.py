"""N9: a request that is refused takes the order of its partition out of the znode."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.takeovers import frees, take_over
from klamm.tools.lab.clients import delete, move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order_held_up, ordered
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Decide on a request, and take over its partition whatever became of it."""
    name = event.partition
    if name.topic in draft.deleting and draft.partition(name) is not None and frees(draft, name):
        take_over(draft, name)
    moves.alter(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    order_held_up(stage)
    stage.say("t is to be deleted when the move has ended. A client asks for another move of t-0.")
    world.ask("n1", delete("t"))
    world.settle()
    world.ask("n1", move("t", 0, 2, 4))
    world.settle()
    stage.claim(
        ordered(stage) == {"t-0": [2, 3]},
        "the client is refused, for t is to go, and the order stands as it did",
    )
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N9",
    story="A partition was moving because of /admin/reassign_partitions, and its topic was queued"
    " for deletion. A client asked for another target and was refused, rightly. Yet the controller"
    " had taken the partition out of the znode before it looked whether the request could be done:"
    " the tool that waits for its entry is told that the move has ended. klamm removes an entry"
    " together with what takes its place.",
    reference="Kafka 3.9, KafkaController.scala, processApiPartitionReassignment (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterReassignment, _alter),
)
