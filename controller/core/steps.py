"""The next step of a move that is made in steps, and what is left after one. Pure functions.

Words, beside those of `klamm.controller.core.model`: adding replicas have *joined* once they are in
sync, and are *missing* before that. The *current* replicas are the origin and those that joined.
*Leaving* are the removing replicas in RS order. In sync are members of the ISR that are alive.

Source: KIP-435, "Algorithm", with the replicas of its example: the new preferred leader comes
first and alone, and nobody is dropped before those who come are in sync.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from klamm.controller.core.model import NO_LEADER, Assignment, Partition
from klamm.controller.core.pace import UNLIMITED, RunningStep, StepKind, WaitReason


class Finished(Enum):
    """What is next of a move with nothing left to do but to write the target as the replicas."""

    FINISHED = "finished"


FINISHED = Finished.FINISHED


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a step is chosen from.

    `alive` are the brokers that can be given the partition, `min_isr` is the topic's
    min.insync.replicas, `steps` is how many steps of this move have ended.
    """

    assignment: Assignment
    leader: int
    isr: tuple[int, ...]
    alive: AbstractSet[int]
    min_isr: int = 1
    steps: int = 0

    @classmethod
    def of(cls, partition: Partition, alive: AbstractSet[int], min_isr: int) -> Self:
        """Return the situation of a partition that moves."""
        held, pace = partition.leadership, partition.pace
        isr, steps = held.isr if held else (), pace.steps if pace else 0
        return cls(partition.assignment, partition.leader, isr, alive, min_isr, steps)


@dataclass(frozen=True, slots=True)
class Choice:
    """A step that can begin: these replicas are to join, in the target's order; maybe none."""

    kind: StepKind
    adding: tuple[int, ...] = ()


# --- replicas of a move ------------------------------------------------------------------------


def ordered(assignment: Assignment, brokers: Collection[int]) -> tuple[int, ...]:
    """Sort replicas as brokers are told of them: the target's in its order, then those leaving."""
    return tuple(b for b in (*assignment.target, *leaving(assignment)) if b in brokers)


def leaving(assignment: Assignment) -> tuple[int, ...]:
    """Return the removing replicas in RS order, in which they go."""
    return tuple(b for b in assignment.replicas if b in assignment.removing)


def joined(assignment: Assignment, isr: Collection[int]) -> tuple[int, ...]:
    """Return the adding replicas that are in sync, in the target's order."""
    return tuple(b for b in assignment.target if b in assignment.adding and b in isr)


def missing(assignment: Assignment, isr: Collection[int]) -> tuple[int, ...]:
    """Return the adding replicas that are not in sync, in the target's order."""
    return tuple(b for b in assignment.target if b in assignment.adding and b not in isr)


def current(assignment: Assignment, isr: Collection[int]) -> tuple[int, ...]:
    """Return the replicas between two steps: the origin and those that joined, ordered."""
    return hosted(assignment, isr, ())


def hosted(
    assignment: Assignment, isr: Collection[int], adding: Collection[int]
) -> tuple[int, ...]:
    """Return the replicas while a step adds these: the current ones and they, ordered."""
    absent = {b for b in assignment.adding if b not in isr and b not in adding}
    return tuple(b for b in ordered(assignment, assignment.replicas) if b not in absent)


def in_sync(situation: Situation) -> tuple[int, ...]:
    """Return the members of the ISR that are alive."""
    return tuple(b for b in situation.isr if b in situation.alive)


def measure(situation: Situation) -> int:
    """Count what is left to do; every finished step makes it less.

    That is one for each missing replica, each leaving one, and a leader that is not the preferred
    one.
    """
    assignment = situation.assignment
    elsewhere = situation.leader != assignment.target[0]
    return len(missing(assignment, in_sync(situation))) + len(assignment.removing) + elsewhere


# --- choosing ----------------------------------------------------------------------------------


def next_step(situation: Situation, limit: int) -> Choice | WaitReason | Finished:
    """Return the step that can begin, why none can, or that nothing is left to do.

    `limit` is KIP-435's limit of replicas. UNLIMITED makes one step of the whole move, as KIP-455
    makes it; it waits only once nobody alive is left to join.
    """
    isr = in_sync(situation)
    if is_offline(situation):
        return "offline"
    absent = missing(situation.assignment, isr)
    able = tuple(b for b in absent if b in situation.alive)
    if limit == UNLIMITED:
        choice = _whole_move(situation, isr, absent, able)
    else:
        choice = _leader_or_fill(situation, isr, able) or _swap(situation, isr, able, limit)
    if choice is not None:
        return choice
    if len(able) < len(absent):
        return "target-offline"
    return FINISHED if _is_done(situation, isr, limit) else "not-in-sync"


def is_offline(situation: Situation) -> bool:
    """Tell whether nobody leads the partition, or nobody alive is in sync: it gets no step."""
    return situation.leader == NO_LEADER or not in_sync(situation)


def _whole_move(
    situation: Situation, isr: Collection[int], absent: tuple[int, ...], able: tuple[int, ...]
) -> Choice | None:
    """Bring in all that are missing, who is away too; what leaves then goes at once."""
    assignment = situation.assignment
    can_end = bool(assignment.removing) and all(b in isr for b in assignment.target)
    if not able and not can_end:
        return None
    return Choice("swap" if situation.leader in assignment.target else "leader", absent)


def _leader_or_fill(
    situation: Situation, isr: Collection[int], able: tuple[int, ...]
) -> Choice | None:
    """Bring in the new preferred leader, and in a first step as many as producers wait for."""
    preferred = situation.assignment.target[0]
    need = 0
    if situation.steps == 0:
        need = min(situation.min_isr - len(isr), len(able))
    elsewhere = situation.leader != preferred
    if elsewhere and preferred in able:
        # The target's order puts it first.
        return Choice("leader", able[: max(need, 1)])
    if elsewhere and preferred in isr:
        return Choice("leader", able[: max(need, 0)])
    return Choice("fill", able[:need]) if need > 0 else None


def _swap(
    situation: Situation, isr: Collection[int], able: tuple[int, ...], limit: int
) -> Choice | None:
    """Bring in replicas for those that leave, or, above the target's size, only let some go."""
    assignment = situation.assignment
    going = min(limit, len(assignment.removing))
    surplus = len(current(assignment, isr)) - len(assignment.target)
    adding = able[: min(limit, max(0, going - surplus))]
    if adding or drop_set(situation, limit):
        return Choice("swap", adding)
    return None


def _is_done(situation: Situation, isr: Collection[int], limit: int) -> bool:
    """Tell whether all have come and gone; as KIP-455 makes moves, any of them may lead."""
    assignment = situation.assignment
    target = assignment.target
    leads = situation.leader == target[0] or limit == UNLIMITED
    return leads and not assignment.removing and all(b in isr for b in target)


# --- ending ------------------------------------------------------------------------------------


def is_over(situation: Situation, running: RunningStep) -> bool:
    """Tell whether the step can end: what it adds is in sync, and whom it elects can lead.

    A step without a limit of replicas ends when the whole target is in sync. A void one never ends.
    """
    isr = in_sync(situation)
    whole = running.limit == UNLIMITED
    awaited = situation.assignment.target if whole else running.adding
    return all(b in isr for b in awaited) and not is_void(situation, running)


def is_void(situation: Situation, running: RunningStep) -> bool:
    """Tell whether the step has lost its point, so that its move is to be planned anew.

    A broker that it adds has gone, or the partition has no leader; or there is nothing left that
    its end would change, because another ISR or leader came about since it was chosen.
    """
    if is_offline(situation):
        return True
    if running.limit == UNLIMITED:
        choice = next_step(situation, UNLIMITED)
        # Who fell out of sync meanwhile is told nothing any more, unless it is added again.
        return isinstance(choice, str) or (
            isinstance(choice, Choice) and not set(choice.adding) <= set(running.adding)
        )
    if any(b not in situation.alive for b in running.adding):
        return True
    preferred = situation.assignment.target[0]
    if running.kind == "leader" and preferred not in running.adding:
        if preferred not in in_sync(situation):
            return True
        return situation.leader == preferred and not running.adding
    return not running.adding and not drop_set(situation, running.limit)


def dropped(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    """Return who goes when the step ends now; nobody if it is there for a leader or to fill up."""
    if running.kind != "swap" and running.limit != UNLIMITED:
        return ()
    return drop_set(situation, running.limit)


def drop_set(situation: Situation, limit: int) -> tuple[int, ...]:
    """Return the leaving replicas that a swap may drop now, in RS order, at most `limit`.

    No more go than there are above the target's size. The leader stays, and so do as many in sync
    as producers wait for. Without a limit, all go once the target is in sync, and the leader too.
    """
    assignment, isr = situation.assignment, in_sync(situation)
    target, going = assignment.target, leaving(assignment)
    whole = all(b in isr for b in target)
    if limit == UNLIMITED:
        return going if whole else ()
    room = min(limit, len(current(assignment, isr)) - len(target))
    spare = len(isr) - min(situation.min_isr, len(target))
    drops: list[int] = []
    for broker in going:
        if len(drops) >= room:
            break
        if broker == situation.leader or (broker in isr and spare <= 0):
            continue
        spare -= broker in isr
        drops.append(broker)
    would_end = len(drops) == len(going) and not missing(assignment, isr)
    if drops and would_end and not (whole and situation.leader == target[0]):
        drops.pop()
    return tuple(drops)


def after_drop(assignment: Assignment, isr: Collection[int], drops: Collection[int]) -> Assignment:
    """Return the assignment once these are dropped, as `dropped` named them.

    As many of those that joined settle: they are adding replicas no more, so that a cancel gives
    back a set of the same size. When nobody is missing or leaving any more, RS is the target.
    """
    if not drops:
        return assignment
    settled = joined(assignment, isr)[: len(drops)]
    adding = tuple(b for b in assignment.adding if b not in settled)
    removing = tuple(b for b in assignment.removing if b not in drops)
    if not removing and all(b in isr for b in adding):
        return Assignment(assignment.target)
    replicas = tuple(b for b in assignment.replicas if b not in drops)
    return replace(assignment, replicas=replicas, adding=adding, removing=removing)


def planned(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    """Return the replicas that the step leads to, if all that it adds join and nobody else leaves.

    They are those from before it, with what it adds and without what it would drop then, ordered.
    """
    extra = running.adding
    if running.limit == UNLIMITED:
        extra = situation.assignment.target
    isr = (*situation.isr, *(b for b in extra if b not in situation.isr))
    then = replace(situation, isr=isr, alive=situation.alive | set(extra))
    drops = dropped(then, running)
    staying = {*running.before, *running.adding}.difference(drops)
    return ordered(situation.assignment, staying)
