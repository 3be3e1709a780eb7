"""An optimistic read-modify-write of a few znodes, as a value.

A transaction names the znodes that it reads and decides over what was found: what comes of it,
and which conditional writes make that true. Whoever carries it out (`klamm.controller.node.door`)
reads, decides and writes again when somebody else was faster. So `decide` is pure and may be asked
any number of times; each write that it returns is one multi, applied whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from klamm.controller.store.port import Check, Children, Create, Missing, Op, Read, Znode

Found = Znode | Children | Missing
"""What a read gives; what ZooKeeper does not let us read ends the transaction before."""

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Note:
    """What the journal says of a decision that is written: see `klamm.controller.node.kinds`."""

    kind: str
    text: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Decision(Generic[T_co]):
    """What a transaction comes to, once `ops` are applied; without any it is true as it stands.

    At least one of the operations must be conditional on what was read: a set or delete at the
    version found, or a create of what was missing. That makes a lost update impossible, and lets
    an answer that was lost with its connection be found out. Sequential creates may accompany it.
    A `fence` is checked in the same multi: the transaction is the work of an office. `note` is for
    the journal, once the operations are applied.
    """

    result: T_co
    ops: tuple[Op, ...] = ()
    fence: Check | None = None
    note: Note | None = None

    @property
    def written(self) -> frozenset[str]:
        """The znodes that change by their names; a sequential create makes a new one."""
        return frozenset(
            op.path
            for op in self.ops
            if not isinstance(op, Check) and not (isinstance(op, Create) and op.sequential)
        )


class Transaction(Protocol[T_co]):
    """Reads, and what to make of them; a value, so that whoever holds it can be compared."""

    @property
    def reads(self) -> tuple[Read, ...]:
        """The znodes to read, at least one."""

    def decide(self, found: tuple[Found, ...]) -> Decision[T_co]:
        """Decide over the results of `reads`, one each, in order.

        Raises ZnodeError if a znode cannot be understood; then nothing is written.
        """
