"""E3: a controller that throws orders away before it has read them all."""

from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import copy_again, fail_over, order, orders, stall, target
from klamm.tools.lab.scope import Scope

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, three partitions.",
    brokers=4,
    topics={"t": {0: (1, 2), 1: (1, 2), 2: (1, 2)}},
)
_A, _B, _C = ("t", 0, (3, 2)), ("t", 1, (4, 2)), ("t", 2, (3, 2))


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to brokers 3 and 2, t-1 to 4 and 2. Broker 4 copies nothing.")
    stall(world, 4)
    order(world, _A, _B)
    world.settle()
    world.advance(30.0)
    stage.claim(stage.replicas("t", 0) == [3, 2], "t-0 is there already")
    stage.claim(stage.replicas("t", 1) == [4, 2, 1], "t-1 moves")
    stage.say("The tool adds t-2, to 3 and 2, and n1 dies at that moment.")
    order(world, _A, _B, _C)
    world.do("crash n1")
    stage.claim(len(orders(stage)) == 3, "one is done, one under way, one not begun")
    stage.say("n2 is elected, and reads the three orders.")
    fail_over(world, "n1")
    world.advance(5.0)
    stage.claim(target(stage, "t", 2) == [3, 2], "t-2 was begun")
    stage.claim(bool(orders(stage)), "there are orders as long as t-1 moves")
    copy_again(world, 4)
    stage.rest()
    for topic, partition, replicas in (_A, _B, _C):
        held = stage.replicas(topic, partition)
        stage.claim(held == [*replicas], f"{topic}-{partition} is where it was ordered: {held}")
    stage.claim(
        not orders(stage), "the tool finds no orders any more, and reports that all is done"
    )


EXHIBIT = Exhibit(
    id="E3",
    title="Done, it says",
    story="Tools of old write their orders into one znode, and know that all is done when it is"
    " gone. A controller dies while one of three orders is carried out, one is under way and one"
    " is not begun; the next has to go on with the two. Until 1.1.0 Kafka looked at the orders one"
    " by one while it still read them: with the first one that was done already it rewrote the"
    " znode by what it knew so far, which was nothing else, so it removed it (KAFKA-6193). The"
    " tool reported success, and the third partition stayed where it was. klamm takes out what is"
    " done only when it knows the whole znode, and only the version of it that it has read.",
    cases=(
        Case("klamm", _SCOPE, _script),
        Case("what is done goes while the rest is read", _SCOPE, _script, "F03", "I12"),
    ),
)
