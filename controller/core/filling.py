"""The Commit that is being filled: what it holds, how much more it takes, and how it is closed.

Beside it stands what the Commits closed so far leave behind, for each builds on those before it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from klamm.controller.core.changes import Change, SetAwaiting, SetCounter, SetPartition, TouchTopic
from klamm.controller.core.draft import Draft, Step, Unit
from klamm.controller.core.events import (
    BeginEntry,
    BeginStep,
    CheckDeletion,
    CheckPartition,
    CheckStatus,
    ClearDebts,
    FollowUp,
    RemoveHints,
    RemoveZnode,
    RunElection,
    TidyEntries,
    WriteStatus,
)
from klamm.controller.core.hints import Hints
from klamm.controller.core.ledgers import Ledgers
from klamm.controller.core.model import CommitCounter, Partition, Topic, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import Commit, Entry, Message
from klamm.controller.core.results import Fault, IsrAltered, Refusal, Result
from klamm.controller.core.sizes import op_size
from klamm.controller.core.takeovers import Takeovers
from klamm.controller.core.writes import awaiting, messages, topic_write
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import CommitZnode, encode_commit

#: Keeps one multi below about 40 ms of ZooKeeper's time, whatever its bytes.
OPS_PER_COMMIT = 5_000


@dataclass(slots=True)
class Box:
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

    def add_ops(self, ops: Iterable[Op]) -> None:
        """Take these writes, and their bytes."""
        for op in ops:
            self.ops.append(op)
            self.size += op_size(op)

    def add_step(self, step: Step) -> None:
        """Take writes apart from any partition's."""
        self.add_ops(step.ops)
        self.changes.extend(step.changes)
        self.messages.extend(step.messages)
        self.results.extend(step.results)
        self.causes.extend(step.causes)
        self.parts.update(dict.fromkeys(step.parts))
        self.entries.extend(step.entries)
        self.follow_ups.update({_about(event): event for event in step.follow_ups})


class Filling:
    """The box at hand, and the topics as they are after it and those closed before it."""

    def __init__(self, draft: Draft, limit: int) -> None:
        self._draft = draft
        self._limit = limit
        self._counter = draft.counter
        self.box = Box()
        self.topics: dict[str, Topic] = {}
        self.partitions: dict[str, dict[int, Partition]] = {}
        self.bare: dict[str, set[int] | None] = {}
        self.ledgers = Ledgers(draft)
        self.hints = Hints(draft)
        self.takeovers = Takeovers(draft)

    def begin(self, topic: Topic) -> None:
        """Note a topic that units will change, as it is before them."""
        self.topics[topic.name] = topic
        self.partitions[topic.name] = dict(topic.partitions)
        self.bare[topic.name] = None if topic.bare is None else set(topic.bare)

    def is_full(self, size: int, ops: int) -> bool:
        """Tell whether the box holds something already, and cannot take that much more."""
        waiting = len(self.box.ops) + len(self.box.assigned)
        waiting += self.ledgers.waiting + self.hints.waiting
        full = self.box.size + size > self._limit or waiting + ops > OPS_PER_COMMIT
        return waiting > 0 and full

    def assign(self, name: str, share: int) -> None:
        """Let this box write the topic's znode, and its debts if there are any."""
        self.box.assigned.add(name)
        self.box.size += share
        self.ledgers.assign(name)

    def add_unit(self, name: TopicPartition, unit: Unit, *, late: bool = False) -> None:
        """Take a unit; if its entry is taken over `late`, so are its results."""
        box = self.box
        changed = unit.after != unit.before
        if changed or unit.after.pace != unit.before.pace:
            self.partitions[name.topic][name.partition] = unit.after
            box.changes.append(SetPartition(name, unit.after))
        if unit.before.leadership is None and unit.after.leadership is not None:
            bare = self.bare[name.topic] or set()
            bare.discard(name.partition)
            self.bare[name.topic] = bare
        box.messages.extend(messages(name, unit, changed=changed))
        if late:
            self.takeovers.late.append((name, unit))
            box.parts.update(dict.fromkeys(unit.causes))
        else:
            box.results.extend(_results(unit))
            box.causes.extend(unit.causes)
            if unit.takes_over:
                self.takeovers.add(name)
        if unit.parts:
            box.parts.update(dict.fromkeys(unit.parts))
        box.entries.extend(unit.entries)
        if unit.check_later:
            box.follow_ups[name] = CheckPartition(name)
        if name.topic in self._draft.deleting:
            box.follow_ups[name.topic] = CheckDeletion(name.topic)
        self.ledgers.add(name, unit)
        self.hints.add(name, unit)
        owed_before = self._draft.awaiting(name)
        owing = self._draft.ledger(name.topic).due(name.partition)
        if owed_before or unit.dropped or unit.handover or (owing and _changes_leader(unit)):
            owed = awaiting(owed_before, unit, owing)
            if owed != owed_before:
                box.changes.append(SetAwaiting(name, owed))

    def close(self) -> Commit:
        """Finish the box: write each topic that it assigns, then begin a new one."""
        box, self.box = self.box, Box()
        for name in sorted(box.assigned):
            topic = replace(self.topics[name], partitions=dict(self.partitions[name]))
            box.ops.append(topic_write(topic, self._draft.settings))
            self.topics[name] = replace(topic, version=topic.version + 1)
        changed = {c.name.topic for c in box.changes if isinstance(c, SetPartition)}
        for name in sorted(box.assigned | (changed & self.topics.keys())):
            bare = self.bare[name]
            held = None if bare is None else frozenset(bare)
            box.changes.append(TouchTopic(name, self.topics[name].version, held))
        closed = (
            self.takeovers.close(),
            self.ledgers.close(self.partitions),
            self.hints.close(self.partitions),
        )
        for ops, changes in closed:
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

    def close_late(self) -> Commit:
        """Take out the entries that did not fit beside their topics, and answer for both."""
        for name, unit in self.takeovers.late:
            self.takeovers.add(name)
            self.box.results.extend(_results(unit))
            self.box.causes.extend(unit.causes)
        return self.close()

    def _count(self, box: Box) -> None:
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
        case RemoveHints():
            return paths.REASSIGNMENT_STEPS
        case BeginStep(partition):
            return f"{paths.REASSIGNMENT_STEPS}/{partition}"
        case CheckPartition(partition):
            return partition
        case CheckStatus(partition):
            return f"{paths.REASSIGN_STATUS}/{partition}"
        case WriteStatus():
            return paths.REASSIGN_STATUS


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
