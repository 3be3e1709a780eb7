"""N7: a controller that learns from an AlterPartition that it was replaced hides it."""

from klamm.controller.core.events import AlterPartition
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.store.port import CommitDone, Fenced, Refused
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import depose, in_office, is_of_n1


class GoesOn(Node):
    """A node for which a fence that meets a leader's request is an error like any other."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; the leader is told of an unknown error, and the office is kept."""
        turns = self.turns
        if (
            turns is not None
            and isinstance(event, CommitDone)
            and isinstance(event.outcome, Fenced)
            and any(isinstance(each.event, AlterPartition) for each in turns.taken.values())
        ):
            refused = Refused("the controller moved to another broker")
            event = CommitDone(event.session, event.request, refused)
        return super().handle(now, event)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to brokers 2 and 3. Broker 1 leads it, and asks n1 to let 3 into the ISR.")
    world.ask("n1", move("t", 0, 2, 3))
    asks = "n1 takes AlterPartition of b1"
    world.settle()
    while not world.until(lambda: world.can(asks)):
        world.do("time passes")
    world.do(asks)
    world.do("n1 turn")
    stage.say("n1 has decided what to write. An operator deletes /controller; n2 is elected.")
    depose(world)
    world.settle(but=is_of_n1)
    stage.claim(in_office(world) == ["n1", "n2"], "n2 is in office, and n1 does not know it")
    stage.say("Now the write of n1 reaches ZooKeeper, where n2 rules.")
    world.settle()
    answers = [
        carried.message.error_code
        for happened in world.events
        for carried in happened.messages
        if carried.source == "n1" and isinstance(carried.message, AlterPartitionResponse)
    ]
    stage.claim(
        answers == [ErrorCode.NOT_CONTROLLER], f"n1 tells broker 1 that it is out: {answers}"
    )
    stage.rest()


SCRIPT = Case("klamm", LEADERS_ASK, _script)
VARIANT = Variant(
    id="N7",
    story="A controller that had been replaced got an AlterPartition and wrote the new ISR. The"
    " check of the epoch failed, and the exception that says so was caught together with all others"
    " by code that turns them into error codes per partition: the leader read UNKNOWN_SERVER_ERROR"
    " and tried again in the same place, and the controller did not resign. klamm resigns, and"
    " answers NOT_CONTROLLER.",
    reference="Kafka 3.9, KafkaController.scala, processAlterPartition",
    exposed_by=OWN_SCRIPT,
    node_factory=GoesOn,
)
