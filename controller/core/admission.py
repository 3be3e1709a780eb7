"""What may go on and what has to wait: ends of moves that hand a lead over, and begins of steps.

See `klamm.controller.core.handovers` and `klamm.controller.core.slots`.
"""

from dataclasses import replace
from itertools import islice

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import BeginStep
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.slots import admissible
from klamm.controller.core.writes import awaiting


def admit(draft: Draft) -> None:
    """Look again, in the next turn, at the moves held back for which there is room by now.

    A lead that this turn takes away again leaves its room to them, as one that was answered does.
    """
    for name, unit in draft.units.items():
        before = draft.awaiting(name)
        if before is not None and before.handover:
            owing = draft.ledger(name.topic).due(name.partition)
            after = awaiting(before, unit, owing)
            if after is None or not after.handover or after.leader != before.leader:
                draft.handovers.end(name)
    for leader in draft.handovers.leaders():
        for name in islice(draft.handovers.waiting(leader), room(draft, leader)):
            draft.check_later(name)
    if not draft.limits.none:
        _admit_steps(draft)


def room(draft: Draft, leader: int) -> int:
    """Return how many more leads may be handed over to this broker."""
    return max(draft.settings.leader_moves_in_flight - draft.handovers.unanswered(leader), 0)


def may_take(draft: Draft, leader: int, name: TopicPartition) -> bool:
    """Tell whether the partition's lead may be handed over to this broker now.

    While others wait for the broker only they may: they go first.
    """
    waiting = draft.handovers.waiting(leader)
    return room(draft, leader) > 0 and (not waiting or name in waiting)


def _admit_steps(draft: Draft) -> None:
    """Let steps begin in the next turn for which there are slots.

    Who was copying under another controller, and has no step now, stops until it has one.
    """
    granted = admissible(draft.slots, (), draft.limits)
    draft.step_orders.update(dict.fromkeys(map(BeginStep, granted)))
    begun = set(granted)
    for name in [name for name in draft.unstopped if name not in begun]:
        partition = draft.existing(name)
        pace, adding = partition.pace, partition.assignment.adding
        if pace is not None and pace.started is None:
            draft.pace(name, replace(pace, started=frozenset(adding)))
            others = set(adding).difference(pace.hosted)
            draft.unit(name).stopped.update(others & draft.online)
