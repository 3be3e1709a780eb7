"""What the scripts of several exhibits do and look at."""

from collections.abc import Callable

from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import TopicPartition, decode_reassign_partitions
from klamm.controller.znodes.state import decode_state
from klamm.controller.znodes.topic import TopicZnode, decode_topic
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.rogue import put, write_admin
from klamm.tools.lab.variants._scripts import bury
from klamm.tools.lab.world import World

Targets = dict[TopicPartition, tuple[int, ...]]


def order(world: World, *entries: tuple[str, int, tuple[int, ...]]) -> None:
    """Let a tool write the admin znode: topic, partition and replicas of each entry."""
    data = write_admin(*entries)
    world.write("writes the admin znode", *put(world, paths.REASSIGN_PARTITIONS, data))


def orders(stage: Stage) -> Targets:
    """Return the entries of the admin znode, none if it is not there; raises ZnodeError."""
    node = stage.world.tree.nodes.get(paths.REASSIGN_PARTITIONS)
    if node is None:
        return {}
    read = decode_reassign_partitions(node.data)
    return {TopicPartition(each.topic, each.partition): each.replicas for each in read.entries}


def topic_of(stage: Stage, topic: str) -> TopicZnode:
    """Return a topic's znode; raises KeyError if there is none, ZnodeError if it is no topic's."""
    path = paths.topic(topic)
    return decode_topic(stage.world.tree.nodes[path].data, path)


def target(stage: Stage, topic: str, partition: int) -> list[int]:
    """Return where a partition moves to, or is, as its topic's znode has it."""
    going = topic_of(stage, topic).removing.get(partition, ())
    return [each for each in stage.replicas(topic, partition) if each not in going]


def stall(world: World, *brokers: int) -> None:
    """Let brokers copy nothing, so that moves to them stay under way."""
    for broker in brokers:
        world.do(f"stall b{broker}")


def copy_again(world: World, *brokers: int) -> None:
    """Let brokers copy again, and have the time for it."""
    for broker in brokers:
        world.do(f"b{broker} fetches again")
    world.advance(30.0)


def fail_over(world: World, dead: str) -> None:
    """Let ZooKeeper end the session of a node whose process is gone, and another be elected."""
    bury(world, dead)
    world.settle()


def comes(stage: Stage, reached: Callable[[], bool]) -> bool:
    """Let things happen until something is reached, for at most ten minutes; tell whether it was.

    Unlike after `advance`, what is on its way at that moment is still on its way.
    """
    world = stage.world
    end = world.now + 600.0
    while not world.until(reached):
        if world.now >= end:
            return False
        world.pass_time()
    return True


def leaders_since(stage: Stage, step: int, topic: str, partition: int) -> list[int]:
    """Return all leaders that a partition was given after a step, one after the other."""
    path = paths.state(topic, partition)
    return [
        decode_state(change.after.data, path).leader
        for happened in stage.world.events
        if happened.step > step
        for change in happened.znodes
        if change.path == path and change.after is not None
    ]


def codes(asked: Asked) -> list[int]:
    """Return the error codes that a client was answered who asked for moves, by partition."""
    return [
        response.error_code or each.error_code
        for response in asked.responses
        if isinstance(response, AlterPartitionReassignmentsResponse)
        for topic in response.responses
        for each in topic.partitions
    ]
