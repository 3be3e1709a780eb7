"""F12: a leader that has not heard of it yet takes a removed replica back into the ISR."""

from dataclasses import replace

from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.node.effects import Update
from klamm.controller.node.places import Place, locate
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker


class OverwritesIsrs(BrokerModel):
    """A leader that writes the ISR whatever stands there by now."""

    def take(self) -> tuple[Call, ...]:
        """Return the requests that are to be made now, in order."""
        return tuple(map(_at_any_version, super().take()))


def _at_any_version(call: Call) -> Call:
    match call:
        case Update(op=SetData() as op) if locate(op.path).place is Place.STATE:
            return replace(call, op=replace(op, version=ANY_VERSION))
    return call


def _is_write_of_leader(name: str) -> bool:
    return name == "zk serves b1"


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Broker 2 dies, and leaves the ISR of t-0. It comes back, and has everything.")
    lose_broker(world, 2)
    world.settle()
    stage.claim(stage.leadership("t", 0) == (1, [1]), "broker 1 is alone in sync")
    world.do("start b2")
    world.settle(but=_is_write_of_leader)
    stage.say("Before its leader has written that, it is dropped from t-0.")
    world.ask("n1", move("t", 0, 1))
    world.settle(but=_is_write_of_leader)
    stage.claim(stage.replicas("t", 0) == [1], "t-0 is on broker 1 alone")
    stage.say("Now the leader's write arrives.")
    world.do("zk serves b1")
    stage.claim(stage.leadership("t", 0)[1] == [1], "broker 2 is not in sync: it is no replica")
    world.settle()
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F12",
    story="A replica that a move had removed was taken out of the ISR by the controller. The leader"
    " had not heard of that yet: it saw a fetch of that replica, which had everything, as is soon"
    " the case where little is written, and put it back into the ISR, over what the controller had"
    " written. The replica was deleted while it counted as in sync. Leaders now write by version,"
    " and one that is out of date is refused.",
    reference="KAFKA-1097, KAFKA-1170, df7f7a255bd, 32aae7202ce (0.8.1)",
    exposed_by=OWN_SCRIPT,
    broker=OverwritesIsrs,
)
