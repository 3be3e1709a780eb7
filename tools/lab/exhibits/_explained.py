"""What `klamm explain` would find in a world, as somebody sees it who only asks."""

from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import TopicPartition
from klamm.tools.admin.names import TopicPartitionReplica
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.facts import Facts, Look, Partition
from klamm.tools.explain.findings import Findings
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.exhibits._steps import topic_of
from klamm.tools.lab.world import World


def explained(stage: Stage, topic: str, partition: int, seconds: float) -> Findings:
    """Look at a partition twice, so far apart, and diagnose."""
    name = TopicPartition(topic, partition)
    first = _look(stage, name)
    stage.world.advance(seconds)
    return diagnose(Facts(first, _look(stage, name), _alive(stage.world)))


def _look(stage: Stage, name: TopicPartition) -> Look:
    znode = topic_of(stage, name.topic)
    leader, isr = stage.leadership(*name)
    adding = znode.adding.get(name.partition, ())
    removing = znode.removing.get(name.partition, ())
    partition = Partition(
        znode.partitions[name.partition],
        adding,
        removing,
        leader if leader >= 0 else None,
        isr=tuple(isr),
        moving=bool(adding or removing),
    )
    alive = _alive(stage.world)
    sizes = {
        TopicPartitionReplica(*name, number): host.disks.logs[name].end
        for number, host in stage.world.brokers.items()
        if number in alive and name in host.disks.logs
    }
    return Look(stage.world.now, {name: partition}, sizes, answered=alive)


def _alive(world: World) -> frozenset[int]:
    """Return the brokers that are registered, as key 60 has them."""
    return frozenset(number for number in world.brokers if paths.broker(number) in world.tree.nodes)
