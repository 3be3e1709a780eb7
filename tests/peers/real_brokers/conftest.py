"""One cluster per inter-broker protocol and mode, for as many tests as like to use it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import count

import pytest
from modes import PROPERTIES, mode_of
from peers.real_brokers.cluster import RealCluster

PROTOCOLS = ("2.4-IV0", "3.9-IV0")
"""Leaders write ISR changes into ZooKeeper below 2.7-IV2, and ask the controller from there on."""

_NAMES = count()


@pytest.fixture(scope="session")
def clusters(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, str], RealCluster]]:
    """Give the running cluster of each protocol and mode."""
    with ExitStack() as stack:

        @cache
        def start(protocol: str, mode: str) -> RealCluster:
            folder = tmp_path_factory.mktemp(f"{protocol}-{mode.replace(' ', '-')}")
            return stack.enter_context(RealCluster(protocol, folder, PROPERTIES[mode]))

        yield start


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    """Whether moves are made whole, or in steps."""
    return mode_of(request)


@pytest.fixture(params=PROTOCOLS)
def cluster(
    request: pytest.FixtureRequest, clusters: Callable[[str, str], RealCluster], mode: str
) -> Iterator[RealCluster]:
    """A cluster with all brokers running, before and after, and with nothing to complain about."""
    found = clusters(request.param, mode)
    yield found
    found.start(*(broker.id for broker in found.brokers.values() if not broker.runs))
    assert found.logs.complaints() == []


@pytest.fixture
def topic() -> str:
    """Return a name that no other test uses."""
    return f"t{next(_NAMES)}"
