"""A world with a topic that can be moved, and what its brokers and ZooKeeper have to say of it."""

from uuid import UUID

from node_world import World, in_office

from klamm.controller.core.events import CreateTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import TopicCreated
from klamm.controller.node import NodeConfig
from klamm.controller.node.clearing import CLEAR_TIMER
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest

T, U = TopicPartition("t", 0), TopicPartition("t", 1)

#: What topics get where they have ids.
TOPIC_ID = UUID(int=77)


def create(replicas: tuple[int, ...] = (1, 2, 3), name: str = "t") -> CreateTopic:
    return CreateTopic(name, -1, -1, {0: replicas}, {}, 0, 0, topic_id=TOPIC_ID)


def with_topic(config: NodeConfig | None = None, partitions: int = 1) -> World:
    """Five brokers and t on 1, 2, 3; what brokers heard until then is forgotten."""
    world = in_office(config=config)
    lists = dict.fromkeys(range(partitions), (1, 2, 3))
    event = CreateTopic("t", -1, -1, lists, {}, 0, 0, topic_id=TOPIC_ID)
    topic_id = TOPIC_ID if world.config.protocol.topic_ids else None
    assert world.ask(event) == (TopicCreated(partitions, 3, topic_id),)
    world.sent.clear()
    world.effects.clear()
    return world


def clear(world: World) -> None:
    """Let the debts that were paid be written down, which happens once a second."""
    world.run_timer(CLEAR_TIMER)
    world.settle()


def commits(world: World) -> list[Commit]:
    return [effect for effect in world.effects if isinstance(effect, Commit)]


def leads(world: World, broker: int) -> list[LeaderAndIsrPartitionState]:
    return [
        partition
        for message in world.messages(LeaderAndIsrRequest, broker)
        for topic in message.topic_states
        for partition in topic.partition_states
    ]


def stops(world: World) -> list[tuple[int, bool]]:
    return [
        (send.broker.id, send.message.delete_partitions)
        for send in world.sent
        if isinstance(send.message, StopReplicaRequest)
    ]


def lists(world: World, name: str = "t") -> tuple[object, object, object]:
    znode = world.data(paths.topic(name))
    return znode["partitions"], znode["adding_replicas"], znode["removing_replicas"]
