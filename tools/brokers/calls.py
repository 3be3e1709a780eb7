"""A broker's requests, from the asking to the answer.

Kafka's client waits for a connection and sends again whatever a lost one left without an answer
(ZooKeeperClient, KafkaZkClient.retryRequestsUntilConnected), so everything a broker writes must
bear to be written twice. Here the same: a request that ended `Unknown`, or that was made while
there was no connection, goes out when there is one.

What is asked of the controller goes out at once, and whoever asked sees to repeating it.
"""

from collections.abc import Callable, Sequence

from klamm.controller.core.ops import Op
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Update
from klamm.controller.store.port import (
    CommitDone,
    Read,
    ReadDone,
    Refused,
    Unknown,
    Unreadable,
    UpdateDone,
    Watch,
    WatchDone,
)
from klamm.tools.brokers.asks import Ask

ZookeeperCall = Commit | Update | ReadZnodes | ArmWatch
Call = ZookeeperCall | Ask
Done = CommitDone | UpdateDone | ReadDone | WatchDone


class StoreRefusedError(Exception):
    """ZooKeeper refused a request in a way that no broker expects; the text has both."""


class Calls:
    """Numbers requests, keeps them until they are answered, and hands out those to be made."""

    def __init__(self) -> None:
        self._last = 0
        self._connected = False
        self._open: dict[int, ZookeeperCall] = {}
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

    def watch(self, path: str) -> int:
        """Ask for events of a znode until the connection ends; return the number of the answer."""
        return self._ask(ArmWatch(self._last + 1, (Watch(path),)))

    def ask(self, make: Callable[[int], Ask]) -> int:
        """Ask the controller; return the number of the answer, which `make` was given."""
        self._last += 1
        self._due.append(make(self._last))
        return self._last

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
        outcome = done.failure if isinstance(done, WatchDone) else done.outcome
        if isinstance(outcome, Unknown):
            self._waiting.add(done.request)
            return False
        if isinstance(outcome, Refused):
            raise StoreRefusedError(f"{call}: {outcome.error}")
        if isinstance(done, ReadDone) and isinstance(done.outcome, tuple):
            for result in done.outcome:
                if isinstance(result, Unreadable):
                    raise StoreRefusedError(f"{result.path}: {result.error}")
        del self._open[done.request]
        return True

    def _ask(self, call: ZookeeperCall) -> int:
        self._last = call.request
        self._open[call.request] = call
        if self._connected:
            self._due.append(call)
        else:
            self._waiting.add(call.request)
        return call.request
