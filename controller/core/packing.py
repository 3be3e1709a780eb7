"""Cutting a draft into Commits: each below the size limit, each whole for what it touches.

A partition's share of its topic's znode, its state and its results are in one Commit. A topic is
written once per Commit, with the shares of the partitions that this and earlier Commits hold, so
that after every prefix of the Plan each partition is wholly before or wholly after its change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from klamm.controller.core.draft import Creation, Draft, Rewrite, Step, Unit
from klamm.controller.core.events import (
    BeginEntry,
    CheckDeletion,
    CheckPartition,
    ClearDebts,
    FollowUp,
    RemoveZnode,
    RunElection,
    TidyEntries,
)
from klamm.controller.core.ledgers import Ledgers
from klamm.controller.core.model import CommitCounter, Partition, Topic, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import (
    Change,
    Commit,
    Entry,
    Message,
    Plan,
    SetAwaiting,
    SetCounter,
    SetPartition,
    SetTopic,
    TouchTopic,
)
from klamm.controller.core.results import Fault, IsrAltered, Refusal, Result
from klamm.controller.core.sizes import op_size
from klamm.controller.core.takeovers import Takeovers
from klamm.controller.core.writes import awaiting, messages, state_ops, topic_write
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import CommitZnode, encode_commit

#: Bytes of a multi. ZooKeeper refuses requests over jute.maxbuffer (1,048,575 by default) by
#: closing the connection; the rest is room for the fence and the multi's frame.
COMMIT_BYTES = 900_000

#: Keeps one multi below about 40 ms of ZooKeeper's time, whatever its bytes.
OPS_PER_COMMIT = 5_000


def plan_of(draft: Draft, limit: int = COMMIT_BYTES) -> Plan:
    """Return the Plan that makes the draft true: first what needs no write, then the writes.

    Last come results that rest on all of it; a Commit that fails takes them with it, by its parts.

    What cannot be cut, one partition's writes or a topic's creation, is a Commit of its own if it
    is over the limit; the store refuses it if ZooKeeper would.
    """
    first = Commit(
        changes=tuple(draft.fact_changes()),
        messages=tuple(draft.messages),
        results=tuple(draft.results),
        causes=tuple(draft.causes),
        entries=tuple(draft.entries),
        # A deletion that starts now makes checks of its partitions void.
        follow_ups=(
            *draft.admin_orders,
            *draft.deletion_checks.values(),
            *draft.follow_ups.values(),
            *draft.removals.values(),
        ),
    )
    last = Commit(
        results=tuple((cause, result) for cause, result, _ in draft.conclusions),
        causes=tuple(cause for cause, _, _ in draft.conclusions),
        entries=tuple(entry for _, _, entry in draft.conclusions),
    )
    writes = _Packer(draft, limit).commits()
    return tuple(commit for commit in (first, *writes, last) if commit != Commit())


@dataclass(slots=True)
class _Box:
    """A Commit being filled."""

    ops: list[Op] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    results: list[tuple[int, Result]] = field(default_factory=list)
    causes: list[int] = field(default_factory=list)
    parts: dict[int, None] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    follow_ups: dict[TopicPartition | str, FollowUp] = field(default_factory=dict)
    #: Topics whose znode this Commit writes; the write is made when the box is closed.
    assigned: set[str] = field(default_factory=set)
    size: int = 0


class _Packer:
    def __init__(self, draft: Draft, limit: int) -> None:
        self._draft = draft
        self._limit = limit
        self._box = _Box()
        self._counter = draft.counter
        # Topics as they are after the boxes closed so far and the present one.
        self._topics: dict[str, Topic] = {}
        self._partitions: dict[str, dict[int, Partition]] = {}
        self._bare: dict[str, set[int] | None] = {}
        self._ledgers = Ledgers(draft)
        self._takeovers = Takeovers(draft)

    def commits(self) -> Iterator[Commit]:
        """The Commits that write, in order."""
        units: dict[str, list[tuple[TopicPartition, Unit]]] = {
            name: [] for name in (*self._draft.creations, *self._draft.rewrites)
        }
        for name, unit in self._draft.units.items():
            units.setdefault(name.topic, []).append((name, unit))
        for step in self._draft.steps:
            yield from self._take_step(step)
        for topic_name, of_topic in units.items():
            yield from self._topic_commits(topic_name, of_topic)
        for topic_name, causes in self._draft.clearings.items():
            yield from self._clear(topic_name, causes)
        for step in self._draft.last_steps:
            yield from self._take_step(step)
        if self._box != _Box():
            yield self._close()
        if self._takeovers.late:
            yield self._take_over_late()

    def _topic_commits(
        self, name: str, units: list[tuple[TopicPartition, Unit]]
    ) -> Iterator[Commit]:
        creation = self._draft.creations.get(name)
        topic = self._draft.topic(name)
        if topic is None:
            raise KeyError(f"no topic {name} to change")
        self._topics[name] = topic
        self._partitions[name] = dict(topic.partitions)
        self._bare[name] = None if topic.bare is None else set(topic.bare)
        if creation:
            yield from self._create_topic(creation, units)
        rewrite = self._draft.rewrites.get(name)
        # What the topic's own write may weigh at most: each partition's share is old or new.
        share = 0
        if rewrite or any(unit.before.assignment != unit.after.assignment for _, unit in units):
            after = dict(topic.partitions) | {tp.partition: unit.after for tp, unit in units}
            share = op_size(self._topic_write(topic))
            share += op_size(self._topic_write(replace(topic, partitions=after)))
            share += self._ledgers.bound(name, units)
        if rewrite:
            yield from self._rewrite_topic(rewrite, share)
        for tp, unit in units:
            ops = state_ops(tp, unit, self._bare[name])
            size = sum([op_size(op) for op in ops])
            moves = unit.before.assignment != unit.after.assignment
            extra = share if moves and name not in self._box.assigned else 0
            takeover = self._takeovers.share(unit)
            late = takeover > 0 and size + takeover + (share if moves else 0) > self._limit
            extra += 0 if late else takeover
            if self._is_full(extra + size, len(ops) + 1 + bool(unit.dropped)):
                yield self._close()
            box = self._box
            if moves and name not in box.assigned:
                self._assign(name, share)
            box.ops.extend(ops)
            box.size += size + (0 if late else self._takeovers.share(unit))
            self._add_unit(tp, unit, late=late)

    def _create_topic(
        self, creation: Creation, units: list[tuple[TopicPartition, Unit]]
    ) -> Iterator[Commit]:
        """Create the topic, in one Commit with its first states if they fit.

        A topic too large for that exists, and is answered for, before all of its partitions are
        led. All are looked at in the next turn, whatever becomes of the rest of the Plan.
        """
        config_op, *below = creation.ops
        write = self._topic_write(creation.topic)
        ops = [config_op, Create(write.path, write.data), *below]
        states = [op for tp, unit in units for op in state_ops(tp, unit, creation.topic.bare)]
        debts = self._ledgers.bound(creation.topic.name, units)
        size = debts + sum(map(op_size, [*ops, *states]))
        yield from self._make_room(size, len(ops) + len(states) + bool(debts))
        self._add_ops(ops)
        self._ledgers.assign(creation.topic.name)
        self._box.size += debts
        self._box.changes.append(SetTopic(creation.topic.name, creation.topic))
        self._box.results.extend(creation.results)
        self._box.entries.extend(creation.entries)
        self._box.causes.extend(cause for cause, _ in creation.results)
        self._box.follow_ups.update({tp: CheckPartition(tp) for tp, _ in units})

    def _rewrite_topic(self, rewrite: Rewrite, share: int) -> Iterator[Commit]:
        """Write the topic's znode with its id or its new partitions; their states may come later.

        As after a creation, all partitions without a leader are looked at in the next turn.
        """
        topic = rewrite.topic
        yield from self._make_room(share, 1)
        self._assign(topic.name, share)
        box = self._box
        box.changes.append(SetTopic(topic.name, topic))
        box.results.extend(rewrite.results)
        box.entries.extend(rewrite.entries)
        box.messages.extend(rewrite.messages)
        box.causes.extend(cause for cause, _ in rewrite.results)
        for number, partition in topic.partitions.items():
            if partition.leadership is None:
                name = TopicPartition(topic.name, number)
                box.follow_ups[name] = CheckPartition(name)

    def _take_step(self, step: Step) -> Iterator[Commit]:
        yield from self._make_room(sum(map(op_size, step.ops)), len(step.ops))
        self._add_ops(step.ops)
        box = self._box
        box.changes.extend(step.changes)
        box.messages.extend(step.messages)
        box.results.extend(step.results)
        box.causes.extend(step.causes)
        box.entries.extend(step.entries)
        box.follow_ups.update({_about(event): event for event in step.follow_ups})

    def _assign(self, name: str, share: int) -> None:
        """Let this box write the topic's znode, and its debts if there are any."""
        self._box.assigned.add(name)
        self._box.size += share
        self._ledgers.assign(name)

    def _clear(self, name: str, causes: Iterable[int]) -> Iterator[Commit]:
        """Write the topic's debts without those paid, unless a Commit of this Plan does already."""
        if name not in self._ledgers:
            size = self._ledgers.bound(name, ())
            yield from self._make_room(size, 1)
            self._ledgers.assign(name)
            self._box.size += size
        self._box.causes.extend(causes)

    def _make_room(self, size: int, ops: int) -> Iterator[Commit]:
        if self._is_full(size, ops):
            yield self._close()

    def _is_full(self, size: int, ops: int) -> bool:
        """Tell whether the box holds something already, and cannot take that much more."""
        box = self._box
        waiting = len(box.ops) + len(box.assigned) + self._ledgers.waiting
        full = box.size + size > self._limit or waiting + ops > OPS_PER_COMMIT
        return waiting > 0 and full

    def _add_ops(self, ops: Iterable[Op]) -> None:
        for op in ops:
            self._box.ops.append(op)
            self._box.size += op_size(op)

    def _add_unit(self, name: TopicPartition, unit: Unit, *, late: bool = False) -> None:
        """Take a unit; if its entry is taken over `late`, so are its results."""
        box = self._box
        changed = unit.after != unit.before
        if changed:
            self._partitions[name.topic][name.partition] = unit.after
            box.changes.append(SetPartition(name, unit.after))
        if unit.before.leadership is None and unit.after.leadership is not None:
            bare = self._bare[name.topic] or set()
            bare.discard(name.partition)
            self._bare[name.topic] = bare
        box.messages.extend(messages(name, unit, changed=changed))
        if late:
            self._takeovers.late.append((name, unit))
            box.parts.update(dict.fromkeys(unit.causes))
        else:
            box.results.extend(_results(unit))
            box.causes.extend(unit.causes)
            if unit.takes_over:
                self._takeovers.add(name)
        if unit.parts:
            box.parts.update(dict.fromkeys(unit.parts))
        box.entries.extend(unit.entries)
        if unit.check_later:
            box.follow_ups[name] = CheckPartition(name)
        if name.topic in self._draft.deleting:
            box.follow_ups[name.topic] = CheckDeletion(name.topic)
        self._ledgers.add(name, unit)
        owed_before = self._draft.awaiting(name)
        owing = self._draft.ledger(name.topic).due(name.partition)
        if owed_before or unit.dropped or (owing and _changes_leader(unit)):
            owed = awaiting(owed_before, unit, owing)
            if owed != owed_before:
                box.changes.append(SetAwaiting(name, owed))

    def _close(self) -> Commit:
        """Finish the box: write each topic that it assigns, then begin a new one."""
        box, self._box = self._box, _Box()
        for name in sorted(box.assigned):
            topic = replace(self._topics[name], partitions=dict(self._partitions[name]))
            box.ops.append(self._topic_write(topic))
            self._topics[name] = replace(topic, version=topic.version + 1)
        changed = {c.name.topic for c in box.changes if isinstance(c, SetPartition)}
        for name in sorted(box.assigned | (changed & self._topics.keys())):
            bare = self._bare[name]
            held = None if bare is None else frozenset(bare)
            box.changes.append(TouchTopic(name, self._topics[name].version, held))
        for ops, changes in (self._takeovers.close(), self._ledgers.close(self._partitions)):
            box.ops.extend(ops)
            box.changes.extend(changes)
        if box.ops and not any(_is_witness(op) for op in box.ops):
            self._count(box)
        return Commit(
            tuple(box.ops),
            tuple(box.changes),
            tuple(box.messages),
            tuple(box.results),
            tuple(box.causes),
            tuple(box.entries),
            tuple(box.follow_ups.values()),
            tuple(box.parts),
        )

    def _take_over_late(self) -> Commit:
        """Take out the entries that did not fit beside their topics, and answer for both."""
        for name, unit in self._takeovers.late:
            self._takeovers.add(name)
            self._box.results.extend(_results(unit))
            self._box.causes.extend(unit.causes)
        return self._close()

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
        return topic_write(topic, self._draft.settings)


def _about(event: FollowUp) -> TopicPartition | str:
    """What a follow-up is about; one of a kind is enough. No topic's name is a path."""
    match event:
        case CheckDeletion(topic):
            return topic
        case ClearDebts(topic):
            return paths.replica_deletions(topic)
        case RemoveZnode(path):
            return path
        case TidyEntries():
            return paths.REASSIGN_PARTITIONS
        case RunElection():
            return paths.PREFERRED_REPLICA_ELECTION
        case BeginEntry(partition):
            return f"{paths.REASSIGN_PARTITIONS}/{partition}"
        case CheckPartition(partition):
            return partition


def _results(unit: Unit) -> Iterator[tuple[int, Result]]:
    """The results of a unit, by cause."""
    for cause, result in unit.results:
        yield cause, _as_durable(result, unit)


def _as_durable(result: Result, unit: Unit) -> Result:
    """Return what a request comes to: an ISR that a later cause of the turn went past is fenced.

    Its leader learns the newer epoch from the LeaderAndIsr that the same Commit brings about.
    """
    if not isinstance(result, IsrAltered) or result.leadership == unit.after.leadership:
        return result
    return Refusal(Fault.FENCED_LEADER_EPOCH, "a later change has begun another leader epoch")


def _changes_leader(unit: Unit) -> bool:
    """Tell whether another broker leads, so that it is this one's answer that deletes wait for."""
    return unit.before.leader != unit.after.leader


def _is_witness(op: Op) -> bool:
    """Tell whether one can see at its znode that this very write was made (design: unknown)."""
    return isinstance(op, SetData | Create)
