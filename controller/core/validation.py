"""What is refused in an AlterPartitionReassignments request, in which order, with which text.

Source: Kafka 3.9, KafkaController.scala, processApiPartitionReassignment and
validatePartitionReassignment. Texts match Kafka's up to the list that follows them.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

from klamm.controller.core.model import Partition
from klamm.controller.core.results import Fault, Refusal

NO_PARTITION = Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
NOT_MOVING = Refusal(Fault.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress.")


def validate_kafka_order(
    partition: Partition | None, target: tuple[int, ...] | None, online: AbstractSet[int]
) -> Refusal | None:
    """Look at the target first, existence last; only replicas new to it must be online."""
    if target is None:
        return None if partition and partition.assignment.moving else NOT_MOVING
    origin = partition.assignment.origin if partition else ()
    return check_target(target, online, kept=origin) or (None if partition else NO_PARTITION)


def validate_kip_order(
    partition: Partition | None, target: tuple[int, ...] | None, online: AbstractSet[int]
) -> Refusal | None:
    """Look at existence first; every id of the target must be a registered broker."""
    if partition is None:
        return NO_PARTITION
    if target is None:
        return None if partition.assignment.moving else NOT_MOVING
    return check_target(target, online, kept=())


def check_factor(partition: Partition, target: Sequence[int]) -> Refusal | None:
    """Refuse a target of another size than where the partition is, or is moving to (KIP-860).

    Source: Kafka 4.1, ReplicationControlManager.java, validatePartitionReplicationFactorUnchanged.
    """
    present, wanted = len(partition.assignment.target), len(target)
    if present == wanted:
        return None
    text = f"The replication factor is changed from {present} to {wanted}"
    return Refusal(Fault.INVALID_REPLICATION_FACTOR, text)


def check_target(
    target: Sequence[int], online: AbstractSet[int], kept: Collection[int]
) -> Refusal | None:
    """Refuse an empty list, a doubled or negative id, and an offline broker that is not kept."""
    fault = Fault.INVALID_REPLICA_ASSIGNMENT
    if not target:
        return Refusal(fault, "Empty replica list specified in partition reassignment.")
    if len(set(target)) < len(target):
        text = "Duplicate replica ids in partition reassignment replica list"
        return Refusal(fault, f"{text}: {list(target)}")
    if any(broker < 0 for broker in target):
        return Refusal(fault, f"Invalid broker id in replica list: {list(target)}")
    offline = [broker for broker in target if broker not in online and broker not in kept]
    if offline:
        text = "Replica assignment has brokers that are not alive."
        return Refusal(fault, f"{text} Replica list: {offline}, live broker list: {sorted(online)}")
    return None
