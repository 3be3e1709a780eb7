"""How controller nodes fail, and their connections to ZooKeeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.port import Watched
from klamm.tools.lab.actions import disconnect
from klamm.tools.lab.fault import Fault, Offers, living
from klamm.tools.lab.nodes import NodeHost

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

#: How far a wall clock jumps, in milliseconds: an hour, or a day and more than a timeout.
_JUMPS = {"an hour back": -3_600_000, "an hour ahead": 3_600_000, "a day back": -86_400_000}
_SMALL_PACKETS = 400
#: How many effects of a turn are done before the process ends or stands still; few have more.
_GAPS = tuple(str(gap) for gap in range(16))


# --- nodes ---------------------------------------------------------------------------------------


def _crash(world: World) -> Offers:
    for node in living(world):
        yield f"crash {node.name}", node.crash, ()


def _crash_in_turn(world: World) -> Offers:
    for node in living(world):
        if node.inbox and not node.frozen:
            yield f"crash {node.name} in its turn", _die_in_turn, (world, node)


def _die_in_turn(world: World, node: NodeHost) -> None:
    node.turn(int(world.choose("effects done", _GAPS)))


def _freeze(world: World) -> Offers:
    for node in living(world):
        if not node.frozen:
            yield f"freeze {node.name}", node.freeze, ()


def _freeze_in_turn(world: World) -> Offers:
    for node in living(world):
        if node.inbox and not node.frozen:
            yield f"freeze {node.name} in its turn", _freeze_after, (world, node)


def _freeze_after(world: World, node: NodeHost) -> None:
    node.turn(int(world.choose("effects done", _GAPS)), freeze=True)


def _jump(world: World) -> Offers:
    for node in living(world):
        yield f"clock of {node.name} jumps", _jump_clock, (world, node)


def _jump_clock(world: World, node: NodeHost) -> None:
    node.skew_ms += _JUMPS[world.choose("by", tuple(_JUMPS))]


# --- ZooKeeper -----------------------------------------------------------------------------------


def _expire(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is not None and world.zookeeper.knows(store) and not node.frozen:
            yield f"expire {node.name}", _expire_node, (world, node)


def _expire_node(world: World, node: NodeHost) -> None:
    store = node.store
    assert store is not None, f"{node.name} has no session"
    world.zookeeper.expire(store)


def _expire_unnoticed(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is not None and store.connected and world.zookeeper.knows(store):
            yield f"expire {node.name} unnoticed", world.zookeeper.end_session, (store,)


def _disconnect(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is not None and store.connected and not node.frozen:
            yield f"cut {node.name} off zk", disconnect, (node, store)


def _disconnect_late(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is None or not store.connected or node.frozen:
            continue
        if store.outgoing and world.zookeeper.knows(store):
            yield f"cut {node.name} off zk with requests under way", disconnect, (node, store, True)


def _lag(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is not None and store.connected and world.zookeeper.knows(store):
            yield f"zk lags for {node.name}", world.zookeeper.lag, (store,)


def _double(world: World) -> Offers:
    for node in living(world):
        store = node.store
        if store is not None and any(isinstance(it.event, Watched) for it in store.incoming):
            yield f"zk tells {node.name} twice", _tell_twice, (world, node)


def _tell_twice(world: World, node: NodeHost) -> None:
    store = node.store
    assert store is not None, f"{node.name} has no session"
    events = world.zookeeper.on_the_way(store)
    place = next(at for at, event in enumerate(events) if isinstance(event, Watched))
    world.zookeeper.rearrange(store, [*range(place + 1), place, *range(place + 1, len(events))])


def _small_packets(world: World) -> Offers:
    yield "zk takes small packets only", world.zookeeper.limit_packets, (_SMALL_PACKETS,)
    yield "zk takes large packets again", world.zookeeper.limit_packets, (PACKET_LIMIT,)


NODE_FAULTS = (
    Fault("crash", "A controller node's process ends between two turns.", _crash),
    Fault("crash-in-turn", "It ends between any two effects of one turn.", _crash_in_turn),
    Fault("freeze", "A node gets no time; its session may end meanwhile.", _freeze),
    Fault("freeze-in-turn", "It stands still between two effects of a turn.", _freeze_in_turn),
    Fault("clock", "A node's wall clock jumps.", _jump),
    Fault("expire", "A node's session ends, and it learns so at once.", _expire),
    Fault("expire-unnoticed", "Its session ends, it learns so late.", _expire_unnoticed),
    Fault("cut", "A node's connection to ZooKeeper breaks; requests are lost.", _disconnect),
    Fault("cut-late", "As cut, but what it asked may still be done.", _disconnect_late),
    Fault("lag", "A node's ZooKeeper server falls behind the others.", _lag),
    Fault("double", "A watch event comes twice.", _double),
    Fault("packets", "ZooKeeper takes small packets only, for a while.", _small_packets),
)
