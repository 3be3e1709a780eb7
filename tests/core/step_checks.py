"""V1 to V8 of moves in steps, by sets that are computed here and not by the functions at stake."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits, Pace, RunningStep
from klamm.controller.core.steps import Choice, Situation


class Breach(AssertionError):
    """One of V1 to V8 does not hold."""


@dataclass(frozen=True)
class Standing:
    """How a move stands: all that a step may change, and the replicas that brokers know."""

    assignment: Assignment
    leader: int
    isr: tuple[int, ...]
    hosted: tuple[int, ...]


def shape(assignment: Assignment, goal: tuple[int, ...]) -> None:
    """Check V6: whoever takes over from here, and knows nothing of steps, ends at the target."""
    replicas, adding, removing = assignment.replicas, assignment.adding, assignment.removing
    _hold(len(set(replicas)) == len(replicas), "V6", assignment)
    _hold(set(adding) <= set(replicas) >= set(removing), "V6", assignment)
    _hold(set(adding).isdisjoint(removing), "V6", assignment)
    _hold(tuple(b for b in replicas if b not in removing) == goal, "V6", assignment, goal)


def choice(situation: Situation, chosen: Choice, limit: int) -> None:
    """Check V3 of a step that begins, and that all whom it adds can come."""
    adding = situation.assignment.adding
    in_sync = [b for b in situation.isr if b in situation.alive]
    absent = [b for b in adding if b not in in_sync]
    _hold(set(chosen.adding) <= set(absent), "V3: adds others", chosen, absent)
    if limit == UNLIMITED:
        return
    _hold(situation.alive >= set(chosen.adding), "R435-22: adds who is down", chosen)
    first = situation.min_isr - len(in_sync) if situation.steps == 0 else 0
    _hold(len(chosen.adding) <= max(limit, first), "V3: adds too many", chosen, situation)


def end(
    before: Standing, after: Standing, step: RunningStep, alive: AbstractSet[int], min_isr: int
) -> None:
    """Check what V1, V2, V3, V7 and V8 say of a step that ends."""
    whole = step.limit == UNLIMITED
    drops = set(before.assignment.replicas).difference(after.assignment.replicas)
    _hold(whole or before.leader not in drops, "V8: drops the leader", step, before, after)
    size = len(before.assignment.target)
    was, now = (sum(b in alive for b in each.isr) for each in (before, after))
    _hold(now >= min(was, min_isr, size), "V1", step, before, after)
    late = {b for b in before.assignment.adding if b not in before.isr or b not in alive}
    _hold(late.isdisjoint(step.adding), "R435-19: ends too early", step, before)
    _hold(_measure(after, late) < _measure(before, late.union(step.adding)), "V2", before, after)
    _hold(len(drops) <= step.limit, "V3: drops too many", step, before, after)
    _hold(step.kind == "swap" or whole or not drops, "R435-14", step, before, after)
    _hold(len(after.hosted) >= min(len(before.hosted), size), "V7", step, before, after)
    origins = len(before.assignment.origin), len(after.assignment.origin)
    _hold(origins[1] >= min(origins[0], size), "V7: origin", step, before, after)
    moved = before.leader != after.leader
    _hold(whole or step.kind == "leader" or not moved, "V8: elects", step, before, after)


def final(before: Standing, goal: tuple[int, ...], alive: AbstractSet[int], limit: int) -> None:
    """Check V5 of a move whose target is written as its replicas."""
    _hold(before.assignment.target == goal and not before.assignment.removing, "V5", before, goal)
    _hold(alive >= set(goal) <= set(before.isr), "R435-28: not in sync", before, goal)
    leads = before.leader in goal if limit == UNLIMITED else before.leader == goal[0]
    _hold(leads, "V5: leader", before, goal)


def grants(
    paces: Mapping[TopicPartition, Pace], granted: Sequence[TopicPartition], limits: Limits
) -> None:
    """Check V4, and that slots go to leader steps first, to all in order, and to all that may."""
    running = [pace.running for pace in paces.values() if pace.running]
    free = max(limits.partitions - len(running), 0)
    leading = sum(step.kind == "leader" for step in running)
    pending = sorted(name for name, pace in paces.items() if pace.pending)
    leaders = [name for name in pending if paces[name].leads]
    leaders = leaders[: min(free, max(limits.leaders - leading, 0))]
    others = [name for name in pending if not paces[name].leads]
    expected = [*leaders, *others[: free - len(leaders)]]
    _hold(list(granted) == expected, "V4", granted, expected)


def _measure(standing: Standing, missing: Collection[int]) -> int:
    elsewhere = standing.leader != standing.assignment.target[0]
    return len(missing) + len(standing.assignment.removing) + elsewhere


def _hold(truth: bool, invariant: str, *values: object) -> None:
    if not truth:
        raise Breach(f"{invariant}: {' '.join(map(str, values))}")
