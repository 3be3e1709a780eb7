"""The order of replicas before a move, and the way back to it once the move is cancelled.

A cancel takes the adding replicas away and leaves the rest in the order of the move: [1,2,3] on the
way to [3,4,2] goes back to [3,2,1] (Kafka 3.9, ControllerContext.scala, ReplicaAssignment; KIP-455
does not promise more). The first replica is the preferred leader, so that leaders may wander. Only
klamm's controller tells the order of before, by key 17904, and only while the move lasts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition, errors
from klamm.tools.reassign import texts
from klamm.tools.reassign.first_origins import Told
from klamm.tools.reassign.output import Output

_NOT_KLAMM: Final = (
    "the cluster's controller does not tell it; only klamm's does, with"
    " klamm.describe.reassignments.enable set"
)
_NOT_KNOWN: Final = "the controller has not begun the move itself, or the move has just ended"
_MOVES_AGAIN: Final = "another move of it has begun since"

Replicas = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Orders:
    """What is known of moves before they are cancelled.

    `changed` are the orders of before that a cancel does not bring back by itself. `unknown` says
    in words why the order of others is not known.
    """

    changed: Mapping[TopicPartition, Replicas]
    unknown: Mapping[TopicPartition, str]


def of(details: Told, moves: Mapping[TopicPartition, PartitionReassignment]) -> Orders:
    """Return the orders of before, by what the controller has told before the cancel.

    Whoever is not told may cancel all the same.
    """
    if isinstance(details, errors.UnsupportedVersionError):
        return Orders({}, dict.fromkeys(moves, _NOT_KLAMM))
    if isinstance(details, errors.AdminError):
        return Orders({}, dict.fromkeys(moves, str(details)))
    changed, unknown = {}, {}
    for name, move in moves.items():
        before = details[name].original_replicas if name in details else None
        after = tuple(broker for broker in move.replicas if broker not in move.adding_replicas)
        # Other replicas than those would be another move, which nobody asks for here.
        if before is None or {*before} != {*after}:
            unknown[name] = _NOT_KNOWN
        elif before != after:
            changed[name] = before
    return Orders(changed, unknown)


def restore(
    admin: Admin, orders: Orders, cancelled: Collection[TopicPartition], output: Output
) -> bool:
    """Put the replicas of cancelled moves back in order; tell whether all of them are.

    The change of an order copies nothing, and is done when it is answered. A partition that moves
    again is left alone. What fails is told of and not raised, for the cancel is done.
    """
    failed = {name: why for name, why in orders.unknown.items() if name in cancelled}
    wanted = {name: order for name, order in orders.changed.items() if name in cancelled}
    restored = {}
    for name, error in _put_back(admin, wanted).items():
        if error is None:
            restored[name] = wanted[name]
            output.warn(f"Restored the order before the move of {name}: {texts.ids(wanted[name])}.")
        else:
            failed[name] = error
    for name, why in sorted(failed.items()):
        output.warn(f"Cannot restore the order before the move of {name}: {why}")
    if failed:
        output.warn("If there is a rollback file of --execute, --execute it to put them in order.")
    output.put(
        restored={str(name): list(order) for name, order in sorted(restored.items())},
        not_restored={str(name): why for name, why in sorted(failed.items())},
    )
    return not failed


def _put_back(
    admin: Admin, wanted: Mapping[TopicPartition, Replicas]
) -> dict[TopicPartition, str | None]:
    """Submit orders; return why each is not there, None if it is."""
    if not wanted:
        return {}
    try:
        moving = admin.list_partition_reassignments(wanted.keys()).result()
    except errors.AdminError as error:
        return dict.fromkeys(wanted, str(error))
    outcome: dict[TopicPartition, str | None] = dict.fromkeys(sorted(wanted))
    outcome.update(dict.fromkeys(moving, _MOVES_AGAIN))
    resting = {name: order for name, order in wanted.items() if name not in moving}
    if resting:
        results = admin.alter_partition_reassignments(resting)
        for name, future in results.futures.items():
            try:
                future.result()
            except errors.AdminError as error:
                outcome[name] = str(error)
    return outcome
