"""I12: the admin znode, /admin/reassign_partitions."""

from collections.abc import Iterator

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes import paths
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, Order, tell


def orders_are_kept(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I12: a controller takes nothing out of the admin znode that is still to be begun.

    It adds nothing either. An entry may go once the move that it orders has begun (then the topic
    znode holds it), or the partition has been given another assignment since, or a client has
    asked for one, or it could not be carried out: unknown brokers or partition, brokers that are
    shutting down, a topic that is being deleted, nobody in sync who could lead. That the znode is
    consumed in the end is for `klamm.tools.lab.liveness`. The profile of KIP-455's text discards
    entries that came after it accepted the others (R455-98): there nothing is said. Source: F03,
    E3 (KAFKA-5758, KAFKA-1146).
    """
    for write in step.admin:
        host = world.nodes.get(write.by)
        if not write.by:
            continue
        for name in sorted(write.after.keys()):
            if write.before.get(name) != write.after[name]:
                was = [*write.before[name]] if name in write.before else "nothing"
                text = f"{write.by} orders {[*write.after[name]]} for {name} itself"
                yield Wrong(text, (f"ordered before: {was}", f"now: {tell(seen.assignment(name))}"))
        if host is None or host.node is None or not host.node.config.rules.refuse_unclean:
            continue
        for name in sorted(write.before.keys() - write.after.keys()):
            order, state = seen.orders[name], host.node.state
            if state is not None and not state.shutting_down.isdisjoint(order.replicas):
                continue
            if _is_lost(world, seen, name, order):
                yield Wrong(
                    f"{write.by} took out the order of {[*order.replicas]} for {name}, "
                    "which was never begun",
                    (
                        f"ordered in step {order.since}",
                        f"{name} now: {tell(seen.assignment(name))}",
                    ),
                )


def _is_lost(world: Seen, seen: Observed, name: TopicPartition, order: Order) -> bool:
    now = seen.assignment(name)
    if now is None or now.target == order.replicas:
        return False
    if seen.assigned_at.get(name, -1) >= order.since or seen.moves.counted(name, order.since):
        return False
    tree = world.zookeeper.tree
    if paths.delete_topic(name.topic) in tree.nodes:
        return False
    registered = tree.nodes[paths.BROKER_IDS].children
    for broker in order.replicas:
        if str(broker) not in registered or seen.gone_at.get(broker, -1) >= order.since:
            return False
    return bool(set(seen.isr(name)) & {*now.origin, *order.replicas})
