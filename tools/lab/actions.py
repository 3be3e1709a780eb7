"""What happens by itself in a world: messages arrive, turns are taken, what failed comes back.

Each list is made anew at every step, in a fixed order, so the functions here do no more than look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import Conflict, OpError, UpdateDone
from klamm.controller.znodes import paths
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.choices import Action
from klamm.tools.lab.network import AskOnTheWay, overtaken
from klamm.tools.lab.nodes import NodeHost

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

#: Weights of what arrives and of turns, of what has gone astray, and of what comes back.
_OFTEN = 20
_SOMETIMES = 5
_SELDOM = 1

#: How the name of a node's turn ends.
TURN = " turn"

Host = NodeHost | BrokerHost


def regular(world: World) -> list[Action]:
    """Return what can happen now that is neither a fault nor a client's wish nor time."""
    found: list[Action] = []
    for node in world.nodes.values():
        _at_node(world, node, found)
    for broker in world.brokers.values():
        _at_broker(world, broker, found)
    return found


def first(world: World, turns_last: bool) -> Action | None:
    """Return the first of what `regular` has, with `turns_last` the first that is no node's turn.

    Only if there are none but turns is it the first of those; None if nothing can happen.
    """
    found: list[Action] = []
    for node in world.nodes.values():
        _at_node(world, node, found, turns=not turns_last)
        if found:
            return found[0]
    for broker in world.brokers.values():
        _at_broker(world, broker, found)
        if found:
            return found[0]
    return first(world, turns_last=False) if turns_last else None


def _at_node(world: World, node: NodeHost, found: list[Action], *, turns: bool = True) -> None:
    if node.node is not None:
        _of_node(world, node, found, turns=turns)
    elif world.recoveries:
        found.append(Action(f"start {node.name}", _SELDOM, start_node, (node,)))
    for store in node.former:
        found.extend(_of_former(world, node, store))


def _at_broker(world: World, broker: BrokerHost, found: list[Action]) -> None:
    model = broker.model
    if model is not None:
        _of_broker(world, broker, model, found)
    elif (world.recoveries or broker.refused) and (
        paths.broker(broker.id) not in world.zookeeper.tree.nodes
    ):
        found.append(Action(f"start {broker.name}", _SELDOM, broker.start))
    for store in broker.former:
        found.extend(_of_former(world, broker, store))


def _of_node(world: World, node: NodeHost, found: list[Action], *, turns: bool) -> None:
    name = node.name
    if not node.frozen:
        if turns and (node.inbox or node.undone):
            found.append(Action(f"{name}{TURN}", _OFTEN, node.turn))
        if node.session is None:
            found.append(Action(f"{name} opens a session", _OFTEN, node.open_session))
    elif world.recoveries:
        found.append(Action(f"wake {name}", _SELDOM, node.wake))
    if node.session is not None:
        _of_store(world, node, node.session.store, node.frozen, found)
    for id_, link in node.links.items():
        if link.answered is not None:
            if not node.frozen:
                peer = world.name_of(id_)
                found.append(Action(f"{peer} answers {name}", _OFTEN, node.hear, (id_,)))
        elif link.queue:
            peer = world.name_of(id_)
            if world.takes_requests(id_):
                action = Action(f"{peer} serves {name}", _OFTEN, serve_link, (world, node, id_))
                found.append(action)
            elif not (node.frozen or world.freezes(id_)):
                found.append(Action(f"{name} misses {peer}", _OFTEN, node.lose, (id_,)))
    if node.late and not node.frozen:
        found.append(Action(f"{name} serves a late request", _SOMETIMES, node.take_late))


def _of_broker(world: World, broker: BrokerHost, model: BrokerModel, found: list[Action]) -> None:
    name = broker.name
    if model.departure.granted is not None:
        found.append(Action(f"{name} leaves", _OFTEN, broker.kill, (True,)))
    if broker.session is None:
        found.append(Action(f"{name} opens a session", _OFTEN, broker.open_session))
    else:
        _of_store(world, broker, broker.session.store, False, found)
    if broker.late:
        found.append(Action(f"{name} serves a late request", _SOMETIMES, broker.take_late))
    if broker.stalled and world.recoveries:
        found.append(Action(f"{name} fetches again", _SELDOM, world.unstall, (broker,)))
    for ask in broker.asks:
        target = world.nodes.get(ask.target)
        what = type(ask.request).__name__.removesuffix("Request")
        if ask.response is not None or ask.lost or target is None:
            action = Action(f"{name} hears of {what}", _OFTEN, broker.hear, (ask,))
        elif ask.taken or target.frozen:
            continue
        else:
            taken = f"{target.name} takes {what} of {name}"
            action = Action(taken, _OFTEN, take_ask, (target, ask))
        found.append(action)


def _of_store(
    world: World, host: Host, store: MemoryStore, frozen: bool, found: list[Action]
) -> None:
    """What can happen on the connection of a present session."""
    name, zookeeper = host.name, world.zookeeper
    if store.lost:
        return
    if not store.connected:
        if not (store.cut or frozen):
            found.append(Action(f"zk connects {name}", _OFTEN, connect, (host, store)))
        if store.session and zookeeper.late(store):
            action = Action(f"zk serves {name} late", _SOMETIMES, zookeeper.serve_late, (store,))
            found.append(action)
        return
    session = zookeeper.session(store)
    if store.incoming and not frozen:
        found.append(Action(f"zk tells {name}", _OFTEN, tell, (host, store)))
    if session is not None and store.outgoing:
        found.append(Action(f"zk serves {name}", _OFTEN, serve, (store, host)))
    if session is not None and session.behind is not None and world.recoveries:
        found.append(Action(f"zk catches up for {name}", _SOMETIMES, zookeeper.catch_up, (store,)))
    if session is None and not frozen:
        found.append(Action(f"{name} notices", _SELDOM, disconnect, (host, store)))
    if frozen and session is not None:
        found.append(Action(f"zk expires {name}", _SELDOM, zookeeper.end_session, (store,)))


def _of_former(world: World, host: Host, store: MemoryStore) -> Iterator[Action]:
    """What can happen to a session whose process is gone, or has given it up."""
    which = f"session {store.session} of {host.name}"
    if store.connected:
        yield Action(f"zk serves {which}", _OFTEN, serve_former, (host, store))
        return
    if store.session and world.zookeeper.late(store):
        yield Action(f"zk serves {which} late", _SOMETIMES, world.zookeeper.serve_late, (store,))
    yield Action(f"zk expires {which}", _SOMETIMES, expire_former, (host, store))


# --- doing it ------------------------------------------------------------------------------------


def start_node(node: NodeHost) -> None:
    """Start a process of a node, which opens a session at once."""
    node.start()
    node.open_session()


def connect(host: Host, store: MemoryStore) -> None:
    """Connect a client to a server."""
    host.world.zookeeper.connect(store)
    _hand_over(host)


def disconnect(host: Host, store: MemoryStore, late: bool = False) -> None:
    """Break the connection of a client; `late`: what it asked may still be carried out."""
    host.world.zookeeper.disconnect(store, late)
    _hand_over(host)


def serve(store: MemoryStore, host: Host) -> None:
    """Let a server carry out a client's next request.

    Updates in a row that find their znode there already, as at each connection, count as one.
    """
    zookeeper = host.world.zookeeper
    while store.outgoing:
        zookeeper.serve(store)
        if not (store.incoming and _changed_nothing(store.incoming[-1].event)):
            break
    _hand_over(host)


def tell(host: Host, store: MemoryStore) -> None:
    """Let what a server has sent next reach its client; likewise."""
    zookeeper = host.world.zookeeper
    while store.incoming:
        event = store.incoming[0].event
        zookeeper.deliver(store)
        if not _changed_nothing(event):
            break
    _hand_over(host)


def _changed_nothing(event: object) -> bool:
    match event:
        case UpdateDone(outcome=Conflict(error=OpError.NODE_EXISTS)):
            return True
    return False


def _hand_over(host: Host) -> None:
    """A broker takes in what ZooKeeper says as it comes; a node does so in its turn."""
    if isinstance(host, BrokerHost):
        host.take_events()


def serve_former(host: Host, store: MemoryStore) -> None:
    """Carry out what a process asked for before it gave its session up, or that it did so."""
    zookeeper = host.world.zookeeper
    if store.outgoing and zookeeper.knows(store):
        zookeeper.serve(store)
    if not zookeeper.knows(store):
        host.former.remove(store)
        zookeeper.forget(store)


def expire_former(host: Host, store: MemoryStore) -> None:
    """End a session of which no process is left."""
    host.former.remove(store)
    if store in host.world.zookeeper.stores:
        host.world.zookeeper.forget(store)


def serve_link(world: World, node: NodeHost, id_: int) -> None:
    """Let a broker, or another node, take in the next request of a node."""
    link = node.links[id_]
    send = link.next
    assert send is not None, f"{node.name} has nothing for {id_}"
    peer = world.peer(id_)
    link.arrive(peer.answer(send.message, send.version))
    if peer.late:
        peer.late = overtaken(peer.late, node.name, send)
    world.taken(node.name, peer.name, send)


def take_ask(node: NodeHost, ask: AskOnTheWay) -> None:
    """Let a node take in a broker's request, if a process listens."""
    if node.alive:
        node.desk.take(ask)
    else:
        ask.lost = True
