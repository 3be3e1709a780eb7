"""One cluster for the folder, and a proxy before it."""

from collections.abc import Iterator

import pytest
from clients.cluster import BROKERS, proxied, running
from clients.fault_proxy import FaultProxy
from thin_line.world import World

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper


@pytest.fixture(scope="session")
def node_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    with running(f"{zookeeper.connect_string}/node-clients") as world:
        yield world


@pytest.fixture
def world(node_cluster: World) -> Iterator[World]:
    """The cluster, with no broker frozen before or after."""
    yield node_cluster
    for broker in BROKERS:
        node_cluster.thaw(broker)


@pytest.fixture
def proxy(world: World) -> Iterator[FaultProxy]:
    """Stand between a client and every node of the cluster."""
    with proxied(world) as found:
        yield found
