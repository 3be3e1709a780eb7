"""A plan by simple choices, one replica after the other: quick, valid, and seldom far from best.

It sets how many replicas each broker gives and gets, which is what groups of topics are solved
for; and it is run once more over their merged answers, as the repair of the whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from klamm.tools.planner.goal import PlanError, listed
from klamm.tools.planner.layout import Layout


def settle(layout: Layout, seed: int) -> None:
    """Do all that the goal demands and all that it asks for; raises PlanError.

    First every partition gets its replication factor off the brokers to be left, then loads are
    levelled as far as racks and room allow.
    """
    _shrink(layout)
    _place(layout)
    _level(layout, random.Random(seed))  # noqa: S311 - the same plan for the same seed


def _shrink(layout: Layout) -> None:
    """Drop replicas that are too many: off brokers first, then what is dead or out of sync."""
    goal = layout.goal
    for index, partition in goal.partitions.items():
        for _ in range(len(layout.now[index]) - goal.factors[index]):
            isr = partition.isr or partition.target
            head = partition.target[0]
            layout.drop(
                index,
                min(
                    layout.now[index],
                    key=lambda id_: (
                        id_ not in goal.off,
                        layout.crowding_with(index, id_, None),
                        id_ in goal.cluster.alive and id_ in isr,
                        id_ == head,
                        -layout.load[id_],
                        id_,
                    ),
                ),
            )


def _place(layout: Layout) -> None:
    """Find a broker for each replica that must move or is missing, the largest first."""
    goal = layout.goal
    order = sorted(goal.partitions, key=lambda at: (-goal.partitions[at].size_bytes, at))
    for index in order:
        for leaver in [id_ for id_ in layout.now[index] if id_ in goal.off]:
            layout.swap(index, leaver, _best(layout, index, leaver))
        for _ in range(goal.factors[index] - len(layout.now[index])):
            layout.add(index, _best(layout, index, None))


def _best(layout: Layout, index: int, leaver: int | None) -> int:
    """Choose who gets a replica: the best for racks, then who carries least."""
    goal = layout.goal
    partition = goal.partitions[index]
    free = [id_ for id_ in goal.takers if id_ not in layout.now[index]]
    if not free:
        raise PlanError(
            f"Partition {partition.name} is to have {goal.factors[index]} replicas, and only"
            f" brokers {listed(sorted(goal.takers))} may take them. Allow more brokers, or a lower"
            " replication factor."
        )
    roomy = [id_ for id_ in free if layout.has_room(id_, partition)]
    # Replicas that are to be placed next must not count as a crowd where they still stand.
    others = [id_ for id_ in layout.now[index] if id_ not in goal.off and id_ != leaver]
    racks = goal.cluster.racks
    taken = [racks[id_] for id_ in others]
    if not roomy:
        raise PlanError(
            f"No broker has room for a replica of {partition.name} ({partition.size_bytes} B):"
            f" free are {listed(f'{layout.room[id_]} B on {id_}' for id_ in sorted(free))}."
            " Add capacity or brokers."
        )
    chosen = min(roomy, key=lambda id_: (taken.count(racks[id_]), layout.load[id_], id_))
    if min(taken.count(racks[id_]) for id_ in free) < taken.count(racks[chosen]):
        raise PlanError(
            f"Partition {partition.name} ({partition.size_bytes} B) has room only on brokers"
            f" {listed(sorted(roomy))}, in racks that it is in already. Add capacity in another"
            " rack, or give --disable-rack-aware."
        )
    return chosen


def _level(layout: Layout, draw: random.Random) -> None:
    """Move replicas from brokers above their most, or above others' least, to those below."""
    goal = layout.goal
    held: dict[int, list[int]] = {id_: [] for id_ in sorted(goal.givers)}
    for index in goal.partitions:
        for id_ in layout.now[index]:
            if id_ in held:
                held[id_].append(index)
    for indexes in held.values():
        draw.shuffle(indexes)
        if goal.by_bytes:
            indexes.sort(key=lambda at: -goal.partitions[at].size_bytes)
    dead_ends = set[tuple[int, int]]()
    while (found := _next(layout, held, dead_ends)) is not None:
        index, giver, taker = found
        layout.swap(index, giver, taker)
        held[giver].remove(index)
        if taker in held:
            held[taker].append(index)
            dead_ends -= {(taker, other) for other in goal.takers}


def _next(
    layout: Layout, held: dict[int, list[int]], dead_ends: set[tuple[int, int]]
) -> tuple[int, int, int] | None:
    """Return a partition, a giver and a taker that bring loads nearer to what they should be."""
    for giver, taker in _pairs(layout):
        if (giver, taker) in dead_ends:
            continue
        give, take = _amounts(layout, giver, taker)
        for index in held[giver]:
            weight = layout.goal.weight(layout.goal.partitions[index])
            if 0 < weight <= give and weight <= take and layout.may_swap(index, giver, taker):
                return index, giver, taker
        dead_ends.add((giver, taker))
    return None


def _pairs(layout: Layout) -> Iterator[tuple[int, int]]:
    """Return who may give to whom, those first who are furthest off."""
    goal, load = layout.goal, layout.load
    over = {id_: load[id_] - goal.most[id_] for id_ in goal.givers if id_ in goal.most}
    short = {id_: goal.least[id_] - load[id_] for id_ in goal.takers if id_ in goal.least}
    givers = sorted(goal.givers, key=lambda id_: (-over.get(id_, 0), -load[id_], id_))
    takers = sorted(goal.takers, key=lambda id_: (-short.get(id_, 0), load[id_], id_))
    for taker in takers:
        for giver in givers:
            # Either has to be out of its bounds, or nothing is gained.
            if giver != taker and (over.get(giver, 0) > 0 or short.get(taker, 0) > 0):
                yield giver, taker


def _amounts(layout: Layout, giver: int, taker: int) -> tuple[int, int]:
    """Return how much one may give, and the other take, without leaving its bounds."""
    goal, load = layout.goal, layout.load
    give = load[giver] - goal.least.get(giver, 0)
    take = goal.most.get(taker, load[taker] + load[giver]) - load[taker]
    return give, take
