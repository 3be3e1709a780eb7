"""What must have come about once faults have stopped and everything is quiet.

`quiet` looks at the whole world, so it is for the end of a run and not for every step. It demands
no more than a core that works can give: what only a broker knew that is gone for good stays lost,
and what a tool has broken behind a leader's back is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from klamm.controller.core.model import NO_LEADER, Assignment, TopicPartition
from klamm.controller.store.memory_tree import Tree
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import decode_broker_lists
from klamm.controller.znodes.state import StateZnode
from klamm.controller.znodes.topic import TopicZnode
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.accepted import forgotten
from klamm.tools.lab.clients import Clients
from klamm.tools.lab.events import Happened
from klamm.tools.lab.invariants import Watched
from klamm.tools.lab.seen import SeenBroker
from klamm.tools.lab.written import Unreadable, assignment, tell


class Whole(Watched, Protocol):
    """A world with its clients."""

    @property
    def clients(self) -> Clients:
        """What was asked, and answered."""

    @property
    def events(self) -> Sequence[Happened]:
        """What has happened."""


def quiet(world: Whole) -> list[str]:
    """Return what is not yet as it must be at rest, in words; nothing if all is well.

    A controller, and one alone, is in office. Every request is answered (I8). Every move whose
    target is able has ended, every partition that somebody can lead is led, with everybody able in
    sync, and brokers and their metadata agree with the state znodes (I7). Orders, deletions and
    notices are consumed (I12), no log lies on a disk outside RS (I10), and no delete is owed. What
    clients were promised last is what partitions have.
    """
    found = [
        *_offices(world),
        *_requests(world),
        *_partitions(world),
        *_phantoms(world),
        *_consumed(world),
        *strays(world),
        *_debts(world),
    ]
    return found or [*forgotten(world.events, world.clients.requests, world.observed)]


def _offices(world: Whole) -> Iterator[str]:
    active = [name for name, host in world.nodes.items() if host.node and host.node.active]
    if not active:
        yield "no node is in office"
    elif len(active) > 1:
        yield f"{' and '.join(active)} are in office"
    holder = world.zookeeper.tree.nodes.get(paths.CONTROLLER)
    if holder is None:
        yield f"{paths.CONTROLLER} is missing"
    for name in active:
        store = world.nodes[name].store
        if holder is not None and (store is None or store.session != holder.owner):
            yield f"{name} is in office, session {holder.owner} has {paths.CONTROLLER}"
    yield from _unaware(world, active)


def _unaware(world: Whole, active: Sequence[str]) -> Iterator[str]:
    """Find nodes that take another than the one in office for controller: clients ask them."""
    in_office = {node.config.node_id for each in active if (node := world.nodes[each].node)}
    for name, host in world.nodes.items():
        node = host.node
        if node is not None and in_office and node.controller_id not in in_office:
            yield f"{name} takes {node.controller_id} for controller, {' and '.join(active)} is"


def _requests(world: Whole) -> Iterator[str]:
    for asked in world.clients.requests:
        if asked.open:
            yield f"request {asked.number} of {asked.node}, {asked.what.name!r}, has no answer"


def _partitions(world: Whole) -> Iterator[str]:
    models = {id_: host.model for id_, host in world.brokers.items() if host.model is not None}
    for topic, znode in sorted(world.observed.topics.items()):
        if not isinstance(znode, TopicZnode) or is_going(world.zookeeper.tree, topic):
            continue
        for number in sorted(znode.partitions):
            name, held = TopicPartition(topic, number), assignment(znode, number)
            if held is not None:
                yield from _partition(world, name, held, models)


def _partition(
    world: Whole, name: TopicPartition, held: Assignment, models: dict[int, BrokerModel]
) -> Iterator[str]:
    state = world.observed.states.get(name)
    able = [each for each in held.replicas if can_host(models.get(each), name)]
    if not isinstance(state, StateZnode):
        if state is None and able:
            yield f"{name} has no state, and {able} could lead it"
        return
    if not set(able) & set(state.isr) or name in world.observed.meddled:
        return  # nobody can lead it, or a tool has taken it out of its leader's hands
    if state.leader == NO_LEADER or state.leader not in models:
        yield f"{name} has leader {state.leader}; {able} of ISR {[*state.isr]} could lead it"
        return
    if held.moving and _waits_for_a_slot(world):
        return
    if held.moving and set(held.target) <= set(able):
        yield f"{name} still moves to {[*held.target]}, which are all able: {_shown(held, state)}"
    missing = [each for each in able if each not in state.isr]
    if missing:
        yield f"{name}: {missing} could be in sync: {_shown(held, state)}"
    for id_, model in models.items():
        yield from _knows(name, id_, model, state, id_ in able)


def _knows(
    name: TopicPartition, id_: int, model: BrokerModel, state: StateZnode, hosts: bool
) -> Iterator[str]:
    replica = model.replicas.get(name)
    want = (state.leader, state.leader_epoch)
    if hosts and replica is None:
        yield f"broker {id_} hosts no replica of {name}"
    elif hosts and replica is not None and (replica.leader, replica.leader_epoch) != want:
        has = f"leader {replica.leader}, epoch {replica.leader_epoch}"
        yield f"broker {id_} has of {name} {has}; it is leader {want[0]}, epoch {want[1]}"
    topic = model.metadata.topics.get(name.topic)
    told = topic.partitions.get(name.partition) if topic is not None else None
    if told is None:
        yield f"broker {id_} tells clients nothing of {name}"
    elif (told.leader, told.leader_epoch) != want or set(told.isr) != set(state.isr):
        has = f"leader {told.leader}, epoch {told.leader_epoch}, ISR {[*told.isr]}"
        wants = f"leader {want[0]}, epoch {want[1]}, ISR {[*state.isr]}"
        yield f"broker {id_} tells clients of {name} {has}; it is {wants}"


def _phantoms(world: Whole) -> Iterator[str]:
    """Find what brokers tell clients of and what is no more.

    Of a topic that is being deleted it is the same whether they still tell or not.
    """
    for id_, host in world.brokers.items():
        topics = host.model.metadata.topics if host.model is not None else {}
        for name, told in sorted(topics.items()):
            znode = world.observed.topics.get(name)
            if isinstance(znode, Unreadable) or is_going(world.zookeeper.tree, name):
                continue
            there = znode.partitions if znode is not None else {}
            for number in sorted(told.partitions.keys() - there.keys()):
                yield f"broker {id_} tells clients of {name}-{number}, which does not exist"


def _consumed(world: Whole) -> Iterator[str]:
    tree = world.zookeeper.tree
    if paths.PREFERRED_REPLICA_ELECTION in tree.nodes:
        yield f"{paths.PREFERRED_REPLICA_ELECTION} is still there"
    if paths.REASSIGN_PARTITIONS in tree.nodes and not _cannot_end(world):
        yield f"{paths.REASSIGN_PARTITIONS} is still there"
    for path in (paths.ISR_CHANGES, paths.LOG_DIR_EVENTS):
        for child in children(tree, path):
            yield f"{path}/{child} is still there"
    for topic in children(tree, paths.DELETE_TOPICS):
        if not (_waits_for_logs(world, topic) or _is_stuck(world, topic)):
            yield f"topic {topic} is to be deleted and is still there"


def _waits_for_logs(world: Whole, topic: str) -> bool:
    """Tell whether somebody has, or owes the deletion of, a log of a topic and is not able to."""
    znode = world.observed.topics.get(topic)
    holders = {*_replicas(znode)} if isinstance(znode, TopicZnode) else set()
    holders.update(*_owed(world, topic).values())
    return not all(_is_whole(world.brokers.get(each)) for each in holders)


def _waits_for_a_slot(world: Whole) -> bool:
    """Tell whether moves may wait for another one that cannot end, since moves are limited."""
    return world.observed.limited and _cannot_end(world)


def _cannot_end(world: Whole) -> bool:
    """Tell whether some move cannot end: later orders wait for that."""
    return any(_is_stuck(world, topic) for topic in world.observed.topics)


def _is_stuck(world: Whole, topic: str) -> bool:
    """Tell whether a move of a topic needs a broker that is not able, or nobody can lead it.

    Nor can one end whose leader writes no ISR any more, since a tool has written its state.
    """
    znode = world.observed.topics.get(topic)
    for number in znode.partitions if isinstance(znode, TopicZnode) else ():
        name, held = TopicPartition(topic, number), assignment(znode, number)
        if held is None or not held.moving:
            continue
        able = {id_ for id_, host in world.brokers.items() if can_host(host.model, name)}
        if name in world.observed.meddled:
            return True
        if not able.issuperset(held.target) or able.isdisjoint(world.observed.isr(name)):
            return True
    return False


def strays(world: Whole) -> Iterator[str]:
    """I10: no replica is on a disk outside RS once quiet, of brokers that run.

    Source: catalogue H7, F13 (KAFKA-7362), E13. Those that a controller of another kind leaves,
    which keeps no debts, are found here as well. While nobody can lead, old logs are kept.
    """
    for id_, host in world.brokers.items():
        if host.model is None:
            continue
        for name in sorted(host.disks.logs):
            znode = world.observed.topics.get(name.topic)
            held = world.observed.assignment(name)
            if znode is not None and not isinstance(znode, TopicZnode):
                continue  # nobody can tell
            if held is None:
                yield f"I10: broker {id_} keeps a log of {name}, which does not exist"
            elif id_ not in held.replicas and not _has_no_leader(world, name):
                yield f"I10: broker {id_} keeps a log of {name}, replicas {[*held.replicas]}"


def _debts(world: Whole) -> Iterator[str]:
    tree = world.zookeeper.tree
    for topic in children(tree, paths.REPLICA_DELETIONS):
        if is_going(tree, topic) and _waits_for_logs(world, topic):
            continue  # what is done of it is written down with the end of the topic
        for number, brokers in sorted(_owed(world, topic).items()):
            due = [each for each in brokers if _is_whole(world.brokers.get(each))]
            if due and not _has_no_leader(world, TopicPartition(topic, number)):
                path = paths.replica_deletions(topic)
                yield f"{path}: {due} still owe the deletion of {topic}-{number}"


def _owed(world: Whole, topic: str) -> Mapping[int, Sequence[int]]:
    """Return the brokers that owe the deletion of their log, by partition of a topic."""
    path = paths.replica_deletions(topic)
    node = world.zookeeper.tree.nodes.get(path)
    try:
        return decode_broker_lists(node.data, path) if node is not None else {}
    except ZnodeError:
        return {}  # a tool's; it is set aside


def _has_no_leader(world: Whole, name: TopicPartition) -> bool:
    state = world.observed.states.get(name)
    return isinstance(state, StateZnode) and state.leader == NO_LEADER


def can_host(model: BrokerModel | None, name: TopicPartition) -> bool:
    """Tell whether a broker runs, has registered, and its disk holds or can take the partition."""
    return model is not None and model.registered and name not in model.hosting.offline


def is_going(tree: Tree, topic: str) -> bool:
    """Tell whether a topic is to be deleted."""
    return paths.delete_topic(topic) in tree.nodes


def children(tree: Tree, path: str) -> list[str]:
    """Return the names of a znode's children, sorted; none if it is not there."""
    node = tree.nodes.get(path)
    return sorted(node.children) if node is not None else []


def _is_whole(host: SeenBroker | None) -> bool:
    return host is not None and host.model is not None and not host.disks.broken


def _replicas(znode: TopicZnode) -> Iterator[int]:
    for replicas in znode.partitions.values():
        yield from replicas


def _shown(held: Assignment, state: StateZnode) -> str:
    return f"{tell(held)}, leader {state.leader}, ISR {[*state.isr]}"
