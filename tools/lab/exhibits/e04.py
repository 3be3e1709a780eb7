"""E4: a controller that was given up comes back, with the orders of then."""

from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import codes, order, stall, target
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variants._scripts import depose, in_office

_SCOPE = Scope(
    "exhibit", "Two nodes, four brokers, one partition.", brokers=4, topics={"t": {0: (1, 2)}}
)


def _comes_back(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 from brokers 1 and 2 to 2 and 3. Broker 3 copies nothing.")
    stall(world, 3)
    order(world, ("t", 0, (2, 3)))
    world.settle()
    stage.claim(target(stage, "t", 0) == [2, 3], "n1 has begun it, and it does not end")
    stage.say("The operator removes the order, moves the office to n2, and orders 2 and 4.")
    _remove_orders(stage)
    _hand_over(stage, "n1", "n2")
    order(world, ("t", 0, (2, 4)))
    world.advance(60.0)
    stage.claim(stage.replicas("t", 0) == [2, 4], "t-0 is on 2 and 4")
    stage.say("An hour later the office comes back to n1.")
    world.advance(3_600.0)
    _hand_over(stage, "n2", "n1")
    stage.claim(stage.replicas("t", 0) == [2, 4], "t-0 is still on 2 and 4")
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 4], "and so it is in the end")


def _remove_orders(stage: Stage) -> None:
    if stage.exists(paths.REASSIGN_PARTITIONS):
        gone = Delete(paths.REASSIGN_PARTITIONS, ANY_VERSION)
        stage.world.write("removes the orders", gone)
    stage.world.settle()


def _hand_over(stage: Stage, old: str, new: str) -> None:
    """Have the office go from one to the other, by whom it is awaited already."""
    depose(stage.world)
    stage.world.settle(but=lambda name: name.startswith((f"{old} ", f"zk serves {old}")))
    stage.world.settle()
    stage.claim(in_office(stage.world) == [new], f"{new} is controller")


def _still_works(stage: Stage) -> None:
    world = stage.world

    def is_of_n1(name: str) -> bool:
        return name.startswith(("n1 ", "zk serves n1"))

    stage.say("A client asks n1 to move t-0 to 2 and 3. The request waits, for n1 is busy.")
    asked = world.ask("n1", move("t", 0, 2, 3))
    stage.say("Meanwhile the operator moves the office. n2 is elected and reads how things stand.")
    depose(world)
    world.settle(but=is_of_n1)
    stage.say("Now n1 comes to what waited, and hears that it is controller no more.")
    world.settle()
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 is where it was")
    stage.claim(codes(asked) == [] and bool(asked.responses), "its client is told: not controller")
    stage.say("The operator asks n2 for brokers 2 and 4.")
    world.ask("n2", move("t", 0, 2, 4))
    world.advance(60.0)
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [2, 4], f"t-0 is on 2 and 4: {stage.replicas('t', 0)}")


EXHIBIT = Exhibit(
    id="E4",
    title="Back from the dead",
    story="A move gets stuck under one controller. The operator does what one did then: removes the"
    " order, deletes /controller so that another node takes over, and orders something else, which"
    " is done. Later the first node is controller again. Until 0.11.0 Kafka did not clear the"
    " memory of a controller that resigned, so it went on with the move of long ago, and turned the"
    " partition back (KAFKA-5310). In the same way a node that had resigned used to carry out what"
    " was still in its queue (KAFKA-4447). Here all that an office knows is one value, which ends"
    " with it: who is elected reads everything anew, and requests that wait are told that the"
    " controller has moved.",
    cases=(
        Case("klamm, n1 comes back", _SCOPE, _comes_back),
        Case("klamm, n1 has work left", _SCOPE, _still_works),
        Case("n1 remembers", _SCOPE, _comes_back, "F04", "story"),
        Case("n1 works off its queue", _SCOPE, _still_works, "F35", "I1"),
    ),
)
