"""F43: a change of the ISR is in flight for ever."""

from klamm.tools.brokers.asks import Answered
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._timing import wait


class WaitsForEver(BrokerModel):
    """A leader that does not ask again when nobody has answered."""

    def answered(self, now: float, answered: Answered) -> None:
        """Take what came of an ask, unless nothing did."""
        if answered.response is not None:
            super().answered(now, answered)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to brokers 1 and 3. Broker 3 catches up, and its leader asks for it.")
    world.ask("n1", move("t", 0, 1, 3))
    leader = world.brokers[1]
    wait(world, lambda: bool(leader.asks), but=lambda name: "AlterPartition" in name)
    stage.say("The connection breaks before n1 has heard of that.")
    world.do("break the link b1-n1")
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [1, 3], "the move has ended")


SCRIPT = Case("klamm", LEADERS_ASK, _script)
VARIANT = Variant(
    id="F43",
    story="A leader has one change of an ISR in flight, and none besides it. There were several"
    " ways to lose it: an error after which it should have asked again, an order of the controller"
    " at the wrong moment, a change that changed nothing. The leader went on waiting for an"
    " answer, and the new replica, which had everything, was never in sync. A move stays as it is,"
    " and nothing shows why, until a new leader is elected.",
    reference="KAFKA-12686, 14010, 13091, 13254: aefe0e4d8cb (3.0.0), 08e509459bd (3.2.1)",
    exposed_by=OWN_SCRIPT,
    broker=WaitsForEver,
)
