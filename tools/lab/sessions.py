"""Sessions with ZooKeeper of hosts, nodes and brokers alike."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import StoreEvent


class HasSession(Protocol):
    """A host, which listens to its present session alone."""

    session: HostSession | None

    @property
    def inbox(self) -> deque[Any]:
        """What has arrived."""


class HostSession:
    """One session, from its opening to its end."""

    def __init__(self, zookeeper: MemoryZookeeper, host: HasSession) -> None:
        self._host = host
        self.store: MemoryStore = zookeeper.open(self.post)

    def post(self, event: StoreEvent) -> None:
        """Take an event of the store; a former session has nothing to say any more."""
        if self._host.session is self:
            self._host.inbox.append(event)
