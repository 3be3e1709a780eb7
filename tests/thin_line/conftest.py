"""One cluster for the folder: real ZooKeeper, a controller, six simulated brokers."""

from collections.abc import Iterator

import pytest
from kazoo.client import KazooClient
from thin_line.world import World

from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

BROKERS = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="session")
def running_world(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """Small partitions and a wide line: a move that nothing holds ends in a blink."""
    connect = f"{zookeeper.connect_string}/thin-line"
    options = ClusterOptions(
        BROKERS,
        zookeeper=connect,
        partition_bytes=1000,
        bandwidth=1e6,
        # Tests say themselves who leads.
        properties={"auto.leader.rebalance.enable": "false"},
    )
    with LocalCluster(options) as local:
        client = KazooClient(connect)
        client.start()
        world = World(local, client)
        yield world
        world.close()
        client.stop()
        client.close()


@pytest.fixture
def world(running_world: World) -> Iterator[World]:
    """The cluster, with no broker frozen before or after."""
    yield running_world
    for broker in BROKERS:
        running_world.thaw(broker)
