"""I4 and I7: what is written into state znodes, and what brokers are told of it."""

from collections.abc import Iterable, Iterator

from klamm.controller.core.model import NO_LEADER, ClusterState, TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.node.effects import Commit, Effect, Send
from klamm.controller.node.places import locate
from klamm.controller.znodes import paths
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message
from klamm.tools.brokers import control
from klamm.tools.lab.invariants.rest import resting
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, StateWrite, Unreadable, tell_state, written

#: As a leader or an epoch: the partition is taken back (LeaderAndIsr.LeaderDuringDelete).
_TAKEN_BACK = -2


def leaders_are_in_sync(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I4: somebody is in sync always, and a leader is; at rest both are registered brokers.

    Nor is a lead given to a broker that is known to be shutting down: it leads on at most
    (Election.leaderForOffline and the others, which know no such broker as live).

    That a controller takes those out that died before its time is F40 (KAFKA-3143). Source:
    LeaderInIsr of hachikuji/kafka-specification; KafkaController.removeReplicasFromIsr, which
    never takes out the last. Of what a tool has broken, only new faults count.
    """
    for write in step.states:
        if not write.session:
            continue
        if isinstance(write.after, Unreadable):
            text = f"{_who(write)} wrote of {write.name} what nobody can read: {write.after.why}"
            yield Wrong(text, (f"before: {tell_state(write.before)}",))
        elif isinstance(write.after, StateZnode):
            text = _insane(write.after)
            before = write.before
            if text and not (isinstance(before, StateZnode) and _insane(before) == text):
                yield Wrong(
                    f"{write.name}, as {_who(write)} wrote it: {text}", tuple(written(write))
                )
    host = world.nodes.get(seen.actor)
    known = seen.views.get(seen.actor)
    if known is not None and host is not None and host.node is not None and host.node.state:
        yield from _given_to_leaving(seen.actor, known, host.node.state, step.happened.effects)
    state = resting(world, seen, seen.actor)
    if state is not None:
        yield from _gone(world, seen, state)


def _given_to_leaving(
    actor: str, before: ClusterState, state: ClusterState, effects: Iterable[Effect]
) -> Iterator[Wrong]:
    """Find new leads of brokers that their controller knew to be leaving when the step began.

    One that asks for leave in this very step may first take what somebody else has lost.
    """
    leaving = {
        broker
        for broker in state.shutting_down & before.shutting_down
        if before.brokers[broker].epoch == state.brokers[broker].epoch
    }
    if not leaving:
        return
    for effect in effects:
        for op in effect.ops if isinstance(effect, Commit) else ():
            name = locate(op.path).partition
            if name is None or not isinstance(op, Create | SetData):
                continue
            part, leader = state.partition(name), decode_state(op.data, op.path).leader
            if leader in leaving and (part is None or part.leader != leader):
                text = f"{actor} gives the lead of {name} to broker {leader}, which is leaving"
                was = f"broker {part.leader}" if part is not None else "nobody"
                yield Wrong(text, (f"led by {was} before", f"shutting down: {sorted(leaving)}"))


def _gone(world: Seen, seen: Observed, state: ClusterState) -> Iterator[Wrong]:
    """Find those that are gone and still lead, or are in sync with a leader."""
    tree = world.zookeeper.tree
    registered = {int(name) for name in tree.nodes[paths.BROKER_IDS].children}
    for name, held in seen.states.items():
        if not isinstance(held, StateZnode) or held.leader == NO_LEADER or name in seen.meddled:
            continue
        gone = {held.leader, *held.isr} - registered
        if gone and state.partition(name) is not None and name.topic not in state.deleting:
            text = f"broker {min(gone)} is gone, and {name} has it still"
            evidence = (
                f"state: {tell_state(held)}",
                f"registered: {sorted(registered)}",
                f"{seen.actor} is controller, has heard of all this, and is at rest",
            )
            yield Wrong(text, evidence)


def _insane(state: StateZnode) -> str:
    if not state.isr:
        return "nobody is in sync"
    if state.leader not in (NO_LEADER, *state.isr):
        return f"leader {state.leader} is not in sync"
    return ""


def epochs_rise(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I7: a partition's leader epoch never falls, has one leader, and is what brokers are told.

    What is told was durable before (never ahead of ZooKeeper), and is no older than what the
    teller knows to be durable: KAFKA-9212 (F10), where UpdateMetadata kept the former epoch.
    """
    known = dict(seen.leads) if len(step.states) > 1 else seen.leads
    for write in step.states:
        state = write.after
        if not isinstance(state, StateZnode):
            continue
        epoch, leader = known.get(write.name, (-1, NO_LEADER))
        text = ""
        if write.session and state.leader_epoch < epoch:
            text = f"the leader epoch fell from {epoch} to {state.leader_epoch}"
        elif write.session and state.leader_epoch == epoch and state.leader != leader:
            text = f"leader {leader} and leader {state.leader} in one epoch, {epoch}"
        if text:
            yield Wrong(f"{write.name}, as {_who(write)} wrote it: {text}", tuple(written(write)))
        if known is not seen.leads:
            known[write.name] = state.leader_epoch, state.leader
    new = {
        (write.name, write.after.leader_epoch, write.after.leader)
        for write in step.states
        if isinstance(write.after, StateZnode)
    }
    actor = seen.actor
    acknowledged = seen.acknowledged.get(actor, {})
    for effect in step.happened.effects:
        if not isinstance(effect, Send):
            continue
        for name, epoch, leader in _told(effect.message):
            kind = type(effect.message).__name__.removesuffix("Request")
            what = f"{actor} tells broker {effect.broker.id} by {kind}: {name} led by {leader}"
            if (name, epoch, leader) not in seen.leads_ever and (name, epoch, leader) not in new:
                text = f"{what} in epoch {epoch}, which never was in ZooKeeper"
                yield Wrong(text, (f"in ZooKeeper: {tell_state(seen.states.get(name))}",))
            elif epoch < acknowledged.get(name, epoch):
                text = f"{what} in epoch {epoch}, but it knows of {acknowledged[name]}"
                yield Wrong(text, (f"in ZooKeeper: {tell_state(seen.states.get(name))}",))


def _told(message: Message) -> Iterator[tuple[TopicPartition, int, int]]:
    """Yield the leader epochs and leaders that a request tells of."""
    match message:
        case LeaderAndIsrRequest():
            for name, order in control.orders(message).items():
                yield name, order.state.leader_epoch, order.state.leader
        case UpdateMetadataRequest():
            for told in message.ungrouped_partition_states:
                if told.leader != _TAKEN_BACK:
                    name = TopicPartition(told.topic_name, told.partition_index)
                    yield name, told.leader_epoch, told.leader
            for topic in message.topic_states:
                for told in topic.partition_states:
                    if told.leader != _TAKEN_BACK:
                        name = TopicPartition(topic.topic_name, told.partition_index)
                        yield name, told.leader_epoch, told.leader


def _who(write: StateWrite) -> str:
    return write.by or f"session {write.session}"
