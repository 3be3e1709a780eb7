"""What stands in the way of changing a topic as a whole."""

from klamm.controller.core.draft import Draft
from klamm.controller.core.model import Topic, TopicPartition
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.znodes import paths

#: What both requests of KIP-179 come to while `anything_moves`.
IN_PROGRESS = Refusal(Fault.REASSIGNMENT_IN_PROGRESS, "A partition reassignment is in progress.")


def unreadable(draft: Draft, name: str) -> Refusal | None:
    """Refuse to touch a topic whose znode cannot be read; None if it can, or there is none."""
    why = draft.unreadable.get(paths.topic(name))
    if why is None:
        return None
    text = f"Topic '{name}' is left alone, for its znode cannot be read: {why}"
    return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)


def debts_unreadable(draft: Draft, name: str) -> Refusal | None:
    """Refuse to change or delete a topic's replicas while nobody can write down who owes what."""
    why = draft.unreadable.get(paths.replica_deletions(name))
    if why is None:
        return None
    text = f"The replicas of topic '{name}' stay while nobody can write down who owes a delete"
    return Refusal(Fault.UNKNOWN_SERVER_ERROR, f"{text}: {why}")


def is_moving(draft: Draft, topic: Topic) -> bool:
    """Tell whether any partition of the topic moves, by what has been decided so far."""
    names = (TopicPartition(topic.name, number) for number in topic.partitions)
    return any(p.assignment.moving for name in names if (p := draft.partition(name)))


def anything_moves(draft: Draft) -> bool:
    """Tell whether any partition of the cluster moves, or /admin/reassign_partitions orders it."""
    if draft.admin.entries:
        return True
    if any(unit.after.assignment.moving for unit in draft.units.values()):
        return True
    moving = (
        TopicPartition(topic.name, number) for topic in draft.topics() for number in topic.moving
    )
    return next(moving, None) is not None
