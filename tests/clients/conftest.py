"""One cluster for the folder, and a proxy before it for tests that disturb their client."""

from collections.abc import Iterator

import pytest
from clients.cluster import BROKERS, proxied, running
from clients.fault_proxy import FaultProxy
from thin_line.world import World

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper


@pytest.fixture(scope="session")
def client_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """What a user has who starts klamm without options."""
    with running(f"{zookeeper.connect_string}/clients") as world:
        yield world


@pytest.fixture(scope="session")
def kip_455_cluster(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """The same by the text of the proposal."""
    connect = f"{zookeeper.connect_string}/clients-kip-455"
    with running(connect, klamm_profile="kip-455") as world:
        yield world


@pytest.fixture
def world(client_cluster: World) -> Iterator[World]:
    """The cluster, with no broker frozen before or after."""
    yield client_cluster
    for broker in BROKERS:
        client_cluster.thaw(broker)


@pytest.fixture(params=["apache-3.9", "kip-455"])
def profile(request: pytest.FixtureRequest) -> str:
    """The name of a profile."""
    name: str = request.param
    return name


@pytest.fixture
def either(profile: str, request: pytest.FixtureRequest) -> Iterator[World]:
    """A cluster of that profile, with no broker frozen before or after."""
    name = {"apache-3.9": "client_cluster", "kip-455": "kip_455_cluster"}[profile]
    world: World = request.getfixturevalue(name)
    yield world
    for broker in BROKERS:
        world.thaw(broker)


@pytest.fixture
def proxy(world: World) -> Iterator[FaultProxy]:
    """Stand between a client and every node of the cluster."""
    with proxied(world) as found:
        yield found
