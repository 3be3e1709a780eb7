"""Moving replicas: start, replace, cancel and end are one change of assignment.

Source: KIP-455, "Proposed Changes"; Kafka 3.9, KafkaController.scala (onPartitionReassignment and
its phases U, A and B). Kafka writes each phase on its own; here a partition's share of the topic
znode and its state are one step, so that no crash falls between them.
"""

from klamm.controller.core.draft import Draft
from klamm.controller.core.election import first_eligible, repaired
from klamm.controller.core.events import AlterReassignment, Cause, CheckPartition
from klamm.controller.core.model import Assignment, Leadership, Partition, TopicPartition
from klamm.controller.core.plan import Entry
from klamm.controller.core.results import Done, Fault, Refusal


def alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Start or replace a move, or cancel it, or say why not.

    A target that changes nothing is a success without a write (R455-25, N8).
    """
    name, target = event.partition, event.target
    partition = draft.partition(name)
    unreadable = draft.unreadable_of(name)
    if unreadable:
        text = f"{name} is left alone, for its znode cannot be read: {unreadable}"
        draft.settle(cause, Refusal(Fault.UNKNOWN_SERVER_ERROR, text), name)
        return
    refusal = draft.rules.validate(partition, target, draft.online)
    if refusal or partition is None:
        draft.settle(cause, refusal, name)
        return
    if target is None:
        wanted, kind = draft.rules.cancelled(partition.assignment), "cancel"
    else:
        wanted, kind = draft.rules.merge(partition.assignment, target), "start"
    if wanted != partition.assignment:
        refusal = reassign(draft, name, wanted)
        if refusal:
            draft.settle(cause, refusal, name)
            return
        note(draft, name, kind)
        draft.unit(name).check_later = True
    draft.settle(cause, Done(), name)


def check(draft: Draft, cause: Cause, event: CheckPartition) -> None:
    """Bring leadership in line with who is online; if it is in line, end a move that can end.

    A leader that restarted loses the lead even if nobody else can take it; it is elected anew, in
    another epoch, by the check that follows.
    """
    name = event.partition
    partition = draft.partition(name)
    if partition is None or draft.unreadable_of(name):
        draft.settle(cause)
        return
    leadership = partition.leadership
    if leadership is None:
        initialize(draft, name, partition.assignment)
    else:
        leader, isr = _in_line(draft, partition, leadership, event.restarted)
        if (leader, isr) != (leadership.leader, leadership.isr) or event.reassigned:
            if draft.lead(name, leader, isr):
                draft.tell(name, partition.assignment.replicas)
                note(draft, name, _kind(leadership, leader, isr))
                draft.unit(name).check_later = True
        elif (
            partition.assignment.moving
            and draft.rules.complete(partition.assignment, leadership, draft.online)
            # A refusal means that nobody could lead: the move waits for the next change.
            and reassign(draft, name, draft.rules.finished(partition.assignment)) is None
        ):
            note(draft, name, "complete")
    draft.settle(cause, None, name)


def _in_line(
    draft: Draft, partition: Partition, leadership: Leadership, restarted: frozenset[int]
) -> tuple[int, tuple[int, ...]]:
    """Leader and ISR as they should be: without those that restarted, unless they held nothing."""
    replicas, present = partition.assignment.replicas, (leadership.leader, leadership.isr)
    without = repaired(replicas, leadership, draft.online - restarted)
    return without if without != present else repaired(replicas, leadership, draft.online)


def reassign(draft: Draft, name: TopicPartition, wanted: Assignment) -> Refusal | None:
    """Give the partition this assignment: leader and ISR within it, in a new leader epoch.

    A leader that stays a replica and is online stays. Otherwise the first replica of the new list
    that is in the ISR and online leads, before the old one stops (F16). Replicas that are dropped
    stop at once and delete when the leader has acknowledged. Without anybody in sync left the
    change is refused, or, by profile, done without a leader (R455-51, F15).
    """
    partition = draft.existing(name)
    dropped = set(partition.assignment.replicas).difference(wanted.replicas)
    leadership = partition.leadership
    if leadership is not None:
        refusal = _lead_within(draft, name, leadership, wanted, dropped)
        if refusal:
            return refusal
    draft.assign(name, wanted)
    if leadership is not None:
        draft.tell(name, wanted.replicas)
    unit = draft.unit(name)
    unit.dropped.update(dropped)
    unit.dropped.difference_update(wanted.replicas)
    unit.lead_to.difference_update(dropped)
    return None


def _lead_within(
    draft: Draft,
    name: TopicPartition,
    leadership: Leadership,
    wanted: Assignment,
    dropped: set[int],
) -> Refusal | None:
    """Take dropped replicas out of the ISR and from the lead; refuse if nobody would remain."""
    isr = tuple(broker for broker in leadership.isr if broker not in dropped)
    was_in_sync = not draft.online.isdisjoint(leadership.isr)
    is_in_sync = not draft.online.isdisjoint(isr)
    loses_data = not isr or (was_in_sync and not is_in_sync)
    if loses_data and draft.rules.refuse_unclean:
        return Refusal(
            Fault.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {name.topic}:{name.partition} because it "
            "would require an unclean leader election.",
        )
    leader = leadership.leader
    if leader in dropped or leader not in draft.online:
        leader = first_eligible(wanted.replicas, isr, draft.online)
    # An ISR must not become empty: its last members say who has the data.
    if not draft.lead(name, leader, isr or leadership.isr):
        return Refusal(
            Fault.UNKNOWN_SERVER_ERROR,
            f"{name} cannot be moved: leader epoch {leadership.leader_epoch} is the last that"
            " there is.",
        )
    return None


def initialize(draft: Draft, name: TopicPartition, assignment: Assignment) -> None:
    """Elect the first leader of a new partition, as soon as one of its replicas is online.

    It may have been moved while nobody led it, so whether that move can end is looked at next.

    Source: Kafka 3.9, PartitionStateMachine.scala, initializeLeaderAndIsrForPartitions.
    """
    isr = tuple(broker for broker in assignment.replicas if broker in draft.online)
    if isr:
        draft.lead(name, isr[0], isr)
        draft.tell(name, isr, is_new=isr)
        note(draft, name, "initialize")
        draft.unit(name).check_later = True


def _kind(before: Leadership, leader: int, isr: tuple[int, ...]) -> str:
    """What a check did, in a word for the journal."""
    if leader != before.leader:
        return "elect"
    return "shrink" if isr != before.isr else "resume"


def note(draft: Draft, name: TopicPartition, kind: str) -> None:
    """Write a line about the partition's new state for the journal."""
    unit = draft.unit(name)
    assignment, leadership = unit.after.assignment, unit.after.leadership
    text = f"{name}: replicas {list(assignment.replicas)}"
    if assignment.moving:
        text += f" adding {list(assignment.adding)} removing {list(assignment.removing)}"
    if leadership:
        text += f" leader {leadership.leader} epoch {leadership.leader_epoch}"
        text += f" isr {list(leadership.isr)}"
    unit.entries.append(Entry(kind, text))
