"""The node's door to ZooKeeper: read-modify-writes of configs and the like, many at once.

The controller's own door is fenced Commits; this one is open to every node and broker with a
session. A transaction is read, decided and written; after a conflict that begins again, five times
at most. While a write is under way, other transactions on the same znodes wait for it, so those
of one door never conflict with each other, and what a lost answer was about can be told from the
znodes alone: nobody here has written the same at the same version.

An answer that was lost with its connection is found out once the same session is connected again
(`klamm.controller.store.witness`): a write is never made twice, and what nobody can tell is
answered so. Every transaction is answered exactly once.

    door.enter(request, transactions)     ask; ends in one `Transacted(request, results)`, with an
                                          entry of the journal before it for each noted write
    door.answered(event)                  the store's answers, those that `Door.owns`
    door.connected(session)               at each CONNECTED
    door.disconnected()                   at each SUSPENDED
    door.lost(reason)                     when the session is over

All but `disconnected` return what is to be done, in order. Without I/O, clock or randomness.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

from klamm.controller.core.origins import Origin
from klamm.controller.core.results import NOT_CONTROLLER, Fault, Refusal
from klamm.controller.node.effects import Commit, Journal, ReadZnodes, Severity, Transacted
from klamm.controller.node.locks import Locks
from klamm.controller.node.visits import Owed, Visit, doubted, written
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    Create,
    Fenced,
    Missing,
    ReadDone,
    Refused,
    Unknown,
    Unreadable,
)
from klamm.controller.store.transaction import Found, Transaction
from klamm.controller.store.witness import Inquiry, Verdict, inquire
from klamm.controller.znodes.errors import ZnodeError

#: A door numbers its requests to the store from here on; those of others stay below.
FIRST_REQUEST = 1 << 62

#: So many times somebody else may be faster.
MOST_CONFLICTS = 5

DoorEffect = ReadZnodes | Commit | Journal | Transacted


class Door:
    """All transactions of one node or broker; see the module."""

    def __init__(self) -> None:
        self._last = FIRST_REQUEST
        self._session = 0
        self._connected = False
        self._owed: dict[int, Owed] = {}
        #: By the number of the request that the store works on.
        self._asked: dict[int, Visit] = {}
        #: To go on when the connection is back.
        self._parked: list[Visit] = []
        #: Who writes a znode, from its decision or its waking to its end. Those who wait for that
        #: are read again then.
        self._writers: Locks[Visit] = Locks()

    @staticmethod
    def owns(request: int) -> bool:
        """Tell whether a store's answer of this number is for a door."""
        return request > FIRST_REQUEST

    def __len__(self) -> int:
        """Count the requests that are not answered yet."""
        return len(self._owed)

    # --- in ------------------------------------------------------------------------------------

    def enter(
        self,
        request: int,
        transactions: tuple[Transaction[Any], ...],
        origin: Origin | None = None,
    ) -> Iterator[DoorEffect]:
        """Carry transactions out, each by itself; `request` is the caller's number for them all.

        The results come in the order of the transactions: what each decided, or a Refusal.
        `origin` is who asks, for the journal.
        """
        if not transactions:
            yield Transacted(request, ())
            return
        self._owed[request] = Owed(len(transactions), origin)
        for place, transaction in enumerate(transactions):
            visit = Visit(request, place, transaction)
            if not self._session:
                text = "This node has no session with ZooKeeper at the moment."
                yield from self._end(visit, _failure(text))
            else:
                yield from self._read(visit)

    def connected(self, session: int) -> Iterator[DoorEffect]:
        """Go on with everything that waits for a connection."""
        self._session, self._connected = session, True
        parked, self._parked = self._parked, []
        for visit in parked:
            yield from self._inquire(visit) if visit.inquiry else self._read(visit)

    def disconnected(self) -> None:
        """Hold everything back until `connected`."""
        self._connected = False

    def lost(self, reason: str) -> Iterator[DoorEffect]:
        """Answer everything that is open: nobody can find out any more what became of it."""
        self._session, self._connected = 0, False
        visits = [*self._asked.values(), *self._parked, *self._writers.send_away()]
        self._asked, self._parked = {}, []
        for visit in sorted(visits, key=lambda visit: (visit.request, visit.place)):
            known = "nothing was written" if visit.decision is None else "it may have been written"
            text = f"The session with ZooKeeper ended, {known}: {reason}"
            yield from self._doubted(visit, text)

    def answered(self, event: ReadDone | CommitDone) -> Iterator[DoorEffect]:
        """Take an answer of the store; one of a former session is for nobody."""
        visit = self._asked.get(event.request)
        if visit is None:
            return
        if isinstance(event, CommitDone) or event.last or not isinstance(event.outcome, tuple):
            del self._asked[event.request]
        match event.outcome:
            case Unknown() as unknown:
                self._interrupted(visit, unknown)
            case Refused(error):
                yield from self._end(visit, _failure(f"ZooKeeper refused: {error}"))
            case Committed():
                yield from self._written(visit)
            case Conflict(index, error):
                assert visit.decision is not None
                path = visit.decision.ops[index].path
                yield from self._conflicted(visit, f"{path}: {error.name}")
            case Fenced():
                yield from self._end(visit, NOT_CONTROLLER)
            case results:
                visit.found.extend(results)
                if event.request not in self._asked:
                    yield from self._heard(visit) if visit.inquiry else self._decide(visit)

    # --- one transaction -----------------------------------------------------------------------

    def _read(self, visit: Visit) -> Iterator[DoorEffect]:
        """Begin, or begin again."""
        visit.found, visit.decision, visit.inquiry = [], None, None
        if self._connected:
            yield ReadZnodes(self._ask(visit), visit.transaction.reads)
        else:
            self._parked.append(visit)

    def _decide(self, visit: Visit) -> Iterator[DoorEffect]:
        found: list[Found] = []
        for result in visit.found:
            if isinstance(result, Unreadable):
                text = f"{result.path}: ZooKeeper does not show it: {result.error}"
                yield from self._end(visit, _failure(text))
                return
            found.append(result)
        try:
            decision = visit.transaction.decide(tuple(found))
        except ZnodeError as fault:
            yield from self._end(visit, _failure(str(fault)))
            return
        except Exception:
            # A fault of ours, which the journal tells with its traceback. What clients ask of the
            # door is not what the node builds on, so it costs the one who asked and nobody else.
            text = f"{type(visit.transaction).__name__}: {traceback.format_exc()}"
            origin = self._owed[visit.request].origin
            yield Journal(Severity.ERROR, "fault", text, origin=origin)
            yield from self._end(visit, _failure("A fault of this node; its journal tells more."))
            return
        if not decision.ops:
            yield from self._end(visit, decision.result)
            return
        wants = decision.written
        if not self._writers.holds(visit, wants):
            yield from self._release(visit)
            visit.wants = wants
            if not self._writers.take(visit, wants):
                return
        visit.decision = decision
        yield Commit(self._ask(visit), decision.ops, decision.fence)

    def _interrupted(self, visit: Visit, unknown: Unknown) -> None:
        """Note that an answer was lost: of a write, what became of it must be found out."""
        decision = visit.decision
        if decision is not None and visit.inquiry is None:
            visit.inquiry = inquire(self._session, unknown, decision.ops, decision.fence)
        self._parked.append(visit)

    def _inquire(self, visit: Visit) -> Iterator[DoorEffect]:
        assert visit.inquiry is not None
        visit.found = []
        yield ReadZnodes(self._ask(visit), visit.inquiry.reads(), sync=True)

    def _heard(self, visit: Visit) -> Iterator[DoorEffect]:
        """Take what the witnesses of a write say, whose answer was lost.

        A znode that it would have created and that is not there was never created, or somebody
        has deleted it since: both ways it is decided anew. (For a Commit only the first will do.)
        """
        assert visit.inquiry is not None
        assert visit.decision is not None
        created = {op.path for op in visit.decision.ops if isinstance(op, Create)}
        if any(isinstance(result, Missing) and result.path in created for result in visit.found):
            yield from self._read(visit)
            return
        match visit.inquiry.answer(visit.found):
            case Verdict.APPLIED:
                yield from self._written(visit)
            case Verdict.NOT_APPLIED:
                yield from self._read(visit)
            case Verdict.UNDECIDABLE:
                text = (
                    "The connection to ZooKeeper was lost, and nothing tells whether it was done."
                )
                yield from self._doubted(visit, text)
            case Inquiry() as rest:
                visit.inquiry = rest
                yield from self._inquire(visit)

    def _conflicted(self, visit: Visit, what: str) -> Iterator[DoorEffect]:
        visit.conflicts += 1
        if visit.conflicts == MOST_CONFLICTS:
            text = f"Others wrote in between {MOST_CONFLICTS} times in a row; the last was {what}."
            yield from self._end(visit, _failure(text))
        else:
            yield from self._read(visit)

    def _written(self, visit: Visit) -> Iterator[DoorEffect]:
        """Tell the journal of a write, and end."""
        assert visit.decision is not None
        yield from written(visit, self._owed[visit.request].origin)
        yield from self._end(visit, visit.decision.result)

    def _doubted(self, visit: Visit, text: str) -> Iterator[DoorEffect]:
        """End without knowing what became of a write, if there was one; the journal says so."""
        yield from doubted(visit, self._owed[visit.request].origin, text)
        yield from self._end(visit, _failure(text))

    def _end(self, visit: Visit, result: object) -> Iterator[DoorEffect]:
        """Note a transaction's result, and answer the request that it completes."""
        owed = self._owed[visit.request]
        owed.results[visit.place] = result
        if len(owed.results) == owed.count:
            del self._owed[visit.request]
            results = tuple(owed.results[place] for place in range(owed.count))
            yield Transacted(visit.request, results)
        yield from self._release(visit)

    def _release(self, visit: Visit) -> Iterator[DoorEffect]:
        """Let those go on who waited for what this visit was writing."""
        for other in self._writers.release(visit, visit.wants):
            yield from self._read(other)

    def _ask(self, visit: Visit) -> int:
        self._last += 1
        self._asked[self._last] = visit
        return self._last


def _failure(text: str) -> Refusal:
    return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)
