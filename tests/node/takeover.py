"""A controller that is killed at any moment, and the next one, which knows only ZooKeeper."""

from dataclasses import replace

from node_world import World

from klamm.controller.node import Node


def kill(world: World) -> None:
    """Kill the process: its node, its session and its links; another node opens a session.

    What the old one has asked of ZooKeeper and was not carried out yet is lost; brokers that were
    told something have nobody to answer.
    """
    sequence = world.node.sequence + 1
    world.config = replace(world.config, node_id=world.config.node_id + 1, first_sequence=sequence)
    world.node = Node(world.config)
    former = world.store
    world.posted.clear()
    world.waiting.clear()
    world.timers.clear()
    world.open()
    if world.zookeeper.knows(former):
        world.zookeeper.expire(former)


def take_over(world: World) -> None:
    """Kill the controller, and let the next one find out all that it can."""
    kill(world)
    world.settle()
    assert world.node.active
