"""A whole cluster on this machine: ZooKeeper, real or in memory, controller nodes, brokers."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import click
import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.node import Node
from klamm.controller.runtime.authentication import SecurityError
from klamm.controller.runtime.controller import ListenError, open_listeners
from klamm.controller.runtime.entry import NodeIdTakenError
from klamm.controller.runtime.journal_file import JournalError
from klamm.controller.runtime.keys import config_from
from klamm.controller.runtime.listeners import PLAINTEXT
from klamm.controller.runtime.login import connect_as_client
from klamm.controller.runtime.sessions import Calls, OpenStore, StoreError
from klamm.controller.runtime.tls import TlsError
from klamm.controller.store.port import ReadData, Znode
from klamm.tools.brokers.access import OPEN, Access
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.settings import shared
from klamm.tools.cli._nodes import (
    ClusterError,
    RunningNode,
    Say,
    nodes_as_processes,
    nodes_here,
)
from klamm.tools.cli._options import HOST
from klamm.tools.cli._options import ClusterOptions as ClusterOptions
from klamm.tools.cli._running import plain_faults
from klamm.tools.cli._security import LocalSecurity, create_users, local_security
from klamm.tools.cli._settled import settle
from klamm.tools.cli._zookeepers import MEMORY, zookeeper_at
from klamm.tools.embedded.errors import EmbeddedError
from klamm.tools.threads import TrioThread

T = TypeVar("T")

#: What keeps a cluster from starting or going on; each says it in words for people.
FAULTS = (
    ClusterError,
    EmbeddedError,
    JournalError,
    ListenError,
    NodeIdTakenError,
    SecurityError,
    TlsError,
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs: a node is active and knows every broker, the topics are there.

    `zookeeper` is a connect string, None for one in memory; `office` is the node that was
    controller when all had come up.
    """

    zookeeper: str | None
    nodes: tuple[RunningNode, ...]
    office: RunningNode
    brokers: SimulatedBrokers
    partition_bytes: int
    open_store: OpenStore
    security: LocalSecurity = LocalSecurity()

    async def read(self, path: str) -> bytes | None:
        """Return a znode's data as it stands in ZooKeeper; raises StoreError if there is none."""
        async with Calls(self.open_store) as calls:
            [found] = await calls.read(ReadData(path))
        if not isinstance(found, Znode):
            raise StoreError(f"{path} cannot be read: {found}")
        return found.data

    @property
    def bootstrap(self) -> str:
        """What clients take as bootstrap servers: the controller nodes."""
        return ",".join(node.address for node in self.nodes)

    @property
    def control(self) -> str:
        """Where the brokers take orders, see `klamm broker`."""
        return f"{HOST}:{self.brokers.control_port}"

    @property
    def endpoint(self) -> Endpoint:
        """Where the first node listens."""
        protocol = self.security.protocol
        return Endpoint(protocol, protocol, self.nodes[0].host, self.nodes[0].port)

    @property
    def node(self) -> Node:
        """The first node's state machine, which runs in this process."""
        machine = self.nodes[0].machine
        assert machine is not None, "the nodes are processes of their own"
        return machine

    def description(self) -> dict[str, Any]:
        """Return addresses and ids as JSON values, for whoever started this process."""
        nodes = [
            {"id": node.id, "host": node.host, "port": node.port, "pid": node.pid}
            for node in self.nodes
        ]
        brokers = [
            {"id": broker.id, "host": HOST, "port": broker.port, "rack": broker.rack}
            for broker in self.brokers.brokers.values()
        ]
        return {
            "bootstrap": self.bootstrap,
            "zookeeper": self.zookeeper,
            "nodes": nodes,
            "brokers": brokers,
            "control": self.control,
            **_client_file(self.security),
        }


def _client_file(security: LocalSecurity) -> dict[str, str]:
    file = security.client_file
    return {"client_properties": str(file)} if file is not None else {}


def tell_errors(text: str) -> None:
    """Pass a line of a child process on to standard error."""
    click.echo(text, err=True)


@asynccontextmanager
async def running_cluster(
    options: ClusterOptions, say: Say = tell_errors
) -> AsyncIterator[Cluster]:
    """Run a cluster while the block runs; leave no process, socket or file behind.

    Raises one of FAULTS if a part cannot be started or ends before the block: these as they are,
    everything else in exception groups.
    """
    with plain_faults(*FAULTS):
        async with _running(options, say) as cluster:
            yield cluster


@asynccontextmanager
async def _running(options: ClusterOptions, say: Say) -> AsyncIterator[Cluster]:
    if options.port:
        # ZooKeeper takes a second to start: what is hopeless is said before.
        for listener in await open_listeners(HOST, options.port):
            await listener.aclose()
    config = config_from(options.node_properties(MEMORY)[0])
    async with (
        # Brokers and nodes are missed after the same time.
        zookeeper_at(options.zookeeper, config.session_timeout_ms) as (connect, open_store),
        _secured(options, open_store) as security,
        _nodes(options, security, connect, open_store, say) as nodes,
        SimulatedBrokers(
            open_store,
            options.brokers,
            racks={
                id_: rack
                for number, id_ in enumerate(options.brokers)
                if (rack := options.rack(number)) is not None
            },
            frozen=options.frozen,
            partition_bytes=options.partition_bytes,
            topic_bytes={
                topic.name: topic.partition_bytes
                for topic in options.topics.values()
                if topic.partition_bytes is not None
            },
            produce_rate=options.produce_rate,
            bandwidth=options.bandwidth,
            log_dirs=options.log_dirs,
            protocol=config.protocol,
            control_port=0,
            access=_access(options, security),
            release=config.release,
            shared=shared(config.properties),
        ) as brokers,
    ):
        opened = connect_as_client(security.client, "klamm-cli")
        office = await settle(nodes, brokers, options.topics, security.protocol, opened)
        zookeeper = None if options.in_memory else connect
        yield Cluster(
            zookeeper, nodes, office, brokers, options.partition_bytes, open_store, security
        )


@asynccontextmanager
async def _secured(options: ClusterOptions, open_store: OpenStore) -> AsyncIterator[LocalSecurity]:
    """Make keys and users while the block runs."""
    with local_security(options.security) as security:
        await create_users(security, open_store)
        yield security


def _access(options: ClusterOptions, security: LocalSecurity) -> Access:
    """Return how brokers are reached, which is how nodes are."""
    if security.protocol == PLAINTEXT:
        return OPEN
    return Access.of(options.node_properties(MEMORY, security)[0])


@asynccontextmanager
async def _nodes(
    options: ClusterOptions,
    security: LocalSecurity,
    connect: str,
    open_store: OpenStore,
    say: Say,
) -> AsyncIterator[tuple[RunningNode, ...]]:
    properties = options.node_properties(connect, security)
    if options.processes and not options.in_memory:
        async with nodes_as_processes(properties, say) as nodes:
            yield nodes
    else:
        async with nodes_here(properties, open_store) as nodes:
            yield nodes


class LocalCluster:
    """A cluster on a thread of its own, for callers that block, as kafka-python does.

    A context manager; `call` runs a function on the cluster's thread. `say` gets what the nodes
    say that are processes of their own.
    """

    def __init__(self, options: ClusterOptions, say: Say = tell_errors) -> None:
        self._options = options
        self._say = say
        self._thread = TrioThread("klamm-cluster", self._main)
        self._cluster: Cluster | None = None

    def __enter__(self) -> Self:
        """Return once the cluster serves; raises what kept it from that."""
        self._thread.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.__exit__(kind, error, traceback)

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
        return self._thread.call(function, *arguments)

    def read(self, path: str) -> bytes | None:
        """Return a znode's data; see `Cluster.read`."""
        return self._thread.run(self.cluster.read, path)

    async def _main(self, ready: Callable[[], None]) -> None:
        async with running_cluster(self._options, self._say) as self._cluster:
            ready()
            await trio.sleep_forever()
