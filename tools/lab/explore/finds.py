"""Which bugs an exploration finds, and in which small world: for each the least that shows it.

The product is explored in the same worlds, by the same order, and nothing must be found there.
`NOT_FOUND` has the other bugs of the controller, and why they are for those who tell a story.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from klamm.tools.lab.explore.scopes import (
    ALONE,
    CONNECTIONS,
    CORRECTED,
    DEPOSED,
    ELECTION,
    FENCED,
    GARBAGE,
    GROWING,
    MOVING,
    NONSENSE,
    ORDERED,
    SHRINKING,
    STEPS,
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
        "F01": Find(ORDERED, 1, "liveness"),
        "F02": Find(MOVING, 1, "I9"),
        "F09": Find(NONSENSE, 0, "liveness"),
        "F19": Find(GROWING, 0, "I3"),
        "F20": Find(FENCED, 1, "liveness"),
        "F25": Find(SHRINKING, 0, "I9"),
        "F26": Find(NONSENSE, 0, "I2"),
        "F30": Find(DEPOSED, 1, "I1"),
        "F33": Find(FENCED, 0, "I1"),
        "F35": Find(FENCED, 0, "I1"),
        "F36": Find(ALONE, 2, "liveness"),
        "F38": Find(CONNECTIONS, 0, "liveness"),
        "F39": Find(ELECTION, 0, "liveness"),
        "F45": Find(TOUCHED, 0, "I9"),
        "H1": Find(NONSENSE, 0, "I2"),
        "H3": Find(GROWING, 0, "I9"),
        "H5": Find(TOUCHED, 0, "I9"),
        "H6": Find(FENCED, 1, "liveness"),
        "H9": Find(GARBAGE, 0, "liveness"),
        "N1": Find(GARBAGE, 1, "liveness"),
        "N11": Find(CORRECTED, 0, "liveness"),
        "S1": Find(STEPS, 0, "V2"),
    }
)

_PARTITIONS = "it takes several partitions, or topics, and there is one"
_BROKERS = "a broker fails, or fetches nothing for a while, and none does here"
_TOLD = "no invariant names it: the client was refused, or lost its connection: no promise"
_WRITES = "a tool writes what none of the recipes of small worlds do"
_DELETES = "the deletion of a topic is in no small world but those in which it comes to nothing"

#: By the id of a variant: why no small world shows it.
NOT_FOUND: Mapping[str, str] = MappingProxyType(
    {
        "F03": _PARTITIONS,
        "F04": "one office, another, and the first again: three deviations after a long opening",
        "F05": _BROKERS,
        "F06": _PARTITIONS,
        "F08": "a tool writes between a read and a write of the orders of several partitions",
        "F27": _PARTITIONS,
        "F31": "it hears of the end of its office as a timer runs out, and none does",
        "F40": _BROKERS,
        "F50": _DELETES,
        "F51": _DELETES,
        "F52": _DELETES,
        "F54": "it takes nodes of several releases",
        "H2": _WRITES,
        "H4": _TOLD,
        "H7": _BROKERS,
        "H8": _BROKERS,
        "N2": _WRITES,
        "N3": _BROKERS,
        "N4": _WRITES,
        "N5": _DELETES,
        "N6": _BROKERS,
        "N7": "a broker has to ask while its controller is replaced, and no opening begins there",
        "N8": "no invariant names it: a move that is begun once more ends all the same",
        "N9": _DELETES,
        "N10": _TOLD,
        "N13": _BROKERS,
        "N14": _DELETES,
        "N15": _DELETES,
        "S2": "no invariant names it: what is left over of a step makes no other one wrong",
    }
)
