"""E1: two orders for one partition, one by znode and one by request, and a controller that dies."""

from dataclasses import replace
from functools import partial

from klamm.controller.core.rules import KIP_455
from klamm.tools.lab.clients import AskFor, cancel, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import codes, fail_over, order, orders, stall, target
from klamm.tools.lab.scope import Scope

_OLD, _NEW, _ORIGIN = [4, 5, 6], [1, 2, 7], [1, 2, 3]
_SCOPE = Scope(
    "exhibit",
    "Two nodes, seven brokers, two partitions.",
    brokers=7,
    topics={"t": {0: (1, 2, 3), 1: (1, 2, 3)}},
)
_BY_THE_KIP = replace(_SCOPE, rules=KIP_455)
_MOVE, _CANCEL = move("t", 0, *_NEW), cancel("t", 0)


def _begin(stage: Stage) -> None:
    world = stage.world
    stage.say(
        "t-0 and t-1 are on brokers 1, 2 and 3. A tool orders both to 4, 5 and 6, by writing"
        " /admin/reassign_partitions. n1 begins; brokers 4 to 7 copy nothing for now."
    )
    stall(world, 4, 5, 6, 7)
    order(world, ("t", 0, (4, 5, 6)), ("t", 1, (4, 5, 6)))
    world.settle()
    stage.claim(target(stage, "t", 0) == _OLD, "t-0 moves to 4, 5 and 6")


def _end(stage: Stage, wanted: list[int]) -> None:
    stage.say("The session of n1 ends, and n2 is elected. It reads both kinds of orders.")
    fail_over(stage.world, "n1")
    stage.rest()
    stage.claim(
        stage.replicas("t", 0) == wanted,
        f"t-0 is on {wanted} in the end: it is on {stage.replicas('t', 0)}",
    )
    stage.claim(stage.replicas("t", 1) == _OLD, "t-1, which nobody asked for, went as ordered")
    stage.claim(not orders(stage), "/admin/reassign_partitions is gone")


def _dies_after(what: AskFor, wanted: list[int], stage: Stage) -> None:
    _begin(stage)
    world = stage.world
    stage.say(f"A client of n1 asks: {what.name}. It is answered; then n1 dies.")
    asked = world.ask("n1", what)
    world.until(lambda: not asked.open)
    stage.claim(codes(asked) == [0], "the client was answered without an error")
    world.do("crash n1")
    _end(stage, wanted)


def _dies_before(what: AskFor, stage: Stage) -> None:
    _begin(stage)
    world = stage.world
    stage.say(f"A client of n1 asks: {what.name}. n1 dies before its write leaves it.")
    asked = world.ask("n1", what)
    world.do("crash n1 in its turn", effects_done="0")
    stage.claim(asked.lost and not asked.responses, "the client sees its connection end")
    stage.claim(len(orders(stage)) == 2, "the order by znode stands")
    _end(stage, _OLD)


def _dies_between(what: AskFor, wanted: list[int], stage: Stage) -> None:
    _begin(stage)
    world = stage.world
    stage.say(
        f"A client of n1 asks: {what.name}. n1 dies as soon as the order for t-0 is gone from"
        " /admin/reassign_partitions, before it can answer."
    )
    asked = world.ask("n1", what)
    world.until(lambda: len(orders(stage)) == 1)
    world.do("crash n1")
    stage.claim(asked.lost and not asked.responses, "the client sees its connection end")
    stage.claim(
        target(stage, "t", 0) == wanted,
        f"with the order gone t-0 has the client's target: it is {target(stage, 't', 0)}",
    )
    _end(stage, wanted)


EXHIBIT = Exhibit(
    id="E1",
    title="Who has the last word",
    story="An old tool orders a move by writing a znode, and while it is under way a client asks"
    " the controller for another one. The later word should count. KIP-455 knew of a hole and left"
    " it open: the next controller finds the old order still in the znode, and takes it up again."
    " Kafka closed that in 2.4.0 by removing the order from the znode first (KAFKA-9089). Yet it"
    " writes the znode and the topic one after the other, to this day: a controller that dies in"
    " between has thrown the order away without the request in its place. klamm writes both in one"
    " transaction, so there is no such moment, and under the profile kip-455 does what the KIP"
    " says. A cancel is such a request too.",
    cases=(
        Case("klamm, n1 dies after the reply", _SCOPE, partial(_dies_after, _MOVE, _NEW)),
        Case("klamm, n1 dies before the write", _SCOPE, partial(_dies_before, _MOVE)),
        Case("klamm, n1 dies before the reply", _SCOPE, partial(_dies_between, _MOVE, _NEW)),
        Case(
            "klamm, a cancel, n1 dies after the reply",
            _SCOPE,
            partial(_dies_after, _CANCEL, _ORIGIN),
        ),
        Case("klamm, a cancel, n1 dies before the write", _SCOPE, partial(_dies_before, _CANCEL)),
        Case(
            "klamm, a cancel, n1 dies before the reply",
            _SCOPE,
            partial(_dies_between, _CANCEL, _ORIGIN),
        ),
        Case("kip-455: the znode wins", _BY_THE_KIP, partial(_dies_after, _MOVE, _OLD)),
        Case(
            "kip-455: the znode wins over a cancel",
            _BY_THE_KIP,
            partial(_dies_after, _CANCEL, _OLD),
        ),
        Case(
            "the order stays in the znode",
            _SCOPE,
            partial(_dies_after, _MOVE, _NEW),
            "F01",
            "story",
        ),
        Case(
            "the order stays, a cancel",
            _SCOPE,
            partial(_dies_after, _CANCEL, _ORIGIN),
            "F01",
            "story",
        ),
        Case("two writes", _SCOPE, partial(_dies_between, _MOVE, _NEW), "H4", "story"),
        Case(
            "two writes, a cancel", _SCOPE, partial(_dies_between, _CANCEL, _ORIGIN), "H4", "story"
        ),
        Case("Kafka 3.9's writes", _SCOPE, partial(_dies_between, _MOVE, _NEW), "apache", "story"),
    ),
)
