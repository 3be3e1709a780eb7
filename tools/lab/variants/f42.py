"""F42: a leader whose answer was lost is refused when it asks again."""

from klamm.controller.core import isr
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterPartition, Cause
from klamm.controller.core.results import Fault, Refusal
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._timing import wait
from klamm.tools.lab.variants._ways import deciding


def _alter(draft: Draft, cause: Cause, event: AlterPartition) -> None:
    """Decide on a leader's request; one that is a partition epoch late is refused."""
    partition = draft.partition(event.partition)
    held = partition.leadership if partition is not None else None
    leads = (event.broker, event.leader_epoch)
    if held is None or (held.leader, held.leader_epoch) != leads:
        isr.alter_partition(draft, cause, event)
    elif event.partition_epoch < held.version:
        text = f"{event.partition} is in partition epoch {held.version}"
        draft.settle(cause, Refusal(Fault.INVALID_UPDATE_VERSION, text), event.partition)
    else:
        isr.alter_partition(draft, cause, event)


def _is_answer(name: str) -> bool:
    return name == "b1 hears of AlterPartition"


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to brokers 1, 3 and 4. Broker 4 fetches nothing for now; 3 catches up.")
    world.do("stall b4")
    world.ask("n1", move("t", 0, 1, 3, 4))
    wait(world, lambda: 3 in stage.leadership("t", 0)[1], but=_is_answer)
    world.settle(but=_is_answer)
    stage.say("The leader has asked for broker 3, and n1 has done so. The answer is lost.")
    world.do("break the link b1-n1")
    world.settle()
    stage.say("The leader asks again. Later broker 4 fetches as well.")
    world.advance(5.0)
    world.do("b4 fetches again")
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [1, 3, 4], "the move has ended")


SCRIPT = Case("klamm", LEADERS_ASK, _script)
VARIANT = Variant(
    id="F42",
    story="A leader asks the controller for another ISR and must name the version that it knows."
    " The controller did what it was asked, but the answer was lost with the connection. The"
    " leader asked again, by the old version, and was refused for that. To a leader this means"
    " that somebody else has changed the partition, and that it has to wait until it is told."
    " Nobody tells it, so it changed its ISR no more. The fix answers a repetition with what is"
    " true.",
    reference="KAFKA-14144, 62c2880a584 (3.3.0); beside it KAFKA-14154, KAFKA-14140",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterPartition, _alter),
)
