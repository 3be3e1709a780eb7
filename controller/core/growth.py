"""Giving a topic further partitions: the checks of Kafka's CreatePartitions, and their places.

Source: Kafka 3.9, ZkAdminManager.scala (createPartitions) and AdminZkClient.scala
(createNewPartitionsAssignment, validateReplicaAssignment). Kafka writes the topic's znode at any
version, so that the controller and this request can undo each other (H3); here it is one more
change of the topic in one Commit, at the version that was read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from klamm.controller.core.assignment import uneven_racks
from klamm.controller.core.automatic_assignment import placed
from klamm.controller.core.draft import Draft, Rewrite
from klamm.controller.core.events import Cause, CreatePartitions
from klamm.controller.core.model import Assignment, Partition, Topic, TopicPartition
from klamm.controller.core.moves import initialize
from klamm.controller.core.plan import Entry
from klamm.controller.core.results import Done, Fault, Refusal, Result
from klamm.controller.core.shares import too_many_partitions
from klamm.controller.core.topic_checks import is_moving, unreadable

Replicas = Mapping[int, tuple[int, ...]]


def create_partitions(draft: Draft, cause: Cause, event: CreatePartitions) -> None:
    """Give the topic the partitions up to the count that is asked for, or say why not."""
    found = _find(draft, event)
    if isinstance(found, Refusal):
        draft.settle(cause, found)
        return
    new = _place(draft, found, event)
    if isinstance(new, Refusal) or event.validate_only:
        draft.settle(cause, new if isinstance(new, Refusal) else Done())
        return
    text = f"{len(found.partitions)} to {len(found.partitions) + len(new)} partitions"
    entry = Entry("topic-grown", text, cause.id, None, event.topic)
    grow(draft, found, new, (cause.id, Done()), entry)


def grow(
    draft: Draft,
    topic: Topic,
    new: Replicas,
    result: tuple[int, Result],
    entry: Entry,
    *,
    whole: bool = False,
) -> None:
    """Write the topic's znode in this turn, with these partitions too, and elect their leaders.

    The result and the journal's entry become true with it; `whole` as in `Rewrite`.
    """
    names = {number: TopicPartition(topic.name, number) for number in topic.partitions}
    added = {number: Partition(Assignment(replicas)) for number, replicas in new.items()}
    old = {number: draft.durable(name) for number, name in names.items()}
    before = draft.rewrites.get(topic.name, Rewrite(topic))
    draft.rewrites[topic.name] = Rewrite(
        replace(topic, partitions={**old, **added}),
        [*before.results, result],
        [*before.entries, entry],
        before.messages,
        before.whole or whole,
    )
    for number, partition in added.items():
        initialize(draft, TopicPartition(topic.name, number), partition.assignment.replicas)


def _find(draft: Draft, event: CreatePartitions) -> Topic | Refusal:
    """Return the topic, if it may have further partitions now."""
    name, topic = event.topic, draft.topic(event.topic)
    if name in draft.deleting:
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is queued for deletion.")
    refusal = unreadable(draft, name)
    if refusal:
        return refusal
    if topic is None or name in draft.creations:
        text = f"The topic '{name}' does not exist."
        return Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, text)
    if is_moving(draft, topic):
        text = f"A partition reassignment is in progress for the topic '{name}'."
        return Refusal(Fault.REASSIGNMENT_IN_PROGRESS, text)
    return topic


def _place(draft: Draft, topic: Topic, event: CreatePartitions) -> Replicas | Refusal:
    """Return the replicas of the new partitions, by number, or why there can be none."""
    present, wanted = len(topic.partitions), event.count
    if wanted < present:
        text = f"Topic currently has {present} partitions, which is higher than the requested"
        return Refusal(Fault.INVALID_PARTITIONS, f"{text} {wanted}.")
    if wanted == present:
        text = f"Topic already has {present} partitions."
        return Refusal(Fault.INVALID_PARTITIONS, text)
    if not present:
        text = f"Topic '{topic.name}' has no partitions whose replication factor new ones could"
        text += " have. Delete it, and create it anew."
        return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)
    if sorted(topic.partitions) != list(range(present)):
        text = f"The partitions of topic '{topic.name}' are not numbered from 0 without a gap"
        return Refusal(Fault.UNKNOWN_SERVER_ERROR, f"{text}: {sorted(topic.partitions)}")
    replicas = topic.partitions[0].assignment.replicas
    if event.assignments is not None:
        return _check(draft, event.assignments, present, wanted - present, len(replicas))
    if not draft.brokers or len(replicas) > len(draft.brokers):
        text = f"Replication factor: {len(replicas)} larger than available brokers:"
        return Refusal(Fault.INVALID_REPLICATION_FACTOR, f"{text} {len(draft.brokers)}.")
    refusal = uneven_racks(draft.brokers.values()) or too_many_partitions(
        wanted, len(replicas), max((*draft.brokers, *replicas))
    )
    if refusal:
        return refusal
    racks = {broker.id: broker.rack for broker in draft.brokers.values()}
    return placed(racks, range(present, wanted), len(replicas), replicas[0])


def _check(
    draft: Draft,
    lists: Sequence[tuple[int, ...]],
    present: int,
    more: int,
    replication_factor: int,
) -> Replicas | Refusal:
    """Refuse an explicit assignment by unknown brokers, its size, and each list's form."""
    fault = Fault.INVALID_REPLICA_ASSIGNMENT
    unknown = sorted({broker for replicas in lists for broker in replicas} - draft.brokers.keys())
    if unknown:
        ids = ", ".join(map(str, unknown))
        return Refusal(fault, f"Unknown broker(s) in replica assignment: {ids}.")
    if len(lists) != more:
        text = f"Increasing the number of partitions by {more} but {len(lists)} assignments"
        return Refusal(fault, f"{text} provided.")
    for number, replicas in enumerate(lists, start=present):
        if not replicas:
            text = f"Cannot have replication factor of 0 for partition id {number}."
            return Refusal(fault, text)
        if len(set(replicas)) < len(replicas):
            ids = ", ".join(map(str, replicas))
            text = f"Duplicate brokers not allowed in replica assignment: {ids} for partition id"
            return Refusal(fault, f"{text} {number}.")
    uneven = {n: len(r) for n, r in enumerate(lists, present) if len(r) != replication_factor}
    if uneven:
        numbers, sizes = (", ".join(map(str, each)) for each in (uneven, uneven.values()))
        text = "Inconsistent replication factor between partitions, partition 0 has"
        text += f" {replication_factor} while partitions [{numbers}] have replication factors"
        return Refusal(fault, f"{text} [{sizes}], respectively.")
    largest = max(max(replicas) for replicas in lists)
    too_many = too_many_partitions(present + more, replication_factor, largest)
    return too_many or dict(enumerate(lists, start=present))
