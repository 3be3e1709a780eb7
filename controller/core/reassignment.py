"""The arithmetic of a reassignment: which lists follow from which target. Pure list functions.

Source: KIP-455, "Proposed Changes"; Kafka 3.9, ControllerContext.scala, ReplicaAssignment
(reassignTo). Where the KIP's text and Kafka differ there are two functions, one per profile.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from klamm.controller.core.model import Assignment, Leadership


def merge_target_first(present: Assignment, target: Sequence[int]) -> Assignment:
    """Kafka's form: target, then what leaves. [1,2,3] to [4,3,2] is [4,3,2,1], AR [4], RR [1].

    The origin stays that of the first move, so nothing of a replaced target remains unless the
    new one names it again (R455-88, R455-93).
    """
    origin = present.origin
    leaving = [broker for broker in origin if broker not in target]
    return _assignment((*target, *leaving), present, target)


def merge_leaving_first(present: Assignment, target: Sequence[int]) -> Assignment:
    """The KIP's form: what leaves, then target. [1,2,3] to [4,3,2] is [1,4,3,2]."""
    origin = present.origin
    leaving = [broker for broker in origin if broker not in target]
    return _assignment([*leaving, *target], present, target)


def _assignment(replicas: Sequence[int], present: Assignment, target: Sequence[int]) -> Assignment:
    origin = present.origin
    adding = tuple([broker for broker in replicas if broker not in origin])
    removing = tuple([broker for broker in replicas if broker not in target])
    before = present.before if present.moving else present.replicas
    return Assignment(tuple(replicas), adding, removing, before if adding or removing else None)


def cancelled(present: Assignment) -> Assignment:
    """RS without AR, in present order: the order before the move is not promised (R455-47)."""
    return Assignment(present.origin)


def finished(present: Assignment) -> Assignment:
    """RS without RR, which is the target in its order (R455-90)."""
    return Assignment(present.target)


def target_in_sync(
    assignment: Assignment, leadership: Leadership, online: AbstractSet[int]
) -> bool:
    """Kafka's test for the end: the whole target is in the ISR, and here also online (H8)."""
    return all(broker in leadership.isr and broker in online for broker in assignment.target)


def additions_in_sync(
    assignment: Assignment, leadership: Leadership, online: AbstractSet[int]
) -> bool:
    """The KIP's test for the end: every adding replica is in the ISR and online (R455-89).

    A member of the target must be able to lead, or the move would end without a leader.
    """
    in_sync = {broker for broker in leadership.isr if broker in online}
    return in_sync.issuperset(assignment.adding) and not in_sync.isdisjoint(assignment.target)
