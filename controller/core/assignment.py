"""Kafka's placement of new partitions on brokers.

Source: Kafka 3.9, server-common, AdminUtils.java (assignReplicasToBrokers).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from klamm.controller.core.model import Broker
from klamm.controller.core.results import Fault, Refusal


def uneven_racks(brokers: Iterable[Broker]) -> Refusal | None:
    """Refuse to place anything where some brokers have a rack and others have none.

    Source: Kafka 3.9, AdminUtils.java (assignReplicasToBrokers) and AdminZkClient.scala
    (getBrokerMetadatas). Both raise AdminOperationException, for which there is no error code;
    Kafka hides its text from clients, and they are told here whom to give a rack.
    """
    without = {broker.id: broker.rack is None for broker in brokers}
    if all(without.values()) or not any(without.values()):
        return None
    ids = ", ".join(str(id_) for id_, missing in sorted(without.items()) if missing)
    text = "Not all brokers have rack information for replica rack aware assignment."
    text += f" Set broker.rack on brokers {ids} too, or name the replicas of each partition."
    return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)


def assign_replicas(
    racks: Mapping[int, str | None],
    partitions: int,
    replication_factor: int,
    start: int,
    shift: int,
    first_partition: int = 0,
) -> dict[int, tuple[int, ...]]:
    """Place `partitions` new partitions, numbered from `first_partition`, on the brokers.

    `racks` names every broker with its rack; racks count only if every broker has one, and who
    asks has made sure that all have or none (`uneven_racks`). `start`
    is the index of the broker that leads partition 0, `shift` the distance of the first follower
    (both from 0); Kafka draws them. Raises ValueError if there are fewer brokers than replicas.
    """
    if replication_factor > len(racks):
        raise ValueError(f"replication factor {replication_factor} of {len(racks)} brokers")
    with_racks = {broker: rack for broker, rack in racks.items() if rack is not None}
    if len(with_racks) == len(racks):
        brokers = alternate_racks(with_racks)
        rack_count = len(set(with_racks.values()))
    else:
        with_racks = dict.fromkeys(racks, "")
        brokers = sorted(racks)
        rack_count = 1
    assignment = {}
    for partition in range(first_partition, first_partition + partitions):
        if partition > 0 and partition % len(brokers) == 0:
            shift += 1
        first = (partition + start) % len(brokers)
        assignment[partition] = _replicas(
            brokers, with_racks, rack_count, first, shift, replication_factor
        )
    return assignment


def alternate_racks(racks: Mapping[int, str]) -> list[int]:
    """Order brokers rack by rack in turn: one of each, then the next of each.

    Racks go by name and brokers by id within one: racks a {0, 1, 2} and b {3, 4} give
    0, 3, 1, 4, 2.
    """
    by_rack = defaultdict(list)
    for broker in sorted(racks):
        by_rack[racks[broker]].append(broker)
    rows = zip_longest(*(by_rack[rack] for rack in sorted(by_rack)))
    return [broker for row in rows for broker in row if broker is not None]


def _replicas(
    brokers: Sequence[int],
    racks: Mapping[int, str],
    rack_count: int,
    first: int,
    shift: int,
    replication_factor: int,
) -> tuple[int, ...]:
    """Choose one partition's replicas: no broker twice, and no rack twice while one is unused."""
    chosen = [brokers[first]]
    step = 0
    while len(chosen) < replication_factor:
        broker = brokers[_follower(first, shift * rack_count, step, len(brokers))]
        step += 1
        used_racks = {racks[other] for other in chosen}
        rack_taken = racks[broker] in used_racks and len(used_racks) < rack_count
        if broker not in chosen and not rack_taken:
            chosen.append(broker)
    return tuple(chosen)


def _follower(first: int, shift: int, index: int, brokers: int) -> int:
    """Return the position of follower `index`; never the leader's own."""
    if brokers == 1:
        return first
    return (first + 1 + (shift + index) % (brokers - 1)) % brokers
