"""Deletes that were made are crossed off in ZooKeeper together, at most once a second and topic."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from klamm.controller.core.debts import to_clear
from klamm.controller.core.events import ClearDebts
from klamm.controller.core.model import ClusterState, Ledger
from klamm.controller.core.origins import FromTimer
from klamm.controller.node.effects import Effect, SetTimer
from klamm.controller.node.turns import Turns

CLEAR_TIMER = "debts"
CLEAR_SECONDS = 1.0


@dataclass(slots=True)
class Clearing:
    """Whether the timer is set, and the debts that were looked at last."""

    waits: bool = False
    seen: Mapping[str, Ledger] | None = None

    def look(self, state: ClusterState) -> Iterator[Effect]:
        """Set the timer, unless it is set, if there is anything to cross off."""
        if self.waits or self.seen is state.ledgers:
            return
        self.seen = state.ledgers
        if next(to_clear(state), None) is not None:
            self.waits = True
            yield SetTimer(CLEAR_TIMER, CLEAR_SECONDS)

    def due(self, turns: Turns | None) -> None:
        """Have it crossed off in the next turn, after the timer has run out.

        Not of topics for which an earlier time has not come to anything: nobody hears the node, or
        their write is refused, and tried again already.
        """
        self.waits = False
        if turns is None:
            return
        self.seen = turns.state.ledgers
        waiting = {cause.event.topic for cause in turns.open if isinstance(cause.event, ClearDebts)}
        topics = (topic for topic in to_clear(turns.state) if topic not in waiting)
        turns.add(map(ClearDebts, topics), FromTimer(CLEAR_TIMER))
