"""A plan: what becomes of each partition, how good that is, and that it breaks no rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from klamm.tools.planner import leaders
from klamm.tools.planner.goal import Goal, PlanError, listed
from klamm.tools.planner.greedy import settle
from klamm.tools.planner.groups import divide
from klamm.tools.planner.layout import Layout
from klamm.tools.planner.racks import crowding
from klamm.tools.planner.runner import Runner
from klamm.tools.planner.snapshot import Partition
from klamm.tools.planner.solve import Solved, solve

Replicas = tuple[int, ...]

#: Deterministic time for each solve of a group, about as many seconds.
EFFORT = 0.5


@dataclass(frozen=True)
class Change:
    """A partition that gets other replicas, or the same in another order."""

    partition: Partition
    after: Replicas

    @property
    def before(self) -> Replicas:
        """The replicas that it has, in order."""
        return self.partition.target

    @property
    def joining(self) -> Replicas:
        """The brokers that a replica is copied to."""
        return tuple(id_ for id_ in self.after if id_ not in self.before)

    @property
    def leaving(self) -> Replicas:
        """The brokers that lose theirs."""
        return tuple(id_ for id_ in self.before if id_ not in self.after)

    @property
    def source(self) -> int:
        """The broker that the copies are fetched from: the leader (KIP-392 is for consumers)."""
        return self.partition.leader if self.partition.leader >= 0 else self.before[0]


@dataclass(frozen=True)
class Plan:
    """The changes for a goal, sorted by topic and number, and how each group was solved."""

    goal: Goal
    changes: tuple[Change, ...]
    groups: tuple[Solved, ...]

    @cached_property
    def moved(self) -> int:
        """How many replicas are copied."""
        return sum(len(each.joining) for each in self.changes)

    @cached_property
    def moved_bytes(self) -> int:
        """How much is copied, as far as sizes are known."""
        return sum(each.partition.size_bytes * len(each.joining) for each in self.changes)

    @property
    def lower_bound(self) -> int:
        """The fewest replicas that any plan moves: by counting, or as proven for all at once.

        What is proven for a group that has to keep given loads, or of rounded bytes, says nothing
        of other plans. A plan that falls short of its goal may move less than the goal takes, and
        then that is all that is said.
        """
        proven = 0
        if not self.goal.by_bytes and len(self.groups) == 1 and not self.groups[0].exact:
            proven = self.groups[0].bound
        return min(self.moved, max(self.goal.lower_bound, proven))

    @cached_property
    def amiss(self) -> int:
        """How far loads stay from their fair share, added up; racks or room forbid the rest."""
        loads = dict(self.goal.loads)
        for change in self.changes:
            weight = self.goal.weight(change.partition)
            for id_ in change.joining:
                loads[id_] += weight
            for id_ in change.leaving:
                loads[id_] -= weight
        short = sum(max(0, low - loads[id_]) for id_, low in self.goal.least.items())
        return short + sum(max(0, loads[id_] - high) for id_, high in self.goal.most.items())

    @cached_property
    def after(self) -> dict[tuple[str, int], Replicas]:
        """The replicas of every partition of the snapshot once the plan is done."""
        changed = {
            (each.partition.topic, each.partition.partition): each.after for each in self.changes
        }
        return {
            (each.topic, each.partition): changed.get((each.topic, each.partition), each.target)
            for each in self.goal.cluster.snapshot.partitions
        }


def make(goal: Goal, runner: Runner, *, seed: int = 0, effort: float = EFFORT) -> Plan:
    """Make the plan for a goal; raises PlanError.

    A simple plan first, then its groups by CP-SAT, wherever the runner has that done, then the
    repair of the whole, the order of what has changed, and a check of every rule.
    """
    solved: tuple[Solved, ...] = ()
    if goal.leaders_only:
        assigned = {at: each.target for at, each in goal.partitions.items()}
        ordered = leaders.level(goal, assigned, set(assigned))
    else:
        simple = Layout(goal)
        settle(simple, seed)
        solved = tuple(runner.run(solve, divide(simple, seed, effort)))
        layout = _merged(goal, simple, solved, seed)
        assigned = {at: tuple(replicas) for at, replicas in layout.now.items()}
        changed = {at for at in assigned if {*assigned[at]} != {*goal.partitions[at].target}}
        ordered = leaders.level(goal, assigned, changed)
    changes = tuple(
        Change(goal.partitions[index], after)
        for index, after in sorted(ordered.items())
        if after != goal.partitions[index].target
    )
    plan = Plan(goal, changes, solved)
    verify(plan)
    return plan


def _merged(goal: Goal, simple: Layout, solved: tuple[Solved, ...], seed: int) -> Layout:
    """Put the groups' answers together, and mend what only the whole shows.

    Should the simple plan be better than that, it counts.
    """
    merged = Layout(goal)
    targets = {index: each for group in solved for index, each in group.targets.items()}
    for index, replicas in simple.now.items():
        merged.replace(index, targets.get(index, replicas))
    settle(merged, seed)
    if (merged.amiss(), merged.moved()) > (simple.amiss(), simple.moved()):
        return simple
    return merged


def verify(plan: Plan) -> None:
    """Look at every rule that a plan has to keep; raises PlanError, which would be a bug of ours.

    Each partition has its replication factor, on brokers that exist, off those to be left; a
    replica is copied only to a live broker that may take it and has room for all that comes; and
    no partition is spread over racks worse than it must be.
    """
    goal = plan.goal
    layout = Layout(goal)
    limits = {
        (each.topic, each.partition): (layout.limits[at], goal.factors[at])
        for at, each in goal.partitions.items()
    }
    broken = []
    incoming = Counter[int]()
    for change in plan.changes:
        limit, factor = limits[change.partition.topic, change.partition.partition]
        after = {*change.after}
        incoming.update(dict.fromkeys(change.joining, change.partition.size_bytes))
        if (
            not len(change.after) == len(after) == factor
            or after & goal.off
            or not goal.takers.issuperset(change.joining)
            or crowding(goal.cluster.racks[id_] for id_ in after) > limit
        ):
            broken.append(change.partition.name)
    full = [id_ for id_, size in incoming.items() if size > layout.room.get(id_, size)]
    if broken or full:
        raise PlanError(
            f"The plan breaks a rule for partitions {listed(broken) or 'none'}, or is more than"
            f" brokers {listed(full) or 'none'} can hold. This is a bug; nothing is written."
        )
