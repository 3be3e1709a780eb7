"""N8: to ask for the same move again begins a new leader epoch."""

from klamm.controller.core import moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.results import Done
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import state_of
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Carry out a target that is the present one as if it were another."""
    name, target = event.partition, event.target
    moves.bring_in_line(draft, name)
    partition = draft.partition(name)
    if (
        partition is None
        or target is None
        or not partition.assignment.moving
        or draft.unreadable_of(name)
        or name.topic in draft.deleting
        or draft.rules.validate(partition, target, draft.alive)
        or draft.rules.merge(partition.assignment, target) != partition.assignment
    ):
        moves.alter(draft, cause, event)
        return
    refusal = moves.reassign(draft, name, partition.assignment)
    if refusal is None:
        moves.note(draft, name, "supersede")
        draft.unit(name).check_later = True
    draft.settle(cause, refusal or Done(), name)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 3 fetches nothing, so that a move to it takes its time.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    before = state_of(stage, "t", 0)
    stage.say("The client is not sure that it was heard, and asks once more.")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    epoch = state_of(stage, "t", 0).leader_epoch
    stage.claim(epoch == before.leader_epoch, f"the leader epoch is still {before.leader_epoch}")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="N8",
    story="A client that is not sure whether its request arrived sends it again, as it should."
    " Kafka carries the same target out once more: it begins another leader epoch, and a follower"
    " that had nearly caught up must now reach an offset that lies after the beginning of that"
    " epoch. A client that repeats often enough keeps its own move from ending. klamm answers 0"
    " and writes nothing.",
    reference="Kafka 3.9, KafkaController.scala, updateLeaderEpochAndSendRequest (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterReassignment, _alter),
)
