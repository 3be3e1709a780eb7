"""Znodes that ZooKeeper does not let us read: set aside one by one, fatal only as a list."""

import json

import pytest
from node_world import World

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.core.results import Done
from klamm.controller.node import Phase
from klamm.controller.node.effects import Severity
from klamm.controller.znodes import paths

T = TopicPartition("t", 0)
STATE = {"leader": 1, "isr": [1, 2], "leader_epoch": 4, "controller_epoch": 2, "version": 1}


def a_cluster() -> World:
    """Brokers 1 to 4 and the led topics "t" and "shut", which have no controller yet."""
    world = World()
    for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        world.write(Create(path, None))
    for broker in (1, 2, 3, 4):
        world.register(broker)
    for topic in ("t", "shut"):
        content = {"version": 2, "partitions": {"0": [1, 2]}}
        world.write(
            Create(paths.topic(topic), json.dumps(content).encode()),
            Create(paths.partitions(topic), None),
            Create(paths.partition(topic, 0), None),
            Create(paths.state(topic, 0), json.dumps(STATE).encode()),
        )
    return world


def close(world: World, path: str, closed: bool = True) -> None:
    world.zookeeper.tree.nodes[path].closed = closed


def taken(world: World) -> ClusterState:
    world.settle()
    assert world.node.state is not None
    return world.node.state


def errors(world: World) -> list[str]:
    return [note.text for note in world.journal if note.severity is Severity.ERROR]


@pytest.mark.parametrize("path", [paths.topic("shut"), paths.partitions("shut")])
def test_a_topic_that_is_closed_is_set_aside_and_the_others_are_served(path: str) -> None:
    world = a_cluster()
    close(world, path)
    assert set(taken(world).topics) == {"t"}
    assert errors(world) == [f"{path}: ZooKeeper does not show it: NOAUTH"]
    assert world.ask(AlterReassignment(T, (1, 3))) == (Done(),)
    assert not world.resigned
    assert world.node.state is not None
    assert world.node.state.epoch == 1


def test_a_topic_that_is_closed_later_stays_as_it_was_known() -> None:
    world = a_cluster()
    before = taken(world).topics["shut"]
    close(world, paths.topic("shut"))
    world.zookeeper.disconnect(world.store)
    state = taken(world)
    assert state.topics["shut"] == before
    assert state.epoch == 1
    assert not world.resigned


def test_a_state_that_is_closed_hurts_nobody_else() -> None:
    world = a_cluster()
    close(world, paths.state("shut", 0))
    state = taken(world)
    assert state.topics["shut"].partitions[0].leadership is None
    assert state.topics["t"].partitions[0].leader == 1
    assert errors(world)[0] == f"{paths.state('shut', 0)}: ZooKeeper does not show it: NOAUTH"
    assert not world.resigned


@pytest.mark.parametrize("path", [paths.broker(4), paths.KLAMM_NODES, paths.ISR_CHANGES])
def test_what_a_controller_can_do_without_may_be_closed(path: str) -> None:
    world = a_cluster()
    close(world, path)
    state = taken(world)
    assert set(state.brokers) == ({1, 2, 3} if path == paths.broker(4) else {1, 2, 3, 4})
    assert f"{path}: ZooKeeper does not show it: NOAUTH" in errors(world)
    assert not world.resigned


@pytest.mark.parametrize("path", [paths.TOPICS, paths.BROKER_IDS])
def test_without_a_list_nobody_is_taken_for_dead_and_the_pauses_grow(path: str) -> None:
    world = a_cluster()
    close(world, path)
    pauses = []
    for term in range(1, 9):
        world.settle()
        assert world.node.phase is Phase.STANDBY
        assert world.resigned == [f"{path}: ZooKeeper does not show it: NOAUTH"] * term
        assert not world.exists(paths.CONTROLLER)
        pauses.append(world.timers["stand"])
        world.run_timer("stand")
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert world.data(paths.state(*T)) == STATE
    assert not world.sent

    close(world, path, closed=False)
    assert set(taken(world).brokers) == {1, 2, 3, 4}
    close(world, path)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.timers["stand"] == 1


def test_a_pause_that_ends_without_a_connection_ends_with_the_next() -> None:
    world = a_cluster()
    close(world, paths.TOPICS)
    world.settle()
    world.zookeeper.cut(world.store)
    close(world, paths.TOPICS, closed=False)
    world.run_timer("stand")
    world.settle()
    assert world.node.state is None
    world.zookeeper.heal(world.store)
    assert taken(world).epoch == 2


def test_who_pauses_still_learns_who_is_controller() -> None:
    world = a_cluster()
    close(world, paths.TOPICS)
    world.settle()
    other = b'{"version":2,"brokerid":7,"timestamp":"1","kraftControllerEpoch":-1}'
    world.write(Create(paths.CONTROLLER, other))
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, 7)
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, -1)


@pytest.mark.parametrize("path", [paths.CONTROLLER, paths.CONTROLLER_EPOCH])
def test_who_cannot_tell_who_is_controller_does_not_stand(path: str) -> None:
    world = a_cluster()
    world.write(Create(path, b"1"))
    close(world, path)
    world.settle()
    assert world.node.turns is None
    assert errors(world) == [f"{path}: who is controller cannot be told: NOAUTH"]


def test_an_epoch_that_is_closed_while_we_are_controller_ends_the_term() -> None:
    world = a_cluster()
    taken(world)
    world.request(AlterReassignment(T, (1, 3)))
    world.feed()
    close(world, paths.CONTROLLER_EPOCH)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert len(world.resigned) == 1
    assert not world.exists(paths.CONTROLLER)
    assert errors(world) == [f"{paths.CONTROLLER_EPOCH}: who is controller cannot be told: NOAUTH"]


def test_a_registration_that_is_closed_is_somebody_elses() -> None:
    world = a_cluster()
    world.write(Create(paths.klamm_node(900), b"{}"))
    close(world, paths.klamm_node(900))
    world.settle()
    assert any("node.id 900 is taken" in text for text in errors(world))
