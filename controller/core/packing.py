"""Cutting a draft into Commits: each below the size limit, each whole for what it touches.

A partition's share of its topic's znode, its state and its results are in one Commit. A topic is
written once per Commit, with the shares of the partitions that this and earlier Commits hold, so
that after every prefix of the Plan each partition is wholly before or wholly after its change.

Clients wait for a leader, and for nothing else that is decided here: partitions that get one come
before all others, whatever topics they are of. A large failover begins with many Commits.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from klamm.controller.core.changes import SetTopic
from klamm.controller.core.draft import Creation, Draft, Rewrite, Unit
from klamm.controller.core.events import CheckPartition
from klamm.controller.core.filling import OPS_PER_COMMIT as OPS_PER_COMMIT
from klamm.controller.core.filling import Box, Filling
from klamm.controller.core.hints import stale
from klamm.controller.core.model import Topic, TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.sizes import op_size
from klamm.controller.core.status import watched
from klamm.controller.core.writes import state_ops, topic_write

#: Bytes of a multi. ZooKeeper refuses requests over jute.maxbuffer (1,048,575 by default) by
#: closing the connection; the rest is room for the fence and the multi's frame.
COMMIT_BYTES = 900_000

_NOTHING = Commit()


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
            *draft.status_orders,
            *draft.admin_orders,
            *draft.step_orders,
            *draft.deletion_checks.values(),
            *draft.follow_ups.values(),
            *draft.removals.values(),
        ),
    )
    last = _NOTHING
    if draft.conclusions:
        last = Commit(
            results=tuple((cause, result) for cause, result, _ in draft.conclusions),
            causes=tuple(cause for cause, _, _ in draft.conclusions),
            entries=tuple(entry for _, _, entry in draft.conclusions),
        )
    writes = _Packer(draft, limit).commits()
    commits = (commit for commit in (first, *writes, last) if commit != _NOTHING)
    return tuple(watched(draft.status.book, draft.state, commits))


class _Packer:
    def __init__(self, draft: Draft, limit: int) -> None:
        self._draft = draft
        self._limit = limit
        self._filling = Filling(draft, limit)
        #: By topic that has been begun, what its own write may weigh at most.
        self._shares: dict[str, int] = {}
        #: What moves of topics whose znode is written whole.
        self._taken: set[TopicPartition] = set()

    def commits(self) -> Iterator[Commit]:
        """The Commits that write, in order."""
        filling, draft = self._filling, self._draft
        for step in draft.steps:
            yield from self._make_room(sum(map(op_size, step.ops)), len(step.ops))
            filling.box.add_step(step)
        units = self._units()
        elected = {name for name, unit in draft.units.items() if self._is_elected(name, unit)}
        for urgent in (True, False):
            for name, of_topic in units.items():
                wanted = [(tp, unit) for tp, unit in of_topic if (tp in elected) == urgent]
                if wanted or not urgent:
                    yield from self._begin(name, of_topic)
                    yield from self._take_units(name, wanted)
        for name, causes in draft.clearings.items():
            yield from self._clear(name, causes)
        for name in stale(draft):
            yield from self._make_room(filling.hints.bound(name), 2)
            filling.hints.mend(name)
            filling.box.size += filling.hints.bound(name)
        for step in draft.last_steps:
            yield from self._make_room(sum(map(op_size, step.ops)), len(step.ops))
            filling.box.add_step(step)
        if filling.box != Box():
            yield filling.close()
        if filling.takeovers.late:
            yield filling.close_late()

    def _units(self) -> dict[str, list[tuple[TopicPartition, Unit]]]:
        """The units by topic; also topics without any that are created or rewritten."""
        units: dict[str, list[tuple[TopicPartition, Unit]]] = {
            name: [] for name in (*self._draft.creations, *self._draft.rewrites)
        }
        for name, unit in self._draft.units.items():
            units.setdefault(name.topic, []).append((name, unit))
        return units

    def _is_elected(self, name: TopicPartition, unit: Unit) -> bool:
        """Tell whether nobody leads the partition, and now somebody will; not of a new topic."""
        if unit.before.leader == unit.after.leader:
            return False
        online = self._draft.online_of(name)
        led = unit.before.leader not in online and unit.after.leader in online
        return led and name.topic not in self._draft.creations

    def _begin(self, name: str, units: list[tuple[TopicPartition, Unit]]) -> Iterator[Commit]:
        """Write what comes before the topic's units, the first time."""
        if name in self._shares:
            return
        topic = self._draft.topic(name)
        if topic is None:
            raise KeyError(f"no topic {name} to change")
        self._filling.begin(topic)
        creation = self._draft.creations.get(name)
        if creation:
            yield from self._create_topic(creation, units)
        rewrite = self._draft.rewrites.get(name)
        # What the topic's own write may weigh at most: each partition's share is old or new.
        share = 0
        if rewrite or any(_moves(unit) for _, unit in units):
            after = dict(topic.partitions) | {tp.partition: unit.after for tp, unit in units}
            share = op_size(self._topic_write(topic))
            share += op_size(self._topic_write(replace(topic, partitions=after)))
            share += self._filling.ledgers.bound(name, units)
        self._shares[name] = share
        if rewrite:
            moved = [(tp, unit) for tp, unit in units if rewrite.whole and _moves(unit)]
            yield from self._rewrite_topic(rewrite, share, moved)

    def _take_units(
        self, name: str, units: list[tuple[TopicPartition, Unit]], *, has_room: bool = False
    ) -> Iterator[Commit]:
        filling, share = self._filling, self._shares[name]
        for tp, unit in units:
            if tp in self._taken:
                continue
            ops = state_ops(tp, unit, filling.bare[name])
            size = sum([op_size(op) for op in ops])
            moves = _moves(unit)
            extra = share if moves and name not in filling.box.assigned else 0
            hints = filling.hints.share(tp, unit)
            takeover = filling.takeovers.share(unit)
            late = takeover > 0 and size + takeover + (share if moves else 0) > self._limit
            extra += 0 if late else takeover
            if not has_room:
                count = len(ops) + 1 + bool(unit.dropped) + 2 * bool(hints)
                yield from self._make_room(extra + size + hints, count)
            if moves and name not in filling.box.assigned:
                filling.assign(name, share)
            filling.box.ops.extend(ops)
            size += hints
            filling.box.size += size + (0 if late else filling.takeovers.share(unit))
            filling.add_unit(tp, unit, late=late)

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
        debts = self._filling.ledgers.bound(creation.topic.name, units)
        size = debts + sum(map(op_size, [*ops, *states]))
        yield from self._make_room(size, len(ops) + len(states) + bool(debts))
        box = self._filling.box
        box.add_ops(ops)
        self._filling.ledgers.assign(creation.topic.name)
        box.size += debts
        box.changes.append(SetTopic(creation.topic.name, creation.topic))
        box.results.extend(creation.results)
        box.entries.extend(creation.entries)
        box.causes.extend(cause for cause, _ in creation.results)
        box.follow_ups.update({tp: CheckPartition(tp) for tp, _ in units})

    def _rewrite_topic(
        self, rewrite: Rewrite, share: int, moved: list[tuple[TopicPartition, Unit]]
    ) -> Iterator[Commit]:
        """Write the topic's znode with its id or its new partitions, and all that is `moved`.

        The states of new partitions may come later. As after a creation, all partitions without a
        leader are looked at in the next turn.
        """
        topic = rewrite.topic
        states = [op for tp, unit in moved for op in state_ops(tp, unit, topic.bare)]
        hints = sum([self._filling.hints.share(tp, unit) for tp, unit in moved])
        size = share + sum(map(op_size, states)) + hints
        yield from self._make_room(size, 1 + len(states) + 2 * bool(hints))
        self._filling.assign(topic.name, share)
        box = self._filling.box
        box.changes.append(SetTopic(topic.name, topic))
        box.results.extend(rewrite.results)
        box.entries.extend(rewrite.entries)
        box.messages.extend(rewrite.messages)
        box.causes.extend(cause for cause, _ in rewrite.results)
        for number, partition in topic.partitions.items():
            if partition.leadership is None:
                name = TopicPartition(topic.name, number)
                box.follow_ups[name] = CheckPartition(name)
        yield from self._take_units(topic.name, moved, has_room=True)
        self._taken.update(tp for tp, _ in moved)

    def _clear(self, name: str, causes: Iterable[int]) -> Iterator[Commit]:
        """Write the topic's debts without those paid, unless a Commit of this Plan does already."""
        if name not in self._filling.ledgers:
            size = self._filling.ledgers.bound(name, ())
            yield from self._make_room(size, 1)
            self._filling.ledgers.clear(name)
            self._filling.box.size += size
        self._filling.box.causes.extend(causes)

    def _make_room(self, size: int, ops: int) -> Iterator[Commit]:
        if self._filling.is_full(size, ops):
            yield self._filling.close()

    def _topic_write(self, topic: Topic) -> SetData:
        return topic_write(topic, self._draft.settings)


def _moves(unit: Unit) -> bool:
    """Tell whether it changes the partition's share of its topic's znode."""
    return unit.before.assignment != unit.after.assignment
