"""Kafka's decisions on moves, in the place of klamm's; all others are klamm's own."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import get_args

from klamm.controller.core import decide as klamm
from klamm.controller.core.events import (
    AlterReassignment,
    BeginEntry,
    Cause,
    CheckDeletion,
    CheckPartition,
    DebtsRead,
    Event,
    Fact,
    HintsListRead,
    HintsRead,
    LimitsRead,
    TidyEntries,
)
from klamm.controller.core.model import Assignment, ClusterState, Leadership, TopicPartition
from klamm.controller.core.origins import Origin
from klamm.controller.core.plan import Plan, Publish
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.core.validation import NO_PARTITION
from klamm.controller.znodes import paths
from klamm.tools.lab.apache.steps import Steps, is_complete

#: What Kafka knows nothing of: deletes owed, of which it keeps no account, and moves in steps.
_UNKNOWN_FACTS = (DebtsRead, LimitsRead, HintsListRead, HintsRead)
#: What is read, and what brokers answer.
_KNOWN_FACTS = tuple(fact for fact in get_args(Fact) if fact not in _UNKNOWN_FACTS)

_FAILED = Refusal(
    Fault.UNKNOWN_SERVER_ERROR,
    "The server experienced an unexpected error when processing the request.",
)


def decide(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide one event after the other, each over the state that the one before leaves.

    What klamm decides on a partition never ends a move: that is phase B's.
    """
    steps = Steps(state, settings)
    ordered = sorted(causes, key=lambda cause: _rank(cause.event))
    facts = [cause for cause in ordered if isinstance(cause.event, _KNOWN_FACTS)]
    if facts:
        steps.extend(_klamms(steps, *facts))
    others = [cause for cause in ordered if not isinstance(cause.event, _KNOWN_FACTS)]
    for is_request, together in groupby(others, key=_request):
        group = list(together)
        if is_request:
            _make_way(steps, group)
        for cause in group:
            _decide(steps, cause)
    return steps.plan


def _rank(event: Event) -> tuple[int, bool]:
    """As klamm's; what the admin znode says comes before what topics' znodes say of moves."""
    return klamm.DECISIONS[type(event)][0], isinstance(event, CheckPartition)


def _request(cause: Cause) -> tuple[Origin | None] | None:
    """Tell causes of one AlterPartitionReassignments request from others."""
    return (cause.origin,) if isinstance(cause.event, AlterReassignment) else None


def _decide(steps: Steps, cause: Cause) -> None:
    steps.cause = cause.id
    match cause.event:
        case AlterReassignment() as event:
            _alter(steps, event)
        case BeginEntry() as event:
            _begin(steps, event)
        case TidyEntries():
            steps.settle()  # each end of a move strikes its own entry
        case DebtsRead() | LimitsRead() | HintsListRead() | HintsRead():
            steps.settle()
        case CheckPartition() as event if _has_work(steps, cause, event):
            steps.go_on(event.partition)
            _end(steps, event.partition)
        case _:
            steps.extend(_klamms(steps, cause))


def _klamms(steps: Steps, *causes: Cause) -> Plan:
    rules = replace(steps.settings.rules, complete=_never)
    return klamm.decide(steps.state, causes, replace(steps.settings, rules=rules))


def _never(assignment: Assignment, leadership: Leadership, online: object) -> bool:
    return False


def _make_way(steps: Steps, causes: Sequence[Cause]) -> None:
    """Strike the admin znode's entries for what a request gives other targets, before all else.

    Source: KafkaController.scala, maybeRemoveFromZkReassignment (H4, N9, N10).
    """
    if not steps.settings.rules.api_takes_over:
        return
    events = [cause.event for cause in causes if isinstance(cause.event, AlterReassignment)]
    steps.cause = causes[0].id
    steps.strike(event.partition for event in events if _refusal(steps, event) is None)


def _refusal(steps: Steps, event: AlterReassignment) -> Refusal | None:
    partition = steps.state.partition(event.partition)
    return steps.settings.rules.validate(partition, event.target, steps.state.alive)


def _begin(steps: Steps, event: BeginEntry) -> None:
    """Carry out an entry of the admin znode; nobody asks whether its brokers are there (H2)."""
    name, target = event.partition, steps.state.admin.target(event.partition)
    partition = steps.state.partition(name)
    if target is None or _is_unreadable(steps.state, name):
        steps.settle()
    elif partition is None or name.topic in steps.state.deleting:
        steps.strike((name,))
        steps.settle()
    else:
        wanted = steps.settings.rules.merge(partition.assignment, target)
        steps.reassign(name, wanted, "supersede" if partition.assignment.moving else "accept")
        _end(steps, name)


def _alter(steps: Steps, event: AlterReassignment) -> None:
    """Start, replace or cancel a move (KafkaController.processApiPartitionReassignment)."""
    name, target, rules = event.partition, event.target, steps.settings.rules
    partition = steps.state.partition(name)
    refusal = _refusal(steps, event)
    if refusal is None and name.topic in steps.state.deleting:
        refusal = NO_PARTITION
    if refusal or partition is None:
        steps.settle(refusal or NO_PARTITION)
        return
    if _is_unreadable(steps.state, name):
        steps.settle(_FAILED)
        return
    before = partition.assignment
    if target is None:
        steps.reassign(name, rules.cancelled(before), "cancel")
    else:
        kind = "supersede" if before.moving else "accept"
        steps.reassign(name, rules.merge(before, target), kind)
    # Without a state znode the step after U fails, though U is done (N3).
    _end(steps, name, _FAILED if partition.leadership is None else Done())


def _end(steps: Steps, name: TopicPartition, result: Done | Refusal | None = None) -> None:
    """B8, or the end of phase A: a topic that waits to be deleted is looked at again."""
    queued = name.topic in steps.state.deleting
    follow_ups = (CheckDeletion(name.topic),) if queued else ()
    steps.settle(result, (Publish(name),), follow_ups)


def _has_work(steps: Steps, cause: Cause, event: CheckPartition) -> bool:
    """Tell whether this look at a partition is one of Kafka's triggers for its move.

    They are a changed ISR, a target that starts, and a failover, after which no state of a moving
    partition has our epoch. What must be repaired first, a leader that is gone, is klamm's.
    """
    name = event.partition
    partition = steps.state.partition(name)
    if partition is None or partition.leadership is None or not partition.assignment.moving:
        return False
    if steps.state.vanishing(name.topic) or _is_unreadable(steps.state, name):
        return False
    taken_over = partition.leadership.controller_epoch != steps.state.epoch
    started = event.restarted.intersection(partition.assignment.target)
    if not (is_complete(partition) or taken_over or started or event.reassigned):
        return False
    held, repaired = partition.leadership, Steps(steps.state, steps.settings)
    repaired.extend(_klamms(steps, cause))
    would_be = repaired.partition(name).leadership
    return would_be is not None and (would_be.leader, would_be.isr) == (held.leader, held.isr)


def _is_unreadable(state: ClusterState, name: TopicPartition) -> bool:
    return bool({paths.topic(name.topic), paths.state(*name)}.intersection(state.unreadable))
