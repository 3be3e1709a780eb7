"""F01: a move by znode comes back at a failover, although a client has asked for another one."""

from dataclasses import replace

from klamm.controller.core.rules import Rules
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import end_node, order


def leaves_orders(rules: Rules) -> Rules:
    """Return rules by which a client's request leaves what the znode orders for its partition."""
    return replace(rules, api_takes_over=False)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 4, which fetch nothing for now.")
    world.do("stall b3")
    world.do("stall b4")
    order(world, ("t", 0, (3, 4)), ("u", 0, (2, 3)))
    world.settle()
    stage.say("A client asks for brokers 2 and 3 instead, and is told that it will be so.")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    stage.say("n1 ends, and n2 is elected.")
    end_node(world, "n1")
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 3], "the client's word counts: t-0 is on 2 and 3")


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="F01",
    story="A partition was moving because a tool had written /admin/reassign_partitions. A client"
    " asked the controller for another target, and was told that it was accepted. Then the"
    " controller died. The next one read the topics, and over them the znode of the tool, which"
    " still had the partition: the old move came back. The fix takes the partition out of the znode"
    " when a request for it is accepted.",
    reference="KAFKA-9089, apache/kafka#7562, 1df01d25836 (2.4.0)",
    exposed_by=OWN_SCRIPT,
    rules=leaves_orders,
)
