"""The end of all faults: every host is up, every link works, and nobody asks for anything more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.tools.lab.actions import disconnect, expire_former, start_node
from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.nodes import NodeHost

if TYPE_CHECKING:
    from klamm.tools.lab.world import World


def heal(world: World) -> None:
    """Stop all faults, and bring back what is down.

    What processes owe to what has happened, such as a session that is over, is left to them.
    Broken disks stay broken: an empty one in the place of one that held what nobody else has, on a
    broker that is still in the ISR, loses data under every controller that ZooKeeper had.
    """
    world.faults_left = {}
    world.asks_left = 0
    world.zookeeper.limit_packets(PACKET_LIMIT)
    for node in world.nodes.values():
        _heal_node(world, node)
    for broker in world.brokers.values():
        _heal_broker(world, broker)


def _heal_node(world: World, node: NodeHost) -> None:
    for former in tuple(node.former):
        expire_former(node, former)
    if not node.alive:
        if world.scope.all_return or not any(each.alive for each in world.nodes.values()):
            start_node(node)
        return
    if node.frozen:
        node.wake()
    node.late.clear()
    store = node.store
    if store is None or not store.connected:
        return
    if not world.zookeeper.knows(store):
        disconnect(node, store)
    elif world.zookeeper.lags(store):
        world.zookeeper.catch_up(store)


def _heal_broker(world: World, broker: BrokerHost) -> None:
    for former in tuple(broker.former):
        expire_former(broker, former)
    if not broker.alive:
        broker.start()
        return
    broker.late.clear()
    if broker.stalled:
        world.unstall(broker)
