"""E13: a broker comes back with a log that is nobody's any more."""

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.tools.lab.clients import cancel, create, delete, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import copy_again, fail_over, stall, topic_of
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.variants._scripts import lose_broker

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, one partition; topics have ids.",
    brokers=4,
    topics={"t": {0: (1, 2)}},
    limits=Limits(rest_seconds=120.0),
    protocol=by_name("3.9"),
)
_NAME = TopicPartition("t", 0)


def _comes_back(stage: Stage) -> None:
    world = stage.world
    _drop_dead_broker(stage)
    stage.say("Broker 1 comes back, with its log of t-0 on its disk.")
    world.do("start b1")
    stage.rest()
    stage.claim(not _has_log(stage, 1), "broker 1 has been told to delete that log")


def _recreated(stage: Stage) -> None:
    world = stage.world
    _drop_dead_broker(stage)
    stage.say("Topic t is deleted, and made anew on brokers 1 and 2, as soon as one may.")
    world.ask("n2", delete("t"))
    world.advance(10.0)
    world.ask("n2", create("t", {0: (1, 2)}))
    world.advance(10.0)
    stage.say("Broker 1 comes back, with its log of the former t-0 on its disk.")
    world.do("start b1")
    world.advance(30.0)
    world.ask("n2", create("t", {0: (1, 2)}))
    stage.rest()
    log = world.brokers[1].disks.logs.get(_NAME)
    same = log is not None and log.topic_id == topic_of(stage, "t").topic_id
    stage.claim(same, "what broker 1 has of t-0 is of the topic that there is, by its id")


def _drop_dead_broker(stage: Stage) -> None:
    """Let a move end that takes a broker out which is down, and the controller die after it."""
    world = stage.world
    stage.say("t-0 moves from brokers 1 and 2 to 2 and 3. Before 3 has copied it, 1 dies.")
    stall(world, 3)
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    lose_broker(world, 1)
    world.settle()
    copy_again(world, 3)
    there = stage.replicas("t", 0)
    stage.claim(there == [2, 3], f"the move does not wait for broker 1: t-0 is on {there}")
    stage.say("n1 dies, too, and n2 is elected.")
    world.do("crash n1")
    fail_over(world, "n1")


def _cancelled(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 moves from brokers 1 and 2 to 2 and 3. Before 3 has caught up it is cancelled.")
    stall(world, 3)
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    stage.claim(_has_log(stage, 3), "broker 3 has begun a log")
    world.ask("n1", cancel("t", 0))
    stage.rest()
    there = stage.replicas("t", 0)
    stage.claim({*there} == {1, 2}, f"t-0 is on 1 and 2, in the order of the move: {there}")
    stage.claim(not _has_log(stage, 3), "broker 3 has deleted what it had begun")


def _has_log(stage: Stage, broker: int) -> bool:
    return _NAME in stage.world.brokers[broker].disks.logs


EXHIBIT = Exhibit(
    id="E13",
    title="Stray",
    story="A move is over once its targets are in sync; those who leave are then told to delete"
    " their logs. In Kafka that is said once, and written down nowhere (H7): a broker that is down"
    " at that moment, or a controller that dies before it has sent the request, and the log stays"
    " for ever. It takes room, and if the topic is deleted and made anew it is in the way of the"
    " new one, whose id is another. KAFKA-7362 asked for a remedy; its fix was never merged."
    " Until 3.4.1 a cancelled move left such logs as well, on living brokers: the request to delete"
    " bore the leader epoch that the broker knew already, and was ignored (F13). klamm writes into"
    " ZooKeeper who owes a delete, in the multi that ends the move, and takes it out when that"
    " broker has confirmed; the next controller goes on with it, and a topic's deletion waits.",
    cases=(
        Case("klamm: a broker comes back", _SCOPE, _comes_back),
        Case("klamm: the topic is made anew", _SCOPE, _recreated),
        Case("klamm: a move is cancelled", _SCOPE, _cancelled),
        Case("nobody remembers", _SCOPE, _comes_back, "H7", "liveness"),
        Case("nobody remembers, and the topic is made anew", _SCOPE, _recreated, "H7", "liveness"),
        Case("a cancelled replica does not obey", _SCOPE, _cancelled, "F13", "I5"),
    ),
)
