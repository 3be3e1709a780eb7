"""A layout, divided into groups of topics that can be solved apart, here or on executors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from klamm.tools.planner.layout import Layout
from klamm.tools.planner.solve import Group, Movable, Seat

#: So many choices a group is solved for quickly.
CHOICES = 6_000
#: So many are solved as a whole, where a simple plan is not known to be best.
_WHOLE = 20_000


def divide(layout: Layout, seed: int, effort: float) -> list[Group]:
    """Return the groups, sorted by topic; none if there is nothing to choose.

    Each group's brokers have to keep the loads that its part of the layout has, so that the
    answers add up. Where the layout may not be the best and is small, there is one group instead,
    with the bounds of the goal itself.
    """
    goal = layout.goal
    open_ = [
        index
        for index, each in goal.partitions.items()
        # Which replicas a lower factor drops is settled: those that are dead, or crowd a rack.
        if goal.factors[index] >= len(each.target) and _may_change(layout, index)
    ]
    best = not layout.amiss() and layout.moved() == goal.lower_bound
    if not best and len(open_) * (len(goal.takers) + 3) <= _WHOLE:
        return [_group(layout, 0, open_, seed, effort, whole=True)] if open_ else []
    bundles = _bundles(layout, _shortened(layout, open_))
    return [
        _group(layout, number, bundle, seed, effort, share=len(bundles))
        for number, bundle in enumerate(bundles)
    ]


def _may_change(layout: Layout, index: int) -> bool:
    goal = layout.goal
    target = goal.partitions[index].target
    return (
        goal.factors[index] > len(target)
        or not goal.off.isdisjoint(target)
        or not goal.givers.isdisjoint(target)
    )


def _shortened(layout: Layout, open_: Sequence[int]) -> list[int]:
    """Keep what the layout changes, and as many others to choose from."""
    goal = layout.goal
    found, spare = [], 0
    for index in open_:
        if {*layout.now[index]} != {*goal.partitions[index].target}:
            found.append(index)
            spare += 1
        elif spare > 0:
            found.append(index)
            spare -= 1
    return found


def _bundles(layout: Layout, indexes: Sequence[int]) -> list[list[int]]:
    """Put whole topics together, and cut one that is too large by itself."""
    most = max(10, CHOICES // (len(_takers(layout)) + 3))
    partitions = layout.goal.partitions
    topics: dict[str, list[int]] = {}
    for index in indexes:
        topics.setdefault(partitions[index].topic, []).append(index)
    bundles: list[list[int]] = []
    for found in topics.values():
        if not bundles or len(bundles[-1]) + len(found) > most:
            bundles.append([])
        for index in found:
            if len(bundles[-1]) == most:
                bundles.append([])
            bundles[-1].append(index)
    return bundles


def _takers(layout: Layout) -> list[int]:
    """Return who gets anything at all."""
    parts = layout.goal.partitions
    return sorted({id_ for at, now in layout.now.items() for id_ in {*now} - {*parts[at].target}})


def _group(
    layout: Layout,
    number: int,
    indexes: Sequence[int],
    seed: int,
    effort: float,
    *,
    share: int = 1,
    whole: bool = False,
) -> Group:
    goal = layout.goal
    unit = _unit(layout) if goal.by_bytes else 1
    movables = tuple(
        Movable(
            index,
            goal.partitions[index].target,
            tuple(layout.now[index]),
            goal.factors[index],
            layout.limits[index],
            goal.weight(goal.partitions[index]) // unit,
            goal.partitions[index].size_bytes,
            tuple(id_ for id_ in goal.partitions[index].target if id_ in goal.off),
        )
        for index in indexes
    )
    here, moving_in, moving_out = Counter[int](), Counter[int](), Counter[int]()
    real = Counter[int]()
    for movable in movables:
        here.update(dict.fromkeys(movable.hint, movable.weight))
        real.update(dict.fromkeys(movable.hint, goal.weight(goal.partitions[movable.index])))
        moving_in.update(dict.fromkeys({*movable.hint} - {*movable.replicas}, movable.size_bytes))
        moving_out.update({*movable.replicas} - {*movable.hint} - {*movable.off})
    seats = []
    for id_ in sorted({*goal.takers, *(id_ for each in movables for id_ in each.replicas)}):
        gives, takes = id_ in goal.givers, id_ in goal.takers
        least: int | None
        most: int | None
        if whole:
            # Whatever does not change here uses up a part of the bounds.
            rest = layout.load[id_] - real[id_]
            least = max(0, (goal.least.get(id_, 0) - rest) // unit)
            most = max(0, (goal.most[id_] - rest) // unit) if id_ in goal.most else None
        else:
            gives, takes = gives and id_ in moving_out, takes and id_ in moving_in
            least = most = here[id_]
        room = layout.room[id_] // share + moving_in[id_] if id_ in layout.room else None
        seats.append(Seat(id_, goal.cluster.racks[id_], gives, takes, least, most, room))
    return Group(number, tuple(seats), movables, seed, effort, exact=not whole)


def _unit(layout: Layout) -> int:
    """Return how many bytes are one for the solver, which is for sums of small numbers."""
    goal = layout.goal
    return max(1, sum(each.size_bytes for each in goal.partitions.values()) // 100_000)
