"""The controller nodes of a local cluster: in this process, or each in a process of its own."""

import json
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from klamm.controller.node import Node
from klamm.controller.runtime.controller import Running, run_controller
from klamm.controller.runtime.keys import config_from
from klamm.controller.runtime.properties import format_properties
from klamm.controller.runtime.sessions import OpenStore
from klamm.tools.embedded.process import WatchedProcess

_START_SECONDS = 60.0
_POLL_SECONDS = 0.01
_GRACE_SECONDS = 5.0
_LAST_WORDS = 5

Properties = Mapping[str, str]
Say = Callable[[str], None]


class ClusterError(Exception):
    """A local cluster cannot start or go on; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A controller node that serves; `machine` is its state machine if it runs in this process."""

    id: int
    host: str
    port: int
    pid: int
    machine: Node | None = None

    @property
    def address(self) -> str:
        """What clients take as bootstrap server."""
        return f"{self.host}:{self.port}"


@asynccontextmanager
async def nodes_here(
    nodes: Sequence[Properties], open_store: OpenStore | None
) -> AsyncIterator[tuple[RunningNode, ...]]:
    """Run nodes in this process while the block runs."""
    async with trio.open_nursery() as nursery:
        found = []
        for properties in nodes:
            config = config_from(properties)
            running: Running = await nursery.start(run_controller, config, open_store)
            endpoint = running.endpoint
            found.append(
                RunningNode(config.node_id, endpoint.host, endpoint.port, os.getpid(), running.node)
            )
        yield tuple(found)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def nodes_as_processes(
    nodes: Sequence[Properties], say: Say
) -> AsyncIterator[tuple[RunningNode, ...]]:
    """Run each node in a process of its own while the block runs; they end with this process.

    `say` gets their log lines, and which of them has ended and why; the block goes on as long as
    one of them lives. Raises ClusterError, in groups, if one does not start or all have ended.
    """
    children = [_Child(properties) for properties in nodes]
    async with trio.open_nursery() as nursery:
        try:
            async with trio.open_nursery() as starting:
                for child in children:
                    starting.start_soon(child.start, nursery, say)
            alive = {child.id for child in children}
            async with trio.open_nursery() as watching:
                for child in children:
                    watching.start_soon(_watch, child, alive, say)
                yield tuple(child.running for child in children)
                watching.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as ending:
                    for child in children:
                        ending.start_soon(child.stop)
            nursery.cancel_scope.cancel()


async def _watch(child: "_Child", alive: set[int], say: Say) -> None:
    """Say when a node ends by itself."""
    text = await child.end()
    alive.discard(child.id)
    if not alive:
        raise ClusterError(f"{text}; there is no node left")
    say(f"{text}; {_names(alive)} on")


def _names(nodes: set[int]) -> str:
    numbers = ", ".join(map(str, sorted(nodes)))
    return f"node {numbers} goes" if len(nodes) == 1 else f"nodes {numbers} go"


class _Child:
    """One `klamm serve`, and a pipe for all it says."""

    def __init__(self, properties: Properties) -> None:
        self.id = int(properties["node.id"])
        self._properties = properties
        self._process: WatchedProcess | None = None
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._silent = trio.Event()

    async def start(self, nursery: trio.Nursery, say: Say) -> None:
        """Start the process and return once it serves; what it says is passed on from then on."""
        # In a folder that only its owner can read: there may be passwords among the properties,
        # and everybody can read a command line.
        folder = Path(tempfile.mkdtemp(prefix="klamm-node-"))
        ready, config = folder / "ready.json", folder / "server.properties"
        config.write_text(format_properties(self._properties), encoding="iso-8859-1")
        with _pipe() as (reading, writing):
            command = [sys.executable, "-P", "-m", "klamm.tools.cli", "serve", "--quiet"]
            command += ["--ready-file", str(ready), "--config", str(config)]
            with os.fdopen(writing, "wb") as log:
                self._process = WatchedProcess(
                    command, cwd=Path.cwd(), log=log, grace=_GRACE_SECONDS, remove=folder
                )
            nursery.start_soon(self._listen, os.dup(reading), say)
        with trio.move_on_after(_START_SECONDS):
            while self._process.poll() is None:
                if ready.exists():
                    [node] = json.loads(ready.read_text())["nodes"]
                    self.running = RunningNode(**node)
                    return
                await trio.sleep(_POLL_SECONDS)
            raise ClusterError(await self.end())
        raise ClusterError(f"node {self.id} did not serve within {_START_SECONDS:g} s")

    async def end(self) -> str:
        """Wait for the process's end and say how it came to that."""
        process = self._process
        assert process is not None
        status = await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
        with trio.move_on_after(1):
            await self._silent.wait()
        faults = [line for line in self._last_words if line.startswith("Error: ")]
        words = faults or list(self._last_words)
        reason = f": {words[-1].removeprefix('Error: ')}" if words else ""
        return f"node {self.id} (process {process.pid}) {_ending(status)}{reason}"

    async def stop(self) -> None:
        """End the process, if there is one, and wait for that."""
        if self._process is not None:
            await trio.to_thread.run_sync(self._process.stop)

    async def _listen(self, reading: int, say: Say) -> None:
        """Pass on what the process says, line by line."""
        rest = b""
        async with trio.lowlevel.FdStream(reading) as stream:
            async for chunk in stream:
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    text = line.decode(errors="replace")
                    self._last_words.append(text)
                    if not text.startswith("Error: "):  # told when it ends
                        say(text)
        self._silent.set()


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """Open a pipe; the reading end is closed at the end of the block, the writing end by others."""
    reading, writing = os.pipe()
    try:
        yield reading, writing
    finally:
        os.close(reading)


def _ending(status: int) -> str:
    """Say how a process ended; the watcher passes the end by signal N on as status -N, one byte."""
    number = 256 - status if status > 128 else -status
    if number in set(signal.Signals):
        return f"was ended by {signal.Signals(number).name}"
    return f"ended with status {status}"
