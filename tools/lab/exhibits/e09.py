"""E9: ZooKeeper says who is controller, and nobody is."""

from dataclasses import replace

from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import decode_controller
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.variants._scripts import depose, is_of_n1

_SCOPE = Scope(
    "exhibit",
    "Two nodes, three brokers, one partition.",
    topics={"t": {0: (1, 2)}},
    limits=Limits(rest_seconds=120.0),
)
_ALONE = replace(_SCOPE, story="One node, three brokers, one partition.", nodes=1)


def _lost_answer(stage: Stage) -> None:
    world = stage.world
    stage.say("An operator deletes /controller. n2 is the first to hear of it, and stands.")
    depose(world)
    world.until(lambda: _named(stage) == "n2", but=is_of_n1)
    stage.say("ZooKeeper has elected n2. On its way back the answer is lost with the connection.")
    world.do("cut n2 off zk")
    world.settle()
    stage.say("n2 has connected again, in the same session, and asks who is controller: itself.")
    _outcome(stage, "n2")


def _broken_connection(stage: Stage) -> None:
    world = stage.world
    stage.say(
        "n1 is controller. Its connection to ZooKeeper breaks and is soon made again, so that its"
        " session goes on, and with it the ephemeral /controller."
    )
    world.do("cut n1 off zk")
    world.settle()
    _outcome(stage, "n1")


def _expiries(stage: Stage) -> None:
    world = stage.world
    stage.say(
        "n1 is controller, and there is no other node. Its session expires, and so does the next"
        " one, before n1 has had time to be elected in it."
    )
    world.do("expire n1")
    world.until(lambda: world.can("zk tells n1") and world.happened.action == "zk serves n1")
    world.do("expire n1")
    world.settle()
    _outcome(stage, "n1")


def _outcome(stage: Stage, name: str) -> None:
    """See who is named, and whether it does what it is there for."""
    world = stage.world
    stage.claim(_named(stage) == name, f"/controller names {name}: nobody else will stand")
    stage.say(f"A client asks {name} to move t-0 to brokers 2 and 3.")
    world.ask(name, move("t", 0, 2, 3))
    world.advance(60.0)
    stage.rest()
    there = stage.replicas("t", 0)
    stage.claim(there == [2, 3], f"{name} controls: t-0 is on {there}")


def _named(stage: Stage) -> str:
    znode = stage.world.tree.nodes.get(paths.CONTROLLER)
    return stage.world.name_of(decode_controller(znode.data).broker_id) if znode else ""


EXHIBIT = Exhibit(
    id="E9",
    title="Controller in name only",
    story="/controller names a node, so every other one stands back, and every gauge counts one"
    " controller. But that node has not run what makes a controller of it: it has read nothing,"
    " writes nothing, and moves wait for ever. Kafka got there in several ways. Until 0.10.2.0 a"
    " node whose session had expired more than once found the same name as before, its own, and saw"
    " no reason to begin (F36). Until 3.0.1 reconnections and failed logins made a controller"
    " resign in memory while its session, and so the znode, lived on (F38). And to this day,"
    " KAFKA-13407, a candidate whose election took effect while the answer was lost reads its own"
    " id and returns (F39). klamm leaves office when its session ends or somebody else is elected,"
    " not when a connection breaks; and a candidate that reads its own id compares the znode's"
    " session and epoch with those of its own election, and then takes office.",
    cases=(
        Case("klamm: the answer is lost", _SCOPE, _lost_answer),
        Case("klamm: the connection is lost", _SCOPE, _broken_connection),
        Case("klamm: the session is lost, twice", _ALONE, _expiries),
        Case("who finds its own name returns", _SCOPE, _lost_answer, "F39", "liveness"),
        Case("who loses a connection resigns", _SCOPE, _broken_connection, "F38", "liveness"),
        Case("who was controller believes it is", _ALONE, _expiries, "F36", "liveness"),
    ),
)
