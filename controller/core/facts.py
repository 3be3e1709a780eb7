"""Folding in what was read or heard: facts change the state without writing anything."""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from uuid import UUID, uuid5

from klamm.controller.core import debts, deletion
from klamm.controller.core.changes import SetBrokers, SetCounter, SetNodes
from klamm.controller.core.draft import Draft, Rewrite
from klamm.controller.core.election import is_in_line
from klamm.controller.core.events import (
    BrokersRead,
    Cause,
    ConfigRead,
    CounterRead,
    FaultFound,
    LeaderAcknowledged,
    NodesRead,
    NotificationsRead,
    RemoveZnode,
    StateRead,
    SubtreeRead,
    TopicRead,
)
from klamm.controller.core.housing import housed
from klamm.controller.core.model import NO_REPLICAS, Leadership, Partition, TopicPartition
from klamm.controller.core.pacing import hosting, paced
from klamm.controller.core.plan import Announce, Entry, Forget, Message, Publish, Refill, Stop
from klamm.controller.znodes import paths

#: The namespace of the ids that klamm gives to topics without one.
TOPIC_IDS = UUID("5d0f8a52-3f1e-4e6b-9c0a-7b1d2e4c6a98")


def brokers_read(draft: Draft, cause: Cause, event: BrokersRead) -> None:
    """Find brokers that are new, gone, or back with another epoch, and what that touches.

    Source: Kafka 3.9, KafkaController.scala, processBrokerChange (onBrokerStartup and
    onBrokerFailure). A bounced broker is both gone and new, and whether one reading shows that or
    two makes no difference: what it led or had in sync before it was registered it has no more.
    """
    old, new = draft.brokers, event.brokers
    stayed = {id_ for id_ in old.keys() & new.keys() if old[id_].epoch == new[id_].epoch}
    gone, fresh = sorted(old.keys() - stayed), sorted(new.keys() - stayed)
    draft.settle(cause)
    if dict(old) == dict(new):
        return
    draft.learn_brokers(new)
    for broker in (*gone, *fresh):
        draft.learn_offline(broker, NO_REPLICAS)
    draft.changes.append(SetBrokers(new))
    draft.messages.extend(Forget(broker) for broker in gone)
    draft.messages.append(Announce())
    has_states = bool(draft.state.topics or draft.topics_read)
    draft.messages.extend(Refill(broker, restarted=has_states) for broker in fresh)
    # A klamm node with the id of a broker that is gone was told nothing in its place.
    shared = (draft.nodes.keys() & old.keys()) - {*new, draft.state.controller_id}
    draft.messages.extend(Refill(node) for node in sorted(shared))
    deletion.peers_changed(draft, gone, (*fresh, *sorted(shared)))
    draft.note("brokers", f"gone {gone}, new {fresh}, now {sorted(new)}")
    _note_shared_ids(draft, new.keys() & draft.nodes.keys(), old.keys() & draft.nodes.keys())
    touched = frozenset((*gone, *fresh))
    for topic in draft.topics():
        for number, partition in topic.partitions.items():
            replicas, held = partition.assignment.replicas, partition.leadership
            leads = held is not None and held.leader in touched
            if not leads and touched.isdisjoint(replicas):
                continue
            name = TopicPartition(topic.name, number)
            # A leader may have taken one that is gone into the ISR without our knowing it yet.
            has = (*gone, held.leader, *held.isr) if held else ()
            lost = touched.intersection(replicas, has)
            if lost or not is_settled(partition, draft.online_of(name)):
                draft.check_later(name, lost)
            draft.messages.append(Publish(name))


def is_settled(partition: Partition, online: AbstractSet[int]) -> bool:
    """Tell that a check (`moves.check`) would find nothing to do, by what is quickly seen.

    Nearly all of a cluster is, whenever an office begins or a broker comes.
    """
    held, assignment = partition.leadership, partition.assignment
    return (
        held is not None and not assignment.moving and is_in_line(assignment.replicas, held, online)
    )


def look_over(draft: Draft) -> None:
    """Have a topic's partitions looked at, in the next turn, after it was read in this one.

    At the end of the turn: which of them are settled depends on who is online. Those that nobody
    leads come before those that move: clients wait for a leader.
    """
    led: list[TopicPartition] = []
    for topic_name in draft.topics_read:
        topic = draft.topic(topic_name)
        for number, partition in topic.partitions.items() if topic else ():
            name = TopicPartition(topic_name, number)
            online = draft.online_of(name)
            if is_settled(partition, online):
                continue
            if partition.leader in online:
                led.append(name)
            else:
                draft.check_later(name)
    for name in led:
        draft.check_later(name)


def nodes_read(draft: Draft, cause: Cause, event: NodesRead) -> None:
    """Brokers and clients must know every klamm node, or cannot find their controller.

    The other nodes are told what brokers are told for clients, who may ask any of them.
    """
    draft.settle(cause)
    old, new = draft.nodes, event.nodes
    if dict(old) == dict(new):
        return
    stayed = {id_ for id_ in old.keys() & new.keys() if old[id_].epoch == new[id_].epoch}
    others = (old.keys() | new.keys()) - {draft.state.controller_id, *draft.brokers}
    draft.nodes = new
    draft.changes.append(SetNodes(new))
    gone, fresh = (sorted(others & each.keys() - stayed) for each in (old, new))
    draft.messages.extend(Forget(id_) for id_ in gone)
    draft.messages.append(Announce())
    draft.messages.extend(Refill(id_) for id_ in fresh)
    deletion.peers_changed(draft, gone, fresh)
    _note_shared_ids(draft, new.keys() & draft.brokers.keys(), old.keys() & draft.brokers.keys())


def _note_shared_ids(draft: Draft, now: AbstractSet[int], before: AbstractSet[int]) -> None:
    """Report ids that a broker and a klamm node have in common, unless they did already."""
    if now - before:
        text = f"ids {sorted(now)} are those of brokers and of klamm nodes: clients see the brokers"
        draft.note("shared id", f"{text} alone, until either is given another id")


def topic_read(draft: Draft, cause: Cause, event: TopicRead) -> None:
    """Take a topic as ZooKeeper holds it: new, changed by somebody else, or gone."""
    draft.settle(cause)
    known = draft.topic(event.name)
    mended = draft.take_up(paths.topic(event.name))
    if event.topic == known and not mended:
        complete(draft, cause, event)
        return
    draft.learn_topic(event.name, paced(draft, event.topic) if event.topic else None)
    deletion.topic_changed(draft, event.name, known)
    left = event.topic.partitions if event.topic else {}
    gone = [number for number in (known.partitions if known else ()) if number not in left]
    draft.messages.extend(Publish(TopicPartition(event.name, number)) for number in gone)
    if event.topic is None:
        for name in draft.owing(event.name):
            draft.release(name)
        debts.demand_all(draft, event.name)
        draft.learn_below(paths.topic(event.name), ())
        draft.note("topic-gone", topic=event.name)
        return
    draft.note("topic-read", f"version {event.topic.version}", topic=event.name)
    # Whoever is new is told all by a Refill, made from the state that has this turn's facts.
    has_listeners = bool(draft.state.brokers or draft.state.nodes)
    for number, partition in event.topic.partitions.items():
        before = known.partitions.get(number) if known else None
        if before is None:
            # Led already, by somebody else's word. New brokers, and all that there are when a
            # term begins, are told by their Refill; those we knew before have heard nothing.
            reassigned = partition.leadership is not None and (
                bool(draft.state.topics)
                or not draft.state.brokers.keys().isdisjoint(partition.assignment.replicas)
            )
        else:
            reassigned = before.assignment != partition.assignment
        if reassigned:
            draft.check_later(TopicPartition(event.name, number), reassigned=True)
        if has_listeners and partition.leadership is not None:
            draft.messages.append(Publish(TopicPartition(event.name, number)))
    debts.demand_all(draft, event.name)
    complete(draft, cause, event)


def complete(draft: Draft, cause: Cause, event: TopicRead) -> None:
    """Write what the topic's makers left to the controller: its id, and brokers that can serve it.

    The id follows from the name and from the transaction that made the topic, so that whoever
    does this again, after a lost Commit or a lost office, gives the same one. Source: Kafka 3.9,
    KafkaController.scala, processTopicIds; there it is drawn.
    """
    topic = draft.topic(event.name)
    if topic is None or topic.name in draft.deleting:
        return
    entries = []
    if topic.topic_id is None and draft.settings.topic_ids:
        topic = replace(topic, topic_id=uuid5(TOPIC_IDS, f"{topic.name}:{event.czxid}"))
        entries.append(Entry("topic-id", str(topic.topic_id), cause.id, None, topic.name))
    nodes = {*draft.nodes, draft.state.controller_id} - draft.brokers.keys()
    replaced = housed(topic, nodes, draft.alive)
    if replaced is not topic:
        topic = replaced
        text = f"no replica can be on {', '.join(map(str, sorted(nodes)))}"
        entries.append(Entry("housed", text, cause.id, None, topic.name))
    if entries:
        led = (number for number, partition in topic.partitions.items() if partition.leadership)
        messages: list[Message] = [Publish(TopicPartition(topic.name, n)) for n in led]
        draft.rewrites[topic.name] = Rewrite(topic, entries=entries, messages=messages)


def state_read(draft: Draft, cause: Cause, event: StateRead) -> None:
    """Take a partition's leadership as ZooKeeper holds it, mostly an ISR its leader changed."""
    draft.settle(cause)
    partition = draft.partition(event.partition)
    mended = draft.take_up(paths.state(*event.partition))
    if partition is None or (partition.leadership == event.leadership and not mended):
        return
    found = hosting(replace(partition, leadership=event.leadership))
    draft.learn_partition(event.partition, found)
    draft.messages.append(Publish(event.partition))
    draft.check_later(event.partition)
    if _led_by(partition.leadership) != _led_by(event.leadership):
        debts.demand(draft, event.partition)
    draft.note(isr_kind(partition.leadership, event.leadership), name=event.partition)


def _led_by(leadership: Leadership | None) -> tuple[int, int] | None:
    return (leadership.leader, leadership.leader_epoch) if leadership else None


def isr_kind(before: Leadership | None, after: Leadership | None) -> str:
    """Name what became of an ISR, for the journal; who joined matters more than who left."""
    had, has = (set(each.isr) if each else set() for each in (before, after))
    if has - had:
        return "isr-join"
    return "isr-shrink" if had - has else "state-read"


def fault_found(draft: Draft, cause: Cause, event: FaultFound) -> None:
    """Leave alone what cannot be read, until its znode changes and is read again."""
    draft.settle(cause)
    draft.set_aside(event.path, event.text)


def notifications_read(draft: Draft, cause: Cause, event: NotificationsRead) -> None:
    """Remove the notifications, each for itself: the states they name have been read."""
    draft.settle(cause)
    draft.removals.update({path: RemoveZnode(path) for path in event.paths})


def subtree_read(draft: Draft, cause: Cause, event: SubtreeRead) -> None:
    """Note what else must go before a znode can be removed."""
    draft.settle(cause)
    draft.learn_below(event.root, event.below)


def config_read(draft: Draft, cause: Cause, event: ConfigRead) -> None:
    """Note that a config znode is there already, so that it is set and not created."""
    draft.settle(cause)
    draft.config_versions[event.path] = event.version


def counter_read(draft: Draft, cause: Cause, event: CounterRead) -> None:
    """Take the commit counter as ZooKeeper holds it."""
    draft.settle(cause)
    draft.counter = event.counter
    draft.changes.append(SetCounter(event.counter))


def leader_acknowledged(draft: Draft, cause: Cause, event: LeaderAcknowledged) -> None:
    """Let dropped replicas delete, now that the leader knows that they are none of its own.

    A broker that has become a replica again keeps its log: StopReplica of versions 1 and 2
    carries no epoch, so it must never be sent to one.
    """
    draft.settle(cause)
    name = event.partition
    awaiting, partition = draft.awaiting(name), draft.partition(name)
    if awaiting is None or partition is None:
        return
    if event.broker != awaiting.leader or event.leader_epoch < awaiting.leader_epoch:
        return
    draft.release(name)
    owing = draft.ledger(name.topic).due(name.partition)
    draft.messages.extend(
        Stop(name, broker, delete=True)
        for broker in awaiting.deletes
        if broker in owing and broker not in partition.assignment.replicas
    )
