"""A broker's requests to ZooKeeper, from the asking to the answer.

Kafka's client waits for a connection and sends again whatever a lost one left without an answer
(ZooKeeperClient, KafkaZkClient.retryRequestsUntilConnected), so everything a broker writes must
bear to be written twice. Here the same: a request that ended `Unknown`, or that was made while
there was no connection, goes out when there is one.
"""

from collections.abc import Sequence

from klamm.controller.core.ops import Op
from klamm.controller.node.effects import Commit, ReadZnodes, Update
from klamm.controller.store.port import (
    CommitDone,
    Read,
    ReadDone,
    Refused,
    Unknown,
    Unreadable,
    UpdateDone,
)

Call = Commit | Update | ReadZnodes
Done = CommitDone | UpdateDone | ReadDone


class StoreRefusedError(Exception):
    """ZooKeeper refused a request in a way that no broker expects; the text has both."""


class Calls:
    """Numbers requests, keeps them until they are answered, and hands out those to be made."""

    def __init__(self) -> None:
        self._last = 0
        self._connected = False
        self._open: dict[int, Call] = {}
        self._waiting: set[int] = set()
        self._due: list[Call] = []

    def update(self, op: Op) -> int:
        """Ask for one conditional write; return the number of its answer."""
        return self._ask(Update(self._last + 1, op))

    def commit(self, *ops: Op) -> int:
        """Ask for several writes or none; return the number of their answer."""
        return self._ask(Commit(self._last + 1, ops, None))

    def read(self, *reads: Read) -> int:
        """Ask for znodes; return the number of the answer."""
        return self._ask(ReadZnodes(self._last + 1, reads))

    def take(self) -> Sequence[Call]:
        """Return the requests that are to be made now, each once."""
        due, self._due = self._due, []
        return due

    def connected(self) -> None:
        """Make everything again that waits for a connection, in the order of asking."""
        self._connected = True
        self._due += [self._open[number] for number in sorted(self._waiting)]
        self._waiting.clear()

    def disconnected(self) -> None:
        """Hold everything back until `connected`."""
        self._connected = False

    def settled(self, done: Done) -> bool:
        """Note an answer; False if it settles nothing and the request will be made again.

        Raises StoreRefusedError.
        """
        call = self._open[done.request]
        if isinstance(done.outcome, Unknown):
            self._waiting.add(done.request)
            return False
        if isinstance(done.outcome, Refused):
            raise StoreRefusedError(f"{call}: {done.outcome.error}")
        if isinstance(done, ReadDone):
            for result in done.outcome:
                if isinstance(result, Unreadable):
                    raise StoreRefusedError(f"{result.path}: {result.error}")
        del self._open[done.request]
        return True

    def _ask(self, call: Call) -> int:
        self._last = call.request
        self._open[call.request] = call
        if self._connected:
            self._due.append(call)
        else:
            self._waiting.add(call.request)
        return call.request
