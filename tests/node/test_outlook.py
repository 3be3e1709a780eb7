"""What a node out of office sees in ZooKeeper, and when it looks there at all."""

import json

import pytest
from node_world import ENDPOINT, World

from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.node import NodeConfig, Phase
from klamm.controller.node.effects import ArmWatch, ReadZnodes
from klamm.controller.node.inputs import ControllerHeard
from klamm.controller.node.outlook import LOOK_TIMER, REFUSED_SECONDS, WATCHES
from klamm.controller.store.port import ReadData, ReadDone, Refused
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import (
    ControllerZnode,
    encode_controller,
    encode_controller_epoch,
)
from klamm.controller.znodes.klamm import KlammNodeZnode, encode_klamm_node
from klamm.controller.znodes.state import StateZnode, encode_state

STOCK, KLAMM = 1, 901


def elect(world: World, controller: int, epoch: int) -> None:
    """Have somebody else elected, in one transaction as everybody does it."""
    znode = encode_controller(ControllerZnode(controller, 0))
    if world.exists(paths.CONTROLLER):
        world.write(Delete(paths.CONTROLLER, ANY_VERSION), Create(paths.CONTROLLER, znode))
    else:
        world.write(Create(paths.CONTROLLER, znode))
    if not world.exists(paths.CONTROLLER_EPOCH):
        world.write(Create(paths.CONTROLLER_EPOCH, b"0"))
    world.write(SetData(paths.CONTROLLER_EPOCH, encode_controller_epoch(epoch), ANY_VERSION))


def put_topic(world: World, name: str, replicas: list[int], leader: int) -> None:
    data = json.dumps({"version": 2, "partitions": {"0": replicas}}).encode()
    world.write(
        Create(paths.topic(name), data),
        Create(paths.partitions(name), None),
        Create(paths.partition(name, 0), None),
        Create(paths.state(name, 0), state(leader, replicas)),
    )


def state(leader: int, isr: list[int], epoch: int = 0) -> bytes:
    return encode_state(StateZnode(leader, epoch, tuple(isr), 5))


def beside(controller: int, epoch: int = 5) -> World:
    """A node beside a cluster of brokers 1 and 2 with one topic, which somebody else controls."""
    world = World()
    for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        world.write(Create(path, None))
    world.register(1)
    world.register(2)
    put_topic(world, "t", [1, 2], 1)
    if controller == KLAMM:
        node = encode_klamm_node(KlammNodeZnode(KLAMM, (ENDPOINT,)))
        world.write(Create(paths.klamm_node(KLAMM), node))
    elect(world, controller, epoch)
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, controller)
    return world


def leaders(world: World) -> dict[str, int]:
    cluster = world.node.view.cluster
    assert cluster is not None
    return {name.topic: partition.leader for name, partition in cluster.partitions()}


def watches(world: World) -> bool:
    return any(isinstance(e, ArmWatch) and e.watches == WATCHES for e in world.effects)


def look(world: World) -> None:
    world.run_timer(LOOK_TIMER)
    world.settle()


def test_under_a_stock_controller_a_node_sees_the_cluster_in_zookeeper() -> None:
    world = beside(STOCK)
    view = world.node.view
    assert (view.controller_id, view.epoch) == (STOCK, 5)
    assert view.cluster is not None
    assert (set(view.cluster.brokers), set(view.cluster.nodes)) == ({1, 2}, {900})
    assert (view.cluster.controller_id, leaders(world)) == (STOCK, {"t": 1})
    assert watches(world)


def test_what_changes_under_a_stock_controller_is_read_soon_and_all_at_once() -> None:
    world = beside(STOCK)
    world.effects.clear()
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    world.unregister(1)
    put_topic(world, "u", [2], 2)
    world.write(Delete(paths.klamm_node(900), ANY_VERSION))
    world.settle()
    assert not [e for e in world.effects if isinstance(e, ReadZnodes)], "one reading for all"
    assert leaders(world) == {"t": 1}
    look(world)
    cluster = world.node.view.cluster
    assert cluster is not None
    assert (set(cluster.brokers), leaders(world)) == ({2}, {"t": 2, "u": 2})
    assert set(cluster.nodes) == {900}, "it has registered again"
    asked = [read for e in world.effects if isinstance(e, ReadZnodes) for read in e.reads]
    assert ReadData(paths.topic("t")) not in asked, "only what has changed is read"
    for path in (paths.state("u", 0), paths.partition("u", 0), paths.partitions("u")):
        world.write(Delete(path, ANY_VERSION))
    world.write(Delete(paths.topic("u"), ANY_VERSION))
    world.settle()
    look(world)
    assert leaders(world) == {"t": 2}


def test_what_changes_during_a_reading_is_read_by_the_next() -> None:
    world = beside(STOCK)
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    world.settle()
    world.run_timer(LOOK_TIMER)
    world.feed()
    assert world.store.outgoing, "a reading is on its way"
    world.write(SetData(paths.state("t", 0), state(-1, [2], 2), ANY_VERSION))
    world.settle()
    assert LOOK_TIMER in world.timers
    look(world)
    assert leaders(world) == {"t": -1}
    assert LOOK_TIMER not in world.timers


def test_under_a_klamm_controller_a_new_node_looks_once_and_is_told_the_rest() -> None:
    world = beside(KLAMM)
    assert leaders(world) == {"t": 1}
    assert not watches(world)
    world.post(ControllerHeard(5))
    world.settle()
    view = world.node.view
    assert (view.controller_id, view.cluster) == (KLAMM, None), "nobody looks there any more"


def test_a_node_that_was_told_looks_again_only_under_a_stock_controller() -> None:
    world = beside(KLAMM)
    world.post(ControllerHeard(5))
    world.settle()
    world.effects.clear()
    elect(world, KLAMM, 6)
    world.settle()
    assert (world.node.view.epoch, world.node.view.cluster) == (6, None)
    elect(world, STOCK, 7)
    world.settle()
    assert (world.node.view.controller_id, leaders(world)) == (STOCK, {"t": 1})
    assert watches(world)
    # And back: it keeps what it saw until it is told.
    elect(world, KLAMM, 8)
    world.settle()
    assert (world.node.view.controller_id, leaders(world)) == (KLAMM, {"t": 1})
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    world.settle()
    assert LOOK_TIMER not in world.timers
    world.post(ControllerHeard(7))
    world.settle()
    assert world.node.view.cluster is not None, "that was the one before"
    world.post(ControllerHeard(8))
    world.settle()
    assert world.node.view.cluster is None


def test_who_was_in_office_needs_no_look_under_another_klamm_node() -> None:
    world = World()
    world.settle()
    assert world.node.active
    node = encode_klamm_node(KlammNodeZnode(KLAMM, (ENDPOINT,)))
    world.write(Create(paths.klamm_node(KLAMM), node))
    elect(world, KLAMM, 9)
    world.settle()
    assert (world.node.view.controller_id, world.node.view.epoch) == (KLAMM, 9)
    assert world.node.view.cluster is None


def test_without_a_connection_a_node_keeps_what_it_saw_and_then_looks_at_everything() -> None:
    world = beside(STOCK)
    world.zookeeper.cut(world.store)
    world.settle()
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    put_topic(world, "u", [1], 1)
    assert leaders(world) == {"t": 1}
    world.effects.clear()
    world.zookeeper.heal(world.store)
    world.settle()
    assert leaders(world) == {"t": 2, "u": 1}
    assert watches(world)


def test_a_connection_lost_in_the_middle_of_the_look() -> None:
    world = beside(STOCK)
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    world.settle()
    world.run_timer(LOOK_TIMER)
    world.feed()
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert leaders(world) == {"t": 2}


def test_a_new_session_looks_again() -> None:
    world = beside(STOCK)
    world.zookeeper.expire(world.store)
    world.write(SetData(paths.state("t", 0), state(2, [2], 1), ANY_VERSION))
    world.settle()
    assert leaders(world) == {"t": 2}


def test_who_takes_office_looks_on_no_more() -> None:
    world = beside(STOCK)
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active
    assert world.node.view.cluster is None


@pytest.mark.parametrize("path", [paths.state("t", 0), paths.topic("t")])
def test_what_cannot_be_read_is_reported_and_the_rest_is_seen(path: str) -> None:
    world = beside(STOCK)
    put_topic(world, "u", [1], 1)
    world.write(SetData(path, b"{", ANY_VERSION))
    world.settle()
    look(world)
    assert leaders(world)["u"] == 1
    [report] = [entry.text for entry in world.journal if entry.kind == "unreadable"]
    assert path in report


def test_an_id_that_another_holds_does_not_keep_a_node_from_seeing() -> None:
    world = World(NodeConfig(900, (ENDPOINT,)))
    world.write(Create("/klamm", None), Create(paths.KLAMM_NODES, None))
    taken = encode_klamm_node(KlammNodeZnode(900, (ENDPOINT,)))
    world.write(Create(paths.klamm_node(900), taken))
    elect(world, STOCK, 3)
    world.settle()
    assert world.node.view.cluster is not None
    assert world.node.view.controller_id == STOCK


def beside_what_is_not_shown(path: str, controller: int = STOCK) -> World:
    """As `beside`, but there is a znode that this node may not read."""
    world = World()
    for each in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        world.write(Create(each, None))
    world.register(1)
    put_topic(world, "t", [1], 1)
    if controller == KLAMM:
        node = encode_klamm_node(KlammNodeZnode(KLAMM, (ENDPOINT,)))
        world.write(Create(paths.klamm_node(KLAMM), node))
    world.zookeeper.tree.nodes[path].closed = True
    elect(world, controller, 5)
    world.settle()
    return world


@pytest.mark.parametrize("path", [paths.BROKER_IDS, paths.TOPICS])
@pytest.mark.parametrize("controller", [STOCK, KLAMM])
def test_a_list_that_is_not_shown_is_looked_at_again_until_it_is(
    path: str, controller: int
) -> None:
    world = beside_what_is_not_shown(path, controller)
    for _ in range(3):
        assert world.node.view.cluster is None, "half a cluster would be a lie"
        assert world.timers[LOOK_TIMER] == REFUSED_SECONDS
        look(world)
    (report,) = [entry.text for entry in world.journal if entry.kind == "unreadable"]
    assert path in report
    world.zookeeper.tree.nodes[path].closed = False
    look(world)
    assert leaders(world) == {"t": 1}
    cluster = world.node.view.cluster
    assert cluster is not None
    assert set(cluster.brokers) == {1}
    assert LOOK_TIMER not in world.timers


def test_a_list_that_is_not_shown_later_leaves_what_was_seen() -> None:
    world = beside(STOCK)
    world.zookeeper.tree.nodes[paths.BROKER_IDS].closed = True
    world.unregister(2)
    world.settle()
    look(world)
    before = world.node.view.cluster
    assert before is not None
    assert (set(before.brokers), leaders(world)) == ({1, 2}, {"t": 1})
    world.zookeeper.tree.nodes[paths.BROKER_IDS].closed = False
    look(world)
    after = world.node.view.cluster
    assert after is not None
    assert (set(after.brokers), leaders(world)) == ({1}, {"t": 1})


@pytest.mark.parametrize("controller", [STOCK, KLAMM])
def test_whose_controller_it_is_is_asked_again_if_zookeeper_did_not_say(controller: int) -> None:
    world = beside(KLAMM)
    world.post(ControllerHeard(5))
    world.settle()
    world.node.outlook.told = 0  # as a node that nobody has told anything
    elect(world, controller, 6)
    for _ in range(3):
        while not world.node.outlook.question:
            assert world.step()
        world.post(ReadDone(world.store.session, world.node.outlook.question, Refused("NOAUTH")))
        world.feed()
        world.settle()
        assert world.node.view.cluster is None
        world.run_timer(LOOK_TIMER)
        world.feed()
    world.settle()
    assert leaders(world) == {"t": 1}
    refused = [entry.text for entry in world.journal if entry.kind == "refused"]
    assert refused == ["who is controller: NOAUTH"], "told once"
    assert watches(world) == (controller == STOCK)
