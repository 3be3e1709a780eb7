"""Moving replicas: start, replace, cancel and end are one change of assignment.

Source: KIP-455, "Proposed Changes"; Kafka 3.9, KafkaController.scala (onPartitionReassignment and
its phases U, A and B). Kafka writes each phase on its own; here a partition's share of the topic
znode and its state are one step, so that no crash falls between them.
"""

from klamm.controller.core.admission import may_take
from klamm.controller.core.draft import Draft
from klamm.controller.core.election import first_eligible, is_in_line, repaired
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import NO_LEADER, Assignment, Leadership, Partition, TopicPartition
from klamm.controller.core.pace import Pace
from klamm.controller.core.pacing import fresh, is_untold, look_ahead, with_logs
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.takeovers import check_room, is_ordered, take_over
from klamm.controller.core.topic_checks import debts_unreadable
from klamm.controller.core.validation import NO_PARTITION, NOT_MOVING, check_factor


def alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Start or replace a move, or cancel it, or say why not.

    A target that changes nothing is a success without a write (R455-25, N8). A cancel also takes
    back an order of /admin/reassign_partitions that has not been begun (N10).
    """
    name, target = event.partition, event.target
    bring_in_line(draft, name)
    partition = draft.partition(name)
    unreadable = draft.unreadable_of(name)
    if unreadable:
        text = f"{name} is left alone, for its znode cannot be read: {unreadable}"
        draft.settle(cause, Refusal(Fault.UNKNOWN_SERVER_ERROR, text), name)
        return
    refusal = draft.rules.validate(partition, target, draft.alive)
    if refusal is None and target is not None:
        refusal = NO_PARTITION if name.topic in draft.deleting else draft.too_large.get(name.topic)
    if refusal is None and event.keeps_factor and partition and target is not None:
        refusal = check_factor(partition, target)
    if refusal == NOT_MOVING and partition and is_ordered(draft, name, partition.assignment):
        refusal = None
    if refusal is None and partition is not None:
        refusal = _alter(draft, name, partition, target)
    draft.settle(cause, refusal or Done(), name)


def _alter(
    draft: Draft, name: TopicPartition, partition: Partition, target: tuple[int, ...] | None
) -> Refusal | None:
    """Do what a request asks for that nothing is wrong with, if the partition can do it."""
    if target is None:
        wanted, kind = draft.rules.cancelled(partition.assignment), "cancel"
    else:
        wanted = draft.rules.merge(partition.assignment, target)
        kind = "supersede" if partition.assignment.moving else "accept"
    refusal = check_room(draft, name, wanted)
    if refusal is None and wanted != partition.assignment:
        refusal = reassign(draft, name, wanted)
        if refusal is None:
            note(draft, name, kind)
            draft.unit(name).check_later = True
    if refusal is None:
        take_over(draft, name)
    return refusal


def end(
    draft: Draft, name: TopicPartition, leadership: Leadership, wanted: Assignment
) -> int | None:
    """End a move, or return the broker that must first answer for other leads it was given.

    Those that wait for it go first, see `klamm.controller.core.handovers`.
    """
    successor = _successor(draft, name, leadership, wanted, leadership.isr)
    moves_lead = successor not in (leadership.leader, NO_LEADER)
    if moves_lead and not may_take(draft, successor, name):
        return successor
    # If nobody could lead, or nobody could write who owes a delete, it waits for the next change.
    if reassign(draft, name, wanted) is None:
        if moves_lead:
            draft.unit(name).handover = True
            draft.handovers.begin(successor)
        note(draft, name, "end")
    return None


def bring_in_line(draft: Draft, name: TopicPartition) -> None:
    """Do now what the facts ask for, before a request builds on who leads and who is in sync.

    A leader that is gone, or back with another epoch, is no leader for a request to keep. The
    check that the facts ask for follows all the same; it finds most of its work done.
    """
    partition, due = draft.partition(name), draft.follow_ups.get(name)
    if partition is None or partition.leadership is None:
        return
    restarted = due.restarted if due else frozenset()
    held, replicas = partition.leadership, partition.hosted
    if not restarted and is_in_line(replicas, held, draft.online_of(name)):
        return
    if not (draft.unreadable_of(name) or draft.vanishing(name.topic)):
        in_line(draft, name, partition, held, restarted)


def in_line(
    draft: Draft,
    name: TopicPartition,
    partition: Partition,
    leadership: Leadership,
    restarted: frozenset[int],
    *,
    always: bool = False,
) -> bool:
    """Elect, and shrink the ISR, as who is online demands; tell whether there was need to.

    `always`: begin another leader epoch even if nothing else changes.
    """
    leader, isr = _in_line(draft, name, partition, leadership, restarted)
    if (leader, isr) == (leadership.leader, leadership.isr) and not always:
        return False
    if draft.lead(name, leader, isr):
        draft.tell(name, partition.hosted)
        note(draft, name, _kind(leadership, leader, isr))
        draft.unit(name).check_later = True
    return True


def _in_line(
    draft: Draft,
    name: TopicPartition,
    partition: Partition,
    leadership: Leadership,
    restarted: frozenset[int],
) -> tuple[int, tuple[int, ...]]:
    """Leader and ISR as they should be: without those that restarted, unless they held nothing."""
    replicas, present = partition.hosted, (leadership.leader, leadership.isr)
    online, alive = draft.online_of(name), draft.alive_of(name)
    without = repaired(replicas, leadership, online - restarted, alive - restarted)
    if without != present:
        return without
    return repaired(replicas, leadership, online, alive)


def reassign(
    draft: Draft, name: TopicPartition, wanted: Assignment, pace: Pace | None = None
) -> Refusal | None:
    """Give the partition this assignment: leader and ISR within it, in a new leader epoch.

    A leader that stays a replica and is online stays. Otherwise the first replica of the new list
    that is in the ISR and online leads, before the old one stops (F16). Replicas that are dropped
    stop at once and delete when the leader has acknowledged. Without anybody in sync left the
    change is refused, or, by profile, done without a leader (R455-51, F15).

    `pace` is how far a move in steps is after that; by default it begins. Until its first step
    brokers have nothing to hear of it.
    """
    partition = draft.existing(name)
    dropped = set(partition.assignment.replicas).difference(wanted.replicas)
    leadership = partition.leadership
    following = pace or fresh(draft, name, wanted)
    is_news = following is None or pace is not None or not is_untold(partition)
    refusal = debts_unreadable(draft, name.topic)
    if leadership is not None and refusal is None and is_news:
        refusal = _lead_within(draft, name, leadership, wanted, dropped)
    if refusal:
        return refusal
    draft.assign(name, wanted)
    draft.pace(name, following)
    unit = draft.unit(name)
    if leadership is not None and is_news:
        draft.tell(name, unit.after.hosted)
    # Who was a replica within this turn alone has not been told so.
    unit.dropped = with_logs(unit.before).difference(wanted.replicas)
    unit.lead_to -= dropped
    if following is not None and pace is None:
        look_ahead(draft, name)
    return None


def _lead_within(
    draft: Draft,
    name: TopicPartition,
    leadership: Leadership,
    wanted: Assignment,
    dropped: set[int],
) -> Refusal | None:
    """Take dropped replicas out of the ISR and from the lead; refuse if nobody would remain.

    Who is in sync is not dropped while nobody alive is: which of those that are away comes back
    is not known, and whoever does may be the only one that has the data.
    """
    isr = tuple(broker for broker in leadership.isr if broker not in dropped)
    drops_data = len(isr) < len(leadership.isr)
    may_lose_data = not isr or (drops_data and draft.alive_of(name).isdisjoint(isr))
    if may_lose_data and draft.rules.refuse_unclean:
        return Refusal(
            Fault.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {name.topic}:{name.partition} because it "
            "would require an unclean leader election.",
        )
    leader = _successor(draft, name, leadership, wanted, isr)
    # An ISR must not become empty: its last members say who has the data.
    if not draft.lead(name, leader, isr or leadership.isr):
        return Refusal(
            Fault.UNKNOWN_SERVER_ERROR,
            f"{name} cannot be moved: leader epoch {leadership.leader_epoch} is the last that"
            " there is.",
        )
    return None


def _successor(
    draft: Draft,
    name: TopicPartition,
    leadership: Leadership,
    wanted: Assignment,
    isr: tuple[int, ...],
) -> int:
    """Who leads within the new list: who does now, if it stays and is online, or the first able."""
    if leadership.leader in wanted.replicas and leadership.leader in draft.online_of(name):
        return leadership.leader
    return first_eligible(wanted.replicas, isr, draft.alive_of(name))


def initialize(draft: Draft, name: TopicPartition, replicas: tuple[int, ...]) -> None:
    """Elect the first leader of a new partition, as soon as one of these replicas is online.

    It may have been moved while nobody led it, so whether that move can end is looked at next.

    Source: Kafka 3.9, PartitionStateMachine.scala, initializeLeaderAndIsrForPartitions.
    """
    alive = draft.alive_of(name)
    isr = tuple(broker for broker in replicas if broker in alive)
    if isr:
        draft.lead(name, isr[0], isr)
        draft.tell(name, isr, is_new=isr)
        note(draft, name, "initialize")
        draft.unit(name).check_later = True


def _kind(before: Leadership, leader: int, isr: tuple[int, ...]) -> str:
    """What a check did, in a word for the journal."""
    if leader != before.leader:
        return "elect"
    return "isr-shrink" if isr != before.isr else "resume"


def note(draft: Draft, name: TopicPartition, kind: str) -> None:
    """Write a line about the partition's new state for the journal."""
    draft.unit(name)
    draft.note(kind, name=name)
