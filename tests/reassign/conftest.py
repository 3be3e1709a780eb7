"""A cluster for the tool, and the tool within this process."""

from collections.abc import Iterator

import pytest
from clients.cluster import BROKERS, lift_throttles, running
from reassign.tool import Tool
from thin_line.world import World, eventually

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper


@pytest.fixture(scope="session")
def reassign_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """Brokers 0 to 5 and controller 900, as a user has them who starts klamm without options."""
    with running(f"{zookeeper.connect_string}/reassign") as world:
        yield world


@pytest.fixture
def world(reassign_cluster: World) -> Iterator[World]:
    """The cluster, with nothing moving, no broker frozen or throttled before or after."""
    yield reassign_cluster
    for broker in BROKERS:
        reassign_cluster.thaw(broker)
    eventually(
        lambda: not reassign_cluster.admin.list_partition_reassignments(), "all moves to end"
    )
    lift_throttles(reassign_cluster)


@pytest.fixture
def tool(world: World) -> Tool:
    """Run the tool against the cluster."""
    return Tool(world.local.bootstrap)
