"""A world whose brokers copy, and tools that write /admin behind the controller's back."""

import json
from collections.abc import Mapping, Sequence

from node.moving import create
from node_world import ENDPOINT, World, in_office

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.rules import KIP_455
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit, Journal
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths

PATH = paths.REASSIGN_PARTITIONS
A, B, C = (TopicPartition(topic, 0) for topic in "abc")

Targets = Mapping[TopicPartition, Sequence[int]]


def kip() -> NodeConfig:
    return NodeConfig(900, (ENDPOINT,), rules=KIP_455)


def with_topics(
    names: Sequence[str] = ("a", "b", "c"),
    brokers: Sequence[int] = (1, 2, 3, 4, 5),
    config: NodeConfig | None = None,
    world: World | None = None,
) -> World:
    """One partition per topic, on 1, 2, 3; nothing copies until it is told to."""
    if world is None:
        world = in_office(brokers, config)
    else:
        for broker in brokers:
            world.register(broker)
        world.settle()
    for name in names:
        world.ask(create(name=name))
    world.sent.clear()
    world.effects.clear()
    world.journal.clear()
    return world


def order(targets: Targets) -> bytes:
    """What the tools of Kafka 2.3 and earlier write."""
    entries = [
        {"topic": name.topic, "partition": name.partition, "replicas": [*to]}
        for name, to in targets.items()
    ]
    return json.dumps({"version": 1, "partitions": entries}).encode()


def create_order(world: World, targets: Targets | bytes) -> None:
    data = targets if isinstance(targets, bytes) else order(targets)
    world.write(Create(PATH, data))
    world.settle()


def overwrite(world: World, targets: Targets | bytes) -> None:
    data = targets if isinstance(targets, bytes) else order(targets)
    world.write(SetData(PATH, data, ANY_VERSION))
    world.settle()


def remove(world: World, path: str = PATH) -> None:
    world.write(Delete(path, ANY_VERSION))
    world.settle()


def entries(world: World) -> dict[TopicPartition, list[int]] | None:
    """What the znode names; None if there is none."""
    if not world.exists(PATH):
        return None
    found = world.data(PATH)["partitions"]
    assert isinstance(found, list)
    return {TopicPartition(e["topic"], e["partition"]): e["replicas"] for e in found}


def copy(world: World, name: TopicPartition) -> None:
    """Let every replica of the partition come in sync."""
    world.leader_writes_isr(name, replicas(world, name))
    world.settle()


def replicas(world: World, name: TopicPartition) -> list[int]:
    stored = world.data(paths.topic(name.topic))["partitions"]
    assert isinstance(stored, dict)
    found = stored[str(name.partition)]
    assert isinstance(found, list)
    return found


def target(world: World, name: TopicPartition) -> tuple[int, ...]:
    """Where the partition is, or is to be moved."""
    assert world.node.state is not None
    partition = world.node.state.partition(name)
    assert partition is not None
    return partition.assignment.target


def moving(world: World) -> list[TopicPartition]:
    assert world.node.state is not None
    return [name for name, _ in world.node.state.moving()]


def tick(world: World) -> None:
    """A second passes."""
    world.run_timer(TIDY_TIMER)
    world.settle()


def fail_over(world: World) -> None:
    """The session ends; the node stands again under the next one."""
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.node.active


def writes(world: World, path: str = PATH) -> list[Commit]:
    """The Commits that write this znode."""
    return [
        effect
        for effect in world.effects
        if isinstance(effect, Commit) and any(op.path == path for op in effect.ops)
    ]


def told(world: World, kind: str) -> list[Journal]:
    return [entry for entry in world.journal if entry.kind == kind]
