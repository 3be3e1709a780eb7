"""--resume: what of a plan an earlier run has begun, as the cluster tells.

Nothing is remembered between runs: a partition that has the replicas of the plan is not sent again,
nor is one that moves to them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition
from klamm.tools.reassign import log_dirs
from klamm.tools.reassign.log_dirs import Folders
from klamm.tools.reassign.state import States, Target, Verdict


@dataclass(frozen=True, slots=True)
class Begun:
    """Partitions of the plan: those that move to their replicas or catch up, and those done."""

    in_flight: tuple[TopicPartition, ...] = ()
    complete: tuple[TopicPartition, ...] = ()


NOTHING_BEGUN = Begun()


def begun(states: States) -> Begun:
    """Sort out which partitions of the plan need not be sent.

    One that has just come to its replicas may still look as before, and is sent once more: that
    changes nothing.
    """
    in_flight, complete = [], []
    for name, state in states.partitions.items():
        match state.verdict:
            case Verdict.COMPLETE:
                complete.append(name)
            case Verdict.CATCHING_UP:
                in_flight.append(name)
            case Verdict.MOVING if goal(states.moving[name]) == state.target:
                in_flight.append(name)
    return Begun(tuple(in_flight), tuple(complete))


def goal(move: PartitionReassignment) -> Target:
    """Return the replicas that a move ends with, in order."""
    return tuple(broker for broker in move.replicas if broker not in move.removing_replicas)


def log_dirs_left(admin: Admin, wanted: Folders, names: Collection[TopicPartition]) -> Folders:
    """Return the moves between log directories of begun partitions that were not asked for yet."""
    of_begun = {
        replica: folder
        for replica, folder in wanted.items()
        if TopicPartition(replica.topic, replica.partition) in names
    }
    return {
        state.replica: state.target
        for state in log_dirs.read(admin, of_begun)
        if state.target not in (state.current, state.future)
    }
