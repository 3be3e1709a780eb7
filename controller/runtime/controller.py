"""A controller node: its listener, its handlers and its driver, put together."""

from contextlib import ExitStack
from dataclasses import dataclass

import trio

from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.handlers.table import advertised
from klamm.controller.node import Node, NodeConfig
from klamm.controller.runtime.cluster_id import ensure_cluster_id
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.driver import Driver
from klamm.controller.runtime.journal import Journal
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.runtime.server import serve
from klamm.controller.runtime.service import Service
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import Post, Store
from klamm.controller.store.zookeeper import ZookeeperStore


class ListenError(OSError):
    """The node's address cannot be listened on; the text names it."""

    def __str__(self) -> str:
        """Return the text alone, without the number of the error."""
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class Running:
    """A node that serves: where clients find it, and its state machine for those who look on."""

    endpoint: Endpoint
    node: Node


async def run_controller(
    config: ControllerConfig,
    *,
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a node until cancelled; `task_status` is told as soon as it serves.

    It serves before it is elected: until then it answers NOT_CONTROLLER. Raises ListenError
    if the port is taken, StoreError or ZnodeError if ZooKeeper holds no usable cluster.
    """

    def open_store(post: Post) -> Store:
        options = ZookeeperOptions(
            config.zookeeper, session_timeout_ms=config.session_timeout_ms, create_chroot=True
        )
        return ZookeeperStore(options, post)

    await run_node(config, open_store, task_status=task_status)


async def run_node(
    config: ControllerConfig,
    open_store: OpenStore,
    *,
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Do as `run_controller`, on any store."""
    with ExitStack() as stack:
        listeners = await open_listeners(config.host, config.port)
        for listener in listeners:
            stack.callback(listener.socket.close)
        port: int = listeners[0].socket.getsockname()[1]
        endpoint = Endpoint(config.listener, "PLAINTEXT", config.host, port)
        cluster_id = await ensure_cluster_id(open_store)
        file = config.journal.open("a", encoding="utf-8") if config.journal else None
        journal = stack.enter_context(Journal(config.node_id, file))
        node = Node(_node_config(config, endpoint))
        links = LinkSettings(client_id=str(config.node_id), listener=config.listener)
        driver = Driver(node, open_store, journal, links)
        table = advertised()
        service = Service(
            node,
            driver.submit,
            Broker(config.node_id, -1, (endpoint,), config.rack),
            cluster_id=cluster_id,
            listener=config.listener,
            table=table,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run)
            await nursery.start(serve, listeners, table, service.dispatch)
            task_status.started(Running(endpoint, node))


async def open_listeners(host: str, port: int) -> list[trio.SocketListener]:
    """Listen on the node's address; raises ListenError if that cannot be."""
    try:
        return list(await trio.open_tcp_listeners(port, host=host))
    except OSError as error:
        raise ListenError(
            error.errno,
            f"cannot listen on port {port} of {host}: {error.strerror}; choose another port, or 0"
            " for any free one",
        ) from error


def _node_config(config: ControllerConfig, endpoint: Endpoint) -> NodeConfig:
    return NodeConfig(
        node_id=config.node_id,
        endpoints=(endpoint,),
        rack=config.rack,
        rules=config.rules,
        protocol=config.protocol,
        default_partitions=config.default_partitions,
        default_replication_factor=config.default_replication_factor,
        listener=config.listener,
    )
