"""A broker's door to ZooKeeper for what clients ask of it: configs, read and altered."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from klamm.controller.core.origins import FromClient
from klamm.controller.node.door import Door, DoorEffect
from klamm.controller.node.effects import Journal, Transacted
from klamm.controller.store.port import (
    CommitDone,
    ReadDone,
    SessionEvent,
    SessionState,
    StoreEvent,
)
from klamm.controller.store.transaction import Transaction
from klamm.tools.brokers.calls import Call


class BrokerDoor:
    """Carries transactions out through `make`, which makes requests to ZooKeeper."""

    def __init__(self, make: Callable[[Call], None]) -> None:
        self._make = make
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
        """Note an event of the session; True if it was an answer to the door alone."""
        match event:
            case SessionEvent(state=SessionState.CONNECTED):
                self._do(self._door.connected(event.session))
            case SessionEvent(state=SessionState.SUSPENDED):
                self._door.disconnected()
            case SessionEvent(state=SessionState.LOST):
                self.lost(event.reason)
            case ReadDone() | CommitDone() if Door.owns(event.request):
                self._do(self._door.answered(event))
                return True
            case _:
                pass
        return False

    def lost(self, reason: str) -> None:
        """Answer all that is open: the session is over."""
        self._do(self._door.lost(reason))

    def _do(self, effects: Iterable[DoorEffect]) -> None:
        for effect in effects:
            match effect:
                case Transacted(request, results):
                    self._replies.pop(request)(results)
                case Journal():
                    pass
                case _:
                    self._make(effect)
