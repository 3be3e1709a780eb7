"""What keeps the next step of a move that is made in steps (KIP-435). Pure.

A step adds some of the target's replicas and drops some that leave, once those are in sync. Limits
say how many steps run at once; who is not told of the partition yet copies nothing, and lacks
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    LIMITS,
    PARTITION_MOVEMENTS,
)
from klamm.controller.core.pace import UNLIMITED
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain import step_counts
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.facts import Facts, Partition, Step
from klamm.tools.explain.findings import Cause, Finding
from klamm.tools.explain.words import brokers_text, listed


def due(facts: Facts, partition: Partition, missing: Sequence[int]) -> list[int]:
    """Return which of the missing replicas are to be in sync by now: all of a move in one step.

    Of a move that waits for targets also those that are away: they are what it waits for.
    """
    step = partition.step
    if step is None:
        return [*missing]
    waits_for_targets = step.waits == "target-offline"
    return [
        broker
        for broker in missing
        if broker in step.hosted
        or (waits_for_targets and (broker not in facts.alive or broker in partition.offline))
    ]


def was_due(before: Partition, now: Partition, broker: int) -> bool:
    """Tell whether a replica that is due now was so at an earlier look, and by the same step."""
    first, last = before.step, now.step
    if last is not None and broker in last.adding:
        return (
            first is not None
            and broker in first.adding
            and (first.number, first.since_ms) == (last.number, last.since_ms)
        )
    return broker in (before.replicas if first is None else first.hosted)


def is_untold(facts: Facts, name: TopicPartition, broker: int) -> bool:
    """Tell whether a broker may know nothing of the partition yet, for moves are limited."""
    partition = facts.last.partitions[name]
    if partition.step is not None or not facts.never_had(name, broker):
        return False
    limits = (configs.get(key) for configs in facts.brokers.values() for key in LIMITS)
    limited = any(limit not in (None, str(UNLIMITED)) for limit in limits)
    return limited and broker in partition.adding


def findings(
    facts: Facts, name: TopicPartition, step: Step, commands: Commands
) -> Iterable[Finding]:
    """Tell which step runs, or why none does."""
    partition = facts.last.partitions[name]
    likely = step_counts.likely(facts, name)
    evidence: dict[str, object] = {
        "hosted": [*step.hosted],
        "step": step.number,
        "most_steps": step.most,
        "likely_steps": likely,
    }
    if step.runs:
        yield Finding(Cause.STEP, name, _running(step, _which(step, likely)), step.adding, evidence)
        if partition.waiting_for is not None:
            text = f"the controller waits for {partition.waiting_for}"
            yield Finding(Cause.CONTROLLER_WAITS, name, text, (), evidence)
        return
    which = _which(step, likely) or "its next step"
    led = partition.leader is not None and partition.leader not in partition.offline
    if step.waits == "offline" and led and partition.waiting_for is not None:
        # Nobody is away: the controller cannot do what it would, and says why.
        text = f"{which} waits for {partition.waiting_for}"
        yield Finding(Cause.CONTROLLER_WAITS, name, text, (), evidence)
    elif step.waits == "offline":
        text = f"{which} cannot begin: nobody leads it, or nobody in sync is alive"
        advice = f"bring one of {brokers_text(partition.isr or partition.replicas)} back"
        yield Finding(Cause.OFFLINE, name, text, partition.isr, evidence, advice)
    elif step.waits == "not-in-sync":
        missing = tuple(broker for broker in partition.goal if broker not in partition.isr)
        text = f"{which} cannot begin before {listed(missing)} of its target are in sync"
        if not missing:
            text = (
                f"{which} cannot begin: it would leave too few in sync, or end without its leader"
            )
        yield Finding(Cause.NOT_IN_SYNC, name, text, missing, evidence)
    elif step.waits == "target-offline":
        # Whoever is away has a finding of its own, which says what to do.
        text = f"{which} cannot begin: nothing can be done before a broker of its target is back"
        yield Finding(Cause.CONTROLLER_WAITS, name, text, (), evidence)
    else:
        yield _deferred(facts, name, step, commands, which, evidence)


def _which(step: Step, likely: int | None) -> str:
    """Say which step it is of how many; nothing where nobody counts them."""
    if step.number is None:
        return ""
    return f"step {step.number} of {f'at most {step.most}' if likely is None else likely}"


def _running(step: Step, which: str) -> str:
    kind = f" ({step.kind})" if step.kind else ""
    what = f"it adds {brokers_text(step.adding)}" if step.adding else "it copies nothing"
    return f"{which or 'a step'} runs{kind}: {what}"


def _deferred(
    facts: Facts,
    name: TopicPartition,
    step: Step,
    commands: Commands,
    which: str,
    evidence: dict[str, object],
) -> Finding:
    partition = facts.last.partitions[name]
    if partition.waiting_for is not None:
        text = f"{which} waits for {partition.waiting_for}"
    elif step.others is not None:
        text = f"{which} does not run; {step.others} steps of others do"
        evidence = {**evidence, "running": step.others}
    else:
        text = f"{which} waits for a slot"
    config = LEADER_MOVEMENTS if LEADER_MOVEMENTS in text else PARTITION_MOVEMENTS
    advice = "it goes on by itself when another step ends; or raise the limit, or lift it:"
    limit = facts.limit(config)
    words = [commands.lift(config)]
    if limit is not None and limit < UNLIMITED // 2:
        words.insert(0, commands.limit(config, 2 * limit))
    return Finding(Cause.DEFERRED, name, text, (), evidence, advice, tuple(words))
