"""One cluster per inter-broker protocol, for as many tests as like to use it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import count

import pytest
from peers.real_brokers.cluster import RealCluster

PROTOCOLS = ("2.4-IV0", "3.9-IV0")
"""Leaders write ISR changes into ZooKeeper below 2.7-IV2, and ask the controller from there on."""

_NAMES = count()


@pytest.fixture(scope="session")
def clusters(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], RealCluster]]:
    """Give the running cluster of each protocol."""
    with ExitStack() as stack:

        @cache
        def start(protocol: str) -> RealCluster:
            return stack.enter_context(RealCluster(protocol, tmp_path_factory.mktemp(protocol)))

        yield start


@pytest.fixture(params=PROTOCOLS)
def cluster(
    request: pytest.FixtureRequest, clusters: Callable[[str], RealCluster]
) -> Iterator[RealCluster]:
    """A cluster with all brokers running, before and after, and with nothing to complain about."""
    found = clusters(request.param)
    yield found
    found.start(*(broker.id for broker in found.brokers.values() if not broker.runs))
    assert found.logs.complaints() == []


@pytest.fixture
def topic() -> str:
    """Return a name that no other test uses."""
    return f"t{next(_NAMES)}"
