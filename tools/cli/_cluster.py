"""A whole cluster in this process: embedded ZooKeeper, one controller node, simulated brokers."""

import contextlib
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.node import Node
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import ListenError, open_listeners, run_controller
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.settings import BANDWIDTH, PARTITION_BYTES
from klamm.tools.embedded.errors import EmbeddedError
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

T = TypeVar("T")

HOST = "127.0.0.1"
NODE_ID = 900

_START_SECONDS = 60.0
_POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """What to start.

    `zookeeper` is the connect string of one that runs already; without it one is started.
    `partition_bytes` is what each partition holds, `bandwidth` what a broker copies in bytes per
    second.
    """

    brokers: Sequence[int] = (0, 1, 2, 3, 4)
    port: int = 0
    zookeeper: str | None = None
    partition_bytes: int = PARTITION_BYTES
    bandwidth: float = BANDWIDTH


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs: the node is active and knows every broker."""

    zookeeper: str
    endpoint: Endpoint
    node: Node
    brokers: SimulatedBrokers
    partition_bytes: int

    @property
    def bootstrap(self) -> str:
        """What clients take as bootstrap server: the controller node."""
        return f"{self.endpoint.host}:{self.endpoint.port}"

    def description(self) -> dict[str, Any]:
        """Return addresses and ids as JSON values, for whoever started this process."""
        node = {
            "id": self.node.config.node_id,
            "host": self.endpoint.host,
            "port": self.endpoint.port,
            "pid": os.getpid(),
        }
        brokers = [
            {"id": broker.id, "host": HOST, "port": broker.port, "rack": broker.rack}
            for broker in self.brokers.brokers.values()
        ]
        return {
            "bootstrap": self.bootstrap,
            "zookeeper": self.zookeeper,
            "nodes": [node],
            "brokers": brokers,
        }


def set_up_logging() -> None:
    """Let klamm's log lines say where they come from, for a process that is a command.

    kazoo warns at each try to reach a ZooKeeper that is away, through the store's logger too;
    klamm says that once, by itself.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    for name in ("kazoo", "klamm.controller.store.zookeeper"):
        logging.getLogger(name).setLevel(logging.ERROR)


@asynccontextmanager
async def running_cluster(options: ClusterOptions) -> AsyncIterator[Cluster]:
    """Run a cluster while the block runs; leave no process, socket or file behind.

    Raises EmbeddedError if ZooKeeper cannot be started or ends before the block, ListenError if
    the port is taken: these two as they are, everything else in exception groups.
    """
    try:
        async with _running(options) as cluster:
            yield cluster
    except BaseExceptionGroup as group:
        cause = _find(group, (EmbeddedError, ListenError))
        if cause is None:
            raise
        # What else broke, broke because of it, and stays as its context.
        raise cause from cause.__cause__


@asynccontextmanager
async def _running(options: ClusterOptions) -> AsyncIterator[Cluster]:
    if options.port:
        # ZooKeeper takes a second to start: what is hopeless is said before.
        for listener in await open_listeners(HOST, options.port):
            await listener.aclose()
    async with _zookeeper(options.zookeeper) as connect, trio.open_nursery() as nursery:
        config = ControllerConfig(NODE_ID, connect, HOST, options.port)
        running = await nursery.start(run_controller, config)
        async with SimulatedBrokers(
            connect,
            options.brokers,
            partition_bytes=options.partition_bytes,
            bandwidth=options.bandwidth,
        ) as brokers:
            await _settled(running.node, options.brokers)
            yield Cluster(connect, running.endpoint, running.node, brokers, options.partition_bytes)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def _zookeeper(connect: str | None) -> AsyncIterator[str]:
    """Give the connect string of the ZooKeeper to use; starting one blocks, so a thread does it."""
    if connect is not None:
        yield connect
        return
    server = EmbeddedZookeeper()
    try:
        # Not abandoned on cancel: only what has started can be stopped.
        await trio.to_thread.run_sync(server.start)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_watch, server)
            yield server.connect_string
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(server.stop)


async def _watch(server: EmbeddedZookeeper) -> None:
    """Raise EmbeddedError when the server ends by itself."""
    try:
        await trio.to_thread.run_sync(server.wait, abandon_on_cancel=True)
    except EmbeddedError as error:
        # The end of its log would bury that, and names a cause only if memory ran out.
        why = "run out of memory" if "OutOfMemoryError" in str(error) else "ended by itself"
        raise EmbeddedError(
            f"ZooKeeper on {server.connect_string} has {why}; klamm cannot go on without it"
        ) from error


def _find(fault: BaseException, kinds: tuple[type[BaseException], ...]) -> BaseException | None:
    """Return the first fault of these kinds in a group of groups."""
    if isinstance(fault, kinds):
        return fault
    if isinstance(fault, BaseExceptionGroup):
        found = (_find(inner, kinds) for inner in fault.exceptions)
        return next((inner for inner in found if inner is not None), None)
    return None


async def _settled(node: Node, brokers: Sequence[int]) -> None:
    """Wait until the node is in office and has read every broker's registration."""
    with trio.fail_after(_START_SECONDS):
        while node.state is None or not set(brokers) <= node.state.brokers.keys():
            await trio.sleep(_POLL_SECONDS)


class LocalCluster:
    """A cluster on a thread of its own, for callers that block, as kafka-python does.

    A context manager; `call` runs a function on the cluster's thread.
    """

    def __init__(self, options: ClusterOptions = ClusterOptions()) -> None:
        self._options = options
        self._thread = threading.Thread(target=self._run, name="klamm-cluster")
        self._entered = threading.Event()
        self._ready = threading.Event()
        self._fault: BaseException | None = None
        self._cluster: Cluster | None = None
        self._scope = trio.CancelScope()

    def __enter__(self) -> Self:
        """Return once the cluster serves; raises what kept it from that."""
        self._thread.start()
        try:
            self._ready.wait()
        except BaseException:  # Ctrl-C while it starts
            self._stop()
            raise
        if self._cluster is None:
            self._thread.join()
            assert self._fault is not None
            raise self._fault
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()
        if self._fault is not None:
            raise self._fault from error

    @property
    def cluster(self) -> Cluster:
        """The running cluster; its brokers are used through `call` only."""
        assert self._cluster is not None
        return self._cluster

    @property
    def bootstrap(self) -> str:
        """What clients take as bootstrap server."""
        return self.cluster.bootstrap

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a function on the cluster's thread and return its result."""
        return trio.from_thread.run_sync(function, *arguments, trio_token=self._token)

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as fault:  # carried over to the caller's thread
            self._fault = fault
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._entered.set()
        with self._scope:
            async with running_cluster(self._options) as self._cluster:
                self._ready.set()
                await trio.sleep_forever()

    def _stop(self) -> None:
        self._entered.wait()
        with contextlib.suppress(trio.RunFinishedError):  # it has ended by itself
            self.call(self._scope.cancel)
        self._thread.join()
