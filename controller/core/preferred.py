"""Preferred leaders: the first of a partition's replicas leads, so that leads are spread as placed.

Source: Kafka 3.9, Election.scala (leaderForPreferredReplica) and KafkaController.scala
(onReplicaElection, checkAndTriggerAutoLeaderRebalance).
"""

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, ElectPreferred
from klamm.controller.core.model import ClusterState, Partition, TopicPartition
from klamm.controller.core.moves import bring_in_line, note
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.validation import NO_PARTITION

NOT_NEEDED = Refusal(Fault.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")


def elect(draft: Draft, cause: Cause, event: ElectPreferred) -> None:
    """Give the lead to the first replica, in a new leader epoch and with the same ISR.

    Refused are partitions unknown or about to be deleted, a lead that is there already, and a
    first replica that is not alive or not in sync.
    """
    name = event.partition
    draft.settle(cause, prefer(draft, name) or Done(), name)


def prefer(draft: Draft, name: TopicPartition) -> Refusal | None:
    """Give the lead of the partition to its first replica, or say why not."""
    bring_in_line(draft, name)
    refusal = _check(draft, name)
    if refusal is None:
        partition = draft.existing(name)
        leadership, replicas = partition.leadership, partition.assignment.replicas
        if leadership is not None and draft.lead(name, replicas[0], leadership.isr):
            draft.tell(name, partition.hosted)
            note(draft, name, "elect")
            draft.unit(name).check_later = True
        else:
            refusal = _impossible(name)
    return refusal


def missing(draft: Draft, name: TopicPartition) -> Refusal | None:
    """Say that there is no such partition, or soon none any more; else None."""
    if draft.partition(name) is None:
        return NO_PARTITION
    if name.topic in draft.deleting:
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
    return None


def _check(draft: Draft, name: TopicPartition) -> Refusal | None:
    refusal, partition = missing(draft, name), draft.partition(name)
    if refusal is not None or partition is None:
        return refusal
    if draft.unreadable_of(name) or not can_be_led(partition, draft.alive_of(name)):
        return _impossible(name)
    if partition.leader == partition.assignment.replicas[0]:
        return NOT_NEEDED
    return None


def _impossible(name: TopicPartition) -> Refusal:
    return Refusal(
        Fault.PREFERRED_LEADER_NOT_AVAILABLE,
        f"Failed to elect leader for partition {name.topic}-{name.partition} under strategy "
        "PreferredReplicaPartitionLeaderElectionStrategy",
    )


def can_be_led(partition: Partition, alive: AbstractSet[int]) -> bool:
    """Tell whether the partition's first replica is in sync and alive."""
    leadership, replicas = partition.leadership, partition.assignment.replicas
    return (
        leadership is not None
        and bool(replicas)
        and replicas[0] in leadership.isr
        and replicas[0] in alive
    )


def astray(state: ClusterState) -> Iterator[TopicPartition]:
    """Every partition that clients can see and that its first replica does not lead."""
    for name, partition in state.partitions():
        replicas = partition.assignment.replicas
        if partition.leader not in replicas[:1] and not state.vanishing(name.topic):
            yield name


def imbalanced(state: ClusterState, percentage: int) -> tuple[TopicPartition, ...]:
    """Return what should change its leader, by first replica: those that lead too little.

    A broker leads too little if more than `percentage` of the partitions whose first replica it
    is are led elsewhere. Partitions that move are counted, but left alone, for their order is
    about to change; topics that are queued for deletion are neither.
    """
    placed: dict[int, int] = defaultdict(int)
    astray: dict[int, list[tuple[TopicPartition, Partition]]] = defaultdict(list)
    for name, partition in state.partitions():
        if name.topic in state.deleting or not partition.assignment.replicas:
            continue
        first = partition.assignment.replicas[0]
        placed[first] += 1
        if partition.leadership is not None and partition.leader != first:
            astray[first].append((name, partition))
    alive = state.alive
    return tuple(
        name
        for first, partitions in astray.items()
        if len(partitions) * 100 > percentage * placed[first]
        for name, partition in partitions
        if not (partition.assignment.moving or state.is_offline(name, first))
        and can_be_led(partition, alive)
    )
