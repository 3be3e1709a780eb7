"""A node's first look at ZooKeeper: is it there, is the id free, which cluster is it.

What follows, registration and election, is `klamm.controller.node`'s matter; it also meets an id
that is taken later, and then waits. Here a node that has just been started ends instead, so that
whoever started it learns of the mistake.
"""

import logging
import math

import trio

from klamm.controller.runtime.cluster_id import ensure_cluster_id
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.sessions import Calls, OpenStore
from klamm.controller.store.port import Missing, Read, ReadData, ReadResult
from klamm.controller.znodes import paths

LOG = logging.getLogger("klamm.node")

#: How long ZooKeeper may be away before that is said.
PATIENCE_SECONDS = 5.0


class NodeIdTakenError(Exception):
    """Somebody else is registered under the node's id; the text says who."""


class UnreachableError(Exception):
    """ZooKeeper did not answer within the time that the configuration allows."""


async def enter_cluster(config: ControllerConfig, open_store: OpenStore) -> str:
    """Return the id of the cluster, made if it had none.

    Waits for ZooKeeper as long as the configuration allows, and says so. Raises UnreachableError,
    NodeIdTakenError, StoreError if ZooKeeper refuses, ZnodeError if the cluster's id is unreadable.
    """
    async with Calls(open_store) as calls:
        [broker, node] = await _first_read(
            config,
            calls,
            ReadData(paths.broker(config.node_id)),
            ReadData(paths.klamm_node(config.node_id)),
        )
        if not isinstance(broker, Missing):
            raise NodeIdTakenError(
                f"node.id {config.node_id} is taken: a broker of that id is registered in"
                f" {broker.path}; choose an id that no broker has"
            )
        if not isinstance(node, Missing):
            raise NodeIdTakenError(
                f"node.id {config.node_id} is taken: a klamm node is registered in {node.path};"
                " choose another id, or if that was this node before a crash, wait until its"
                " ZooKeeper session has ended"
            )
        return await ensure_cluster_id(calls)


async def _first_read(
    config: ControllerConfig, calls: Calls, *reads: Read
) -> tuple[ReadResult, ...]:
    """Read, and say when ZooKeeper is away; raises UnreachableError after the configured time."""
    limit_ms = config.connection_timeout_ms
    seconds = math.inf if limit_ms is None else limit_ms / 1000
    end = trio.current_time() + seconds
    with trio.move_on_after(min(PATIENCE_SECONDS, seconds)):
        return await calls.read(*reads)
    if seconds > PATIENCE_SECONDS:
        LOG.warning("ZooKeeper on %s does not answer; still trying", config.zookeeper)
        with trio.move_on_at(end):
            return await calls.read(*reads)
    raise UnreachableError(
        f"ZooKeeper on {config.zookeeper} did not answer within {seconds:g} s; start it, or leave"
        " zookeeper.connection.timeout.ms out to wait for it"
    )
