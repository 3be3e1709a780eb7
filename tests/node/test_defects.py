"""What goes wrong in Kafka's controller when a write fails in the middle, and here does not."""

import pytest
from node.moving import T, create, lists, stops, with_topic
from node.test_leaders_ask import config, while_committing, wish
from node_world import World, in_office

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.results import Done
from klamm.controller.znodes import paths


def about_to_end(world: World) -> None:
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    world.sent.clear()


@pytest.mark.parametrize("path", [paths.topic("t"), paths.state(*T)])
def test_an_end_that_cannot_be_written_is_no_end_and_stops_nobody(path: str) -> None:
    """H5: Kafka's memory says done; List is empty, and the replicas that leave never stop."""
    world = with_topic(config())
    about_to_end(world)
    request = world.request(wish(world, 1, 2, 3, 4))
    world.step()
    while_committing(world, path, times=100)
    assert request in world.replies
    state = world.node.state
    assert state is not None
    assert [name for name, _ in state.moving()] == [T]
    assert lists(world) == ({"0": [4, 3, 2, 1]}, {"0": [4]}, {"0": [1]})
    assert stops(world) == []
    world.run_timer("retry")
    world.settle()
    assert list(world.node.state.moving() if world.node.state else [T]) == []
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})


def test_a_shrink_that_meets_another_write_is_made_again_before_anybody_deletes() -> None:
    """N13: Kafka goes on without it, and the replica keeps its data."""
    world = with_topic()
    about_to_end(world)
    world.leader_writes_isr(T, [1, 2, 3, 4])
    while_committing(world, paths.state(*T))
    assert "conflict" in [note.kind for note in world.journal]
    assert world.data(paths.state(*T))["isr"] == [2, 3, 4]
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    assert stops(world) == [(1, False), (1, True)]


def test_a_partition_that_nobody_ever_led_can_be_moved_and_is_led_then() -> None:
    """N3: Kafka answers -1 although it is stored, and its next failover never ends."""
    world = in_office((1, 2))
    world.ask(create((7,)))
    assert not world.exists(paths.state(*T))
    assert world.ask(AlterReassignment(T, (1, 2))) == (Done(),)
    assert lists(world) == ({"0": [1, 2]}, {}, {})
    assert world.data(paths.state(*T))["isr"] == [1, 2]


def test_a_move_of_a_partition_without_a_leader_survives_a_failover() -> None:
    """N3: also if nobody of its replicas is alive then."""
    world = in_office((1, 2))
    world.ask(create((7,)))
    world.silent = {1, 2}
    world.request(AlterReassignment(T, (1,)))
    for broker in (1, 2):
        world.unregister(broker)
    world.settle()
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active
    for broker in (1, 2, 7):
        world.register(broker)
    world.settle()
    state = world.node.state
    assert state is not None
    part = state.partition(T)
    assert part is not None
    assert part.leader in (1, 7)
