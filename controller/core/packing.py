"""Cutting a draft into Commits: each below the size limit, each whole for what it touches.

A partition's share of its topic's znode, its state and its results are in one Commit. A topic is
written once per Commit, with the shares of the partitions that this and earlier Commits hold, so
that after every prefix of the Plan each partition is wholly before or wholly after its change.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from klamm.controller.core.draft import Creation, Draft, Unit
from klamm.controller.core.events import CheckPartition
from klamm.controller.core.model import (
    Awaiting,
    CommitCounter,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import (
    Change,
    Commit,
    Entry,
    Lead,
    Message,
    Plan,
    Publish,
    SetAwaiting,
    SetCounter,
    SetPartition,
    SetTopic,
    Stop,
    TouchTopic,
)
from klamm.controller.core.results import Result
from klamm.controller.core.sizes import op_size
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import CommitZnode, encode_commit
from klamm.controller.znodes.state import StateZnode, encode_state
from klamm.controller.znodes.topic import TopicZnode, encode_topic

#: Bytes of a multi. ZooKeeper refuses requests over jute.maxbuffer (1,048,575 by default) by
#: closing the connection; the rest is room for the fence and the multi's frame.
COMMIT_BYTES = 900_000

#: Keeps one multi below about 40 ms of ZooKeeper's time, whatever its bytes.
OPS_PER_COMMIT = 5_000


def plan_of(draft: Draft, topic_znode_version: int, limit: int = COMMIT_BYTES) -> Plan:
    """Return the Plan that makes the draft true: first what needs no write, then the writes.

    An operation that alone is over the limit is a Commit of its own; the store refuses it.
    """
    first = Commit(
        changes=tuple(draft.changes),
        messages=tuple(draft.messages),
        results=tuple(draft.results),
        causes=tuple(draft.causes),
        entries=tuple(draft.entries),
        follow_ups=_follow_ups(draft, draft.follow_ups.keys() - draft.units.keys()),
    )
    writes = _Packer(draft, topic_znode_version, limit).commits()
    return (*([first] if first != Commit() else ()), *writes)


def _follow_ups(draft: Draft, names: AbstractSet[TopicPartition]) -> tuple[CheckPartition, ...]:
    """The events of the next turn for these partitions, in the order they were asked for."""
    return tuple(CheckPartition(name) for name in draft.follow_ups if name in names)


class _Box:
    """A Commit being filled."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.changes: list[Change] = []
        self.messages: list[Message] = []
        self.results: list[tuple[int, Result]] = []
        self.causes: list[int] = []
        self.entries: list[Entry] = []
        self.follow_ups: set[TopicPartition] = set()
        self.size = 0
        #: Topics whose znode this Commit writes; the write is made when the box is closed.
        self.assigned: set[str] = set()


class _Packer:
    def __init__(self, draft: Draft, topic_znode_version: int, limit: int) -> None:
        self._draft = draft
        self._topic_znode_version = topic_znode_version
        self._limit = limit
        self._box = _Box()
        self._counter = draft.counter
        # Topics as they are after the boxes closed so far and the present one.
        self._topics: dict[str, Topic] = {}
        self._partitions: dict[str, dict[int, Partition]] = {}

    def commits(self) -> Iterator[Commit]:
        """The Commits that write, in order."""
        units: dict[str, list[tuple[TopicPartition, Unit]]] = {
            name: [] for name in self._draft.creations
        }
        for name, unit in self._draft.units.items():
            units.setdefault(name.topic, []).append((name, unit))
        for cause, ops in self._draft.deletions:
            yield from self._make_room(sum(map(op_size, ops)), len(ops))
            self._box.ops.extend(ops)
            self._box.causes.append(cause.id)
        for topic_name, of_topic in units.items():
            yield from self._topic_commits(topic_name, of_topic)
        if self._box.ops or self._box.causes:
            yield self._close()

    def _topic_commits(
        self, name: str, units: list[tuple[TopicPartition, Unit]]
    ) -> Iterator[Commit]:
        creation = self._draft.creations.get(name)
        topic = self._draft.topic(name)
        if topic is None:
            raise KeyError(f"no topic {name} to change")
        self._topics[name] = topic
        self._partitions[name] = dict(topic.partitions)
        if creation:
            yield from self._create_topic(creation)
        # What the topic's own write may weigh at most: each partition's share is old or new.
        share = 0
        if any(unit.before.assignment != unit.after.assignment for _, unit in units):
            after = dict(topic.partitions) | {tp.partition: unit.after for tp, unit in units}
            share = op_size(self._topic_write(topic))
            share += op_size(self._topic_write(replace(topic, partitions=after)))
        for tp, unit in units:
            ops = list(self._state_ops(tp, unit))
            moves = unit.before.assignment != unit.after.assignment
            extra = share if moves and name not in self._box.assigned else 0
            yield from self._make_room(extra + sum(map(op_size, ops)), len(ops) + 1)
            if moves and name not in self._box.assigned:
                self._box.assigned.add(name)
                self._box.size += share
            self._add_unit(tp, unit, ops)
        if creation:
            # The reply shows the whole topic, so it goes with its last partition.
            self._box.results.append((creation.cause, creation.result))
            self._box.causes.append(creation.cause)

    def _create_topic(self, creation: Creation) -> Iterator[Commit]:
        config_op, *below = creation.ops
        write = self._topic_write(creation.topic)
        ops = [config_op, Create(write.path, write.data), *below]
        yield from self._make_room(sum(map(op_size, ops)), len(ops))
        self._box.ops.extend(ops)
        self._box.size += sum(map(op_size, ops))
        self._box.changes.append(SetTopic(creation.topic.name, creation.topic))

    def _make_room(self, size: int, ops: int) -> Iterator[Commit]:
        full = self._box.size + size > self._limit
        if self._box.ops and (full or len(self._box.ops) + ops > OPS_PER_COMMIT):
            yield self._close()

    def _add_unit(self, name: TopicPartition, unit: Unit, ops: Iterable[Op]) -> None:
        box = self._box
        for op in ops:
            box.ops.append(op)
            box.size += op_size(op)
        if unit.after != unit.before:
            self._partitions[name.topic][name.partition] = unit.after
            box.changes.append(SetPartition(name, unit.after))
        box.messages.extend(_messages(name, unit))
        box.results.extend(unit.results)
        box.causes.extend(unit.causes)
        box.entries.extend(unit.entries)
        if name in self._draft.follow_ups:
            box.follow_ups.add(name)
        awaiting = _awaiting(self._draft.awaiting(name), unit)
        if awaiting != self._draft.awaiting(name):
            box.changes.append(SetAwaiting(name, awaiting))

    def _state_ops(self, name: TopicPartition, unit: Unit) -> Iterator[Op]:
        """The writes of one partition, and of the directories above a first state."""
        before, after = unit.before.leadership, unit.after.leadership
        if after is None or after == before:
            return
        path, data = paths.state(*name), encode_leadership(after)
        if before is not None:
            yield SetData(path, data, before.version)
            return
        topic = self._topics[name.topic]
        bare = topic.bare
        if bare is None:
            yield Create(paths.partitions(name.topic), None)
            bare = frozenset()
        if name.partition not in bare:
            yield Create(paths.partition(*name), None)
        yield Create(path, data)
        bare -= {name.partition}
        if bare != topic.bare:
            self._topics[name.topic] = replace(topic, bare=bare)

    def _close(self) -> Commit:
        """Finish the box: write each topic that it assigns, then begin a new one."""
        box, self._box = self._box, _Box()
        for name in sorted(box.assigned):
            topic = replace(self._topics[name], partitions=dict(self._partitions[name]))
            box.ops.append(self._topic_write(topic))
            self._topics[name] = replace(topic, version=topic.version + 1)
        for name in sorted({c.name.topic for c in box.changes if isinstance(c, SetPartition)}):
            topic = self._topics[name]
            box.changes.append(TouchTopic(name, topic.version, topic.bare))
        if not any(_is_witness(op) for op in box.ops):
            self._count(box)
        return Commit(
            tuple(box.ops),
            tuple(box.changes),
            tuple(box.messages),
            tuple(box.results),
            tuple(box.causes),
            tuple(box.entries),
            _follow_ups(self._draft, box.follow_ups),
        )

    def _count(self, box: _Box) -> None:
        """Write the commit counter, so that a lost answer leaves something to recognize."""
        version = self._counter.version
        self._counter = CommitCounter(
            self._counter.count + 1, 0 if version is None else version + 1
        )
        data = encode_commit(CommitZnode(self._draft.state.epoch, self._counter.count))
        if version is None:
            box.ops.append(Create(paths.KLAMM_COMMIT, data))
        else:
            box.ops.append(SetData(paths.KLAMM_COMMIT, data, version))
        box.changes.append(SetCounter(self._counter))

    def _topic_write(self, topic: Topic) -> SetData:
        """The set that makes the topic's znode hold these partitions."""
        assignments = {number: p.assignment for number, p in topic.partitions.items()}
        znode = TopicZnode(
            version=self._topic_znode_version,
            partitions={number: a.replicas for number, a in assignments.items()},
            adding={number: a.adding for number, a in assignments.items() if a.adding},
            removing={number: a.removing for number, a in assignments.items() if a.removing},
            topic_id=topic.topic_id,
            extra=topic.extra,
        )
        data = encode_topic(znode, camel_case=self._draft.rules.camel_case)
        return SetData(paths.topic(topic.name), data, topic.version)


def _is_witness(op: Op) -> bool:
    """Tell whether one can see at its znode that this very write was made (design: unknown)."""
    return isinstance(op, SetData | Create)


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


def _messages(name: TopicPartition, unit: Unit) -> Iterator[Message]:
    """Tell the replicas, everybody, and those that are to stop, in this order."""
    if unit.after.leadership is not None and unit.after != unit.before:
        if unit.lead_to:
            yield Lead(name, tuple(sorted(unit.lead_to)), tuple(sorted(unit.is_new)))
        yield Publish(name)
    for broker in sorted(unit.dropped):
        # Without a leader nobody replicates from it: nothing to wait for.
        yield Stop(name, broker, delete=unit.after.leadership is None)


def _awaiting(before: Awaiting | None, unit: Unit) -> Awaiting | None:
    """Which deletes wait for which leader epoch; a new leader takes the wait over."""
    leadership = unit.after.leadership
    if leadership is None:
        return None
    owed = {*(before.deletes if before else ()), *unit.dropped}
    owed.difference_update(unit.after.assignment.replicas)
    if not owed:
        return None
    return Awaiting(leadership.leader, leadership.leader_epoch, tuple(sorted(owed)))
