"""Findings in words for people, and as JSON for scripts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

from klamm.tools.explain.facts import Facts, Partition
from klamm.tools.explain.findings import Diagnosis, Findings, Severity
from klamm.tools.explain.words import listed, names_text


def lines(facts: Facts, findings: Findings) -> Iterator[str]:
    """Tell of each partition, the worst first, of those that are alike once, and sum up."""
    alike: dict[Hashable, list[Diagnosis]] = defaultdict(list)
    for each in findings.partitions:
        alike[_said(each) or each.partition].append(each)
    for first, *others in alike.values():
        yield from _partition_lines(facts.last.partitions[first.partition], first)
        if others:
            yield f"  and {len(others)} more: {names_text(each.partition for each in others)}"
    for missed in findings.unseen:
        yield f"not seen: {missed}"
    yield summary(findings)


def summary(findings: Findings) -> str:
    """Count the moves by what becomes of them.

    >>> summary(Findings(()))
    'Nothing moves.'
    """
    moves = [each for each in findings.partitions if each.moving]
    left = sum(1 for each in findings.partitions if each.findings and not each.moving)
    counts = Counter(each.severity for each in moves)
    others = f"; {left} more with something to tell" if left else ""
    if not moves:
        return f"Nothing moves{others}."
    parts = [f"{counts[severity]} {word}" for severity, word in _WORDS.items() if counts[severity]]
    return f"{len(moves)} move{'' if len(moves) == 1 else 's'}: {', '.join(parts)}{others}."


_WORDS = {Severity.STUCK: "stuck", Severity.WAITS: "waiting", Severity.PROGRESS: "going on"}


def _said(diagnosis: Diagnosis) -> Hashable:
    """Return what is said of a partition beside its replicas; nothing if nothing was found."""
    found = tuple(
        (each.cause, each.text, each.advice, each.commands) for each in diagnosis.findings
    )
    return found and (diagnosis.moving, found)


def _partition_lines(partition: Partition, diagnosis: Diagnosis) -> Iterator[str]:
    leader = "nobody leads" if partition.leader is None else f"{partition.leader} leads"
    if partition.moving:
        goal = partition.goal
        way = f"{listed(_before(partition))} -> {listed(goal)}"
        state = _WORDS[diagnosis.severity]
    else:
        way, state = f"on {listed(partition.replicas)}", "not moving"
    in_sync = listed(partition.isr) or "none"
    yield f"{diagnosis.partition}: {way}; {leader}, in sync {in_sync}: {state}"
    told = set()
    for finding in diagnosis.findings:
        yield f"  {finding.cause.value}: {finding.text}"
        if (advice := (finding.advice, finding.commands)) in told:
            continue
        told.add(advice)
        if finding.advice:
            yield f"    what to do: {finding.advice}"
        for command in finding.commands:
            yield f"      {command}"


def _before(partition: Partition) -> tuple[int, ...]:
    """Return where the move began, as the controller told it; else where a cancel would end."""
    if partition.original is not None:
        return partition.original
    return tuple(broker for broker in partition.replicas if broker not in partition.adding)


def as_json(facts: Facts, findings: Findings) -> dict[str, Any]:
    """Return everything that the words tell, and the values."""
    moving = [each for each in findings.partitions if each.moving]
    return {
        "moves": len(moving),
        **{word.replace(" ", "_"): _count(moving, one) for one, word in _WORDS.items()},
        "seconds": round(facts.seconds, 3),
        "partitions": [
            _as_json(facts.last.partitions[each.partition], each) for each in findings.partitions
        ],
        "unseen": [*findings.unseen],
    }


def _count(diagnoses: list[Diagnosis], severity: Severity) -> int:
    return sum(each.severity is severity for each in diagnoses)


def _as_json(partition: Partition, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "topic": diagnosis.partition.topic,
        "partition": diagnosis.partition.partition,
        "moving": diagnosis.moving,
        "state": _WORDS[diagnosis.severity] if diagnosis.moving else "not moving",
        "replicas": [*partition.replicas],
        "goal": [*partition.goal],
        "leader": partition.leader,
        "isr": [*partition.isr],
        "findings": [
            {
                "cause": each.cause.value,
                "severity": each.cause.severity.name.lower(),
                "text": each.text,
                "brokers": [*each.brokers],
                "evidence": dict(each.evidence),
                "advice": each.advice,
                "commands": [*each.commands],
            }
            for each in diagnosis.findings
        ],
    }
