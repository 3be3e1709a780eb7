"""I5 and I6: what becomes of the data, on the brokers' disks and by what controllers decide."""

from collections.abc import Iterator

from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.ops import Op, SetData
from klamm.controller.node import Node
from klamm.controller.node.effects import Commit, Send
from klamm.controller.node.places import Place, locate
from klamm.controller.znodes import paths
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.controller.znodes.topic import decode_topic
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.tools.brokers import control
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, tell, tell_state


def enough_remain(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I5: no replica goes unless a live ISR of at least min(min ISR, size of target) remains.

    Judged when a controller asks for the write that drops a replica which is in sync, by who is
    alive as far as it knows (H8, F15, E6): what dies later is not its fault. And judged when a
    broker deletes a log, by what is on the disks of those in sync. Nor is a delete told before the
    leader knows of it. A profile that cancels a move whatever it costs (R455-51) may leave nobody.
    Source: LI #442; behaviour of KRaft's cancel.
    """
    host = world.nodes.get(seen.actor)
    node = host.node if host is not None else None
    if node is not None and node.state is not None:
        for effect in step.happened.effects:
            if isinstance(effect, Commit):
                yield from _dropped(seen.actor, node, effect.ops, seen.min_in_sync)
    for effect in step.happened.effects:
        if isinstance(effect, Send) and isinstance(effect.message, StopReplicaRequest):
            yield from _early(world, seen, effect.broker.id, effect.message)
    for broker, name in seen.disks.deleted:
        yield from _deleted(world, seen, broker, name)


def _dropped(actor: str, node: Node, ops: tuple[Op, ...], min_in_sync: int) -> Iterator[Wrong]:
    state = node.state
    written = {
        place.partition: decode_state(op.data, op.path).isr
        for op in ops
        if isinstance(op, SetData) and (place := locate(op.path)).partition is not None
    }
    for op in ops:
        place = locate(op.path)
        if not isinstance(op, SetData) or place.place is not Place.TOPIC or state is None:
            continue
        znode = decode_topic(op.data, op.path)
        for number, replicas in znode.partitions.items():
            name = TopicPartition(place.topic, number)
            part = state.partition(name)
            if part is None or part.leadership is None or part.assignment.replicas == replicas:
                continue
            isr = written.get(name, part.leadership.isr)
            left = [each for each in isr if each in replicas and each in state.brokers]
            least = min(min_in_sync, len(replicas))
            if len(left) < least and _harmed(node, part, replicas):
                yield Wrong(
                    f"{name} goes, as {actor} wants it, from {[*part.assignment.replicas]} to "
                    f"{[*replicas]}: {len(left)} live in-sync replicas remain, not {least}",
                    (f"ISR before {[*part.leadership.isr]}, after {[*isr]}", _alive(node)),
                )


def _harmed(node: Node, part: Partition, replicas: tuple[int, ...]) -> bool:
    """Tell whether somebody in sync is dropped, by a decision that must not do so."""
    before, isr = part.assignment, part.leadership.isr if part.leadership else ()
    ends = replicas == before.target
    if not ends and not node.config.rules.refuse_unclean:
        return False
    return any(each in isr and each not in replicas for each in before.replicas)


def _alive(node: Node) -> str:
    return f"it knows {sorted(node.state.brokers) if node.state else []} to be alive"


def _deleted(world: Seen, seen: Observed, broker: int, name: TopicPartition) -> Iterator[Wrong]:
    if name.topic not in seen.topics or _is_being_deleted(world, name.topic):
        return
    isr = seen.isr(name)
    held = seen.assignment(name)
    if not _refuses_unclean(world) and held is not None and set(isr).isdisjoint(held.replicas):
        return  # dropped into darkness by a cancel, as that profile has it
    evidence = (f"assignment: {tell(held)}", f"state: {tell_state(seen.states.get(name))}")
    if broker in isr:
        text = f"broker {broker} deleted {name}, of which it is in sync: ISR {[*isr]}"
        yield Wrong(text, evidence)
    elif isr and not any(
        name in world.brokers[each].disks.logs or (each, name) in seen.disks.lost
        for each in isr
        if each in world.brokers
    ):
        text = f"broker {broker} deleted {name}; nobody of ISR {[*isr]} has the data"
        yield Wrong(text, evidence)


def _early(
    world: Seen, seen: Observed, broker: int, message: StopReplicaRequest
) -> Iterator[Wrong]:
    """Find deletes that are told before the leader knows that it has lost the replica.

    A leader that has not heard of the epoch that drops it may take it into the ISR again, with a
    log that is about to go (KAFKA-1097, F12).
    """
    for name, stop in control.stops(message).items():
        state = seen.states.get(name)
        if not (stop.delete and isinstance(state, StateZnode)):
            continue
        if _is_being_deleted(world, name.topic) or state.leader not in world.brokers:
            continue
        model = world.brokers[state.leader].model
        replica = model.replicas.get(name) if model is not None else None
        if replica is not None and replica.leads and broker in replica.followers:
            yield Wrong(
                f"{seen.actor} tells broker {broker} to delete {name}, and its leader"
                f" {state.leader} has it still for a replica",
                (
                    f"the leader follows epoch {replica.leader_epoch}",
                    f"in ZooKeeper: {tell_state(state)}",
                    f"assignment: {tell(seen.assignment(name))}",
                ),
            )


def _refuses_unclean(world: Seen) -> bool:
    nodes = (host.node for host in world.nodes.values() if host.node is not None)
    return all(node.config.rules.refuse_unclean for node in nodes)


def _is_being_deleted(world: Seen, topic: str) -> bool:
    if paths.delete_topic(topic) in world.zookeeper.tree.nodes:
        return True
    states = (host.node.state for host in world.nodes.values() if host.node is not None)
    return any(state is not None and state.vanishing(topic) for state in states)


def nothing_is_lost(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I6: no leader has less than what all in-sync replicas had: nothing acknowledged is lost.

    The models count bytes and no records, so what is acknowledged (acks=all) is what lies below
    the leader's high watermark. klamm makes no unclean elections. Source: StrongIsr of
    hachikuji/kafka-specification. What went with a failed disk is excused, and so is what is
    being deleted.
    """
    if not seen.brokers_acted:
        return
    for id_, host in world.brokers.items():
        model = host.model
        if model is None:
            continue
        for name, replica in model.replicas.items():
            if not replica.leads or seen.leads.get(name) != (replica.leader_epoch, id_):
                continue
            least = seen.disks.high_watermarks.get(name, 0)
            if replica.log.end >= least or seen.disks.has_lost(name):
                continue
            if _is_being_deleted(world, name.topic):
                continue
            yield Wrong(
                f"broker {id_} leads {name} with {replica.log.end} bytes, "
                f"{least} were acknowledged",
                (f"state: {tell_state(seen.states.get(name))}",),
            )
