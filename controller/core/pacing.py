"""How far a move in steps is: from requests, from what ZooKeeper says, and from new limits.

A partition has a `Pace` as long as it moves while moves are limited. What of it cannot be derived
from the partition's znodes is in the hints (`klamm.controller.core.hints`); who takes over without
them begins with a first step. None of that is needed to end at the target.

Source: KIP-435; the choice of steps is in `klamm.controller.core.steps`.
"""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.draft import Draft
from klamm.controller.core.model import (
    Assignment,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import (
    UNLIMITED,
    Limits,
    Pace,
    RunningStep,
    StepHints,
    StepNote,
    WaitReason,
)
from klamm.controller.core.steps import (
    Choice,
    Finished,
    Situation,
    current,
    hosted,
    missing,
    next_step,
    ordered,
)
from klamm.controller.znodes.klamm import ReassignmentStep


def situation(draft: Draft, name: TopicPartition, partition: Partition) -> Situation:
    """Return what the next step of the partition's move is chosen from."""
    return Situation.of(partition, draft.alive_of(name), draft.min_isr.of(name.topic))


def look_ahead(draft: Draft, name: TopicPartition) -> Choice | WaitReason | Finished:
    """Find out what is next of a move without a running step, and note why it waits, if it does."""
    partition = draft.existing(name)
    pace = partition.pace
    if pace is None:
        raise KeyError(f"{name} is not moved in steps")
    found = next_step(situation(draft, name, partition), draft.limits.replicas)
    reason = found if isinstance(found, str) else None
    leads = isinstance(found, Choice) and found.kind == "leader"
    after = replace(pace, waiting=reason, leads=leads)
    if after != pace:
        draft.pace(name, after)
        if reason is not None and reason != pace.waiting:
            note(draft, name, "step-waiting", pace.steps + 1, reason=reason)
    return found


def wait(draft: Draft, name: TopicPartition, reason: WaitReason) -> None:
    """Let a move wait that could begin a step, but for what makes it impossible to write one."""
    pace = draft.existing(name).pace
    if pace is not None and pace.waiting != reason:
        draft.pace(name, replace(pace, waiting=reason, leads=False))
        note(draft, name, "step-waiting", pace.steps + 1, reason=reason)


def note(
    draft: Draft,
    name: TopicPartition,
    kind: str,
    number: int,
    running: RunningStep | None = None,
    *,
    dropped: tuple[int, ...] = (),
    settled: tuple[int, ...] = (),
    reason: str | None = None,
) -> None:
    """Write a line about the step of this number, with all that it can be judged by."""
    step = StepNote(
        number,
        draft.limits,
        draft.min_isr.of(name.topic),
        draft.existing(name).hosted,
        running.kind if running else None,
        running.adding if running else (),
        dropped,
        settled,
        running.limit if running else draft.limits.replicas,
        reason,
    )
    draft.note(kind, name=name, step=step)


# --- beginning ---------------------------------------------------------------------------------


def with_logs(partition: Partition) -> set[int]:
    """Return the replicas that may have a log: all but those that no step has come to."""
    assignment, pace = partition.assignment, partition.pace
    if pace is None or pace.started is None:
        return set(assignment.replicas)
    unstarted = set(assignment.adding) - pace.started - set(pace.hosted)
    return set(assignment.replicas) - unstarted


def fresh(draft: Draft, name: TopicPartition, wanted: Assignment) -> Pace | None:
    """Return the pace of a move that a request begins, or gives another target, as of now.

    It counts from the present origin. Who of the former target stays and has joined goes on; all
    others wait for a step that chooses them. None if it is no move, or nothing limits moves.
    """
    if draft.limits.none or not wanted.moving:
        return None
    partition = draft.existing(name)
    held, unit = partition.leadership, draft.units.get(name)
    # Who owes a delete has a log of a former life.
    started: frozenset[int] | None
    started = draft.ledger(name.topic).due(name.partition).intersection(wanted.adding)
    # Whom this turn has dropped already, and now adds again, it tells no delete.
    for former in (partition, unit.before if unit else partition):
        if former.pace is not None and former.pace.started is None:
            started = None
        if former.assignment.moving and started is not None:
            started |= with_logs(former).intersection(former.assignment.adding)
    told = current(wanted, held.isr if held else ())
    return Pace(told, wanted.origin, started=started)


def is_untold(partition: Partition) -> bool:
    """Tell whether brokers have heard nothing of the partition's move, if there is one."""
    pace = partition.pace
    if not partition.assignment.moving:
        return True
    return (
        pace is not None
        and pace.running is None
        and pace.steps == 0
        and pace.started is not None
        and pace.started.isdisjoint(partition.assignment.adding)
    )


# --- reading -----------------------------------------------------------------------------------


def taken_over(partition: Partition, hint: ReassignmentStep | None, limits: Limits) -> Pace:
    """Return the pace of a move that another controller has begun.

    With a hint of this very target its step goes on; without one the next step is a first one.
    """
    assignment, held = partition.assignment, partition.leadership
    isr = held.isr if held else ()
    told = current(assignment, isr)
    if hint is None or hint.target != assignment.target:
        return Pace(told, assignment.origin, started=None)
    pace = Pace(told, hint.origin, hint.step, started=None, ended_ms=hint.since_ms)
    if hint.kind == "deferred":
        return pace
    adding = tuple(broker for broker in assignment.target if broker in hint.adding)
    adding = tuple(broker for broker in adding if broker in assignment.adding)
    limit = limits.replicas
    if limit == UNLIMITED and not set(missing(assignment, isr)).issubset(adding):
        # It was chosen under a limit that has been lifted since.
        limit = max(len(adding), 1)
    before = tuple(broker for broker in told if broker not in adding)
    step = RunningStep(hint.kind, adding, before, hint.since_ms, limit)
    return replace(pace, hosted=hosted(assignment, isr, adding), running=step, ended_ms=0)


def already_running(partition: Partition, now_ms: int) -> Pace:
    """Return the pace of a move that began without limits: its one step runs and goes on."""
    assignment, held = partition.assignment, partition.leadership
    isr = held.isr if held else ()
    leads = held is not None and held.leader not in assignment.target
    step = RunningStep(
        "leader" if leads else "swap", missing(assignment, isr), current(assignment, isr), now_ms
    )
    told = ordered(assignment, assignment.replicas)
    return Pace(told, assignment.origin, running=step, started=frozenset(assignment.adding))


def hosting(partition: Partition) -> Partition:
    """Return the partition as told to all who are in sync, whoever has let them be."""
    pace, held = partition.pace, partition.leadership
    if pace is None or held is None or set(held.isr).issubset(pace.hosted):
        return partition
    told = ordered(partition.assignment, {*pace.hosted, *held.isr})
    return replace(partition, pace=replace(pace, hosted=told))


def paced(draft: Draft, topic: Topic) -> Topic:
    """Return a topic that was read with the paces of its moves; those known go on."""
    if draft.limits.none or not topic.moving:
        return topic
    hints = draft.hints(topic.name).steps
    moves = {}
    for number in topic.moving:
        partition = topic.partitions[number]
        known = draft.partition(TopicPartition(topic.name, number))
        if known is not None and known.pace and known.assignment == partition.assignment:
            moves[number] = hosting(replace(partition, pace=known.pace))
        else:
            pace = taken_over(partition, hints.get(number), draft.limits)
            moves[number] = replace(partition, pace=pace)
    return replace(topic, partitions={**topic.partitions, **moves})


def hints_learned(draft: Draft, topic_name: str, hints: StepHints) -> None:
    """Take what ZooKeeper says of a topic's moves, for those of which nothing else is known."""
    draft.learn_hints(topic_name, hints)
    topic = draft.topic(topic_name)
    if draft.limits.none or topic is None:
        return
    for number in topic.moving:
        name = TopicPartition(topic_name, number)
        partition, hint = draft.partition(name), hints.steps.get(number)
        if partition is not None and hint is not None and _is_unknown(partition.pace):
            pace = taken_over(partition, hint, draft.limits)
            draft.learn_partition(name, replace(partition, pace=pace))


def _is_unknown(pace: Pace | None) -> bool:
    """Tell whether nothing is known of a move but what its znodes say."""
    return pace is not None and pace.started is None and pace.running is None and pace.steps == 0


# --- limits ------------------------------------------------------------------------------------


def limits_changed(draft: Draft, before: Limits) -> None:
    """Let moves be limited from now on, or no more; what runs goes on (R435-9).

    While moves are limited, other limits are for the next choices. Those that begin to be limited
    have one step each, which runs. When no limit is left all replicas are told, as KIP-455 has it.
    """
    limits = draft.limits
    if not (limits.none or before.none):
        look_again(draft, draft.slots.waiting)
        if (limits.replicas == UNLIMITED) != (before.replicas == UNLIMITED):
            _ask_who_leads(draft)
        return
    for topic in tuple(draft.topics()):
        for number in topic.moving:
            name = TopicPartition(topic.name, number)
            partition = topic.partitions[number]
            if limits.none:
                told = partition.hosted
                draft.learn_partition(name, replace(partition, pace=None))
                everybody = len(told) == len(partition.assignment.replicas)
                draft.check_later(name, reassigned=not everybody)
            else:
                draft.learn_partition(name, replace(partition, pace=_limited(draft, name)))
                draft.check_later(name)


def _ask_who_leads(draft: Draft) -> None:
    """Note anew whose next step brings another leader: whole moves leave the lead where they can.

    It has to be known before slots are given away, for each kind has limits of its own.
    """
    for name in (*draft.slots.leaders, *draft.slots.others):
        partition = draft.existing(name)
        pace = partition.pace
        found = next_step(situation(draft, name, partition), draft.limits.replicas)
        leads = isinstance(found, Choice) and found.kind == "leader"
        if pace is not None and leads != pace.leads:
            draft.learn_partition(name, replace(partition, pace=replace(pace, leads=leads)))


def _limited(draft: Draft, name: TopicPartition) -> Pace:
    partition = draft.existing(name)
    if name.topic in draft.topics_read:
        hint = draft.hints(name.topic).steps.get(name.partition)
        return taken_over(partition, hint, draft.limits)
    return already_running(partition, draft.settings.now_ms)


def look_again(draft: Draft, names: Iterable[TopicPartition]) -> None:
    """Look again at what moves in steps wait for."""
    for name in names:
        draft.check_later(name)
