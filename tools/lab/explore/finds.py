"""Which bugs an exploration finds, and in which small world: for each the least that shows it.

The product is explored in the same worlds, by the same order, and nothing must be found there.
Not here are bugs that no invariant names, such as F01, H4 or N10, where a client is told one thing
and another happens: they are for those who tell the story. Neither are those that need a timer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from klamm.tools.lab.explore.scopes import (
    ALONE,
    CONNECTIONS,
    DEPOSED,
    ELECTION,
    FENCED,
    MOVING,
    SHRINKING,
    TOUCHED,
)
from klamm.tools.lab.explore.search import Bounds, First
from klamm.tools.lab.scope import Scope


@dataclass(frozen=True, slots=True)
class Find:
    """Where a bug is found: the scope, how often a process or session ends, what is violated."""

    scope: Scope
    ends: int
    invariant: str

    @property
    def bounds(self) -> Bounds:
        """The usual run first, then those that deviate the least from it."""
        return Bounds(ends=self.ends, first=First.USUAL)


#: By the id of a variant.
FINDS: Mapping[str, Find] = MappingProxyType(
    {
        "F02": Find(MOVING, 1, "I9"),
        "F25": Find(SHRINKING, 0, "I9"),
        "F30": Find(DEPOSED, 1, "I1"),
        "F33": Find(FENCED, 0, "I1"),
        "F35": Find(FENCED, 0, "I1"),
        "F36": Find(ALONE, 2, "liveness"),
        "F38": Find(CONNECTIONS, 0, "liveness"),
        "F39": Find(ELECTION, 0, "liveness"),
        "F45": Find(TOUCHED, 0, "I9"),
        "H5": Find(TOUCHED, 0, "I9"),
    }
)
