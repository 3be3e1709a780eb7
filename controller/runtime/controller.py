"""A controller node: its listener, its handlers and its driver, put together."""

import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import trio

from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.handlers.switches import Switch
from klamm.controller.handlers.table import advertised
from klamm.controller.node import Node, NodeConfig
from klamm.controller.runtime.authentication import Entrance, guard_of
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.copies import HeardCopies
from klamm.controller.runtime.credentials import find_credential
from klamm.controller.runtime.driver import Driver, now
from klamm.controller.runtime.entry import enter_cluster
from klamm.controller.runtime.forwarding import ALWAYS, ON_REQUEST, Forwarder
from klamm.controller.runtime.journal import Journal
from klamm.controller.runtime.journal_file import JournalFile
from klamm.controller.runtime.limits import Limits
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.runtime.listeners import Listener
from klamm.controller.runtime.login import connect_between_brokers
from klamm.controller.runtime.permissions import read_permissions
from klamm.controller.runtime.polls import Polls
from klamm.controller.runtime.server import Admission, serve
from klamm.controller.runtime.service import Service
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.runtime.standby import FROM_CONTROLLERS
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.store.options import ZookeeperOptions
from klamm.protocol import registry

#: What lives by how far replicas have come.
_POLLED = frozenset({Switch.ALTER, Switch.ASSIGN})


class ListenError(OSError):
    """The node's address cannot be listened on; the text names it."""

    def __str__(self) -> str:
        """Return the text alone, without the number of the error."""
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class Running:
    """A node that serves: where others find it, and its state machine for those who look on.

    `endpoint` is the one between brokers, which is also among `endpoints`.
    """

    endpoint: Endpoint
    node: Node
    endpoints: tuple[Endpoint, ...] = ()


async def run_controller(
    config: ControllerConfig,
    open_store: OpenStore | None = None,
    *,
    task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run a node until cancelled; `task_status` is told as soon as it serves.

    `open_store` opens its sessions; without it they are those of a real ZooKeeper. The node
    serves before it is elected: until then it answers NOT_CONTROLLER. Raises ListenError if the
    port is taken, SecurityError or TlsError if a listener cannot be guarded, NodeIdTakenError if
    the id is taken, JournalError if the journal's file is not to be had, UnreachableError if
    ZooKeeper was away for too long, StoreError or ZnodeError if it holds no usable cluster.
    """
    open_store = open_store or _zookeeper(config)
    with ExitStack() as stack:
        guards = [guard_of(listener, config.properties) for listener in config.listeners]
        connect = connect_between_brokers(config.properties, config.between, str(config.node_id))
        sockets = [await _open(listener, stack) for listener in config.listeners]
        endpoints = _endpoints(config, sockets)
        endpoint = next(each for each in endpoints if each.listener == config.listener)
        cluster_id = await enter_cluster(config, open_store)
        authorizer = config.authorizer
        if authorizer is not None:
            authorizer = await read_permissions(authorizer, open_store)
        journal = stack.enter_context(Journal(config.node_id, _journal_file(config)))
        journal.start(now())
        node = Node(_node_config(config, endpoints, journal.first_sequence, authorizer))
        links = LinkSettings(str(config.node_id), config.listener, connect=connect)
        driver = Driver(node, open_store, journal, links)
        table = _table(config)
        polls = Polls(node, driver.post, links, now) if config.switches & _POLLED else None
        kinds = ALWAYS | ON_REQUEST if config.forwarding else ALWAYS
        forwarder = Forwarder(connect, kinds=kinds)
        service = Service(
            node,
            driver.submit,
            driver.transact,
            Broker(config.node_id, -1, endpoints, config.rack),
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
            authorizer=lambda: node.authorizer,
            note=driver.note,
            copies=HeardCopies(node, driver.post, now),
            look=polls.look if polls is not None else None,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(driver.run)
            if polls is not None:
                nursery.start_soon(polls.run)
            await nursery.start(forwarder.run)
            keys = [kind.api_key for kind in FROM_CONTROLLERS]
            served = {**table, **{key: registry.request(key).versions for key in keys}}
            find = partial(find_credential, driver.transact)
            limits = _limits(config)
            admission = Admission(limits)
            for guard, opened in zip(guards, sockets, strict=True):
                entrance = Entrance(guard, table, find)
                await nursery.start(
                    serve, opened, served, service.dispatch, limits, entrance, admission
                )
            task_status.started(Running(endpoint, node, endpoints))


async def _open(listener: Listener, stack: ExitStack) -> list[trio.SocketListener]:
    """Listen, until the stack is left."""
    sockets = await open_listeners(listener.host, listener.port)
    for each in sockets:
        stack.callback(each.socket.close)
    return sockets


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


def _endpoints(
    config: ControllerConfig, sockets: Sequence[Sequence[trio.SocketListener]]
) -> tuple[Endpoint, ...]:
    """Return what others are told; like Kafka, who listens everywhere tells the host's own name."""
    return tuple(
        Endpoint(
            listener.name,
            listener.protocol,
            listener.advertised_host or listener.host or socket.getfqdn(),
            listener.advertised_port or opened[0].socket.getsockname()[1],
        )
        for listener, opened in zip(config.listeners, sockets, strict=True)
        if listener.advertised
    )


def _table(config: ControllerConfig) -> Mapping[int, range]:
    """Return what ApiVersions shows."""
    return advertised(release=config.release, switches=config.switches)


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


def _node_config(
    config: ControllerConfig,
    endpoints: tuple[Endpoint, ...],
    first_sequence: int,
    authorizer: AclAuthorizer | None,
) -> NodeConfig:
    return NodeConfig(
        node_id=config.node_id,
        endpoints=endpoints,
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
        authorizer=authorizer,
        cluster_wide=config.cluster_wide,
        keeps_status=Switch.ASSIGN in config.switches,
        status_write_interval_ms=config.status_write_interval_ms,
    )
