"""F14: a replica that is added is never made, because one disk of its broker is broken."""

from dataclasses import replace

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect, Send
from klamm.controller.node.inputs import Input
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_DISKS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant


class NothingIsNew(Node):
    """A node that calls a replica new only when its topic is."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; replicas that are added are told to lead or follow like old ones."""
        return tuple(map(_not_new, super().handle(now, event)))


def _not_new(effect: Effect) -> Effect:
    if not (isinstance(effect, Send) and isinstance(effect.message, LeaderAndIsrRequest)):
        return effect
    message, broker = effect.message, effect.broker.id
    topics = tuple(
        replace(topic, partition_states=tuple(_old(it, broker) for it in topic.partition_states))
        for topic in message.topic_states
    )
    flat = tuple(_old(it, broker) for it in message.ungrouped_partition_states)
    changed = replace(message, topic_states=topics, ungrouped_partition_states=flat)
    return replace(effect, message=changed)


def _old(state: LeaderAndIsrPartitionState, broker: int) -> LeaderAndIsrPartitionState:
    return replace(state, is_new=state.is_new and broker not in state.adding_replicas)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("One of the two log directories of broker 3 breaks; the other one works.")
    world.do("/data1 of b3 fails")
    world.settle()
    stage.say("t-0 is moved to brokers 1 and 3.")
    world.ask("n1", move("t", 0, 1, 3))
    world.settle()
    world.advance(60.0)
    stage.claim(stage.replicas("t", 0) == [1, 3], "the move has ended")
    stage.rest()


SCRIPT = Case("klamm", TWO_DISKS, _script)
VARIANT = Variant(
    id="F14",
    story="A partition was moved to a broker with several log directories, one of them offline. A"
    " broker that is told to follow a partition whose log it cannot find makes a new one only if"
    " it is told that the replica is new, for the log might lie on the broken disk. The controller"
    " said so for new topics, and not for replicas that a move adds. The log was never made, and"
    " the move never ended.",
    reference="KAFKA-10314, apache/kafka#9122, 23cade85067 (2.7.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=NothingIsNew,
)
