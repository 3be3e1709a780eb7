"""A broker's door to ZooKeeper for what clients ask of it: configs and access control lists."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from klamm.controller.core.origins import FromClient
from klamm.controller.node.door import Door
from klamm.controller.node.effects import (
    ArmWatch,
    Commit,
    Effect,
    ReadZnodes,
    SetTimer,
    Transacted,
)
from klamm.controller.node.permissions import Permissions
from klamm.controller.store.port import (
    CommitDone,
    ReadDone,
    SessionEvent,
    SessionState,
    StoreEvent,
    WatchDone,
    Watched,
)
from klamm.controller.store.transaction import Transaction
from klamm.tools.brokers.calls import Call

Later = Callable[[float, Callable[[], None]], None]


class BrokerDoor:
    """Carries transactions out through `make`, which makes requests to ZooKeeper.

    `later` has a function called after some seconds. `permissions` are kept up to date, if there
    are any: a broker without them allows everybody everything.
    """

    def __init__(self, make: Callable[[Call], None], later: Later) -> None:
        self._make = make
        self._later = later
        self.permissions: Permissions | None = None
        self._door = Door()
        self._requests = 0
        self._replies: dict[int, Callable[[Sequence[Any]], None]] = {}

    def transact(
        self,
        transactions: tuple[Transaction[Any], ...],
        on_reply: Callable[[Sequence[Any]], None],
        origin: FromClient | None = None,
    ) -> None:
        """Carry transactions out; `on_reply` is called once, with a result for each.

        Who asked is of no interest: a simulated broker has no journal.
        """
        self._requests += 1
        self._replies[self._requests] = on_reply
        self._do(self._door.enter(self._requests, transactions))

    def take(self, event: StoreEvent) -> bool:
        """Note an event of the session; True if it was for the door alone."""
        permissions = self.permissions
        match event:
            case SessionEvent(state=SessionState.CONNECTED):
                self._do(self._door.connected(event.session))
                if permissions is not None:
                    self._do(permissions.connected())
            case SessionEvent(state=SessionState.SUSPENDED):
                self._door.disconnected()
                if permissions is not None:
                    permissions.disconnected()
            case SessionEvent(state=SessionState.LOST):
                self.lost(event.reason)
            case ReadDone() | CommitDone() if Door.owns(event.request):
                self._do(self._door.answered(event))
                return True
            case ReadDone() if Permissions.owns(event.request) and permissions is not None:
                self._do(permissions.answered(event))
                return True
            case WatchDone() if Permissions.owns(event.request) and permissions is not None:
                self._do(permissions.armed(event))
                return True
            case Watched(path=path) if permissions is not None and Permissions.watches(path):
                self._do(permissions.touched(path))
                return True
            case _:
                pass
        return False

    def lost(self, reason: str) -> None:
        """Answer all that is open: the session is over."""
        if self.permissions is not None:
            self.permissions.disconnected()
        self._do(self._door.lost(reason))

    def _again(self) -> None:
        """Read lists that could not be read."""
        if self.permissions is not None:
            self._do(self.permissions.again())

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Transacted(request, results):
                    if self.permissions is not None:
                        self.permissions.learn(results)
                    self._replies.pop(request)(results)
                case SetTimer(seconds=seconds):
                    self._later(seconds, self._again)
                case Commit() | ReadZnodes() | ArmWatch():
                    self._make(effect)
                case _:
                    pass  # a simulated broker has no journal
