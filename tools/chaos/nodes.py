"""A controller node as a process that is killed, frozen and started again."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import trio

from klamm.tools.chaos.plan import SESSION_TIMEOUT_MS
from klamm.tools.chaos.proxy import Proxy
from klamm.tools.embedded.process import WatchedProcess
from klamm.tools.embedded.zookeeper import HOST

_LAST_WORDS = 2000
_JOURNAL_BYTES = 1 << 40  # one file for all of a run
_RETRY_SECONDS = 0.3

#: What a node says that finds itself registered: its former process was killed a moment ago.
_TAKEN = "is taken: a klamm node is registered"

#: Told of a process that ended by itself: its status, and the end of what it said.
OnEnd = Callable[["NodeProcess", int, str], None]


class NodeProcess:
    """One `klamm serve` behind a proxy of its own, on a port that it keeps.

    Its journal and what it says are in the folder, as node-ID.jsonl and node-ID.log.
    """

    def __init__(self, id_: int, port: int, proxy: Proxy, folder: Path, on_end: OnEnd) -> None:
        self.id = id_
        self.port = port
        self.proxy = proxy
        self.journal = folder / f"node-{id_}.jsonl"
        self._log = folder / f"node-{id_}.log"
        self._on_end = on_end
        self._process: WatchedProcess | None = None
        self._down = True
        self._changing = trio.Lock()

    async def start(self, nursery: trio.Nursery) -> None:
        """Start a process; when it ends by itself `on_end` is told, and another one started."""
        self._down = False
        async with self._changing:
            if self._process is None:
                self._process = await trio.to_thread.run_sync(self._spawn)
                nursery.start_soon(self._watch, nursery, self._process)

    async def kill(self) -> None:
        """End the process by SIGKILL, and return when it has gone."""
        self._down = True
        async with self._changing:
            self._signal(signal.SIGKILL)
            process, self._process = self._process, None
            if process is not None:
                await trio.to_thread.run_sync(process.wait)
                await trio.to_thread.run_sync(process.stop)

    def freeze(self) -> None:
        """Halt the process."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def end_now(self) -> None:
        """End the process by SIGKILL, for good; blocks."""
        self._down = True
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self._process.pid, number)

    def _spawn(self) -> WatchedProcess:
        properties = {
            "node.id": self.id,
            "zookeeper.connect": f"{HOST}:{self.proxy.port}",
            "zookeeper.session.timeout.ms": SESSION_TIMEOUT_MS,
            "listeners": f"PLAINTEXT://{HOST}:{self.port}",
            "klamm.journal.file": self.journal,
            "klamm.journal.max.bytes": _JOURNAL_BYTES,
        }
        command = [sys.executable, "-P", "-m", "klamm.tools.cli", "serve", "--quiet"]
        for key, value in properties.items():
            command += ["--override", f"{key}={value}"]
        with self._log.open("ab") as log:
            return WatchedProcess(command, cwd=Path.cwd(), log=log)

    async def _watch(self, nursery: trio.Nursery, process: WatchedProcess) -> None:
        """Start another process if this one ends and nobody has ended it."""
        status = await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
        if self._process is process:
            self._process = None
            said = self._log.read_bytes()[-_LAST_WORDS:].decode(errors="replace")
            last = said.splitlines()[-1:]
            if not (last and _TAKEN in last[0]):
                self._on_end(self, status, said)
            await trio.sleep(_RETRY_SECONDS)
            if not self._down:
                await self.start(nursery)
