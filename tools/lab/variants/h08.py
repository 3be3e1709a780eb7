"""H8: a move ends because the ISR says so, whoever of it is alive."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from klamm.controller.core import checks, moves
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import Assignment, Leadership
from klamm.controller.core.rules import Rules
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker
from klamm.tools.lab.variants._ways import deciding


def _check(draft: Draft, cause: Cause, event: CheckPartition) -> None:
    """End a move if its target is in the ISR; only then look at who is alive."""
    name = event.partition
    partition = draft.partition(name)
    leadership = partition.leadership if partition is not None else None
    if (
        partition is None
        or leadership is None
        or not partition.assignment.moving
        or draft.vanishing(name.topic)
        or draft.unreadable_of(name)
        or not draft.rules.complete(partition.assignment, leadership, draft.alive)
    ):
        checks.check(draft, cause, event)
        return
    refusal = moves.reassign(draft, name, draft.rules.finished(partition.assignment))
    if refusal is not None:
        raise ValueError(f"rules that ask for no leader refused: {refusal}")
    moves.note(draft, name, "end")
    draft.settle(cause, None, name)


def _in_sync(assignment: Assignment, leadership: Leadership, online: AbstractSet[int]) -> bool:
    return all(broker in leadership.isr for broker in assignment.target)


def trusts_isr(rules: Rules) -> Rules:
    """Return rules by which a target in the ISR is enough, also without a leader afterwards."""
    return replace(rules, complete=_in_sync, refuse_unclean=False)


def _is_turn(name: str) -> bool:
    return name == "n1 turn"


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to broker 3, which catches up: its leader takes it into the ISR.")
    world.ask("n1", move("t", 0, 3))
    world.settle()
    while 3 not in stage.leadership("t", 0)[1]:
        world.do("time passes")
        world.until(lambda: 3 in stage.leadership("t", 0)[1], but=_is_turn)
    stage.say("Before n1 has read that, broker 3 dies.")
    lose_broker(world, 3)
    world.settle(but=_is_turn)
    world.settle()
    leader, isr = stage.leadership("t", 0)
    stage.claim(leader == 1, f"broker 1 leads on: {leader}, ISR {isr}")
    stage.claim(stage.replicas("t", 0) == [3, 1, 2], "the originals are still replicas")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="H8",
    story="A reassignment is complete when the whole target is in the ISR that ZooKeeper holds. A"
    " replica that joined and died a moment ago is still there. Phase B then elects a leader among"
    " the target; that this fails is logged and otherwise ignored, and the originals, which are"
    " alive and have the data, are stopped and deleted. klamm ends a move only if its target is"
    " online and somebody of it can lead.",
    reference="Kafka 3.9, PartitionStateMachine.scala (read in the source)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(CheckPartition, _check),
    rules=trusts_isr,
)
