"""I2 to I4, I7 and I9: what controllers say of a partition, in journals and Kafka's own logs.

Entries are in the order of epochs, and within one of its node's clock. Where ZooKeeper's record of
writes is there as well, I9 compares what was believed with what stood in the znodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from klamm.tools.pipeline.history.kinds import METADATA_LOG
from klamm.tools.pipeline.history.rules.event import Event, Form
from klamm.tools.pipeline.history.rules.finding import Finding, Findings
from klamm.tools.pipeline.history.rules.past import Past
from klamm.tools.pipeline.history.rules.writes import NO_LEADER, insane

#: With these a partition begins anew, whatever was known of its name before.
ANEW = frozenset({"initialize", "snapshot-topic", "topic-created", "topic-read", "topic-altered"})
_GONE = frozenset({"topic-deleted", "topic-gone", "deletion-started"})
_ENDS = "end"
_STARTS = frozenset({"accept", "supersede", "cancel"})
_UNKNOWN = -1
#: Members of `detail` of KRaft's records about a partition.
_ELIGIBLE = frozenset({"elr", "last_known_elr"})

State = tuple[int | None, int | None, tuple[int, ...] | None, int | None]


@dataclass(slots=True)
class Told:
    """What controllers have said of one partition until now."""

    last: Form | None = None
    last_event: Event | None = None
    lead: tuple[int, int] | None = None
    #: The partition as the move of the last entry's Commit found it, for what steps make of it.
    first: Form | None = None
    #: What was said last, and is not known to be the end of its Commit; and what is.
    pending: tuple[Form, Event] | None = None
    settled: tuple[Form, Event] | None = None
    #: What was wrong with leader and ISR then: it is told when it begins.
    wrong: str = ""
    #: By KRaft's names: who may lead though out of sync (KIP-966).
    eligible: dict[str, tuple[int, ...]] = field(default_factory=dict)
    #: By the state znode's version: what was believed, and where that was said first.
    states: dict[int, dict[State, Event]] = field(default_factory=dict)
    assignments: dict[tuple[object, ...], Event] = field(default_factory=dict)


def judge_entry(told: Told, event: Event) -> Findings:
    """Judge an entry about the partition, and take it in."""
    if event.kind in _GONE:
        yield from settle(told)
        told.lead = told.last = told.last_event = told.settled = None
        told.wrong = ""
        return
    now = event.after
    if now is None:
        return
    within = _is_within(told, event)
    if not within:
        yield from settle(told)
        told.first = event.before
    if event.origin == METADATA_LOG:
        _keep_eligible(told, event)
    if event.kind == _ENDS and event.before is not None:
        yield from _end(event, event.before, now)
    elif event.kind in _STARTS and event.before is not None:
        yield from _start(event, event.before, now)
    if event.kind in _STARTS:
        told.first = now  # a step that ends in the same Commit is one of this move
    told.last, told.last_event = now, event
    told.pending = now, event


def _keep_eligible(told: Told, event: Event) -> None:
    """Take in what a record changes of it; one that makes the partition says it all."""
    if event.kind in ANEW:
        told.eligible.clear()
    for name, ids in event.said.items():
        if name in _ELIGIBLE:
            told.eligible[name] = tuple(ids)


def _form(told: Told, event: Event, now: Form) -> Findings:
    replicas, adding, removing = (set(each) for each in now.assignment)
    if adding & removing or not replicas >= adding | removing:
        yield _of(told, event, "I2", f"its assignment does not add up: {now}")
    elif now.moving and not now.target:
        yield _of(told, event, "I2", "the target is empty", "H1")
    if now.isr is not None and now.leader is not None and _is_led(now):
        text = insane(now, is_kept=any(told.eligible.values()))
        if text and text != told.wrong:
            yield _of(told, event, "I4", text)
        told.wrong = text
    if now.leader is None or now.leader_epoch is None or now.leader_epoch == _UNKNOWN:
        return
    epoch, leader = told.lead or (_UNKNOWN, NO_LEADER)
    if event.kind in ANEW:
        return
    if now.leader_epoch < epoch:
        text = f"the leader epoch fell from {epoch} to {now.leader_epoch}"
        yield _of(told, event, "I7", text, "F12")
    elif now.leader_epoch == epoch and now.leader != leader:
        yield _of(told, event, "I7", f"leaders {leader} and {now.leader} in epoch {epoch}", "F45")


def _is_led(form: Form) -> bool:
    """Tell whether there is a state znode: without one a journal has -1 throughout."""
    return form.leader_epoch != _UNKNOWN


def _end(event: Event, was: Form, now: Form) -> Findings:
    """I3: a move that ends has RS = target in order, and its target is in sync (KIP-455)."""
    if was.replicas is None or now.replicas is None:
        return
    if now.replicas != was.target:
        text = f"{event.name} ended at {[*now.replicas]}, the target was {[*was.target]}"
        yield Finding("I3", text, (event,))
    if now.isr is not None and _is_led(now) and was.moving:
        late = set(now.replicas) - set(now.isr) - set(was.isr or ())
        if late:
            text = f"{event.name} ended while {sorted(late)} of its target were not in sync"
            yield Finding("I3", text, (event,), "F18")


def _start(event: Event, was: Form, now: Form) -> Findings:
    if was.leader_epoch is None or now.leader_epoch is None:
        return
    same = was.moving and was.assignment == now.assignment
    if event.kind == "supersede" and same and now.leader_epoch > was.leader_epoch:
        text = f"{event.name}: the same target again began leader epoch {now.leader_epoch}"
        yield Finding("N8", text, (event,), "N8")
    led = was.leader is not None and was.leader != NO_LEADER
    if led and now.leader == NO_LEADER and set(now.isr or ()) & set(now.replicas or ()):
        text = f"{event.name}: leader {was.leader} was stopped, and nobody elected: {now}"
        yield Finding("I4", text, (event,), "F16")


def _is_within(told: Told, event: Event) -> bool:
    """Tell whether an entry is about the same Commit as the one before it.

    What a partition is between two decisions of one Commit, ZooKeeper never holds. The first entry
    of a Commit has its writes; the others have the same, or none, and go on from where it ended.
    """
    last = told.last_event
    if last is None or (last.node, last.at_ms) != (event.node, event.at_ms):
        return False
    if event.before != told.last:
        return False
    written, before = event.said.get("writes", ()), last.said.get("writes", ())
    return not written or any(each in before for each in written)


def settle(told: Told) -> Findings:
    """Take what was said last, of a Commit, for what was believed; and judge it."""
    if told.pending is None:
        return
    (form, event), told.pending = told.pending, None
    yield from _form(told, event, form)
    told.settled = form, event
    if form.leader is not None and form.leader_epoch is not None:
        told.lead = (form.leader_epoch, form.leader) if _is_led(form) else None
    if form.version is not None and form.version != _UNKNOWN:
        state = (form.leader, form.leader_epoch, form.isr, form.controller_epoch)
        told.states.setdefault(form.version, {}).setdefault(state, event)
    if form.replicas is not None:
        told.assignments.setdefault(form.assignment, event)


def judge_memory(told: Told, past: Past) -> Findings:
    """I9: whatever a controller said that it believes stood in ZooKeeper with that version."""
    yield from settle(told)
    durable = {form.assignment for _, form in past.assignments}
    for assignment, event in told.assignments.items():
        if durable and assignment not in durable:
            form = Form(*assignment[:3])  # type: ignore[arg-type]  # as `Form.assignment` has it
            text = f"node {event.node} believed of {event.name} what never was: {form}"
            yield Finding("I9", text, (event,), "H5" if event.kind == _ENDS else "F02")
    for version, believed in told.states.items():
        there = {
            (each.leader, each.leader_epoch, each.isr, each.controller_epoch)
            for each in past.states.get(version, ())
        }
        for state, event in believed.items() if past.states else ():
            if state not in there:
                leader, epoch, isr, _ = state
                form = Form(leader=leader, leader_epoch=epoch, isr=isr)
                text = f"node {event.node} believed of {event.name}, version {version}: {form}"
                yield Finding("I9", f"{text}, which never was", (event,), "H5")


def _of(told: Told, event: Event, rule: str, text: str, like: str = "") -> Finding:
    before = (told.settled[1],) if told.settled is not None else ()
    return Finding(rule, f"{event.name}, node {event.node}: {text}", (*before, event), like)


Judge = Callable[[Told, Event], Iterator[Finding]]
