"""One cluster for the folder in each mode: real ZooKeeper, a controller, six simulated brokers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from kazoo.client import KazooClient
from modes import PROPERTIES, mode_of
from thin_line.world import World

from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

BROKERS = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="session")
def running_worlds(zookeeper: EmbeddedZookeeper) -> Iterator[Callable[[str], World]]:
    """Small partitions and a wide line: a move that nothing holds ends in a blink."""
    with ExitStack() as stack:

        @cache
        def start(mode: str) -> World:
            connect = f"{zookeeper.connect_string}/thin-line-{mode.replace(' ', '-')}"
            options = ClusterOptions(
                BROKERS,
                zookeeper=connect,
                partition_bytes=1000,
                bandwidth=1e6,
                # Tests say themselves who leads.
                properties={"auto.leader.rebalance.enable": "false", **PROPERTIES[mode]},
            )
            local = stack.enter_context(LocalCluster(options))
            client = KazooClient(connect)
            client.start()
            stack.callback(client.close)
            stack.callback(client.stop)
            world = World(local, client)
            stack.callback(world.close)
            return world

        yield start


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    """Whether moves are made whole, or in steps."""
    return mode_of(request)


@pytest.fixture
def world(running_worlds: Callable[[str], World], mode: str) -> Iterator[World]:
    """The cluster, with no broker frozen before or after."""
    found = running_worlds(mode)
    yield found
    for broker in BROKERS:
        found.thaw(broker)
