"""Was it applied? The rule for a commit whose answer was lost, as a pure state machine.

A commit comes back `Unknown` when the connection breaks between request and answer. Once the same
session is connected again, the question can be settled by reading what the commit would have
written: a server that has answered a sync for this connection has carried out all that the older
connection could still get through, and refuses the rest. (In a new session it can still be on its
way, and whoever held an office has lost it: then there is nothing to settle.)

Each path of the commit is a witness. A znode's versions only grow and each is written once; a
znode whose czxid is not above the zxid seen when the commit was sent is the same znode as then.
Hence, for a znode of that age:

* if the commit would have created or deleted it: **not applied**.
* if the commit would have set it, and its mzxid says that nobody has since: **not applied**.
* if it has the version that the commit would have set, but other data: **not applied**, somebody
  else wrote that version. With our data: **applied**. With a higher version: no answer.

A younger znode that is as the commit would have created it: **applied**; anything else is no
answer. All that a commit writes carries one zxid: two answers "applied" with different zxids are
not both ours, hence neither is: **not applied**.

"Applied" rests on nobody else writing our very data at our very version. That holds for states
(our controller epoch, a raised leader epoch) and the commit counter as long as we hold office;
the fence, read in the same moment, confirms that, and one that has moved settles nothing. An
election has no fence, and a rival writes the same epoch. There, as in every commit that creates
ephemerals, only an ephemeral of our own session says "applied".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique

from klamm.controller.store.port import (
    ANY_VERSION,
    READ_CHUNK,
    Check,
    Create,
    Delete,
    Op,
    ReadData,
    ReadResult,
    SetData,
    Unknown,
    Znode,
)

FIRST_ROUND = 16
"""Witnesses read first: one nearly always suffices."""
LATER_ROUND = READ_CHUNK - 1
"""Witnesses of each later round: with the fence one chunk, hence true of one moment."""


@unique
class Verdict(Enum):
    """What became of the commit."""

    APPLIED = "applied"
    NOT_APPLIED = "not applied"
    """To be treated like a conflict: read everything again, decide again."""
    UNDECIDABLE = "undecidable"
    """Resign: the office is lost, or every witness has been overwritten."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A path, and how the commit would have left it: `version` None if gone, `new` if created."""

    path: str
    new: bool
    version: int | None
    data: bytes | None = None
    ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The question of one commit: `reads` says what to read next, `answer` goes on with it."""

    session: int
    zxid: int
    fence: Check | None
    witnesses: tuple[Witness, ...]
    ephemerals_only: bool
    round_size: int = FIRST_ROUND

    def reads(self) -> tuple[ReadData, ...]:
        """Return what to read now, after a sync."""
        fence = () if self.fence is None else (ReadData(self.fence.path),)
        return fence + tuple(ReadData(one.path) for one in self.witnesses[: self.round_size])

    def answer(self, results: Sequence[ReadResult]) -> Verdict | Inquiry:
        """Take the results of `reads`, one each; return the verdict or what is left to ask."""
        if self.fence is not None:
            held, *results = results
            if not isinstance(held, Znode) or held.version != self.fence.version:
                return Verdict.UNDECIDABLE
        zxids = set()
        for witness, result in zip(self.witnesses[: self.round_size], results, strict=True):
            heard = self._hear(witness, result)
            if heard is Verdict.NOT_APPLIED:
                return heard
            if isinstance(heard, int):
                zxids.add(heard)
        if zxids:
            return Verdict.APPLIED if len(zxids) == 1 else Verdict.NOT_APPLIED
        rest = self.witnesses[self.round_size :]
        if not rest:
            return Verdict.UNDECIDABLE
        return replace(self, witnesses=rest, round_size=LATER_ROUND)

    def _hear(self, witness: Witness, result: ReadResult) -> Verdict | int | None:
        """Return NOT_APPLIED, or the zxid of what says "applied", or None for no answer."""
        if not isinstance(result, Znode):
            return None
        ours = (result.version, result.data) == (witness.version, witness.data)
        if result.czxid <= self.zxid:
            if witness.new or witness.version is None or result.mzxid <= self.zxid:
                return Verdict.NOT_APPLIED
            if result.version <= witness.version and not ours:
                return Verdict.NOT_APPLIED
        elif not witness.new or result.ephemeral_owner != self._owner(witness):
            return None
        counts = witness.ephemeral or not self.ephemerals_only
        return result.mzxid if ours and counts else None

    def _owner(self, witness: Witness) -> int:
        return self.session if witness.ephemeral else 0


def inquire(session: int, unknown: Unknown, ops: Sequence[Op], fence: Check | None) -> Inquiry:
    """Open the inquiry into a commit of these operations; `session` is the one that sent it.

    Asked first are ephemerals, then sets in the order of the operations, then all else. Checks,
    sequential names and writes at any version leave nothing to recognize. Raises ValueError if
    that is all there is: such a commit must write the commit counter as well.
    """
    witnesses: dict[str, Witness | None] = {}
    for op in ops:
        if isinstance(op, Check) or (isinstance(op, Create) and op.sequential):
            continue
        known = op.path not in witnesses or witnesses[op.path] is not None
        witnesses[op.path] = _after(op, witnesses.get(op.path)) if known else None
    clear = [witness for witness in witnesses.values() if witness is not None]
    if not clear:
        raise ValueError(f"a commit without a witness: {ops}")
    clear.sort(key=lambda one: (not one.ephemeral, one.new or one.version is None))
    return Inquiry(session, unknown.zxid, fence, tuple(clear), clear[0].ephemeral)


def _after(op: Create | SetData | Delete, before: Witness | None) -> Witness | None:
    """Return how an operation leaves its znode after earlier ones, or None if none can tell."""
    match op:
        case Create(path, data, ephemeral):
            return Witness(path, True, 0, data, ephemeral)
        case Delete(path):
            return Witness(path, False, None)
        case SetData(path, data, version) if before is None:
            return None if version == ANY_VERSION else Witness(path, False, version + 1, data)
        case SetData(_, data):
            set_once = before.version
            return None if set_once is None else replace(before, version=set_once + 1, data=data)
