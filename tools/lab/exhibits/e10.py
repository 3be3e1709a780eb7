"""E10: a topic is deleted while it moves, and the controller dies at it."""

from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import copy_again, fail_over, stall
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variants._scripts import bury, in_office, lose_broker, put_topic, remove_topic
from klamm.tools.lab.world import World

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, two topics of one partition.",
    brokers=4,
    topics={"t": {0: (1, 2)}, "u": {0: (1, 4)}},
)
_TOPIC, _STATE = paths.topic("t"), paths.state("t", 0)


def _dies_before(stage: Stage) -> None:
    _until_removal(stage)
    stage.say("n1 dies before ZooKeeper has heard of it, and n2 is elected.")
    stage.world.do("crash n1")
    stage.claim(stage.exists(_TOPIC) and stage.exists(_STATE), "all of t is still there")
    _deleted_by_next(stage)


def _dies_after(stage: Stage) -> None:
    _until_removal(stage)
    stage.say("ZooKeeper carries it out. n1 dies before it has heard so, and n2 is elected.")
    stage.world.do("zk serves n1")
    stage.world.do("crash n1")
    stage.claim(not (stage.exists(_TOPIC) or stage.exists(_STATE)), "all of t is gone")
    _deleted_by_next(stage)


def _until_removal(stage: Stage) -> None:
    """Let t be deleted during a move, until n1 wants to remove its znodes."""
    world = stage.world
    stage.say("t-0 moves to 2 and 3, and 3 copies nothing yet, when a client deletes topic t.")
    stall(world, 3)
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    world.ask("n1", delete("t"))
    world.settle()
    stage.claim(stage.exists(_TOPIC), "the deletion waits until the move has ended")
    stage.say("Broker 3 copies, the move ends, and brokers delete their logs. Now the znodes can go.")
    copy_again(world, 3)
    while not world.until(lambda: _removes_topic(world)):
        world.pass_time()


def _removes_topic(world: World) -> bool:
    commits = (each for each in world.happened.effects if isinstance(each, Commit))
    return any(isinstance(op, Delete) and op.path == _TOPIC for each in commits for op in each.ops)


def _deleted_by_next(stage: Stage) -> None:
    fail_over(stage.world, "n1")
    stage.rest()
    left = [path for path in stage.world.tree.nodes if path.startswith(_TOPIC)]
    stage.claim(not left, f"nothing of t is left: {left}")
    _serves(stage)


def _serves(stage: Stage) -> None:
    """See that whoever is in office does its work."""
    holders = in_office(stage.world)
    stage.claim(len(holders) == 1, f"a controller is in office: {holders}")
    stage.world.ask((*holders, "n2")[0], move("u", 0, 2, 3))
    stage.world.advance(30.0)
    stage.claim(stage.replicas("u", 0) == [2, 3], f"and moves u-0 to 2 and 3: {stage.replicas('u', 0)}")


def _half_deleted(stage: Stage) -> None:
    world = stage.world
    stage.say("A controller of Kafka's died at the same work: the state of t-0 is gone, and t itself")
    world.do("crash n1")
    put_topic(world, "t", {0: (3, 1, 2)}, {0: (3,)}, {0: (1, 2)})
    world.write(
        "is what a dead controller left",
        Create(paths.delete_topic("t"), None),
        Delete(_STATE, ANY_VERSION),
        Delete(paths.partition("t", 0), ANY_VERSION),
    )
    bury(world, "n1")
    stage.say("n2 is elected.")
    world.settle()
    stage.rest()
    stage.claim(not stage.exists(_TOPIC), "the topic is gone")
    _serves(stage)


def _orphan(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves to 2 and 3, and 3 copies nothing yet, when somebody removes t by hand.")
    stall(world, 3)
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    remove_topic(world, "t")
    world.settle()
    stage.say("Topic u is to be deleted. Broker 4, which has it, is away.")
    lose_broker(world, 4)
    world.settle()
    world.ask("n1", delete("u"))
    world.settle()
    stage.say("Broker 4 comes back.")
    world.do("start b4")
    world.advance(30.0)
    stage.claim(not stage.exists(paths.topic("u")), "u is gone")


EXHIBIT = Exhibit(
    id="E10",
    title="Half-deleted topic",
    story="",
    cases=(
        Case("klamm: dies before the removal", _SCOPE, _dies_before),
        Case("klamm: dies after it", _SCOPE, _dies_after),
        Case("klamm: takes over from Kafka", _SCOPE, _half_deleted),
        Case("klamm: a topic is removed by hand", _SCOPE, _orphan),
        Case("no start without a state", _SCOPE, _half_deleted, "F51", "liveness"),
        Case("an orphan spoils starts", _SCOPE, _orphan, "F50", "story"),
    ),
)
