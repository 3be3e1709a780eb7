"""The znodes that say how far moves in steps are: their content, and their writes.

/klamm/reassignment_steps/TOPIC follows from the paces of the topic's moves. It is written in each
Commit that changes one of them, removed with the last one, and with its parent when nothing limits
moves any more. To lose it costs pacing alone, so whatever of it cannot be read is no hint.
"""

from collections.abc import Iterable, Mapping

from klamm.controller.core.changes import Change, SetHasHints, SetHints
from klamm.controller.core.draft import Draft, Unit
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.ops import Create, Delete, Op, SetData
from klamm.controller.core.pace import StepHints
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import ReassignmentStep, encode_reassignment_steps

_ROOT = paths.REASSIGNMENT_STEPS
#: What a write takes besides its partitions, and one partition besides its ids; and one id.
_FRAME_BYTES, _PARTITION_BYTES, _ID_BYTES = 250, 140, 11
#: Bytes of a topic's hints: what its own znode and states need of a Commit must be left.
MOST_BYTES = 200_000


def hint_of(partition: Partition) -> ReassignmentStep | None:
    """Return what ZooKeeper holds of a move in steps, once its first step has begun."""
    pace = partition.pace
    if pace is None or (pace.running is None and pace.steps == 0):
        return None
    target, running = partition.assignment.target, pace.running
    if running is None:
        return ReassignmentStep(target, pace.origin, pace.steps, "deferred", (), pace.ended_ms)
    return ReassignmentStep(
        target, pace.origin, pace.steps, running.kind, running.adding, running.since_ms
    )


def hints_of(partitions: Mapping[int, Partition]) -> dict[int, ReassignmentStep]:
    """Return the hints of a topic's partitions, by number, or as many as one write may hold.

    Steps that run come before those that wait: who takes over must not stop who copies.
    """
    found = {number: hint_of(each) for number, each in partitions.items() if each.pace}
    steps = {number: hint for number, hint in sorted(found.items()) if hint is not None}
    if sum(map(hint_bytes, map(partitions.__getitem__, steps))) <= MOST_BYTES:
        return steps
    left, kept = MOST_BYTES, set[int]()
    for number in sorted(steps, key=lambda number: steps[number].kind == "deferred"):
        left -= len(encode_reassignment_steps({number: steps[number]}))
        if left < 0:
            break
        kept.add(number)
    return {number: hint for number, hint in steps.items() if number in kept}


def hint_bytes(partition: Partition) -> int:
    """Bytes that the hint of a move does not exceed, now and after any step of it."""
    assignment = partition.assignment
    # Of the target, the present origin and what a step may add.
    ids = 2 * len(assignment.replicas) - len(assignment.removing)
    origin = len(partition.pace.origin) if partition.pace else 0
    return _PARTITION_BYTES + _ID_BYTES * (ids + origin)


def hints_bound(topic: str, moves: Iterable[Partition]) -> int:
    """Bytes that a write of the hints of these moves, and of their parent, does not exceed."""
    frame = _FRAME_BYTES + len(paths.reassignment_steps(topic).encode())
    return frame + min(sum(map(hint_bytes, moves)), MOST_BYTES)


class Hints:
    """What a Plan writes of hints: a topic's in each Commit that changes how far its moves are.

    Holds what the Commit being filled is to write, and what those before it leave behind.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._there = draft.has_hints
        self._after: dict[str, StepHints] = {}
        self._topics: dict[str, None] = {}
        #: By topic what this turn makes of its partitions, once somebody asks.
        self._units: dict[str, list[Partition]] = {}

    @property
    def waiting(self) -> int:
        """How many writes the Commit being filled will have of this, at most."""
        return len(self._topics) + bool(self._topics and not self._there)

    def share(self, name: TopicPartition, unit: Unit) -> int:
        """Bytes by which a unit's hint lets the Commit being filled grow at most."""
        if not _is_paced(unit) or name.topic in self._topics:
            return 0
        if not self._units:
            for tp, each in self._draft.units.items():
                self._units.setdefault(tp.topic, []).append(each.after)
        known = self._draft.topic(name.topic)
        moves = [known.partitions[number] for number in known.moving] if known else []
        return hints_bound(name.topic, (*moves, *self._units[name.topic]))

    def bound(self, topic: str) -> int:
        """Bytes that a write of the topic's hints takes at most."""
        known = self._draft.topic(topic)
        return hints_bound(topic, (known.partitions[n] for n in known.moving) if known else ())

    def mend(self, topic: str) -> None:
        """Note that the topic's hints are not what they should be."""
        self._topics[topic] = None

    def add(self, name: TopicPartition, unit: Unit) -> None:
        """Note how far a unit brings a move."""
        if _is_paced(unit):
            self._topics[name.topic] = None

    def close(
        self, partitions: Mapping[str, Mapping[int, Partition]]
    ) -> tuple[list[Op], list[Change]]:
        """The writes of the Commit being filled, whose topics have these partitions; begin anew."""
        ops: list[Op] = []
        changes: list[Change] = []
        topics, self._topics = self._topics, {}
        for name in topics:
            before = self._after.get(name) or self._draft.hints(name)
            steps = hints_of(partitions.get(name) or _partitions(self._draft, name))
            is_left = before.version is not None and not steps
            if before.hidden or (steps == before.steps and not is_left):
                continue
            if not self._there:
                self._there = True
                ops.append(Create(_ROOT, None))
                changes.append(SetHasHints(there=True))
            bears = bool(self._draft.below.get(paths.reassignment_steps(name)))
            if bears and is_left and not before.steps:
                continue
            op, after = _write(name, before, steps, bears=bears)
            self._after[name] = after
            ops.append(op)
            changes.append(SetHints(name, after))
        return ops, changes


def stale(draft: Draft) -> list[str]:
    """Return the topics read in this turn whose hints are not what they should be."""
    if draft.limits.none:
        return []
    read = dict.fromkeys((*draft.topics_read, *draft.hints_read))
    return [
        name
        for name in read
        if draft.hints(name).steps != hints_of(_partitions(draft, name))
        or (draft.hints(name).version is not None and not draft.hints(name).steps)
    ]


def _partitions(draft: Draft, topic: str) -> Mapping[int, Partition]:
    """Return the topic's moving partitions, as decided so far."""
    known = draft.topic(topic)
    numbers = known.moving if known else ()
    found = {number: draft.partition(TopicPartition(topic, number)) for number in numbers}
    return {number: partition for number, partition in found.items() if partition is not None}


def _is_paced(unit: Unit) -> bool:
    return unit.before.pace is not None or unit.after.pace is not None


def _write(
    topic: str, before: StepHints, steps: Mapping[int, ReassignmentStep], *, bears: bool
) -> tuple[Op, StepHints]:
    path, version = paths.reassignment_steps(topic), before.version
    if not steps and not bears and version is not None:
        return Delete(path, version), StepHints()
    data = encode_reassignment_steps(steps)
    if version is None:
        return Create(path, data), StepHints(0, steps)
    return SetData(path, data, version), StepHints(version + 1, steps)
