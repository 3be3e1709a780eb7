"""E10: a topic is deleted while it moves, and the controller dies at it."""

from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import fail_over, stall
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.variants._scripts import in_office, lose_broker, put_topic, remove_topic
from klamm.tools.lab.world import World

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, two topics of one partition.",
    brokers=4,
    topics={"t": {0: (1, 2)}, "u": {0: (1, 4)}},
    limits=Limits(rest_steps=300),
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
    stage.say(
        "Broker 3 copies, the move ends, and brokers delete their logs. Now the znodes can go."
    )
    world.do("b3 fetches again")
    while world.now < 60.0 and not world.until(lambda: _removes_topic(world)):
        world.pass_time()


def _removes_topic(world: World) -> bool:
    commits = (each for each in world.happened.effects if isinstance(each, Commit))
    return any(isinstance(op, Delete) and op.path == _TOPIC for each in commits for op in each.ops)


def _deleted_by_next(stage: Stage) -> None:
    fail_over(stage.world, "n1")
    stage.rest()
    stage.claim(not stage.exists(_TOPIC), "nothing of t is left")
    _serves(stage)


def _serves(stage: Stage) -> None:
    """See that whoever is in office does its work."""
    holders = in_office(stage.world)
    stage.claim(len(holders) == 1, f"a controller is in office: {holders}")
    stage.world.ask((*holders, "n2")[0], move("u", 0, 2, 3))
    stage.world.advance(30.0)
    there = stage.replicas("u", 0)
    stage.claim(there == [2, 3], f"and moves u-0 to 2 and 3: {there}")


def _half_deleted(stage: Stage) -> None:
    world = stage.world
    stage.say(
        "A controller of Kafka's died at the same work, which it does znode by znode: the state of"
        " t-0 is gone, and the topic's znode is there and says that t-0 moves."
    )
    world.do("crash n1")
    put_topic(world, "t", {0: (3, 1, 2)}, {0: (3,)}, {0: (1, 2)})
    world.write(
        "is what a dead controller left",
        Create(paths.delete_topic("t"), None),
        Delete(_STATE, ANY_VERSION),
        Delete(paths.partition("t", 0), ANY_VERSION),
    )
    stage.say("n2 is elected.")
    fail_over(world, "n1")
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
    # No rest: nobody can tell brokers to delete what they hold of t, whose znodes are gone.
    stage.claim(not stage.exists(paths.topic("u")), "u is gone")


EXHIBIT = Exhibit(
    id="E10",
    title="Half-deleted topic",
    story="A topic is deleted while one of its partitions moves. Kafka removes the znodes below the"
    " topic one by one, and the topic's own last: a controller that dies in between leaves a topic"
    " that is said to move, and has no state to go on from. The next controller resumes the move,"
    " misses the state, and fails its start; so does each one after it, and the cluster stays"
    " without a controller until somebody removes the znode by hand. LinkedIn reported that in 2026"
    " (F51); Kafka 3.9 has it. And if the deletion was done first, the move stayed in memory, where"
    " its exception cut off what the start of any broker should bring, such as other deletions"
    " (KAFKA-8249, F50). klamm lets a deletion wait for the end of the move and removes all znodes"
    " of such a topic in one multi, from below to above; what others leave half done it deletes to"
    " the end; and moves go with their topic.",
    cases=(
        Case("klamm: dies before the removal", _SCOPE, _dies_before),
        Case("klamm: dies after it", _SCOPE, _dies_after),
        Case("klamm: takes over from Kafka", _SCOPE, _half_deleted),
        Case("klamm: a topic is removed by hand", _SCOPE, _orphan),
        Case("no start without a state", _SCOPE, _half_deleted, "F51", "liveness"),
        Case("an orphan spoils starts", _SCOPE, _orphan, "F50", "story"),
    ),
)
