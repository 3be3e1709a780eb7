"""What there is to know of a plan: moves, bytes, balance, racks, bounds, and the stock tool's.

These are the words of `--json` and what texts and pages are made from; nothing grows with the
number of partitions but what was left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import pstdev

import msgspec

from klamm.tools.planner import stock
from klamm.tools.planner.goal import Goal
from klamm.tools.planner.plan import Plan
from klamm.tools.planner.racks import crowding
from klamm.tools.planner.solve import Solved

Assigned = Mapping[tuple[str, int], tuple[int, ...]]


class Load(msgspec.Struct, frozen=True):
    """What a broker carries: replicas, preferred leaders, bytes."""

    replicas: int = 0
    leaders: int = 0
    bytes: int = 0


class Spread(msgspec.Struct, frozen=True):
    """An assignment as a whole; `moved` is against the one before.

    The loads are by broker. `crowded` counts partitions with two replicas in a rack, and
    `worse_racks` those that are spread over racks worse than before. Deviations are of the
    live brokers that are not to be left, relative to their mean.
    """

    moved: int
    moved_bytes: int
    loads: dict[int, Load]
    crowded: int
    worse_racks: int
    replicas_deviation: float
    leaders_deviation: float
    bytes_deviation: float


class GroupFacts(msgspec.Struct, frozen=True):
    """How a group was solved: replicas moved, the bound that CP-SAT has proven, and the gap."""

    number: int
    topics: str
    partitions: int
    moved: int
    bound: int
    gap: float
    proven: bool


class Facts(msgspec.Struct, frozen=True):
    """All of a plan in numbers. `stock` is what --generate does, or why there is none.

    `amiss` is how far loads stay from their fair share, added up: bytes if `by_bytes`, else
    replicas. `waiting` counts, by dead broker, the changes that keep a replica there: a move ends
    when all of its target is in sync.
    """

    what: str
    cluster_id: str
    partitions: int
    brokers: dict[int, str | None]
    changed: int
    moved: int
    lower_bound: int
    gap: float
    by_bytes: bool
    amiss: int
    order_only: int
    factor_changes: dict[str, int]
    batches: list[int]
    before: Spread
    after: Spread
    stock: Spread | str
    groups: list[GroupFacts]
    left_out: dict[str, str]
    waiting: dict[int, int]


def of(plan: Plan, what: str, batches: list[int], seed: int) -> Facts:
    """Look at a plan; `what` says in words what it is for."""
    goal, cluster = plan.goal, plan.goal.cluster
    everything = cluster.snapshot.partitions
    before = {(each.topic, each.partition): each.target for each in everything}
    peer = stock.generate(goal, seed)
    factors: dict[str, int] = {}
    for change in plan.changes:
        if len(change.after) != len(change.before):
            key = f"{len(change.before)} to {len(change.after)}"
            factors[key] = factors.get(key, 0) + 1
    return Facts(
        what,
        cluster.snapshot.cluster_id,
        len(everything),
        {each.id: each.rack for each in cluster.snapshot.brokers},
        len(plan.changes),
        plan.moved,
        plan.lower_bound,
        gap(plan.moved, plan.lower_bound),
        goal.by_bytes,
        plan.amiss,
        sum(not each.joining and not each.leaving for each in plan.changes),
        factors,
        batches,
        spread(goal, before, before),
        spread(goal, before, plan.after),
        peer if isinstance(peer, str) else spread(goal, before, peer),
        [_group(plan, each) for each in plan.groups],
        dict(goal.left_out),
        _waiting(plan),
    )


def _waiting(plan: Plan) -> dict[int, int]:
    alive = plan.goal.cluster.alive
    found = Counter(id_ for each in plan.changes for id_ in each.after if id_ not in alive)
    return dict(sorted(found.items()))


def gap(moved: int, bound: int) -> float:
    """Return how much more is moved than must be, relative to that.

    >>> gap(105, 100), gap(0, 0)
    (0.05, 0.0)
    """
    return (moved - bound) / max(1, bound)


def spread(goal: Goal, before: Assigned, after: Assigned) -> Spread:
    """Add up an assignment."""
    cluster, used = goal.cluster, sorted(goal.cluster.alive - goal.off)
    replicas, leaders = dict.fromkeys(cluster.racks, 0), dict.fromkeys(cluster.racks, 0)
    stored = dict.fromkeys(cluster.racks, 0)
    moved = moved_bytes = crowded = worse = 0
    for each in cluster.snapshot.partitions:
        old, new = before[each.topic, each.partition], after[each.topic, each.partition]
        leaders[new[0]] += 1
        for id_ in new:
            replicas[id_] += 1
            stored[id_] += each.size_bytes
        if new is not old:
            joining = len({*new} - {*old})
            moved += joining
            moved_bytes += joining * each.size_bytes
        now = crowding(cluster.racks[id_] for id_ in new)
        crowded += now > 0
        worse += len(new) == len(old) and now > crowding(cluster.racks[id_] for id_ in old)
    return Spread(
        moved,
        moved_bytes,
        {id_: Load(replicas[id_], leaders[id_], stored[id_]) for id_ in cluster.racks},
        crowded,
        worse,
        *(_deviation([each[id_] for id_ in used]) for each in (replicas, leaders, stored)),
    )


def _deviation(values: Sequence[int]) -> float:
    mean = sum(values) / max(1, len(values))
    return pstdev(values) / mean if mean else 0.0


def _group(plan: Plan, solved: Solved) -> GroupFacts:
    topics = sorted({plan.goal.partitions[index].topic for index in solved.targets})
    return GroupFacts(
        solved.number,
        topics[0] if len(topics) == 1 else f"{topics[0]} to {topics[-1]}, {len(topics)} topics",
        len(solved.targets),
        solved.moved,
        solved.bound,
        gap(solved.moved, solved.bound),
        solved.proven,
    )
