"""F10: clients are told of the leader epoch that was before the move."""

from collections.abc import Container
from dataclasses import replace

from klamm.controller.core.model import TopicPartition
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect, Send
from klamm.controller.node.inputs import Input
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant


class TellsOfFormerEpochs(Node):
    """A node that forgets, for clients, that a move has begun a new leader epoch."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; what is said of moving partitions is one leader epoch old."""
        effects = super().handle(now, event)
        if self.state is None:
            return effects
        moving = frozenset(name for name, _ in self.state.moving())
        return tuple(_with_former_epochs(effect, moving) for effect in effects)


def _with_former_epochs(effect: Effect, moving: Container[TopicPartition]) -> Effect:
    if not (isinstance(effect, Send) and isinstance(effect.message, UpdateMetadataRequest)):
        return effect
    topics = tuple(
        replace(
            topic,
            partition_states=tuple(
                _former(state)
                if TopicPartition(topic.topic_name, state.partition_index) in moving
                else state
                for state in topic.partition_states
            ),
        )
        for topic in effect.message.topic_states
    )
    return replace(effect, message=replace(effect.message, topic_states=topics))


def _former(state: UpdateMetadataPartitionState) -> UpdateMetadataPartitionState:
    return replace(state, leader_epoch=max(state.leader_epoch - 1, 0))


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 is moved to brokers 1 and 3, which begins a new leader epoch.")
    world.ask("n1", move("t", 0, 1, 3))
    world.settle()
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F10",
    story="The beginning of a move raises the partition's leader epoch. The controller wrote that"
    " into ZooKeeper and told it to the replicas, but did not note it in its own memory, from"
    " which it makes what brokers tell clients. Consumers asked the leader with the epoch that"
    " they were told, and were fenced: they could read nothing until the move had ended, which may"
    " take days.",
    reference="KAFKA-9212, apache/kafka#7795, 5d0cb1419cd (2.4.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=TellsOfFormerEpochs,
)
