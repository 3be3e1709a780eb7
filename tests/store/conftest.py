"""Worlds for the tests of the store."""

import logging
from collections.abc import Iterator

import pytest
from kazoo.client import KazooClient
from store_worlds import MemoryWorld, RealWorld, World

from klamm.tools.embedded.zookeeper import HOST, EmbeddedZookeeper

# Broken connections are these tests' business; kazoo's warnings about them are noise.
logging.getLogger("klamm.controller.store.zookeeper").setLevel(logging.ERROR)


@pytest.fixture
def real_world(
    zookeeper: EmbeddedZookeeper, zookeeper_chroot: str, zookeeper_admin: KazooClient
) -> Iterator[RealWorld]:
    world = RealWorld((HOST, zookeeper.port), zookeeper_chroot, zookeeper_admin)
    yield world
    world.close()


@pytest.fixture(params=["memory", "zookeeper"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "memory":
        return MemoryWorld()
    found = request.getfixturevalue("real_world")
    assert isinstance(found, World)
    return found
