"""How brokers fail, their disks, and their connections to controller nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.fault import Fault, Offers, living, running
from klamm.tools.lab.network import AskOnTheWay
from klamm.tools.lab.nodes import NodeHost

if TYPE_CHECKING:
    from klamm.tools.lab.world import World


def _kill(world: World) -> Offers:
    for broker in running(world):
        yield f"kill {broker.name}", broker.kill, ()


def _bounce(world: World) -> Offers:
    for broker in running(world):
        yield f"bounce {broker.name}", _bounce_broker, (broker,)


def _bounce_broker(broker: BrokerHost) -> None:
    """End a broker's process and session, and start it before anybody has noticed.

    Its registration comes back in the new process's own time, under a new broker epoch.
    """
    store = broker.store
    broker.kill()
    if store is not None and store in broker.former:
        broker.former.remove(store)
        broker.world.zookeeper.forget(store)
    broker.start()


def _bounce_both(world: World) -> Offers:
    for node in living(world):
        for broker in running(world):
            yield f"crash {node.name} and bounce {broker.name}", _crash_and_bounce, (node, broker)


def _crash_and_bounce(node: NodeHost, broker: BrokerHost) -> None:
    node.crash()
    _bounce_broker(broker)


def _expire_broker(world: World) -> Offers:
    for broker in running(world):
        store = broker.store
        if store is not None and world.zookeeper.knows(store):
            yield f"expire {broker.name}", _expire_session, (world, broker)


def _expire_session(world: World, broker: BrokerHost) -> None:
    store = broker.store
    assert store is not None, f"{broker.name} has no session"
    world.zookeeper.expire(store)
    broker.take_events()


def _stop(world: World) -> Offers:
    for broker in running(world):
        yield f"stop {broker.name}", _depart, (world, broker)


def _depart(world: World, broker: BrokerHost) -> None:
    world.carry_out(world.cluster.depart(world.now, broker.id))


def _stall(world: World) -> Offers:
    for broker in running(world):
        if not broker.stalled:
            yield f"stall {broker.name}", _stall_broker, (world, broker)


def _stall_broker(world: World, broker: BrokerHost) -> None:
    broker.stalled = True
    world.carry_out(world.cluster.freeze(world.now, broker.id))


def _disk(world: World) -> Offers:
    for broker in running(world):
        for directory, works in world.cluster.directories(broker.id).items():
            if works:
                yield f"{directory} of {broker.name} fails", _fail, (world, broker, directory)


def _fail(world: World, broker: BrokerHost, directory: str) -> None:
    world.carry_out(world.cluster.fail_directory(world.now, broker.id, directory))


def _break_link(world: World) -> Offers:
    for node in living(world):
        if node.frozen:
            continue
        for id_, link in node.links.items():
            if link.answered is not None or link.queue:
                yield f"break the link {node.name}-{world.name_of(id_)}", node.lose, (id_,)


def _break_ask(world: World) -> Offers:
    for broker in running(world):
        for ask in broker.asks:
            if not ask.lost:
                yield f"break the link {broker.name}-{ask.target}", _lose_ask, (ask,)


def _lose_ask(ask: AskOnTheWay) -> None:
    ask.lost, ask.response = True, None


BROKER_FAULTS = (
    Fault("kill", "A broker's process ends; its session goes on for a while.", _kill),
    Fault("bounce", "A broker restarts before its session has ended.", _bounce),
    Fault("bounce-both", "A node and a broker fail at the same moment.", _bounce_both),
    Fault("expire-broker", "A broker's session ends; the process goes on.", _expire_broker),
    Fault("stop", "A broker asks the controller for leave to go.", _stop),
    Fault("stall", "A broker fetches nothing for a while.", _stall),
    Fault("disk", "A broker loses a log directory.", _disk),
    Fault("break", "A node's connection to a broker breaks.", _break_link),
    Fault("break-ask", "A broker's connection to its controller breaks.", _break_ask),
)
