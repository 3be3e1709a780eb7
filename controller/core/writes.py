"""From a decision to its writes: what one partition's unit means for ZooKeeper and brokers."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from klamm.controller.core.draft import Unit
from klamm.controller.core.model import Awaiting, Leadership, Topic, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import Lead, Message, Publish, Stop
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.controller.znodes.state import StateZnode, encode_state
from klamm.controller.znodes.topic import TopicZnode, encode_topic


def topic_write(topic: Topic, settings: Settings) -> SetData:
    """The set that makes the topic's znode hold these partitions."""
    assignments = {number: p.assignment for number, p in topic.partitions.items()}
    znode = TopicZnode(
        version=settings.topic_znode_version,
        partitions={number: a.replicas for number, a in assignments.items()},
        adding={number: a.adding for number, a in assignments.items() if a.adding},
        removing={number: a.removing for number, a in assignments.items() if a.removing},
        topic_id=topic.topic_id,
        extra=topic.extra,
    )
    data = encode_topic(znode, camel_case=settings.rules.camel_case)
    return SetData(paths.topic(topic.name), data, topic.version)


def state_ops(name: TopicPartition, unit: Unit, bare: AbstractSet[int] | None) -> list[Op]:
    """The writes of one partition's state, and of the directories above a first one.

    `bare` is the topic's, see `Topic`.
    """
    before, after = unit.before.leadership, unit.after.leadership
    if after is None or after == before:
        return []
    path, data = paths.state(*name), encode_leadership(after)
    if before is not None:
        return [SetData(path, data, before.version)]
    ops: list[Op] = []
    if bare is None:
        ops.append(Create(paths.partitions(name.topic), None))
    if bare is None or name.partition not in bare:
        ops.append(Create(paths.partition(*name), None))
    ops.append(Create(path, data))
    return ops


def encode_leadership(leadership: Leadership) -> bytes:
    """Return the state znode's JSON."""
    return encode_state(
        StateZnode(
            leader=leadership.leader,
            leader_epoch=leadership.leader_epoch,
            isr=leadership.isr,
            controller_epoch=leadership.controller_epoch,
            leader_recovery_state=leadership.leader_recovery_state,
            extra=leadership.extra,
        )
    )


def messages(name: TopicPartition, unit: Unit, *, changed: bool) -> list[Message]:
    """Tell the replicas, everybody, and those that are to stop, in this order.

    `changed`: the unit's end is not its beginning.
    """
    told: list[Message] = []
    lead_to, stopped = unit.lead_to, unit.stopped
    if unit.before.pace or unit.after.pace:
        lead_to = lead_to.intersection(unit.after.hosted)
        stopped = stopped.difference(unit.after.hosted).union(_let_go(unit))
    if changed and unit.after.leadership is not None:
        if lead_to:
            is_new = sorted(unit.is_new & lead_to)
            told.append(Lead(name, tuple(sorted(lead_to)), tuple(is_new)))
        told.append(Publish(name))
    stopped, dropped = stopped - unit.dropped, sorted(unit.dropped)
    told.extend(Stop(name, broker, delete=False) for broker in sorted(stopped))
    # Without a leader nobody replicates from it: nothing to wait for.
    told.extend(Stop(name, broker, delete=unit.after.leadership is None) for broker in dropped)
    return told


def _let_go(unit: Unit) -> set[int]:
    """Return who was told of the partition and is no more, and yet remains in RS."""
    left = set(unit.before.hosted).difference(unit.after.hosted)
    return left.intersection(unit.after.assignment.replicas)


def awaiting(before: Awaiting | None, unit: Unit, owing: Iterable[int]) -> Awaiting | None:
    """Which deletes wait for which leader epoch; a new leader takes the wait over.

    `owing` are the brokers that have not deleted what they owed before. A handover is one until
    the leader that it made has answered, or leads no more.
    """
    leadership = unit.after.leadership
    if leadership is None:
        return None
    owed = {*owing, *unit.dropped}
    owed.difference_update(unit.after.assignment.replicas)
    handed_over = unit.handover or (
        before is not None and before.handover and before.leader == leadership.leader
    )
    # A step hands a lead over without dropping anybody.
    if not owed and not (handed_over and unit.after.pace):
        return None
    return Awaiting(leadership.leader, leadership.leader_epoch, tuple(sorted(owed)), handed_over)
