"""Removing what a topic leaves in ZooKeeper, once no broker holds a log of it any more.

From below to above, so that whoever finds a part of it can go on: a partition's state before the
partition (F51), and the topic's own znode last, together with its configs and the child of
/admin/delete_topics. A topic too large for one Commit goes in several, each the next turn's.

Source: Kafka 3.9, TopicDeletionManager.scala, completeDeleteTopic; KafkaZkClient.scala,
deleteTopicZNode.
"""

from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import Cause, CheckDeletion
from klamm.controller.core.model import Deletion, Partition, Topic, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete, Op
from klamm.controller.core.packing import COMMIT_BYTES, OPS_PER_COMMIT
from klamm.controller.core.plan import (
    Change,
    Entry,
    SetDeletion,
    SetPartition,
    SetTopic,
    SetUnreadable,
    TouchTopic,
)
from klamm.controller.core.sizes import op_size
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigEntity

#: What the last Commit needs besides those of partitions: `partitions`, the topic, its configs,
#: the child of /admin/delete_topics, the commit counter.
_LAST_OPS = 5


def removal(draft: Draft, cause: Cause, topic: Topic, deletion: Deletion) -> Step:
    """Remove as many partitions as one Commit takes, and with the last of them the topic."""
    led = {n for n, partition in topic.partitions.items() if _has_state(draft, topic, n, partition)}
    directories = sorted(led | (topic.bare or frozenset()))
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
    again = (CheckDeletion(topic.name),)
    return Step((cause.id,), tuple(ops), tuple(changes), follow_ups=again)


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
    if draft.config_versions.get(config, 0) is not None:
        ops.append(Delete(config, ANY_VERSION))
    if deletion.listed:
        ops.append(Delete(paths.delete_topic(name), ANY_VERSION))
    changes: list[Change] = [SetTopic(name, None), SetDeletion(name, None)]
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
