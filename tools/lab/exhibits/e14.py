"""E14: five clients wait, and the controller loses its office."""

from collections.abc import Sequence

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.lab.clients import Asked, cancel, list_moves, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._answers import error
from klamm.tools.lab.scope import Limits, Scope
from klamm.tools.lab.variants._scripts import depose, is_of_n1

_SCOPE = Scope(
    "exhibit",
    "Two nodes, four brokers, two partitions.",
    brokers=4,
    topics={"t": {0: (1, 2), 1: (2, 3)}},
    limits=Limits(rest_seconds=120.0),
)


def _expired(stage: Stage) -> None:
    world = stage.world
    first = _begin(stage)
    stage.say("The connection of n1 breaks. What became of its write it cannot know.")
    world.do("cut n1 off zk with requests under way")
    world.do("n1 turn")
    asked = [first, *_queue(stage)]
    stage.say("ZooKeeper ends the session of n1 before it has connected again. n2 is elected.")
    world.do("expire n1")
    world.settle(but=is_of_n1)
    world.settle()
    _count(stage, asked)
    _all_refused(stage, asked)


def _deposed(stage: Stage) -> None:
    world = stage.world
    first = _begin(stage)
    asked = [first, *_queue(stage)]
    stage.say("An operator deletes /controller, n2 is elected, and only then the write arrives.")
    depose(world)
    world.settle(but=is_of_n1)
    world.settle()
    _count(stage, asked)
    changes = [each for each in asked if each.what.name != list_moves().name]
    _all_refused(stage, changes)


def _begin(stage: Stage) -> Asked:
    """Let n1 be at a request, whose write is on its way."""
    world = stage.world
    stage.say("A first client asks n1 to move t-0. n1 has decided, and its write is on its way.")
    first = world.ask("n1", move("t", 0, 2, 3))
    world.until(lambda: world.happened.action == "n1 turn")
    world.settle(but=lambda name: name == "n1 turn")
    world.do("n1 turn")
    return first


def _queue(stage: Stage) -> list[Asked]:
    """Let four more ask."""
    stage.say("Four more ask n1, which is busy: for a move, a cancel, and twice for a list.")
    wants = (move("t", 1, 3, 4), list_moves(), cancel("t", 0), list_moves())
    asked = [stage.world.ask("n1", what) for what in wants]
    stage.world.do("n1 turn")
    return asked


def _count(stage: Stage, asked: Sequence[Asked]) -> None:
    stage.rest()
    replies = [len(each.responses) for each in asked]
    stage.claim(replies == [1] * 5, f"each of the five has one reply; they have {replies}")


def _all_refused(stage: Stage, asked: Sequence[Asked]) -> None:
    found = [error(each) for each in asked]
    stage.claim(
        found == [ErrorCode.NOT_CONTROLLER] * len(asked),
        f"{len(asked)} of them, all that could not be served, have NOT_CONTROLLER (41): {found}",
    )


EXHIBIT = Exhibit(
    id="E14",
    title="Silent caller",
    story="A controller is at the first of five requests when it loses its office. Whatever becomes"
    " of them, each client must hear of it, once: a result, or NOT_CONTROLLER (41), after which it"
    " asks the next controller. Until 2.7.0 Kafka cleared the queue of a controller that resigned,"
    " and the callbacks with it: whoever waited there waited for its whole time-out (F20). Since"
    " then what is queued is answered, but not what is being carried out: if its write meets the"
    " check of the epoch, the exception passes the callback by (H6). klamm keeps all requests in"
    " one table, from the moment they come until their reply leaves, and whoever leaves office"
    " answers what is in it. It answers 41 even if the write may have been done: the client asks"
    " again, and a move to where it goes already changes nothing.",
    cases=(
        Case("klamm: the session ends", _SCOPE, _expired),
        Case("klamm: the write is fenced", _SCOPE, _deposed),
        Case("the queue is forgotten", _SCOPE, _expired, "F20", "liveness"),
        Case("the one at work is forgotten", _SCOPE, _deposed, "H6", "liveness"),
    ),
)
