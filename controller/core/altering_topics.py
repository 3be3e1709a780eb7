"""Altering a topic as a whole: its partition count, its factor and its replicas, in one write.

New partitions and the moves of old ones stand in the topic's znode together or not at all: no
crash, and no other controller, comes between them. From then on each move is one like any other.

"It will not be possible to have multiple reassignments running concurrently" (KIP-179, "Possible
Error Codes"): a request may move something while nothing else does. The topics of one request are
one reassignment; that they are of one is known by the numbers of their causes, which follow each
other as the topics do.
"""

from klamm.controller.core.altered_topics import Change, Present, change_of
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterTopic, Cause
from klamm.controller.core.growth import grow
from klamm.controller.core.model import Topic, TopicPartition
from klamm.controller.core.moves import bring_in_line, note, reassign
from klamm.controller.core.plan import Entry
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.topic_checks import (
    IN_PROGRESS,
    anything_moves,
    debts_unreadable,
    is_moving,
    unreadable,
)
from klamm.controller.znodes.parsing import INT32_MAX


def alter_topic(draft: Draft, cause: Cause, event: AlterTopic) -> None:
    """Begin to make the topic what is asked for, or say why not; nothing is done by halves."""
    topic = _find(draft, event.name)
    if isinstance(topic, Refusal):
        draft.settle(cause, topic)
        return
    names = {number: TopicPartition(topic.name, number) for number in topic.partitions}
    assignments = {number: draft.existing(name).assignment for number, name in names.items()}
    change = change_of(Present(assignments, draft.brokers, draft.alive), event)
    if change == Change():
        draft.settle(cause, Done())
        return
    if not isinstance(change, Refusal):
        for number in change.moved:
            bring_in_line(draft, names[number])
    request = cause.id - event.place
    refusal = change if isinstance(change, Refusal) else _hindered(draft, request, topic, change)
    if isinstance(change, Refusal) or refusal:
        draft.settle(cause, refusal)
        return
    if change.moved:
        draft.begin_alteration(request)
    count = len(assignments) + len(change.added)
    text = f"{len(assignments)} to {count} partitions, {len(change.moved)} of them move"
    entry = Entry("topic-altered", text, cause.id, None, topic.name)
    grow(draft, topic, change.added, (cause.id, Done()), entry, whole=True)
    for number, target in change.moved.items():
        _move(draft, names[number], target)


def _find(draft: Draft, name: str) -> Topic | Refusal:
    """Return the topic, if it can be altered at all."""
    refusal = unreadable(draft, name)
    if refusal:
        return refusal
    topic = draft.topic(name)
    if topic is None or name in draft.creations:
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, f"Topic {name} does not exist.")
    if name in draft.deleting:
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, f"Topic {name} is queued for deletion.")
    return topic


def _hindered(draft: Draft, request: int, topic: Topic, change: Change) -> Refusal | None:
    """Refuse what cannot be begun now: something moves, or something cannot be written."""
    if change.moved and draft.alteration != request and anything_moves(draft):
        return IN_PROGRESS
    if is_moving(draft, topic):
        return IN_PROGRESS
    if change.moved:
        refusal = debts_unreadable(draft, topic.name)
        if refusal:
            return refusal
    for number in change.moved:
        text = _immovable(draft, TopicPartition(topic.name, number))
        if text:
            return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)
    return draft.too_large.get(topic.name)


def _immovable(draft: Draft, name: TopicPartition) -> str:
    """Why a partition cannot begin to move, whatever the target is; "" if it can."""
    why, held = draft.unreadable_of(name), draft.existing(name).leadership
    if why:
        return f"{name} is left alone, for its znode cannot be read: {why}"
    if held is not None and held.leader_epoch >= INT32_MAX:
        return f"{name} cannot be moved: leader epoch {held.leader_epoch} is the last there is."
    if held is not None and not held.isr:
        return f"{name} cannot be moved: its state names no replica in sync."
    return ""


def _move(draft: Draft, name: TopicPartition, target: tuple[int, ...]) -> None:
    """Begin a move that nothing hinders."""
    present = draft.existing(name).assignment
    refusal = reassign(draft, name, draft.rules.merge(present, target))
    if refusal:
        raise RuntimeError(f"{name} was to move to {[*target]}: {refusal.message}")
    note(draft, name, "accept")
    draft.unit(name).check_later = True
