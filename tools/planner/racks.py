"""How well replicas are spread over racks, and the least that a plan must keep of it.

Kafka spreads the replicas of a new partition over as many racks as it can (KIP-36). No plan makes
that worse for any partition, as long as there are brokers of enough racks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence


def crowding(racks: Iterable[int]) -> int:
    """Return how many pairs of replicas share a rack: 0 if each is in a rack of its own.

    >>> crowding([1, 2, 3]), crowding([1, 1, 2]), crowding([1, 1, 1, 2])
    (0, 1, 3)
    """
    return sum(count * (count - 1) // 2 for count in Counter(racks).values())


def allowed(
    racks: Mapping[int, int],
    replicas: Sequence[int],
    kept: Collection[int],
    factor: int,
    takers: Iterable[int],
) -> int:
    """Return the most crowding that a partition may end with.

    It is what the partition has now, or, if replicas have to go or to come, the best that the
    `kept` ones and any of the `takers` can do: where a whole rack is emptied, less is possible.
    """
    now = crowding(racks[id_] for id_ in replicas)
    counts = Counter(racks[id_] for id_ in kept)
    for _ in range(len(kept) - factor):
        # A fuller rack gains more by losing one.
        counts[max(counts, key=lambda rack: (counts[rack], -rack))] -= 1
    free = Counter(racks[id_] for id_ in takers if id_ not in kept)
    for _ in range(factor - len(kept)):
        open_ = [rack for rack, places in free.items() if places]
        if not open_:
            break
        rack = min(open_, key=lambda each: (counts[each], each))
        counts[rack] += 1
        free[rack] -= 1
    best = sum(count * (count - 1) // 2 for count in counts.values())
    return best if factor < len(replicas) else max(now, best)
