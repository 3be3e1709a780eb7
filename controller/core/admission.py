"""Which ends of moves may hand a lead over in this turn; see `klamm.controller.core.handovers`."""

from itertools import islice

from klamm.controller.core.draft import Draft
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


def room(draft: Draft, leader: int) -> int:
    """Return how many more leads may be handed over to this broker."""
    return max(draft.settings.leader_moves_in_flight - draft.handovers.unanswered(leader), 0)
