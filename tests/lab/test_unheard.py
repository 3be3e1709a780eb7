"""Who is forgotten is found at once, and not when the client's time is up; nobody else is."""

import pytest

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.tools.lab import registry
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.clients import AskFor, cancel, delete, grow, list_moves, move
from klamm.tools.lab.exhibit import perform
from klamm.tools.lab.run import Opening, rest
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.unheard import unheard
from klamm.tools.lab.world import World

SCOPE = Scope("unheard", "One partition.", brokers=3, topics={"t": {0: (1, 2)}})
#: When `clients` are answered that their time is up.
TIME_OUT = 60.0


OPENING = Opening(SCOPE)


def opened() -> World:
    return OPENING.world(Enumerator())


@pytest.mark.parametrize("variant", ["F20", "H6"])
def test_a_forgotten_request_is_found_before_its_time_is_up(variant: str) -> None:
    case = next(each for each in registry.exhibit("E14").cases if each.variant == variant)
    performed = perform(case)
    assert performed.violation is not None
    assert performed.violation.invariant == "liveness"
    assert performed.violation.text.startswith("all is still, but request ")
    assert performed.stage.world.now < TIME_OUT


@pytest.mark.parametrize(
    "what",
    [move("t", 0, 2, 3), cancel("t", 0), list_moves(), grow("t", 2), delete("t")],
    ids=lambda what: what.name,
)
@pytest.mark.parametrize("end", ["", "expire n1", "crash n1"])
def test_a_request_in_hand_is_not_forgotten(what: AskFor, end: str) -> None:
    for steps in range(4):
        world = opened()
        asked = world.ask("n1", what)
        for _ in range(steps):
            for action in world.regular()[:1]:
                world.do(action.name)
        if end:
            world.do(end)
        while regular := world.regular():
            assert not [*unheard(world)]
            world.do(regular[0].name)
        assert not asked.open
        assert rest(world) is None


def test_the_deletion_of_a_topic_that_moves_takes_its_time() -> None:
    world = opened()
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    asked = world.ask("n1", delete("t"))
    world.settle()
    assert asked.open and not [*unheard(world)]
    assert rest(world) is None
    [answer] = asked.responses
    assert isinstance(answer, DeleteTopicsResponse)
    assert [each.error_code for each in answer.responses] == [ErrorCode.NONE]


def test_a_node_that_cannot_hear_zookeeper_may_still_answer() -> None:
    world = opened()
    world.do("cut n1 off zk")
    asked = world.ask("n1", move("t", 0, 2, 3))
    world.do("n1 turn")
    assert asked.open and not [*unheard(world)]
