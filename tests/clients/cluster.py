"""A cluster to let clients loose on: real ZooKeeper, a controller, six simulated brokers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clients.fault_proxy import FaultProxy
from clients.java_scripts import RATES
from kafka.admin import AlterConfigOp, ConfigResource
from kazoo.client import KazooClient
from thin_line.world import World

from klamm.tools.cli._cluster import ClusterOptions, LocalCluster

BROKERS = range(6)
CONTROLLER = 900


@contextmanager
def running(connect: str, **properties: str) -> Iterator[World]:
    """Brokers 0 to 5; small partitions and a wide line, so that only frozen brokers are slow."""
    options = ClusterOptions(
        BROKERS,
        zookeeper=connect,
        partition_bytes=1000,
        bandwidth=1e6,
        properties={name.replace("_", "."): value for name, value in properties.items()},
    )
    with LocalCluster(options) as local:
        client = KazooClient(connect)
        client.start()
        world = World(local, client)
        try:
            yield world
        finally:
            world.close()
            client.stop()
            client.close()


@contextmanager
def proxied(world: World) -> Iterator[FaultProxy]:
    """Stand between a client and every node of the cluster."""
    cluster = world.local.cluster
    nodes = {id_: broker.port for id_, broker in cluster.brokers.brokers.items()}
    proxy = FaultProxy({CONTROLLER: cluster.endpoint.port, **nodes})
    try:
        yield proxy
    finally:
        proxy.close()


def config(world: World, path: str) -> dict[str, str]:
    """Return what a config znode sets, {} without one."""
    if not world.zookeeper.exists(f"/config/{path}"):
        return {}
    found: dict[str, str] = json.loads(world.zookeeper.get(f"/config/{path}")[0])["config"]
    return found


def set_throttles(world: World, node: int, rate: int) -> None:
    """Set both throttle rates of a node, in bytes per second."""
    configs = dict.fromkeys(RATES[:2], str(rate))
    _alter_broker(world, node, configs)


def lift_throttles(world: World) -> None:
    """Remove the throttle rates of every node that has any."""
    for node in (*BROKERS, CONTROLLER):
        if found := config(world, f"brokers/{node}"):
            _alter_broker(world, node, dict.fromkeys(found, (AlterConfigOp.DELETE, None)))


def _alter_broker(world: World, node: int, configs: dict[str, Any]) -> None:
    # Kafka calls these keys read-only, and then the library does not know them.
    resource = ConfigResource("broker", str(node), configs)
    answer = world.admin.alter_configs([resource], raise_on_unknown=False)
    assert answer == {"broker": {str(node): "OK"}}
