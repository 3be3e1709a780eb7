"""One cluster for the folder, and a Java process for each release of the tools."""

from collections.abc import Iterator

import pytest
from clients.cluster import BROKERS, lift_throttles, running
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import KAFKA_4
from thin_line.world import World, eventually

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper


@pytest.fixture(scope="session")
def java_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    with running(f"{zookeeper.connect_string}/java-tools") as world:
        yield world


@pytest.fixture
def world(java_cluster: World) -> Iterator[World]:
    """The cluster, with no broker frozen and nothing moving before or after."""
    yield java_cluster
    lift_throttles(java_cluster)
    for broker in BROKERS:
        java_cluster.thaw(broker)
    eventually(lambda: not java_cluster.admin.list_partition_reassignments(), "all moves to end")


@pytest.fixture(scope="session")
def tools() -> Iterator[JavaTools]:
    with JavaTools() as started:
        yield started


@pytest.fixture(scope="session")
def tools_of_4() -> Iterator[JavaTools]:
    with JavaTools(KAFKA_4) as started:
        yield started


@pytest.fixture(params=["tools", "tools_of_4"])
def either_tools(request: pytest.FixtureRequest) -> JavaTools:
    """Those of 3.9.1 and those of 4.1.1."""
    found: JavaTools = request.getfixturevalue(request.param)
    return found
