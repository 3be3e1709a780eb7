"""What klamm's controller tells of moves before they are cancelled; and what a cancel cannot do.

A move that is made in steps gives up replicas on the way, and as many of the new ones count as its
own from then on. A cancel leaves it on that set and copies nothing, so that the replicas of before
come back by a new reassignment alone (KIP-435 has no other way).
"""

from __future__ import annotations

from collections.abc import Mapping

from klamm.tools.admin import (
    Admin,
    PartitionReassignment,
    ReassignmentDetails,
    TopicPartition,
    errors,
)
from klamm.tools.reassign import texts
from klamm.tools.reassign.output import Output

#: Details by partition, or why nobody tells them.
Told = Mapping[TopicPartition, ReassignmentDetails] | errors.AdminError


def ask(admin: Admin, moves: Mapping[TopicPartition, PartitionReassignment]) -> Told:
    """Ask the controller what it knows of moves, while they last; nothing is raised."""
    try:
        return admin.describe_reassignments(moves.keys()).result()
    except errors.AdminError as error:
        return error


def _first_origin(details: ReassignmentDetails) -> tuple[int, ...] | None:
    """Return the replicas before a move in steps, in their order where the controller knows it."""
    if details.step is None:
        return None
    first, original = details.step.first_replicas, details.original_replicas
    return original if original is not None and {*original} == {*first} else first


def warn(told: Told, moves: Mapping[TopicPartition, PartitionReassignment], output: Output) -> None:
    """Warn of moves whose first origin a cancel cannot restore any more.

    Where nobody tells of steps there are none, or none that anybody knows of.
    """
    if isinstance(told, errors.AdminError):
        if not isinstance(told, errors.UnsupportedVersionError):
            output.warn(f"Nobody could see whether the replicas of before come back: {told}")
        return
    lost = {}
    for name, move in sorted(moves.items()):
        origin = _first_origin(told[name]) if name in told else None
        left = [broker for broker in move.replicas if broker not in move.adding_replicas]
        if origin is None or {*origin} == {*left}:
            continue
        lost[str(name)] = {"left": left, "first": list(origin)}
        output.warn(
            f"Warning: the cancel leaves {name} on {texts.ids(left)}. Its replicas before the move"
            f" come back only by another reassignment, to {texts.ids(origin)}."
        )
    if lost:
        output.put(not_restorable=lost)
