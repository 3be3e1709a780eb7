"""Judging a history: verdicts of partitions and of clusters, from their events in order.

A pass goes once over events that are sorted by key and order, and holds one key at a time. Both
ways to run it, on executors and in this process, give it Arrow batches and take rows of `verdicts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Protocol

from klamm.tools.pipeline.history import kinds
from klamm.tools.pipeline.history.rules import rest, telling, writes
from klamm.tools.pipeline.history.rules.event import Event
from klamm.tools.pipeline.history.rules.finding import Finding
from klamm.tools.pipeline.history.rules.journal import Told, judge_entry, judge_memory
from klamm.tools.pipeline.history.rules.offices import Cluster
from klamm.tools.pipeline.history.rules.past import Past
from klamm.tools.pipeline.history.rules.steps import JUDGES as STEPS
from klamm.tools.pipeline.tables import VERDICTS, Row

#: So many events that show a breach are kept with it, and so many sentences of one rule.
SHOWN: Final = 5
_TELLERS = frozenset(
    {kinds.JOURNAL, kinds.CONTROLLER_LOG, kinds.STATE_CHANGE_LOG, kinds.METADATA_LOG}
)
_WORLD = frozenset({kinds.ZOOKEEPER, kinds.BROKER, kinds.CLIENT, kinds.END, kinds.SERVER_LOG})
_ZK, _J, _B, _C, _E = (
    frozenset({kinds.ZOOKEEPER}),
    frozenset({kinds.JOURNAL}),
    frozenset({kinds.BROKER}),
    frozenset({kinds.CLIENT}),
    frozenset({kinds.END}),
)
_LOGS = frozenset({kinds.CONTROLLER_LOG})
_STATES = frozenset({kinds.STATE_CHANGE_LOG})
_RECORDS = frozenset({kinds.METADATA_LOG})
#: What a rule needs: any of these sets of origins, all of it.
NEEDS: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "I1": (_ZK,),
    "I2": (_ZK, _J, _LOGS, _RECORDS),
    "I3": (_ZK, _J, _LOGS, _RECORDS),
    "I4": (_ZK, _J, _STATES, _RECORDS),
    "I5": (_ZK | _B,),
    "I6": (_B,),
    "I7": (_ZK, _J, _STATES, _RECORDS),
    "I9": (_ZK | _J,),
    "I10": (_E,),
    "I11": (_ZK,),
    "I12": (_ZK,),
    "I13": (_C | _E | _ZK,),
    "V1-V3, V5-V8": (_J,),
    "liveness": (_E,),
}
CLUSTER_NEEDS: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "I1": (_ZK,),
    "I8": (_C,),
    "I14": (_STATES,),
    "V4": (_J,),
    "liveness": (_E,),
}
_PARTITION = attrgetter("cluster", "topic", "partition")
_CLUSTER = attrgetter("cluster")
_WORLD_JUDGES = {**writes.JUDGES, **telling.JUDGES, **rest.JUDGES}


class Subject(Protocol):
    """What is judged: a partition or a cluster, event by event and then as a whole."""

    def take(self, event: Event) -> Iterable[Finding]:
        """Judge an event by all before it."""

    def end(self) -> Iterable[Finding]:
        """Judge the whole."""


@dataclass(slots=True)
class PartitionSubject:
    """A partition: what its controllers said, and what the world saw of it."""

    past: Past = field(default_factory=Past)
    told: Told = field(default_factory=Told)

    def take(self, event: Event) -> Iterator[Finding]:
        """Judge an event by all before it."""
        kind = event.kind
        if event.origin in _TELLERS and kind not in kinds.WORLD:
            yield from judge_entry(self.told, event)
            step = STEPS.get(kind)
            if step is not None and event.origin == kinds.JOURNAL:
                yield from step(event, self.told.first)
            return
        judge = _WORLD_JUDGES.get(kind)
        if judge is not None:
            yield from judge(self.past, event)
        self.past.fold(event)

    def end(self) -> Iterator[Finding]:
        """Compare what was believed with what was written."""
        yield from judge_memory(self.told, self.past)


@dataclass(slots=True)
class ClusterSubject:
    """A cluster: what is about no partition, and its steps."""

    cluster: Cluster = field(default_factory=Cluster)

    def take(self, event: Event) -> Iterator[Finding]:
        """Judge an event by all before it."""
        yield from self.cluster.take(event)

    def end(self) -> Iterator[Finding]:
        """Compare what was answered with what was ordered."""
        yield from self.cluster.end()


def partitions(events: Iterable[Event]) -> Iterator[Row]:
    """Judge partitions, whose events follow each other in order; yield verdicts."""
    for (cluster, topic, partition), group in groupby(events, _PARTITION):
        key = {"cluster": cluster, "topic": topic, "partition": partition}
        yield from _verdicts(key, PartitionSubject(), group, NEEDS)


def clusters(events: Iterable[Event]) -> Iterator[Row]:
    """Judge clusters by what is about them, in order; yield verdicts."""
    for cluster, group in groupby(events, _CLUSTER):
        key = {"cluster": cluster, "topic": None, "partition": None}
        yield from _verdicts(key, ClusterSubject(), group, CLUSTER_NEEDS)


def _verdicts(
    key: Mapping[str, Any],
    subject: Subject,
    events: Iterable[Event],
    needs: Mapping[str, Sequence[frozenset[str]]],
) -> Iterator[Row]:
    """Judge one subject: a row for each rule that is broken, or one that says that none is."""
    found: dict[str, list[Finding]] = {}
    times: dict[str, int] = {}
    origins: set[str] = set()
    count, latest = 0, None

    def note(findings: Iterable[Finding]) -> None:
        for finding in findings:
            times[finding.rule] = times.get(finding.rule, 0) + 1
            kept = found.setdefault(finding.rule, [])
            if len(kept) < SHOWN:
                kept.append(finding)

    for event in events:
        count += 1
        origins.add(event.origin)
        latest = event.at_ms if latest is None else max(latest, event.at_ms or latest)
        note(subject.take(event))
    note(subject.end())
    unjudged = [rule for rule, sets in needs.items() if not any(need <= origins for need in sets)]
    base = {**VERDICTS.empty, **key, "events": count, "unjudged": unjudged}
    if not found:
        verdict = "unknown" if len(unjudged) == len(needs) else "kept"
        yield {**base, "verdict": verdict, "at_ms": latest, "date": _date(latest), "times": 0}
        return
    for rule in sorted(found):
        yield {**base, "verdict": "broken", **_broken(rule, found[rule], times[rule])}


def _broken(rule: str, findings: Sequence[Finding], times: int) -> Row:
    first = findings[0]
    event = first.shown[-1]
    like = next((each.like for each in findings if each.like), "")
    text = f"{first.text} (looks like {like})" if like and like != rule else first.text
    refs = dict.fromkeys((e.source, e.line) for each in findings for e in each.shown)
    return {
        "rule": rule,
        "text": text,
        "at_ms": event.at_ms,
        "date": _date(event.at_ms),
        "controller_epoch": event.controller_epoch,
        "times": times,
        "evidence": [{"source": source, "line": line} for source, line in refs],
    }


def _date(at_ms: int | None) -> str | None:
    from klamm.tools.pipeline.formats.base import date_of

    return date_of(at_ms)


Pass = Callable[[Iterable[Event]], Iterator[Row]]
