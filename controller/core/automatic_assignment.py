"""The assignment that AlterTopics calculates where it is given none. Pure functions of lists.

Source: KIP-179, "AlterTopicsRequest and AlterTopicsResponse" ("Such broker calculated assignment
is unlikely to be balanced"), which leaves the rules open; new partitions are placed as Kafka's
CreatePartitions does. What brokers hold or lead already is not looked at.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from klamm.controller.core.assignment import alternate_racks, assign_replicas

Racks = Mapping[int, str | None]


def in_order(racks: Racks) -> list[int]:
    """Order brokers by racks in turn, or by id if they have none; all have one, or no broker has.

    Racks 0:a 1:c 2:c 3:b 4:b 5:a give 0, 3, 1, 5, 4, 2.
    """
    return alternate_racks({broker: rack or "" for broker, rack in racks.items()})


def start_at(brokers: Sequence[int], first: int) -> int:
    """Return where an assignment begins: the index, by id, of this broker or else the next one.

    The first one, if there is none with such an id. Kafka takes it for an index into the brokers
    by racks in turn as well (AdminZkClient.scala, createNewPartitionsAssignment).
    """
    return next((place for place, id_ in enumerate(sorted(brokers)) if id_ >= first), 0)


def placed(
    racks: Racks, numbers: range, replication_factor: int, first: int
) -> dict[int, tuple[int, ...]]:
    """Place new partitions of these numbers on the brokers of `racks`.

    `first` is the first replica of partition 0. Raises ValueError if there are fewer brokers than
    replicas.
    """
    start = start_at(list(racks), first)
    return assign_replicas(racks, len(numbers), replication_factor, start, start, numbers.start)


def extended(
    racks: Racks, number: int, replicas: Sequence[int], replication_factor: int
) -> tuple[int, ...]:
    """Append brokers of `racks` to a partition's replicas, of unused racks while there are any.

    The walk begins behind the first replica, and as many brokers further on as the partition's
    number says. Raises ValueError if there are too few brokers.
    """
    brokers = in_order(racks)
    head = replicas[0]
    begin = brokers.index(head) if head in racks else start_at(brokers, head)
    walk = [brokers[(begin + 1 + number + step) % len(brokers)] for step in range(len(brokers))]
    chosen = list(replicas)
    while len(chosen) < replication_factor:
        used = {racks[broker] for broker in chosen if broker in racks}
        unused = [broker for broker in walk if broker not in chosen]
        if not unused:
            raise ValueError(f"replication factor {replication_factor} of {len(racks)} brokers")
        chosen.append(next((each for each in unused if racks[each] not in used), unused[0]))
    return tuple(chosen)


def shortened(racks: Racks, replicas: Sequence[int], replication_factor: int) -> tuple[int, ...]:
    """Drop replicas, the last ones first, but before others those whose rack has another one.

    The first replica stays. A broker that `racks` does not name is on a rack of its own.
    """
    kept = list(replicas)
    while len(kept) > replication_factor:
        held = Counter(racks[broker] for broker in kept if broker in racks)
        doubled = [broker for broker in kept[1:] if broker in racks and held[racks[broker]] > 1]
        kept.remove(doubled[-1] if doubled else kept[-1])
    return tuple(kept)
