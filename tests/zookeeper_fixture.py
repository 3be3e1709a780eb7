"""A real ZooKeeper for the whole run, and a place of its own in it for every test."""

import random
from collections.abc import Iterator
from itertools import count

import kazoo.protocol.connection
import kazoo.retry
import pytest
from kazoo.client import KazooClient

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

_ADMIN_TIMEOUT_S = 30.0

# kazoo's threads draw jitter all the time; drawn from the module's generator it would disturb
# every seeded test, and Hypothesis takes it for a strategy that is not deterministic.
for _module in (kazoo.protocol.connection, kazoo.retry):
    vars(_module)["random"] = random.Random()

_CHROOTS = (f"/test{number}" for number in count())


@pytest.fixture(scope="session")
def zookeeper() -> Iterator[EmbeddedZookeeper]:
    """Start ZooKeeper once, when the first test asks for it."""
    with EmbeddedZookeeper() as server:
        yield server


@pytest.fixture(scope="session")
def zookeeper_admin(zookeeper: EmbeddedZookeeper) -> Iterator[KazooClient]:
    """Return a plain client at the root, for what a test does behind a store's back."""
    client = KazooClient(zookeeper.connect_string, timeout=_ADMIN_TIMEOUT_S)
    client.start()
    yield client
    client.stop()
    client.close()


@pytest.fixture
def zookeeper_chroot(zookeeper_admin: KazooClient) -> str:
    """Return the path of a fresh, empty znode that belongs to this test alone."""
    path = next(_CHROOTS)
    zookeeper_admin.create(path, None)
    return path


@pytest.fixture
def chroot(zookeeper: EmbeddedZookeeper, zookeeper_chroot: str) -> str:
    """Return a connect string whose chroot belongs to this test alone, e.g. host:port/test7."""
    return zookeeper.connect_string + zookeeper_chroot
