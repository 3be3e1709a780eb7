"""Who is to lead: preferred leaders levelled by a flow of least cost, with the fewest changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from ortools.graph.python import min_cost_flow

from klamm.tools.planner.goal import Goal

Assigned = Mapping[int, tuple[int, ...]]


def level(goal: Goal, assigned: Assigned, free: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Return the replicas of the `free` partitions in an order that levels preferred leaders.

    Of all ways, the sum of squares of leaders per broker is least, and of those the number of
    partitions that get another first replica than they have in `assigned`. All other partitions
    of the snapshot keep theirs, and count. The rest of each order stays.
    """
    led = Counter(
        assigned[index][0] if index in assigned else each.target[0]
        for index, each in enumerate(goal.cluster.snapshot.partitions)
        if index not in free
    )
    heads = {index: _able(goal, index, assigned[index]) for index in sorted(free)}
    chosen = _flow(heads, led)
    return {
        index: (head, *(id_ for id_ in assigned[index] if id_ != head))
        for index, head in chosen.items()
    }


def _able(goal: Goal, index: int, replicas: tuple[int, ...]) -> tuple[int, ...]:
    """Return who can lead: alive, and in sync or new; the first replica in any case."""
    partition = goal.cluster.snapshot.partitions[index]
    behind = {*partition.target} - {*partition.isr} if partition.isr else set[int]()
    return tuple(
        id_
        for at, id_ in enumerate(replicas)
        if at == 0 or (id_ in goal.cluster.alive and id_ not in behind)
    )


def _flow(heads: Mapping[int, tuple[int, ...]], led: Counter[int]) -> dict[int, int]:
    """Send one unit from each partition by one of its brokers to the sink.

    The nth leader of a broker costs n, more than all changes together, so that level is best.
    """
    flow = min_cost_flow.SimpleMinCostFlow()
    brokers = sorted({id_ for able in heads.values() for id_ in able})
    node = {id_: 1 + at for at, id_ in enumerate(brokers)}
    most = Counter(id_ for able in heads.values() for id_ in able)
    dear = len(heads) + 1
    arcs = {}
    for at, (index, able) in enumerate(heads.items()):
        start = 1 + len(brokers) + at
        flow.set_node_supply(start, 1)
        for id_ in able:
            arc = flow.add_arc_with_capacity_and_unit_cost(start, node[id_], 1, id_ != able[0])
            arcs[arc] = index, id_
    for id_ in brokers:
        for nth in range(led[id_] + 1, led[id_] + most[id_] + 1):
            flow.add_arc_with_capacity_and_unit_cost(node[id_], 0, 1, nth * dear)
    flow.set_node_supply(0, -len(heads))
    status = flow.solve()
    assert status == flow.OPTIMAL, "each partition has a first replica"
    return {index: id_ for arc, (index, id_) in arcs.items() if flow.flow(arc)}
