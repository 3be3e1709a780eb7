"""Looking at one partition: is its leadership in line, and has its move come further?"""

from dataclasses import replace

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import Leadership, Partition, TopicPartition
from klamm.controller.core.moves import end, in_line, initialize
from klamm.controller.core.stepping import advance
from klamm.controller.core.steps import current, joined


def check(draft: Draft, cause: Cause, event: CheckPartition) -> None:
    """Bring leadership in line with who is online; if it is in line, end a move that can end.

    A leader that restarted loses the lead even if nobody else can take it; it is elected anew, in
    another epoch, by the check that follows.
    """
    name = event.partition
    partition = draft.partition(name)
    held_for: int | None = None
    if partition is None or draft.unreadable_of(name) or draft.vanishing(name.topic):
        draft.handovers.hold_back(name, held_for)
        draft.settle(cause)
        return
    leadership = partition.leadership
    if leadership is None:
        _lead_first(draft, name, partition)
    else:
        begin = event.reassigned or _is_unheard(draft, partition, leadership)
        changed = in_line(draft, name, partition, leadership, event.restarted, always=begin)
        if not changed and partition.assignment.moving:
            held_for = _go_on(draft, name, partition, leadership)
    draft.handovers.hold_back(name, held_for)
    draft.settle(cause, None, name)


def _lead_first(draft: Draft, name: TopicPartition, partition: Partition) -> None:
    """Let a partition be led for the first time; where nobody has data, no step has to copy any."""
    assignment, pace = partition.assignment, partition.pace
    initialize(draft, name, assignment.replicas)
    led = draft.existing(name).leadership
    if pace is not None and led is not None:
        joining = joined(assignment, led.isr)
        started = None if pace.started is None else pace.started.union(joining)
        draft.pace(name, replace(pace, hosted=current(assignment, led.isr), started=started))


def _go_on(
    draft: Draft, name: TopicPartition, partition: Partition, leadership: Leadership
) -> int | None:
    """End the move or its step, if that is possible; or return for whose answer it waits."""
    if partition.pace is not None:
        return advance(draft, name)
    if draft.rules.complete(partition.assignment, leadership, draft.alive_of(name)):
        return end(draft, name, leadership, draft.rules.finished(partition.assignment))
    return None


def _is_unheard(draft: Draft, partition: Partition, leadership: Leadership) -> bool:
    """Tell whether a move was begun under another controller, and its replicas may not know.

    A stock controller writes the topic's znode first and begins a leader epoch for it after that;
    in between it may end. Replicas refuse all that is told in the epoch that they have, so it is
    begun by whoever takes over. Source: Kafka 3.9, KafkaController.scala,
    initializePartitionReassignments.
    """
    return bool(partition.additions_to_make) and leadership.controller_epoch < draft.state.epoch
