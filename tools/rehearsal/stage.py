"""From a snapshot and a plan to the stage of a rehearsal, with every reason why it cannot be.

On the stage are the partitions that the plan moves, and the brokers that hold or are to hold them.
What other partitions replicate (what is written to them, once for each follower) is taken off the
brokers' bandwidth for the whole time, and whom they have for leaders counts in the skew; their own
ISRs are not looked at. Three things are simpler than they were: replicas on living brokers begin in
sync, leaders begin where the order of replicas wants them, and moves that ran when the snapshot was
taken, of partitions that the plan does not name, are taken to have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final

from klamm.tools.admin import TopicPartition
from klamm.tools.planner.snapshot import NO_LEADER, Partition, Snapshot
from klamm.tools.rehearsal.spec import Reserved, Stage, StagePartition

#: A run of so many partitions takes half a minute or more.
MOST_PARTITIONS: Final = 1_000
#: The world numbers brokers from 1 on, and nodes from 901 on.
MOST_BROKERS: Final = 900
_SHOWN: Final = 5

Plan = Mapping[TopicPartition, tuple[int, ...]]


class StageError(ValueError):
    """A plan cannot be rehearsed on a snapshot; `reasons` are all there are."""

    def __init__(self, reasons: list[str]) -> None:
        more = len(reasons) - _SHOWN
        shown = reasons[:_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("\n".join(shown))
        self.reasons = reasons


def staged(snapshot: Snapshot, plan: Plan) -> tuple[Stage, tuple[str, ...]]:
    """Return the stage, and what whoever reads the result should know; raises StageError."""
    known = {TopicPartition(each.topic, each.partition): each for each in snapshot.partitions}
    reasons = [*_reasons(snapshot, known, plan)]
    if reasons:
        raise StageError(reasons)
    moved = {name: to for name, to in plan.items() if known[name].replicas != to}
    if not moved:
        raise StageError(["the plan moves nothing: every partition has these replicas already"])
    used = {id_ for name, to in moved.items() for id_ in (*known[name].replicas, *to)}
    if len(moved) > MOST_PARTITIONS or len(used) > MOST_BROKERS:
        reason = (
            f"the plan moves {len(moved):,} partitions on {len(used)} brokers, and a rehearsal"
            f" takes {MOST_PARTITIONS:,} on {MOST_BROKERS} at most: rehearse it in parts, as"
            " `klamm plan --batch` writes them"
        )
        raise StageError([reason])
    alive = {each.id for each in snapshot.brokers if each.alive}
    stage = Stage(
        brokers=tuple(sorted(used)),
        dead=tuple(sorted(used - alive)),
        partitions=tuple(_partition(known[name], to) for name, to in sorted(moved.items())),
        reserved=tuple(_reserved(snapshot, moved, used, alive)),
        plan_hash=plan_hash(plan),
    )
    return stage, tuple(_notes(snapshot, plan, moved, stage))


def plan_hash(plan: Plan) -> str:
    """Return a digest of a plan, whatever the order of its file."""
    text = "\n".join(f"{name}:{','.join(map(str, to))}" for name, to in sorted(plan.items()))
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _reasons(
    snapshot: Snapshot, known: Mapping[TopicPartition, Partition], plan: Plan
) -> Iterator[str]:
    brokers = {each.id: each for each in snapshot.brokers}
    if not plan:
        yield "the plan is empty"
    for name, to in sorted(plan.items()):
        there = known.get(name)
        if there is None:
            yield f"{name}: the snapshot has no such partition"
            continue
        if not to:
            yield f"{name}: the plan has no replicas for it"
        if twice := [str(id_) for id_, count in Counter(to).items() if count > 1]:
            yield f"{name}: the plan names broker {twice[0]} twice"
        if there.moving:
            yield (
                f"{name} was moving when the snapshot was taken: wait for it, or cancel it, and"
                " take the snapshot again"
            )
        for id_ in sorted({*to} - {*there.replicas}):
            broker = brokers.get(id_)
            if broker is None:
                yield f"{name}: the snapshot has no broker {id_}"
            elif not broker.alive:
                yield f"{name}: broker {id_} was not alive, and clusters refuse to add such ones"


def _partition(there: Partition, to: tuple[int, ...]) -> StagePartition:
    return StagePartition(
        there.topic,
        there.partition,
        there.replicas,
        to,
        there.size_bytes,
        there.bytes_in_per_s,
        there.min_isr,
    )


def _reserved(
    snapshot: Snapshot, moved: Plan, used: set[int], alive: set[int]
) -> Iterator[Reserved]:
    into, out, leads = Counter[int](), Counter[int](), Counter[int]()
    for each in snapshot.partitions:
        if TopicPartition(each.topic, each.partition) in moved or each.leader == NO_LEADER:
            continue
        leads[each.leader] += 1
        rate = each.bytes_in_per_s
        for follower in each.target:
            if rate and follower != each.leader and follower in alive:
                into[follower] += rate  # type: ignore[assignment]
                out[each.leader] += rate  # type: ignore[assignment]
    for id_ in sorted(used):
        if into[id_] or out[id_] or leads[id_]:
            yield Reserved(id_, float(into[id_]), float(out[id_]), leads[id_])


def _notes(snapshot: Snapshot, plan: Plan, moved: Plan, stage: Stage) -> Iterator[str]:
    there = {TopicPartition(each.topic, each.partition): each for each in snapshot.partitions}
    if len(moved) < len(plan):
        yield f"{len(plan) - len(moved)} partitions of the plan have their replicas already"
    resized = [name for name, to in moved.items() if len(to) != len(there[name].replicas)]
    if resized:
        yield (
            f"the replication factor changes of {len(resized)} partitions, such as {resized[0]}:"
            f" {len(there[resized[0]].replicas)} to {len(moved[resized[0]])}"
        )
    if not any(each.size_bytes for each in stage.partitions):
        yield "the snapshot says no sizes: copies take no time here; take it with log directories"
    if not any(each.bytes_in_per_s for each in snapshot.partitions):
        yield "nobody writes in the snapshot, or it was taken without --watch: no rates count here"
    if stage.dead:
        dead = ", ".join(map(str, stage.dead))
        yield f"dead from the beginning: broker {dead}"
    moving = [name for name, each in there.items() if each.moving and name not in plan]
    if moving:
        yield f"{len(moving)} other partitions were moving; they are taken to have ended"
    behind = [name for name in moved if len(there[name].isr) < len(there[name].replicas)]
    if behind:
        yield f"{len(behind)} partitions of the plan had replicas out of sync: here all begin in it"
