"""How many steps a move is likely to take, under the present limits. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from klamm.controller.configs.cluster_wide import REPLICA_MOVEMENTS
from klamm.controller.core.model import Assignment
from klamm.controller.core.pace import UNLIMITED, RunningStep, StepKind
from klamm.controller.core.steps import (
    Choice,
    Finished,
    Situation,
    after_drop,
    current,
    dropped,
    next_step,
)
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain.facts import MIN_ISR, Facts, Partition, Step

_KINDS: Final[Mapping[str, StepKind]] = {"leader": "leader", "fill": "fill", "swap": "swap"}


def likely(facts: Facts, name: TopicPartition) -> int | None:
    """Return the number of the last step if all goes well, None if nobody can know.

    It carries out what is left as the controller would, with every broker of the target there.
    """
    partition = facts.last.partitions[name]
    step, leader = partition.step, partition.leader
    limit = facts.limit(REPLICA_MOVEMENTS)
    min_isr = facts.topics.get(name.topic, {}).get(MIN_ISR, "")
    if step is None or step.number is None or step.most is None or leader is None:
        return None
    if limit is None or not min_isr.isdigit():
        return None
    # A controller that goes by another limit than the one that was seen tells another maximum.
    if limit == UNLIMITED:
        return step.number if step.most == step.number else None
    count = _last(_situation(facts, partition, step, leader, int(min_isr)), step, limit)
    return count if count is not None and count <= step.most else None


def _situation(
    facts: Facts, partition: Partition, step: Step, leader: int, min_isr: int
) -> Situation:
    assignment = Assignment(partition.replicas, partition.adding, partition.removing)
    alive = facts.alive | set(partition.goal)
    return Situation(assignment, leader, partition.isr, alive, min_isr, (step.number or 1) - 1)


def _last(situation: Situation, step: Step, limit: int) -> int | None:
    """Return how many steps have been made once nothing is left; None if it comes to a halt."""
    kind = _KINDS.get(step.kind or "") if step.runs else None
    choice: Choice | str | Finished = (
        next_step(situation, limit) if kind is None else Choice(kind, step.adding)
    )
    for _ in range(step.most or 0):
        if not isinstance(choice, Choice):
            break
        situation = _after(situation, choice, limit)
        if not situation.assignment.moving:
            return situation.steps
        choice = next_step(situation, limit)
    return situation.steps if isinstance(choice, Finished) else None


def _after(situation: Situation, choice: Choice, limit: int) -> Situation:
    """Return what is there after a step that went well."""
    assignment = situation.assignment
    before = current(assignment, situation.isr)
    running = RunningStep(choice.kind, choice.adding, before, 0, limit)
    isr = (*situation.isr, *(each for each in choice.adding if each not in situation.isr))
    then = replace(situation, isr=isr)
    drops = dropped(then, running)
    leads = choice.kind == "leader" or then.leader in drops
    return replace(
        then,
        assignment=after_drop(assignment, isr, drops),
        leader=assignment.target[0] if leads else then.leader,
        isr=tuple(each for each in isr if each not in drops),
        steps=situation.steps + 1,
    )
