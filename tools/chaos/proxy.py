"""A TCP proxy between one node and ZooKeeper, which can cut, swallow and hold back what passes."""

from enum import Enum, auto

import trio

from klamm.tools.embedded.zookeeper import HOST

_CHUNK = 1 << 16


class Mode(Enum):
    """What becomes of what passes."""

    PASS = auto()
    CUT = auto()
    """Connections are closed at once."""
    SWALLOW = auto()
    """It is lost; connections stay open, and are closed when the mode changes."""
    STALL = auto()
    """It waits until the mode changes."""


class Proxy:
    """Listens on `port`, and connects to the port `target` for each connection that it takes."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._mode = Mode.PASS
        self._changed = trio.Event()
        #: What ends each connection that is open, and whether something of it was swallowed.
        self._pairs: dict[trio.CancelScope, bool] = {}
        #: Known once it runs.
        self.port = 0

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled."""
        listeners = await trio.open_tcp_listeners(0, host=HOST)
        self.port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            await nursery.start(trio.serve_listeners, self._serve, listeners)
            task_status.started()

    def set(self, mode: Mode) -> None:
        """Change what becomes of what passes."""
        for scope, swallowed in self._pairs.items():
            if mode is Mode.CUT or swallowed:
                scope.cancel()
        self._mode = mode
        self._changed.set()
        self._changed = trio.Event()

    async def _serve(self, client: trio.SocketStream) -> None:
        async with client:
            if self._mode is Mode.CUT:
                return
            try:
                server = await trio.open_tcp_stream(HOST, self._target)
            except OSError:
                return  # ZooKeeper is away: the node sees its connection closed
            with trio.CancelScope() as scope:
                self._pairs[scope] = False
                async with server, trio.open_nursery() as nursery:
                    nursery.start_soon(self._carry, client, server, scope)
                    nursery.start_soon(self._carry, server, client, scope)
            del self._pairs[scope]

    async def _carry(
        self, source: trio.SocketStream, target: trio.SocketStream, scope: trio.CancelScope
    ) -> None:
        try:
            while data := await source.receive_some(_CHUNK):
                while self._mode is Mode.STALL:
                    await self._changed.wait()
                if self._mode is Mode.SWALLOW:
                    self._pairs[scope] = True
                else:
                    await target.send_all(data)
        except trio.BrokenResourceError:
            pass  # one side has gone; so does the other, below
        scope.cancel()
