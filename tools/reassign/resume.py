"""--resume: what of a plan an earlier run has begun, as the cluster tells.

Nothing is remembered between runs: a partition that has the replicas of the plan is not sent again,
nor is one that moves to them.
"""

from __future__ import annotations

from collections.abc import Mapping
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

    def not_in(self, targets: Mapping[TopicPartition, Target]) -> dict[TopicPartition, Target]:
        """Return those targets that are not begun."""
        begun = {*self.in_flight, *self.complete}
        return {name: target for name, target in targets.items() if name not in begun}


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


def log_dirs_left(admin: Admin, wanted: Folders) -> Folders:
    """Return those moves between log directories that have neither begun nor ended."""
    return {
        state.replica: state.target
        for state in log_dirs.read(admin, wanted)
        if state.target not in (state.current, state.future)
    }
