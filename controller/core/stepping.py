"""Moves in steps: a step begins when there is a slot, and ends when what it adds is in sync.

A step begins with the hint of it and a leader epoch in which brokers are told of those it adds. It
ends with one write of the partition's share of the topic, its state, the hint, and the deletes that
are owed then, so that no cancel meets half of it (R435-31). Between two steps nothing is copied.

Source: KIP-435, "Algorithm"; Kafka 3.9 has one step, KafkaController.scala,
onPartitionReassignment.
"""

from dataclasses import replace

from klamm.controller.core.admission import may_take
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import BeginStep, Cause
from klamm.controller.core.hints import hint_of
from klamm.controller.core.model import Assignment, Leadership, Partition, TopicPartition
from klamm.controller.core.moves import bring_in_line, end, reassign
from klamm.controller.core.moves import note as note_change
from klamm.controller.core.pace import UNLIMITED, Pace, RunningStep, StepKind
from klamm.controller.core.pacing import look_ahead, note, situation, wait
from klamm.controller.core.steps import (
    FINISHED,
    Choice,
    after_drop,
    current,
    dropped,
    hosted,
    in_sync,
    is_offline,
    is_over,
    is_void,
    missing,
)


def advance(draft: Draft, name: TopicPartition) -> int | None:
    """Go on with a move whose leadership is in line: end its step, or find out what is next.

    Returns the broker that must first answer for other leads it was given, if that is what the
    step's end waits for.
    """
    partition = draft.existing(name)
    pace = partition.pace
    if pace is None:
        return None
    if hint_of(partition) != draft.hints(name.topic).steps.get(name.partition):
        draft.unit(name)  # whose Commit writes it
    running = pace.running
    if running is None:
        return _between(draft, name, partition, pace)
    if pace.started is None:
        _stop_others(draft, name, partition, pace)
    now = situation(draft, name, partition)
    if is_over(now, running):
        return _end_step(draft, name, running)
    if is_void(now, running):
        absent = any(broker not in now.alive for broker in running.adding)
        reason = "offline" if is_offline(now) else "target-offline" if absent else "void"
        _give_up(draft, name, running, reason)
    return None


def _between(draft: Draft, name: TopicPartition, partition: Partition, pace: Pace) -> int | None:
    """Look ahead; end a move that has come to its target."""
    found = look_ahead(draft, name)
    held = partition.leadership
    if held is not None and (found == FINISHED or _may_end(draft, name, partition, held, found)):
        held_for = end(draft, name, held, draft.rules.finished(partition.assignment))
        if held_for is None and draft.existing(name).assignment.moving:
            wait(draft, name, "not-in-sync")
        return held_for
    if pace.started is None:
        draft.unstopped[name] = None
    return None


def _may_end(
    draft: Draft,
    name: TopicPartition,
    partition: Partition,
    held: Leadership,
    found: object,
) -> bool:
    """Tell whether a move that waits may end by its profile, though not all are in sync."""
    assignment = partition.assignment
    return (
        found == "not-in-sync"
        and not missing(assignment, held.isr)
        and len(assignment.removing) <= draft.limits.replicas
        and draft.rules.complete(assignment, held, draft.alive_of(name))
    )


# --- the end of a step -------------------------------------------------------------------------


def _end_step(draft: Draft, name: TopicPartition, running: RunningStep) -> int | None:
    """End a step, unless it has to wait for the broker that is returned."""
    if running.limit == UNLIMITED:
        return _end_whole(draft, name, running)
    if running.kind == "leader":
        held_for = _elect(draft, name)
        led = draft.existing(name)
        if led.leader != led.assignment.target[0]:
            if held_for is None:
                _leave_slot(draft, name, running)
            return held_for
    before = draft.existing(name)
    now = situation(draft, name, before)
    drops = dropped(now, running)
    wanted = after_drop(before.assignment, in_sync(now), drops)
    after = _ended(draft, before, wanted) if wanted.moving else None
    if drops:
        if reassign(draft, name, wanted, after) is not None:
            _leave_slot(draft, name, running)
            return None
    else:
        draft.pace(name, after)
    settled = tuple(b for b in before.assignment.adding if b not in wanted.adding)
    number = before.pace.steps + 1 if before.pace else 1
    note(draft, name, "step-end", number, running, dropped=drops, settled=settled)
    draft.unit(name).check_later = True
    if after is None:
        note_change(draft, name, "end")
    else:
        look_ahead(draft, name)
    return None


def _ended(draft: Draft, partition: Partition, wanted: Assignment) -> Pace | None:
    """Return the pace once a step is over that leaves this assignment."""
    pace = partition.pace
    if pace is None:
        return None
    told = tuple(broker for broker in pace.hosted if broker in wanted.replicas)
    ended_ms = draft.settings.now_ms
    return replace(pace, hosted=told, steps=pace.steps + 1, running=None, ended_ms=ended_ms)


def _end_whole(draft: Draft, name: TopicPartition, running: RunningStep) -> int | None:
    """End a step that is all of its move, as KIP-455 ends moves (R435-35)."""
    before = draft.existing(name)
    held = before.leadership
    if held is None or not draft.rules.complete(before.assignment, held, draft.alive_of(name)):
        return None
    held_for = end(draft, name, held, draft.rules.finished(before.assignment))
    if not draft.existing(name).assignment.moving:
        number = before.pace.steps + 1 if before.pace else 1
        gone, came = before.assignment.removing, before.assignment.adding
        note(draft, name, "step-end", number, running, dropped=gone, settled=came)
    elif held_for is None:
        _leave_slot(draft, name, running)
    return held_for


def _leave_slot(draft: Draft, name: TopicPartition, running: RunningStep) -> None:
    """Let others have the slot of a step whose end cannot be written: it copies nothing any more.

    Nobody could write who owes a delete, or there is no leader epoch left. It waits for a change.
    """
    pace = draft.existing(name).pace
    if pace is not None:
        draft.pace(name, replace(pace, running=None))
        note(draft, name, "step-abandoned", pace.steps + 1, running, reason="void")
        wait(draft, name, "not-in-sync")


def _elect(draft: Draft, name: TopicPartition) -> int | None:
    """Give the lead to the target's first; or return that broker if it has to answer first."""
    partition = draft.existing(name)
    preferred, held = partition.assignment.target[0], partition.leadership
    if held is None or held.leader == preferred:
        return None
    if not may_take(draft, preferred, name):
        return preferred
    if draft.lead(name, preferred, held.isr):
        draft.tell(name, partition.hosted)
        draft.unit(name).handover = True
        draft.handovers.begin(preferred)
        note_change(draft, name, "elect")
    return None


def _give_up(draft: Draft, name: TopicPartition, running: RunningStep, reason: str) -> None:
    """Plan a step anew that cannot end: those it adds stop, and keep their logs (R435-26)."""
    partition = draft.existing(name)
    pace, held = partition.pace, partition.leadership
    if pace is None:
        return
    isr = held.isr if held else ()
    told = current(partition.assignment, isr)
    draft.pace(name, replace(pace, hosted=told, running=None))
    if held is not None and set(told) != set(pace.hosted) and draft.lead(name, held.leader, isr):
        draft.tell(name, told)
    note(draft, name, "step-abandoned", pace.steps + 1, running, reason=reason)
    draft.unit(name).check_later = True
    look_ahead(draft, name)


# --- the begin of a step -----------------------------------------------------------------------


def begin(draft: Draft, cause: Cause, event: BeginStep) -> None:
    """Begin the next step of a move, if there is one, and a slot for it."""
    name = event.partition
    partition = draft.partition(name)
    if partition is not None and partition.pace is not None and partition.pace.pending:
        if draft.immovable(name):
            wait(draft, name, "offline")
        else:
            bring_in_line(draft, name)
            draft.handovers.hold_back(name, _begin(draft, name))
    draft.settle(cause, None, name)


def _begin(draft: Draft, name: TopicPartition) -> int | None:
    """Begin what is next; or end the move, unless it waits for the broker that is returned."""
    choice = look_ahead(draft, name)
    partition = draft.existing(name)
    pace, held = partition.pace, partition.leadership
    if pace is None or held is None:
        return None
    if not isinstance(choice, Choice) or not _has_slot(draft, choice.kind):
        return _between(draft, name, partition, pace)
    assignment, adding = partition.assignment, choice.adding
    told = hosted(assignment, held.isr, adding)
    is_news = set(told) != set(pace.hosted)
    if is_news and not draft.lead(name, held.leader, held.isr):
        wait(draft, name, "not-in-sync")
        return None
    step = RunningStep(
        choice.kind,
        adding,
        current(assignment, held.isr),
        draft.settings.now_ms,
        draft.limits.replicas,
    )
    started = None if pace.started is None else pace.started.union(adding)
    after = replace(pace, hosted=told, running=step, leads=False, started=started)
    draft.pace(name, after)
    draft.begun[choice.kind] += 1
    if is_news:
        draft.tell(name, told)
    if started is None:
        _stop_others(draft, name, draft.existing(name), after)
    note(draft, name, "step-begin", pace.steps + 1, step)
    draft.unit(name).check_later = True
    return None


def _has_slot(draft: Draft, kind: StepKind) -> bool:
    """Tell whether one more step may run; what this turn ends is not over before it is durable."""
    now, before, limits = draft.slots, draft.state.slots, draft.limits
    begun = draft.begun["leader"]
    if kind == "leader" and max(now.running_leaders, before.running_leaders + begun) >= (
        limits.leaders
    ):
        return False
    running = max(len(now.running), len(before.running) + draft.begun.total())
    return running < limits.partitions


def _stop_others(draft: Draft, name: TopicPartition, partition: Partition, pace: Pace) -> None:
    """Stop adding replicas of which nobody knows whether they copy, for no step adds them."""
    adding = partition.assignment.adding
    draft.pace(name, replace(pace, started=frozenset(adding)))
    draft.unit(name).stopped.update(set(adding).difference(pace.hosted) & draft.online)
