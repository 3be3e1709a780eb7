"""I9, I13 and I14: what a controller believes, beside what ZooKeeper holds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from klamm.controller.core.model import Assignment, ClusterState, Leadership, Topic, TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.node.effects import Send
from klamm.controller.node.places import Place, locate
from klamm.controller.znodes import paths
from klamm.controller.znodes.state import StateZnode
from klamm.controller.znodes.topic import TopicZnode
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.invariants.rest import resting
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, assignment, tell

_IS_AT_REST = ("nothing is on its way to it, and it has nothing left to do",)
_NO_VERSION = "in ZooKeeper: no such version"


def memory_is_durable(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I9: topic znodes are as in memory after each Commit, and so are state znodes.

    Whatever a node in office believes stood in ZooKeeper with that very version (never ahead:
    H5), and after a Commit it believes what that wrote, or something newer. Somebody else's later
    write, such as that of a partition's leader, may not have reached it yet.
    """
    actor = seen.actor
    host = world.nodes.get(actor)
    state = host.node.state if host is not None and host.node is not None else None
    if state is None:
        return
    yield from _newest(actor, state, step)
    before = seen.views.get(actor)
    if state is before:
        return
    known = before.topics if before is not None else {}
    for name, topic in state.topics.items():
        if topic is known.get(name):
            continue
        if not any(
            _is(topic, znode) for znode in seen.durable_topics.get((name, topic.version), ())
        ):
            text = f"{actor} believes of topic {name}, version {topic.version}, what never was"
            held = _held(name, seen.durable_topics.get((name, topic.version), ()))
            yield Wrong(text, (*_tell(topic), *held))
        for number, part in topic.partitions.items():
            led, partition = part.leadership, TopicPartition(name, number)
            if led is None:
                continue
            there = seen.durable_states.get((partition, led.version), ())
            if not any(_leads(led, znode) for znode in there):
                text = f"{actor} believes of {partition}, version {led.version}, what never was"
                lines = [f"in ZooKeeper: {_tell_lead(each)}" for each in there]
                yield Wrong(text, (f"believed: {_tell_lead(led)}", *(lines or [_NO_VERSION])))


def _newest(actor: str, state: ClusterState, step: Digest) -> Iterator[Wrong]:
    """Compare with what the node was told is durable by now."""
    for done in step.acknowledged:
        for op, result in zip(done.ops, done.results, strict=True):
            place = locate(op.path)
            if not isinstance(op, Create | SetData) or result.version is None:
                continue
            held: int | None = None
            if place.place is Place.TOPIC:
                topic = state.topics.get(place.topic)
                held = topic.version if topic is not None else None
            elif place.partition is not None:
                part = state.partition(place.partition)
                held = part.leadership.version if part and part.leadership else None
            if held is not None and held < result.version:
                yield Wrong(
                    f"{actor} has written version {result.version} of {op.path} and still "
                    f"believes in version {held}",
                    (f"it was told in this step that its {type(op).__name__} is done",),
                )


def _is(topic: Topic, znode: TopicZnode) -> bool:
    if topic.topic_id != znode.topic_id or topic.partitions.keys() != znode.partitions.keys():
        return False
    return all(
        part.assignment == assignment(znode, number) for number, part in topic.partitions.items()
    )


def _leads(led: Leadership, znode: StateZnode) -> bool:
    return (led.leader, led.leader_epoch, led.isr, led.controller_epoch) == (
        znode.leader,
        znode.leader_epoch,
        znode.isr,
        znode.controller_epoch,
    )


def lists_are_true(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I13: at rest the controller lists the moves that the topic znodes hold, and no others.

    Nothing may be on its way to it then, and it must know the topics and brokers that there are.
    What it answers to a client who asks for all moves is the same. Source: R455-40; KIP-455,
    "Proposed Changes": the znode is the truth.
    """
    for asked in step.happened.replied:
        yield from _answers(world, seen, asked)
    actor = seen.actor
    state = resting(world, seen, actor)
    if state is None:
        return
    listed = {name: part.assignment for name, part in state.moving()}
    there = moves(seen, state)
    if listed != there:
        text = f"{actor} lists other moves than the topic znodes hold"
        yield Wrong(text, tuple(_differences(listed, there)))
    registered = {int(name) for name in world.zookeeper.tree.nodes[paths.BROKER_IDS].children}
    if state.brokers.keys() != registered:
        text = f"{actor} knows brokers {sorted(state.brokers)}, there are {sorted(registered)}"
        yield Wrong(text, _IS_AT_REST)
    readable = {name for name, znode in seen.topics.items() if isinstance(znode, TopicZnode)}
    known = {name for name in state.topics if isinstance(seen.topics.get(name), TopicZnode | None)}
    if known != readable:
        text = f"{actor} knows topics {sorted(known)}, there are {sorted(readable)}"
        yield Wrong(text, _IS_AT_REST)


def _answers(world: Seen, seen: Observed, asked: Asked) -> Iterator[Wrong]:
    """Compare the answer to List, where it was for all moves."""
    body, response = asked.what.body, asked.responses[-1]
    if not isinstance(response, ListPartitionReassignmentsResponse) or response.error_code:
        return
    state = resting(world, seen, asked.node)
    if state is None or not isinstance(body, ListPartitionReassignmentsRequest) or body.topics:
        return
    listed = {
        TopicPartition(topic.name, each.partition_index): Assignment(
            each.replicas, each.adding_replicas, each.removing_replicas
        )
        for topic in response.topics
        for each in topic.partitions
    }
    there = moves(seen, state)
    if listed != there:
        text = f"{asked.node} answers with other moves than the topic znodes hold"
        yield Wrong(text, tuple(_differences(listed, there)))


def moves(seen: Observed, state: ClusterState) -> dict[TopicPartition, Assignment]:
    """Return the moves that the readable topic znodes hold."""
    found = {}
    for name, znode in seen.topics.items():
        if isinstance(znode, TopicZnode) and name in state.topics:
            for number in {**znode.adding, **znode.removing}:
                held = assignment(znode, number)
                if held is not None and held.moving:
                    found[TopicPartition(name, number)] = held
    return found


def _differences(
    listed: Mapping[TopicPartition, Assignment], there: Mapping[TopicPartition, Assignment]
) -> Iterator[str]:
    for name in sorted({*listed, *there}):
        if listed.get(name) != there.get(name):
            yield f"{name} listed: {tell(listed.get(name))}, held: {tell(there.get(name))}"


def caps_hold(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I14: what is under way at once is within its limits.

    `klamm.leader.moves.in.flight`: ends of moves that gave a broker a lead for which it has not
    answered. And each broker has one request at a time, in whatever epoch of its own
    (ControllerChannelManager.RequestSendThread).
    """
    actor = seen.actor
    host = world.nodes.get(actor)
    node = host.node if host is not None else None
    state = node.state if node is not None else None
    if node is None or state is None:
        return
    before = seen.views.get(actor)
    if state.awaiting and (before is None or state.awaiting is not before.awaiting):
        cap = node.config.leader_moves_in_flight
        leads = Counter(each.leader for each in state.awaiting.values() if each.handover)
        for leader, count in sorted(leads.items()):
            if count > cap:
                names = [str(name) for name, it in state.awaiting.items() if it.leader == leader]
                yield Wrong(
                    f"{count} handovers to broker {leader} are under way, the limit is {cap}",
                    (f"{actor} waits for its answer about {', '.join(sorted(names))}",),
                )
    for effect in step.happened.effects:
        if isinstance(effect, Send):
            _, waiting = seen.in_flight.get((actor, effect.broker.id), (0, set()))
            if len(waiting) > 1:
                text = f"{len(waiting)} requests of {actor} to broker {effect.broker.id} at once"
                kind = type(effect.message).__name__
                yield Wrong(text, (f"numbers {sorted(waiting)}; the last is {kind}",))


def _tell(topic: Topic) -> Iterator[str]:
    for number, part in topic.partitions.items():
        yield f"{topic.name}-{number} believed: {tell(part.assignment)}"
    yield f"id believed: {topic.topic_id}"


def _held(name: str, there: Iterable[TopicZnode]) -> Iterator[str]:
    """Tell what a topic znode held in a version."""
    found = False
    for znode in there:
        found = True
        for number in znode.partitions:
            yield f"{name}-{number} in ZooKeeper: {tell(assignment(znode, number))}"
        yield f"id in ZooKeeper: {znode.topic_id}"
    if not found:
        yield _NO_VERSION


def _tell_lead(led: Leadership | StateZnode) -> str:
    return (
        f"leader {led.leader}, epoch {led.leader_epoch}, ISR {[*led.isr]}, "
        f"controller epoch {led.controller_epoch}"
    )
