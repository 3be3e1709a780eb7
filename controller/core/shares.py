"""How much of a topic one Commit can hold: more is refused before anything is written.

A topic's znode is written whole, so its share of a Commit cannot be cut. Beyond the limit the
topic could not be moved, grown or deleted any more.
"""

from collections.abc import Mapping
from dataclasses import replace

from klamm.controller.core.draft import Draft
from klamm.controller.core.hints import hints_bound
from klamm.controller.core.ledgers import ledger_bound
from klamm.controller.core.model import Partition, Topic, TopicPartition
from klamm.controller.core.packing import COMMIT_BYTES
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.sizes import op_size
from klamm.controller.core.writes import state_ops, topic_write

#: What one partition's state and the fence may take of a Commit besides the topic's znode.
STATE_BYTES = 2_000


def too_many_partitions(partitions: int, replicas: int, largest_id: int) -> Refusal | None:
    """Refuse, before any is assigned, more partitions than one topic znode can hold.

    Each takes `"number":[id,id,...],` of the znode, which is written in one multi.
    """
    share = len(str(partitions - 1)) + 5 + replicas * (len(str(largest_id)) + 1)
    limit = COMMIT_BYTES // share
    if partitions <= limit:
        return None
    return Refusal(
        Fault.INVALID_PARTITIONS,
        f"Number of partitions was set to {partitions}, but a topic's znode holds about {limit} "
        f"at most with {replicas} replicas each.",
    )


def oversized(draft: Draft) -> dict[str, Refusal]:
    """Find topics that would not fit into one Commit any more with what this turn moves.

    All targets for such a topic are refused, so that nothing of it is half begun (R455-110).
    """
    moved: dict[str, dict[int, Partition]] = {}
    for name, unit in draft.units.items():
        if unit.after.assignment != unit.before.assignment:
            moved.setdefault(name.topic, {})[name.partition] = unit.after
    for topic_name, rewrite in draft.rewrites.items():
        if rewrite.whole:
            moved.setdefault(topic_name, {})
    found = {}
    for topic_name, partitions in moved.items():
        topic = draft.topic(topic_name)
        if topic is None:
            continue
        after = replace(topic, partitions={**topic.partitions, **partitions})
        debts = _debts_bound(draft, after) + _states(draft, topic, partitions)
        if not draft.limits.none:
            debts += hints_bound(topic_name, map(after.partitions.__getitem__, after.moving))
        if not topic.extra and size_bound(after) + debts <= COMMIT_BYTES:
            continue
        size = op_size(topic_write(after, draft.settings)) + debts + STATE_BYTES
        if size > COMMIT_BYTES:
            text = f"Topic '{topic_name}' would take {size} bytes in ZooKeeper after this, and one"
            text += f" write holds {COMMIT_BYTES}: move or add fewer partitions of it at a time."
            found[topic_name] = Refusal(Fault.INVALID_REQUEST, text)
    return found


def _states(draft: Draft, topic: Topic, moved: Mapping[int, Partition]) -> int:
    """Bytes of the states that are written with the topic's znode, if all must be."""
    rewrite = draft.rewrites.get(topic.name)
    if rewrite is None or not rewrite.whole:
        return 0
    names = (TopicPartition(topic.name, number) for number in moved)
    return sum(op_size(op) for tp in names for op in state_ops(tp, draft.unit(tp), topic.bare))


def _debts_bound(draft: Draft, topic: Topic) -> int:
    """Bytes that the deletes take at most that are owed now, and when all these moves have ended.

    The end of a move drops what is removing, a cancel what is adding.
    """
    moving = [topic.partitions[number].assignment for number in topic.moving]
    dropped = sum(len(each.adding) + len(each.removing) for each in moving)
    return ledger_bound(topic.name, draft.ledger(topic.name), dropped, len(moving))


def size_bound(topic: Topic) -> int:
    """Bytes that the topic's znode does not exceed, found without writing it; for most, enough."""
    ids = sum(
        len(a.replicas) + len(a.adding) + len(a.removing)
        for a in (partition.assignment for partition in topic.partitions.values())
    )
    return 12 * ids + 48 * len(topic.partitions) + STATE_BYTES + 1_000
