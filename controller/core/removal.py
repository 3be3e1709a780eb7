"""Removing what a topic leaves in ZooKeeper, once no broker holds a log of it any more.

From below to above, so that whoever finds a part of it can go on: a partition's state before the
partition (F51), and the topic's own znode last, together with its configs and the child of
/admin/delete_topics. A topic too large for one Commit goes in several, each the next turn's.

What we do not know of is found when a removal fails for it: then everything below the topic's
znodes is read, and what nobody of us has made goes first.

Source: Kafka 3.9, TopicDeletionManager.scala, completeDeleteTopic; KafkaZkClient.scala,
deleteTopicZNode; there each znode is deleted with all that is below it.
"""

from collections.abc import Collection

from klamm.controller.core.changes import (
    Change,
    SetBelow,
    SetDeletion,
    SetLedger,
    SetPartition,
    SetTopic,
    SetUnreadable,
    TouchTopic,
)
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import Cause, CheckDeletion, FollowUp, RemoveZnode
from klamm.controller.core.model import Deletion, Ledger, Partition, Topic, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete, Op
from klamm.controller.core.packing import COMMIT_BYTES, OPS_PER_COMMIT
from klamm.controller.core.plan import Entry
from klamm.controller.core.sizes import op_size
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigEntity

#: What the last Commit needs besides those of partitions: `partitions`, the topic, its configs,
#: the child of /admin/delete_topics, its debts, the commit counter.
_LAST_OPS = 6


def removal(draft: Draft, cause: Cause, topic: Topic, deletion: Deletion) -> Step:
    """Remove as many partitions as one Commit takes, and with the last of them the topic."""
    led = {n for n, partition in topic.partitions.items() if _has_state(draft, topic, n, partition)}
    directories = sorted(led | (topic.bare or frozenset()))
    again = CheckDeletion(topic.name)
    own = {paths.partitions(topic.name)} if topic.bare is not None else set()
    own.update(paths.partition(topic.name, number) for number in directories)
    own.update(paths.state(topic.name, number) for number in led)
    for root in _roots(topic.name):
        step = clearing(draft, cause, root, again, own)
        if step is not None:
            return step
    ops: list[Op] = []
    changes: list[Change] = []
    size, removed = 0, 0
    for number in directories:
        below = [Delete(paths.partition(topic.name, number), ANY_VERSION)]
        if number in led:
            below.insert(0, Delete(paths.state(topic.name, number), ANY_VERSION))
        size += sum(map(op_size, below))
        if len(ops) + _LAST_OPS + len(below) > OPS_PER_COMMIT or size > COMMIT_BYTES // 2:
            break
        ops.extend(below)
        removed += 1
        if number in topic.partitions:
            bare = Partition(topic.partitions[number].assignment)
            changes.append(SetPartition(TopicPartition(topic.name, number), bare))
    if removed == len(directories):
        return _last_removal(draft, cause, topic, deletion, ops)
    left = frozenset(directories[removed:]) - led
    changes.append(TouchTopic(topic.name, topic.version, left))
    if paths.topic(topic.name) in draft.below:
        # There were no strays: it is all ours, and a part of it is gone now.
        changes.append(SetBelow(paths.topic(topic.name), ()))
    return Step((cause.id,), tuple(ops), tuple(changes), follow_ups=(again,))


def clearing(
    draft: Draft, cause: Cause, root: str, again: FollowUp, own: Collection[str] = ()
) -> Step | None:
    """Remove what was found below a znode and is not our `own`: as much as one Commit takes.

    None if there is nothing. `again` is the follow-up that goes on with what remains.
    """
    strays = [path for path in draft.below.get(root) or () if path not in own]
    ops: list[Op] = []
    size = 0
    for path in strays:
        op = Delete(path, ANY_VERSION)
        size += op_size(op)
        if len(ops) + _LAST_OPS == OPS_PER_COMMIT or size > COMMIT_BYTES // 2:
            break
        ops.append(op)
    if not ops:
        return None
    left = SetBelow(root, tuple(strays[len(ops) :]))
    return Step((cause.id,), tuple(ops), (left,), follow_ups=(again,))


def remove(draft: Draft, cause: Cause, event: RemoveZnode) -> None:
    """Remove a znode, after what was found below it; once in a turn, whoever asks."""
    path = event.path
    draft.removals.pop(path, None)
    if path in draft.removed or draft.below.get(path, ()) is None:
        draft.settle(cause)
        draft.learn_below(path, ())
        return
    draft.removed.add(path)
    last = Step((cause.id,), (Delete(path, ANY_VERSION),), (SetBelow(path, ()),))
    draft.steps.append(clearing(draft, cause, path, event) or last)


def _roots(name: str) -> tuple[str, ...]:
    """The znodes of a topic that go with all that is below them."""
    config = ConfigEntity("topics", name).path
    return paths.topic(name), config, paths.delete_topic(name), paths.replica_deletions(name)


def _has_state(draft: Draft, topic: Topic, number: int, partition: Partition) -> bool:
    """Tell whether the partition's state znode exists, readable or not."""
    path = paths.state(topic.name, number)
    return partition.leadership is not None or path in draft.unreadable


def _last_removal(
    draft: Draft, cause: Cause, topic: Topic, deletion: Deletion, ops: list[Op]
) -> Step:
    name = topic.name
    if topic.bare is not None:
        ops.append(Delete(paths.partitions(name), ANY_VERSION))
    ops.append(Delete(paths.topic(name), topic.version))
    config = ConfigEntity("topics", name).path
    # Nearly every topic has one; if this has none, the conflict tells, and it is read.
    known = draft.config_versions.get(config, 0) is not None
    if known and draft.below.get(config, ()) is not None:
        ops.append(Delete(config, ANY_VERSION))
    if deletion.listed:
        ops.append(Delete(paths.delete_topic(name), ANY_VERSION))
    changes: list[Change] = [SetTopic(name, None), SetDeletion(name, None)]
    if draft.ledger(name).version is not None:
        ops.append(Delete(paths.replica_deletions(name), ANY_VERSION))
        changes.append(SetLedger(name, Ledger()))
    changes.extend(SetBelow(root, ()) for root in _roots(name) if root in draft.below)
    path = paths.topic(name)
    readable = {
        other: text for other, text in draft.unreadable.items() if not other.startswith(f"{path}/")
    }
    if len(readable) != len(draft.unreadable):
        draft.unreadable = readable
        changes.append(SetUnreadable(readable))
    text = f"{len(topic.partitions)} partitions"
    entry = Entry("topic-deleted", text, cause.id, None, name)
    return Step((cause.id,), tuple(ops), tuple(changes), entries=(entry,))
