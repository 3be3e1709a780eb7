"""A ZooKeeper in memory that serves by itself, for clusters that live in one process.

`klamm.controller.store.memory` does nothing until it is told; here every request wakes a task
that carries it out. No connection breaks and no session expires.
"""

from collections.abc import Callable, Sequence

import trio

from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.port import Check, Op, Post, Read, Store, Watch


class MemoryService:
    """Opens sessions, and serves them while `run` runs; all of it on one trio thread."""

    def __init__(self) -> None:
        self.zookeeper = MemoryZookeeper()
        self._asked = trio.Event()

    def open(self, post: Post, session_timeout_ms: int = 18_000) -> Store:
        """Open a session, as `klamm.controller.runtime.sessions.OpenStore`."""
        store = self.zookeeper.open(post, session_timeout_ms)
        self._wake()
        return _WakingStore(store, self._wake)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; sessions that are closed after that never learn of their end."""
        task_status.started()
        while True:
            await self._asked.wait()
            self._asked = trio.Event()
            self.zookeeper.run()

    def _wake(self) -> None:
        self._asked.set()


class _WakingStore:
    """A store that says whenever it was asked for something."""

    def __init__(self, store: Store, wake: Callable[[], None]) -> None:
        self._store = store
        self._wake = wake

    @property
    def session(self) -> int:
        return self._store.session

    def commit(self, request: int, ops: Sequence[Op], fence: Check | None) -> None:
        self._store.commit(request, ops, fence)
        self._wake()

    def update(self, request: int, op: Op) -> None:
        self._store.update(request, op)
        self._wake()

    def read(self, request: int, reads: Sequence[Read], sync: bool = False) -> None:
        self._store.read(request, reads, sync)
        self._wake()

    def watch(self, request: int, watches: Sequence[Watch]) -> None:
        self._store.watch(request, watches)
        self._wake()

    def multi_size(self, ops: Sequence[Op], fence: Check | None) -> int:
        return self._store.multi_size(ops, fence)

    def close(self) -> None:
        self._store.close()
        self._wake()
