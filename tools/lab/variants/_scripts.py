"""What the scripts of several variants do."""

import json

from klamm.controller.core.ops import ANY_VERSION, Create, Delete, Op, SetData
from klamm.controller.znodes import paths
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.world import World


def bury(world: World, host: str) -> None:
    """Let ZooKeeper end the session of a host whose process is gone."""
    ending = [action.name for action in world.regular() if action.name.endswith(f" of {host}")]
    world.do(next(name for name in ending if name.startswith("zk expires session")))


def lose_broker(world: World, number: int) -> None:
    """End a broker and its session, before anybody hears of it."""
    world.do(f"kill b{number}")
    bury(world, f"b{number}")


def depose(world: World) -> None:
    """Take the office from whoever has it, as operators do."""
    world.write("an operator deletes /controller", Delete(paths.CONTROLLER, ANY_VERSION))


def in_office(world: World) -> list[str]:
    """Return who is controller and has read what it must know."""
    return [name for name, host in world.nodes.items() if host.node and host.node.active]


def state_of(stage: Stage, topic: str, partition: int) -> StateZnode:
    """Return a partition's state; raises KeyError if there is none."""
    path = paths.state(topic, partition)
    return decode_state(stage.world.tree.nodes[path].data, path)


def remove_topic(world: World, topic: str) -> None:
    """Remove a topic's znodes by hand, with everything below them."""
    root = paths.topic(topic)
    found = [path for path in world.tree.nodes if path == root or path.startswith(f"{root}/")]
    below_first = sorted(found, key=len, reverse=True)
    world.write("removes a topic", *(Delete(path, ANY_VERSION) for path in below_first))


def remove_what_moves(stage: Stage) -> None:
    """Tell of a topic that somebody removes by hand while a move of it is held up."""
    world = stage.world
    stage.say("t-0 is moving, and broker 3 keeps it from ending, when somebody removes topic t.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    remove_topic(world, "t")
    world.settle()


def move_held_up(stage: Stage) -> None:
    """Tell of a move of t-0 that does not end until broker 3 fetches."""
    stage.say("Broker 3 fetches nothing, so that a move to it takes its time.")
    stage.world.do("stall b3")
    stage.world.ask("n1", move("t", 0, 2, 3))
    stage.world.settle()


def move_and_deletion_end(stage: Stage) -> None:
    """Tell of the end of that move, and of the topic, which was to be deleted."""
    stage.say("Broker 3 fetches again, the move ends, and the topic goes.")
    stage.world.do("b3 fetches again")
    stage.world.advance(60.0)
    stage.claim(not stage.exists(paths.topic("t")), "the topic is gone")
    stage.rest()


def put_topic(
    world: World,
    topic: str,
    replicas: dict[int, tuple[int, ...]],
    adding: dict[int, tuple[int, ...]] | None = None,
    removing: dict[int, tuple[int, ...]] | None = None,
) -> None:
    """Write a topic's znode by hand."""
    znode = {
        "version": 2,
        "partitions": replicas,
        "adding_replicas": adding or {},
        "removing_replicas": removing or {},
    }
    data, path = json.dumps(znode).encode(), paths.topic(topic)
    exists = path in world.tree.nodes
    op: Op = SetData(path, data, ANY_VERSION) if exists else Create(path, data)
    world.write("writes a topic", op)


def is_of_n1(name: str) -> bool:
    """Tell whether an action is one of n1, or lets ZooKeeper hear or tell it something."""
    return name.startswith(("n1 ", "zk serves n1")) or name.endswith(" n1")
