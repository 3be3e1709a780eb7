"""What an option, an action and a dialect of the tool are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final


@unique
class Dialect(Enum):
    """Which tool's ways are followed."""

    KAFKA_3_9 = "3.9"
    KAFKA_2_6 = "2.6"
    KIP_455 = "kip-455"
    KIP_179_ALTER = "kip-179-alter"
    KIP_179_ASSIGN = "kip-179-assign"

    @property
    def is_kip_179(self) -> bool:
        """Tell whether it is one of KIP-179, whose requests only klamm's server knows."""
        return self in (Dialect.KIP_179_ALTER, Dialect.KIP_179_ASSIGN)


#: The option that names a plan.
PLAN_FILE: Final = "reassignment-json-file"

EVERY_DIALECT: Final = frozenset(Dialect)
WITH_ZOOKEEPER: Final = EVERY_DIALECT - {Dialect.KAFKA_3_9}


@unique
class Kind(Enum):
    """What follows an option."""

    FLAG = "nothing"
    TEXT = "a text"
    INT = "a whole number of 32 bits"
    LONG = "a whole number of 64 bits"


@dataclass(frozen=True, slots=True)
class Option:
    """One option; `argument` names what follows it in the help, `choices` are all that may."""

    name: str
    help: str
    kind: Kind = Kind.FLAG
    argument: str = ""
    default: str | int | None = None
    choices: tuple[str, ...] = ()
    dialects: frozenset[Dialect] = EVERY_DIALECT


@dataclass(frozen=True, slots=True)
class Action:
    """One action: the options that it needs, in the order of asking, and those that it may have.

    `ours` is one that the stock tool does not have, and exits by the table of exits.py.
    """

    name: str
    required: tuple[str, ...] = ()
    permitted: frozenset[str] = frozenset()
    ours: bool = False
