"""A controller node: its listener, its handlers and its driver, put together."""

import socket
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import trio

from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.handlers.table import advertised
from klamm.controller.node import Node, NodeConfig
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.driver import Driver, now
from klamm.controller.runtime.entry import enter_cluster
from klamm.controller.runtime.forwarding import Forwarder
from klamm.controller.runtime.journal import Journal
from klamm.controller.runtime.journal_file import JournalFile
from klamm.controller.runtime.limits import Limits
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.runtime.server import serve
from klamm.controller.runtime.service import Service
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.runtime.standby import FROM_CONTROLLERS
from klamm.controller.store.options import ZookeeperOptions
from klamm.protocol import registry


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
    open_store: OpenStore | None = None,
    *,
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a node until cancelled; `task_status` is told as soon as it serves.

    `open_store` opens its sessions; without it they are those of a real ZooKeeper. The node
    serves before it is elected: until then it answers NOT_CONTROLLER. Raises ListenError if the
    port is taken, NodeIdTakenError if the id is, JournalError if the journal's file is not to be
    had, UnreachableError if ZooKeeper was away for too long, StoreError or ZnodeError if it holds
    no usable cluster.
    """
    open_store = open_store or _zookeeper(config)
    with ExitStack() as stack:
        listeners = await open_listeners(config.host, config.port)
        for listener in listeners:
            stack.callback(listener.socket.close)
        port: int = listeners[0].socket.getsockname()[1]
        endpoint = _advertised_endpoint(config, port)
        cluster_id = await enter_cluster(config, open_store)
        journal = stack.enter_context(Journal(config.node_id, _journal_file(config)))
        journal.start(now())
        node = Node(_node_config(config, endpoint, journal.first_sequence))
        links = LinkSettings(client_id=str(config.node_id), listener=config.listener)
        driver = Driver(node, open_store, journal, links)
        table = advertised()
        forwarder = Forwarder() if config.forwarding else None
        service = Service(
            node,
            driver.submit,
            driver.transact,
            Broker(config.node_id, -1, (endpoint,), config.rack),
            cluster_id=cluster_id,
            listener=config.listener,
            table=table,
            rules=config.rules,
            properties=config.properties,
            later=driver.call_later,
            honours_timeouts=config.reassignment_timeout,
            forwarder=forwarder,
            hear=driver.hear,
            look_up=driver.look_up,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run)
            if forwarder is not None:
                await nursery.start(forwarder.run)
            keys = [kind.api_key for kind in FROM_CONTROLLERS]
            served = {**table, **{key: registry.request(key).versions for key in keys}}
            await nursery.start(serve, listeners, served, service.dispatch, _limits(config))
            task_status.started(Running(endpoint, node))


async def open_listeners(host: str, port: int) -> list[trio.SocketListener]:
    """Listen on the node's address; raises ListenError if that cannot be."""
    try:
        return list(await trio.open_tcp_listeners(port, host=host or None))
    except OSError as error:
        raise ListenError(
            error.errno,
            f"cannot listen on port {port} of {host or 'all addresses'}: {error.strerror}; choose"
            " another port, or 0 for any free one",
        ) from error


def _zookeeper(config: ControllerConfig) -> OpenStore:
    # Not at the top: a node whose state is in memory starts without loading a client.
    from klamm.controller.store.zookeeper import ZookeeperStore

    options = ZookeeperOptions(
        config.zookeeper,
        session_timeout_ms=config.session_timeout_ms,
        packet_limit=config.packet_limit,
        create_chroot=True,
    )
    return partial(ZookeeperStore, options)


def _advertised_endpoint(config: ControllerConfig, port: int) -> Endpoint:
    """Return what others are told; like Kafka, who listens everywhere tells the host's own name."""
    host = config.advertised_host or config.host or socket.getfqdn()
    return Endpoint(config.listener, "PLAINTEXT", host, config.advertised_port or port)


def _limits(config: ControllerConfig) -> Limits:
    return Limits(
        max_request_bytes=config.max_request_bytes,
        idle_seconds=config.max_idle_ms / 1000,
        max_connections=config.max_connections,
        max_connections_per_ip=config.max_connections_per_ip,
    )


def _journal_file(config: ControllerConfig) -> JournalFile | None:
    if config.journal is None:
        return None
    return JournalFile(
        config.journal, config.journal_max_bytes, config.journal_files, config.journal_fsync
    )


def _node_config(config: ControllerConfig, endpoint: Endpoint, first_sequence: int) -> NodeConfig:
    return NodeConfig(
        node_id=config.node_id,
        endpoints=(endpoint,),
        rack=config.rack,
        rules=config.rules,
        protocol=config.protocol,
        default_partitions=config.default_partitions,
        default_replication_factor=config.default_replication_factor,
        delete_topic_enable=config.delete_topic_enable,
        listener=config.listener,
        leader_moves_in_flight=config.leader_moves_in_flight,
        packet_limit=config.packet_limit,
        auto_leader_rebalance=config.auto_leader_rebalance,
        leader_imbalance_percentage=config.leader_imbalance_percentage,
        leader_imbalance_check_seconds=config.leader_imbalance_check_seconds,
        first_sequence=first_sequence,
    )
