"""N10: an order that has not been begun cannot be cancelled."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.validation import NOT_MOVING
from klamm.tools.lab.clients import cancel
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import order, order_held_up, ordered
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Decide on a request; a cancel looks at what is under way alone."""
    partition = draft.partition(event.partition)
    if event.target is None and partition is not None and not partition.assignment.moving:
        draft.settle(cause, NOT_MOVING, event.partition)
    else:
        moves.alter(draft, cause, event)


def _script(stage: Stage) -> None:
    world = stage.world
    order_held_up(stage)
    stage.say(
        "The tool adds u-0, which has to wait. Somebody thinks better of it, and cancels that."
    )
    order(world, ("t", 0, (2, 3)), ("u", 0, (1, 2)))
    world.settle()
    world.ask("n1", cancel("u", 0))
    world.settle()
    stage.claim("u-0" not in ordered(stage), "u-0 is not to be moved any more")
    stage.rest()
    stage.claim(stage.replicas("u", 0) == [1, 4], "u-0 was left alone")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="N10",
    story="A partition was named in /admin/reassign_partitions, but the controller had not taken"
    " that up: the entry had come later than the others. A client cancelled it, and was told that"
    " no reassignment was in progress. The entry stayed in the znode, out of reach, and was taken"
    " up by the next controller. A cancel at klamm removes it.",
    reference="Kafka 3.9, KafkaController.scala, maybeRemoveFromZkReassignment (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterReassignment, _alter),
)
