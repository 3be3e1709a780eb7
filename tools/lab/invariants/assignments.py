"""I2, I3 and I11: what controllers write into topic znodes."""

from collections.abc import Collection, Iterator

from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.znodes.state import StateZnode
from klamm.controller.znodes.topic import TopicZnode
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, TopicWrite, Unreadable, assignment, tell


def moves_add_up(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I2: RS = origin + target while moving, AR and RR within RS and disjoint.

    The origin stays what it was when the move began, whatever it is replaced by, until it is
    cancelled or ends (KIP-455, "Proposed Changes"; ReplicaAssignment.reassignTo); somebody has
    asked for each target; and no partition falls out of its topic (catalogue H3, E11). A step of
    a move that is limited drops members of the origin, for as many in sync at most (KIP-435).
    """
    for write, after in _readable(step):
        if isinstance(write.before, TopicZnode):
            for number in sorted(write.before.partitions.keys() - after.partitions.keys()):
                yield Wrong(f"{write.by} dropped partition {write.name}-{number}", _shown(write))
        for name, was, now in _changed(write, after):
            text = _of_one(now) or (_of_both(seen, step, name, was, now) if was else "")
            if text:
                yield Wrong(
                    f"{name}, as {write.by} wrote it: {text}",
                    (f"before: {tell(was)}", f"after: {tell(now)}"),
                )
    for write in step.topics:
        if write.by and isinstance(write.after, Unreadable):
            text = f"{write.by} wrote of topic {write.name} what nobody can read: {write.after.why}"
            yield Wrong(text, _shown(write))


def _of_one(now: Assignment) -> str:
    if set(now.adding) & set(now.removing):
        return "a replica is adding and removing"
    if not set(now.replicas) >= {*now.adding, *now.removing}:
        return "an adding or removing replica is no replica"
    if not now.origin:
        return "no origin is left to go back to"
    return "" if now.target else "the target is empty"


def _of_both(
    seen: Observed, step: Digest, name: TopicPartition, was: Assignment, now: Assignment
) -> str:
    if not now.moving:
        return ""
    origins = [set(was.origin)]
    in_sync = _in_sync(seen, step, name)
    asked = seen.moves.targets.get(name, ())
    if set(was.adding) <= in_sync:
        # The move ended, and another began in the same turn; so may one that began in between.
        origins += [set(was.target), *(set(each) for each in asked if each and {*each} <= in_sync)]
    if set(now.origin) not in origins and not _is_stepped(seen, was, now, in_sync):
        return f"the origin was {[*was.origin]} and is {[*now.origin]}"
    if now.target != was.target and now.target not in asked:
        return f"nobody has asked for {[*now.target]}"
    return ""


def moves_end_at_their_target(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I3: a move that is over has RS = target, in order, or RS = origin if it was cancelled.

    Without a move the replicas do not change, but for an order that somebody asked for
    (KafkaController.updateCurrentReassignment, onPartitionReassignment B).
    """
    for write, after in _readable(step):
        for name, was, now in _changed(write, after):
            if was is None or now.moving or now.replicas == was.target:
                continue
            if set(now.replicas) == set(was.origin):
                continue
            asked = seen.moves.targets.get(name, ())
            in_sync = _in_sync(seen, step, name)
            if None in asked and _is_stepped(seen, was, now, in_sync):
                continue
            if now.replicas in asked and _can_end(in_sync, was, now):
                continue
            ended = set(was.adding) <= in_sync
            if None in asked and ended and _same(now.replicas, was.target):
                # It ended, and another began and was cancelled in the same turn: a cancel leaves
                # the replicas in the order that they had while moving.
                continue
            yield Wrong(
                f"{name}, as {write.by} wrote it, ended at {[*now.replicas]}, "
                f"the target was {[*was.target]}, the origin {[*was.origin]}",
                (
                    f"before: {tell(was)}",
                    f"after: {tell(now)}",
                    f"ISR: {sorted(in_sync)}",
                    f"asked for: {_targets(asked) or 'nothing'}",
                ),
            )


def topic_ids_stay(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I11: as long as there is a topic its id stays (KIP-516; KAFKA-12791, KAFKA-14190)."""
    for write, after in _readable(step):
        before = write.before
        if not isinstance(before, TopicZnode) or before.topic_id is None:
            continue
        if after.topic_id != before.topic_id:
            text = f"{write.by} changed the id of topic {write.name}"
            yield Wrong(text, (f"was {before.topic_id}", f"is {after.topic_id}"))


def _readable(step: Digest) -> Iterator[tuple[TopicWrite, TopicZnode]]:
    """Yield what nodes wrote, and can be read; what others write is not for a node to answer."""
    for write in step.topics:
        if write.by and isinstance(write.after, TopicZnode):
            yield write, write.after


def _changed(
    write: TopicWrite, after: TopicZnode
) -> Iterator[tuple[TopicPartition, Assignment | None, Assignment]]:
    for number in after.partitions:
        was, now = assignment(write.before, number), assignment(after, number)
        if now is not None and now != was:
            yield TopicPartition(write.name, number), was, now


def _in_sync(seen: Observed, step: Digest, name: TopicPartition) -> set[int]:
    """Return who is in sync, or was until this very step: so much may happen in one turn."""
    found = set(seen.isr(name))
    for write in step.states:
        if write.name == name and isinstance(write.before, StateZnode):
            found.update(write.before.isr)
    return found


def _can_end(in_sync: set[int], was: Assignment, now: Assignment) -> bool:
    """Tell whether a move to there could begin and end in one turn, or only the order changed."""
    new = set(now.replicas) - set(was.origin) if was.moving else set(now.replicas)
    return new <= in_sync or set(now.replicas) == set(was.target)


def _is_stepped(seen: Observed, was: Assignment, now: Assignment, in_sync: set[int]) -> bool:
    """Tell whether the origin is as a step leaves it: some are dropped, others have settled."""
    dropped = set(was.origin) - set(now.origin)
    settled = set(now.origin) - set(was.origin)
    return (
        seen.limited
        and bool(dropped)
        and dropped <= set(was.removing)
        and settled <= in_sync.intersection(was.adding)
        and len(settled) <= len(dropped)
    )


def _targets(asked: Collection[tuple[int, ...] | None]) -> str:
    targets = sorted((each for each in asked if each is not None), key=str)
    cancel = ["a cancel"] if None in asked else []
    return ", ".join([*(str([*each]) for each in targets), *cancel])


def _same(some: tuple[int, ...], others: tuple[int, ...]) -> bool:
    return set(some) == set(others)


def _shown(write: TopicWrite) -> tuple[str, ...]:
    return tuple(
        f"{when}: partitions {sorted(znode.partitions)}"
        for when, znode in (("before", write.before), ("after", write.after))
        if isinstance(znode, TopicZnode)
    )
