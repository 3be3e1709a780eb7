"""What happens in the middle: when half of the plan's bytes have been copied."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from klamm.tools.lab.evidence.metered import MeteredWorld

#: How long a broker that failed is away, in seconds.
AWAY = 180.0
#: How long an operator waits before starting the tool again, who has cancelled everything, or
#: whose tool has ended with an error, in seconds.
PAUSE = 60.0


@unique
class Incident(Enum):
    """One kind of middle."""

    NONE = "nothing fails"
    OLD = "an old broker fails"
    NEW = "a new broker fails"
    CANCEL = "all is cancelled"


class InterruptedRunError(Exception):
    """The operator has ended the tool, in order to cancel what is under way."""


@dataclass(slots=True)
class Fate:
    """Lets an incident happen in one world, at the time for it."""

    world: MeteredWorld
    incident: Incident
    back_at: float | None = None
    over: bool = False

    def look(self) -> None:
        """Do what is due now; raises InterruptedRunError if the operator steps in."""
        if self.back_at is not None and self.world.now >= self.back_at:
            self.back_at = None
            self.world.do(f"start b{self._victim}")
            self.world.settle()
        if self.over or self.incident is Incident.NONE:
            return
        if 2 * self.world.metered.copied < self.world.site.needed:
            return
        self.over = True
        if self.incident is Incident.CANCEL:
            raise InterruptedRunError
        self.world.do(f"kill b{self._victim}")
        self.world.settle()
        self.back_at = self.world.now + AWAY

    @property
    def _victim(self) -> int:
        """Return the broker that fails: the first that hands over, or the first that receives."""
        return 1 if self.incident is Incident.OLD else self.world.site.size.old + 1
