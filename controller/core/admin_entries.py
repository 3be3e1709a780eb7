"""Moves that old tools order: the life of what stands in /admin/reassign_partitions.

What the znode names when it is first seen is the set under way: each entry is judged, and begun,
for itself, by the same functions as a request's. While the set lasts, later writes change nothing;
what they add waits for its end. At most once a second what is finished is taken out, in one
version-checked write for all of it; the last write removes the znode. Whoever removes or empties
it cancels nothing: what has begun stands in the topics' znodes.

What is under way is known by the topics' znodes alone, so whoever takes over judges anew what has
not begun: an order to a broker that was away at that moment, with the controller, is refused. An
entry whose topic cannot be read is not judged; it waits until it can be.

Source: KIP-455, "Compatibility, Deprecation, and Migration Plan"; Kafka 3.9, KafkaController.scala
(processZkPartitionReassignment, maybeTriggerPartitionReassignment, removePartitionsFromReassigned).
There entries are begun unjudged, later writes are never seen, and one finished entry is one write
of the whole znode without a check of its version.
"""

from dataclasses import dataclass, field, replace

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.changes import SetAdmin
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AdminReassignmentsRead, BeginEntry, Cause, TidyEntries
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.moves import bring_in_line, note, reassign
from klamm.controller.core.ops import Op, SetData
from klamm.controller.core.plan import Entry
from klamm.controller.core.removal import clearing
from klamm.controller.core.results import Refusal
from klamm.controller.core.sizes import op_size
from klamm.controller.core.takeovers import fits
from klamm.controller.core.validation import NO_PARTITION
from klamm.controller.znodes import paths

#: The czxid of a znode that a Commit of this office has made, and that was not read since.
MADE_HERE = 0

_PATH = paths.REASSIGN_PARTITIONS
_Targets = dict[TopicPartition, tuple[int, ...]]


def reassignments_read(draft: Draft, cause: Cause, event: AdminReassignmentsRead) -> None:
    """Take what the znode says: a new set, or what waits until the present one is done."""
    draft.settle(cause)
    known = draft.admin
    if (event.version, event.czxid) == (known.version, known.czxid):
        return
    # What a request has made is known before its transaction's number is.
    made_here = known.version is not None and known.czxid == MADE_HERE
    if event.version is None:
        draft.learn_below(_PATH, ())
        draft.learn_admin(AdminReassignments())
        draft.note("admin-gone", f"{len(known.accepted)} entries were under way")
        return
    for rejection in event.rejected:
        draft.note("entry-refused", f"{rejection.entry}: {rejection.reason}")
    entries = {TopicPartition(each.topic, each.partition): each.replicas for each in event.entries}
    goes_on = bool(known.accepted) and (event.czxid == known.czxid or made_here)
    learned = AdminReassignments(
        event.version,
        event.czxid,
        entries,
        known.accepted if goes_on else entries,
        known.refused if goes_on else frozenset(),
        known.overridden if goes_on else frozenset(),
        unclean=bool(event.fault or event.rejected),
    )
    draft.learn_admin(learned)
    if not goes_on:
        draft.admin_orders.update(dict.fromkeys(map(BeginEntry, entries)))
    waiting = len(learned.beyond())
    if event.fault:
        draft.note("admin-discarded", event.fault)
    else:
        text = f"version {event.version}: {len(entries)} entries, {waiting} of them"
        draft.note("admin-read", f"{text} beyond the set under way")


def begin(draft: Draft, cause: Cause, event: BeginEntry) -> None:
    """Begin the move that an entry asks for, or find it begun or done, or refuse it.

    One that the topic's znode shows as under way was accepted once: a controller and a target that
    restart together end no move (F05).
    """
    name = event.partition
    target = draft.admin.target(name)
    if target is None or name in draft.admin.refused or name in draft.refused_entries:
        draft.settle(cause)
        return
    if name in draft.admin.overridden or draft.status.book.lacks_chunks:
        # Of a request whose status has no place yet nothing moves; that comes first, and then this.
        draft.settle(cause)
        return
    unreadable = draft.immovable(name)
    if unreadable:
        text = f"to {[*target]}: it waits, for a znode cannot be read: {unreadable}"
        draft.note("entry-waits", text, name=name)
        draft.settle(cause)
        return
    bring_in_line(draft, name)
    partition = draft.partition(name)
    if _is_under_way(partition, target):
        draft.note("entry-resumed", f"to {[*target]}", name=name)
    elif _is_done(partition, target):
        draft.note("entry-done", f"at {[*target]} already", name=name)
    else:
        _begin(draft, name, partition, target)
    draft.settle(cause, None, name)


def _begin(
    draft: Draft, name: TopicPartition, partition: Partition | None, target: tuple[int, ...]
) -> None:
    refusal = _check(draft, name, partition, target)
    if refusal is None and partition is not None:
        kind = "supersede" if partition.assignment.moving else "accept"
        wanted = draft.rules.merge(partition.assignment, target)
        refusal = reassign(draft, name, wanted)
        if refusal is None:
            note(draft, name, kind)
            draft.unit(name).check_later = True
    if refusal is not None:
        draft.refused_entries.add(name)
        draft.note("entry-refused", f"to {[*target]}: {refusal.message}", name=name)


def _check(
    draft: Draft, name: TopicPartition, partition: Partition | None, target: tuple[int, ...]
) -> Refusal | None:
    """What a request for the same would be refused for (H1, H2, N4)."""
    refusal = draft.rules.validate(partition, target, draft.alive)
    if refusal is None and name.topic in draft.deleting:
        refusal = NO_PARTITION
    return refusal or draft.too_large.get(name.topic)


def _is_under_way(partition: Partition | None, target: tuple[int, ...]) -> bool:
    return (
        partition is not None
        and partition.assignment.moving
        and partition.assignment.target == target
    )


def _is_done(partition: Partition | None, target: tuple[int, ...]) -> bool:
    return (
        partition is not None
        and not partition.assignment.moving
        and partition.assignment.replicas == target
    )


# --- the end of entries -------------------------------------------------------------------------


@dataclass(slots=True)
class _Sorted:
    """The set under way: what is finished, what is not, and what of that must be begun."""

    over: set[TopicPartition] = field(default_factory=set)
    under_way: set[TopicPartition] = field(default_factory=set)
    unbegun: list[TopicPartition] = field(default_factory=list)


def tidy(draft: Draft, cause: Cause, event: TidyEntries) -> None:
    """Take finished entries out; once all are, accept or discard what was written meanwhile.

    What is finished is so in ZooKeeper, not only by this turn: who takes over in between begins
    nothing anew. An entry that somebody has undone in the topic's znode is begun again.
    """
    admin = draft.admin.refusing(frozenset(draft.refused_entries))
    if admin.version is None:
        draft.settle(cause)
        return
    strays = clearing(draft, cause, _PATH, event)
    if strays is not None:
        draft.steps.append(strays)
        return
    found = _sort(draft, admin)
    if found.under_way:
        gone = found.over - admin.overridden
        _write(draft, cause, admin, *_without(admin, gone), found.unbegun)
        return
    left = _leftovers(draft, admin)
    _write(draft, cause, admin, left, left, [*left])


def _leftovers(draft: Draft, admin: AdminReassignments) -> _Targets:
    """What was written while the set was under way, and is the next one; not in kip-455."""
    left = {}
    for name, to in admin.beyond().items():
        if _is_done(_durable(draft, name), to):
            draft.note("entry-done", f"at {[*to]} already", name=name)
        elif draft.rules.takes_leftovers:
            left[name] = to
        else:
            text = f"to {[*to]}: written while another set was under way"
            draft.note("entry-discarded", text, name=name)
    return left


def _sort(draft: Draft, admin: AdminReassignments) -> _Sorted:
    found = _Sorted()
    for name, target in admin.accepted.items():
        partition = _durable(draft, name)
        moving = partition is not None and partition.assignment.moving
        if name in admin.refused or _is_done(partition, target):
            found.over.add(name)
        elif _is_under_way(partition, target) or (name in admin.overridden and moving):
            found.under_way.add(name)
        elif name in admin.overridden or admin.entries.get(name) != target:
            found.over.add(name)
        else:
            found.under_way.add(name)
            if not (draft.immovable(name) or _is_under_way(draft.partition(name), target)):
                found.unbegun.append(name)
    return found


def _durable(draft: Draft, name: TopicPartition) -> Partition | None:
    return draft.state.partition(name)


def _without(admin: AdminReassignments, gone: set[TopicPartition]) -> tuple[_Targets, _Targets]:
    """The entries without those of the set that are finished; the set without them."""
    kept = {
        name: to
        for name, to in admin.entries.items()
        if name not in gone or admin.accepted[name] != to
    }
    return kept, {name: to for name, to in admin.accepted.items() if name not in gone}


def _write(
    draft: Draft,
    cause: Cause,
    admin: AdminReassignments,
    kept: _Targets,
    accepted: _Targets,
    unbegun: list[TopicPartition],
) -> None:
    """Leave these entries in the znode, if that is news and ZooKeeper takes it; begin these."""
    ops: tuple[Op, ...] = ()
    entries: tuple[Entry, ...] = ()
    after = admin.taking(accepted)
    if not kept or len(kept) < len(admin.entries) or admin.unclean:
        op = admin.removal(kept)
        if isinstance(op, SetData) and not fits(draft, size := op_size(op)):
            if not admin.too_large:
                text = f"{size:,} bytes cannot be written at once: finished entries stay until less"
                entries = (Entry("admin-too-large", f"{text} is left", cause.id),)
            after = replace(after, too_large=True)
        else:
            ops, after = (op,), admin.after(kept, accepted)
            entries = (Entry("admin-tidied", _tidied(draft, admin, kept), cause.id),)
    follow_ups = tuple(map(BeginEntry, unbegun))
    if after == draft.admin and not follow_ups:
        draft.settle(cause)
        return
    draft.admin = after
    step = Step((cause.id,), ops, (SetAdmin(after),), entries=entries, follow_ups=follow_ups)
    draft.steps.append(step)


def _tidied(draft: Draft, admin: AdminReassignments, kept: _Targets) -> str:
    """What leaves the znode, in numbers; other lines tell what was overridden or discarded."""
    gone = {name: to for name, to in admin.entries.items() if name not in kept}
    refused = sum(
        name in admin.refused and admin.accepted.get(name) == to for name, to in gone.items()
    )
    finished = sum(_is_done(_durable(draft, name), to) for name, to in gone.items())
    text = f"{len(gone)} entries leave ({finished} finished, {refused} refused)"
    if admin.unclean:
        text += " and what is no entry"
    return f"{text}, {len(kept)} are left"
