"""E11: a topic gets more partitions while one of it moves."""

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.lab.clients import Asked, grow, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._answers import error
from klamm.tools.lab.exhibits._steps import stall, topic_of
from klamm.tools.lab.scope import Scope

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, one partition.",
    brokers=4,
    topics={"t": {0: (1, 2)}},
)


def _during(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves from brokers 1 and 2 to 3 and 4. They copy nothing yet, so that it lasts.")
    stall(world, 3, 4)
    world.ask("n1", move("t", 0, 3, 4))
    world.settle()
    stage.claim(stage.replicas("t", 0) == [3, 4, 1, 2], "t-0 has old and new replicas")
    stage.say("Somebody asks for a second partition.")
    grown = world.ask("n1", grow("t", 2))
    world.settle()
    _unharmed(stage, grown)
    stage.say("Brokers 3 and 4 copy, the move ends, and the client asks again.")
    stage.rest()
    _grow_again(stage)


def _at_once(stage: Stage) -> None:
    world = stage.world
    stage.say(
        "A move of t-0 and a second partition of t are asked for in the same moment: whoever looks"
        " whether t moves finds that it does not. Brokers 3 and 4 copy nothing for a while."
    )
    stall(world, 3, 4)
    world.ask("n1", move("t", 0, 3, 4))
    grown = world.ask("n1", grow("t", 2))
    world.settle()
    _unharmed(stage, grown)
    stage.say("Brokers 3 and 4 copy, the move ends, and the client asks again.")
    stage.rest()
    _grow_again(stage)


def _unharmed(stage: Stage, grown: Asked) -> None:
    code = error(grown)
    refused = code == ErrorCode.REASSIGNMENT_IN_PROGRESS
    stage.claim(refused, f"it is refused with REASSIGNMENT_IN_PROGRESS (60): {code}")
    znode = topic_of(stage, "t")
    adding = [*znode.adding.get(0, ())]
    stage.claim(adding == [3, 4], f"ZooKeeper knows that the move adds brokers 3 and 4: {adding}")


def _grow_again(stage: Stage) -> None:
    world = stage.world
    world.ask("n1", grow("t", 2))
    world.advance(10.0)
    there = stage.replicas("t", 0)
    stage.claim(there == [3, 4], f"t-0 is on 3 and 4: {there}")
    stage.claim(bool(stage.replicas("t", 1)), f"t-1 exists, on {stage.replicas('t', 1)}")
    stage.rest()


EXHIBIT = Exhibit(
    id="E11",
    title="More partitions, and no move",
    story="Partitions, their replicas, and what a move adds and removes stand in one znode for each"
    " topic, and whoever changes a part writes all of it. Kafka's createPartitions does so in the"
    " thread of the request, the controller in its own, and neither looks at the znode's version."
    " So until 2.4.0 new partitions wiped out a move that was under way: ZooKeeper knew nothing of"
    " it, the controller kept it in memory, and its last write wiped out the new partitions in turn"
    " (F19). Since then the request is refused while the topic moves, but between that question and"
    " the write a move may still begin; so it is in 3.9 (H3). In klamm both are decided in one"
    " place, over one state, and written at the version that was read: who comes second is told"
    " REASSIGNMENT_IN_PROGRESS (60), and asks again.",
    cases=(
        Case("klamm: during a move", _SCOPE, _during),
        Case("klamm: at the same moment", _SCOPE, _at_once),
        Case("nobody asks for moves", _SCOPE, _during, "F19", "I3"),
        Case("a move begins after the question", _SCOPE, _at_once, "H3", "I9"),
    ),
)
