"""F52: a topic that is being deleted gets more partitions, and they are made."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CheckPartition, TopicRead
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.plan import Lead, Message, Plan, Publish
from klamm.controller.core.settings import Settings
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.broker_links import BrokerLinks
from klamm.controller.node.effects import Effect, Send
from klamm.controller.node.turns import Decide
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import delete
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import lose_broker, put_topic
from klamm.tools.lab.variants._ways import after


def grows_while_deleted(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but on partitions new in a topic as if nobody deleted it."""
    causes = tuple(causes)
    growth = [cause for cause in causes if _grows(state, cause)]
    plan = decide(state, [cause for cause in causes if cause not in growth], settings)
    if not growth:
        return plan
    return (*plan, *decide(_unaware(after(state, plan)), growth, settings))


def _grows(state: ClusterState, cause: Cause) -> bool:
    """Tell whether it is about partitions of a topic that has begun to go without them."""
    match cause.event:
        case TopicRead(name=name, topic=read) if read is not None and state.vanishing(name):
            known = state.topics.get(name)
            return known is not None and len(read.partitions) > len(known.partitions)
        case CheckPartition(partition=name) if state.vanishing(name.topic):
            partition = state.partition(name)
            return partition is not None and partition.leadership is None
        case _:
            return False


class EagerLinks(BrokerLinks):
    """Tells brokers of leaders, whatever becomes of the topic."""

    def put(self, message: Message, state: ClusterState) -> Iterator[Effect]:
        """Take what a Commit wants brokers to know."""
        if isinstance(message, Lead | Publish) and not _is_counted(state, message.name):
            state = _unaware(state)
        return super().put(message, state)

    def send_due(self, state: ClusterState) -> Iterator[Send]:
        """Hand out the next request of every broker that has none in flight."""
        for outbox in self.outboxes.values():
            seen = _unaware(state) if outbox.leads else state
            due = outbox.next_request(seen, self.protocol, self.sends + 1)
            if due:
                self.sends += 1
                message, version = due
                yield Send(self.sends, outbox.broker, message, version)


def _is_counted(state: ClusterState, name: TopicPartition) -> bool:
    """Tell whether a deletion waits for logs of the partition."""
    deletion = state.deleting.get(name.topic)
    logs = (deletion.logs if deletion is not None else None) or {}
    return any(name.partition in numbers for numbers in logs.values())


def _unaware(state: ClusterState) -> ClusterState:
    return replace(state, deleting={})


class GrowsWhileDeleted(Node):
    """A node that makes partitions of a topic that it is deleting."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.links = EagerLinks(config.protocol, config.listener)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("Topic t is to be deleted; its broker 2 is away, so that takes until it is back.")
    lose_broker(world, 2)
    world.settle()
    world.ask("n1", delete("t"))
    world.settle()
    stage.claim(stage.exists(paths.topic("t")), "t waits for broker 2")
    stage.say("Meanwhile a tool gives it another partition, on brokers 3 and 4.")
    put_topic(world, "t", {0: (1, 2), 1: (3, 4)})
    world.settle()
    stage.say("Broker 2 comes back.")
    world.do("start b2")
    world.settle()
    stage.claim(not stage.exists(paths.topic("t")), "t is gone")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F52",
    story="The number of a topic's partitions was raised while the topic was being deleted. The"
    " controller heard of the new partitions and had them made like any others; the deletion, which"
    " had counted its replicas before, knew nothing of them. It ended, the topic was gone, and"
    " brokers kept logs of a topic that there is not. The fix takes new partitions back while a"
    " deletion is under way; klamm begins such a deletion anew.",
    reference="KAFKA-6612, 685fd03dda0 (2.0.0)",
    exposed_by=OWN_SCRIPT,
    node_factory=GrowsWhileDeleted,
    decide=grows_while_deleted,
)
