"""Who holds the slots that steps of moves wait for. Pure.

A step that runs keeps its slot until what it adds is in sync. If nothing comes in sync in any that
runs, then nothing goes on behind them either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS, REPLICA_MOVEMENTS
from klamm.controller.core.pace import UNLIMITED
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain.facts import Facts
from klamm.tools.explain.findings import Cause, Diagnosis, Finding, Severity, worst_first
from klamm.tools.explain.words import names_text


def judged(facts: Facts, diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Return the diagnoses, with steps as stuck as those that hold all the slots they wait for."""
    running = {
        name: one.step
        for name, one in facts.last.partitions.items()
        if one.step is not None and one.step.runs
    }
    stuck = {one.partition for one in diagnoses if one.partition in running and _keeps(facts, one)}
    leading = {name for name, step in running.items() if step.kind == "leader"}

    def of(finding: Finding) -> Finding:
        if finding.cause is not Cause.DEFERRED:
            return finding
        holders = leading if LEADER_MOVEMENTS in finding.text else running.keys()
        return _behind(finding, sorted(holders)) if holders and holders <= stuck else finding

    return [replace(one, findings=worst_first(map(of, one.findings))) for one in diagnoses]


def held_text(holders: Sequence[TopicPartition]) -> str:
    """Say who holds the slots, and that they are stuck."""
    one = len(holders) == 1
    slots, are = ("slot is", "is") if one else ("slots are", "are")
    return f"the {slots} held by {names_text(holders)}, which {are} stuck"


def _keeps(facts: Facts, diagnosis: Diagnosis) -> bool:
    """Tell whether a step that runs is stuck: one of the replicas is that it waits for."""
    partition = facts.last.partitions[diagnosis.partition]
    awaited: Iterable[int] = partition.step.adding if partition.step else ()
    if facts.limit(REPLICA_MOVEMENTS) == UNLIMITED:
        awaited = partition.goal
    return any(
        each.cause.severity is Severity.STUCK and not {*awaited}.isdisjoint(each.brokers)
        for each in diagnosis.findings
    )


def _behind(finding: Finding, holders: Sequence[TopicPartition]) -> Finding:
    return replace(
        finding,
        cause=Cause.SLOTS_STUCK,
        text=f"{finding.text}; {held_text(holders)}",
        evidence={**finding.evidence, "held_by": [str(name) for name in holders]},
        advice="mend those, as is told of them; or raise the limit, or lift it:",
    )
