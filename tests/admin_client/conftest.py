"""One cluster for the folder, all in this process; broker 5 never catches up."""

from collections.abc import Iterator

import pytest

from klamm.tools.admin import Admin
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY


@pytest.fixture(scope="session")
def local() -> Iterator[LocalCluster]:
    options = ClusterOptions(
        range(1, 6),
        zookeeper=MEMORY,
        frozen=[5],
        partition_bytes=1000,
        bandwidth=1e6,
        # Tests say themselves who leads.
        properties={
            "auto.leader.rebalance.enable": "false",
            "klamm.describe.reassignments.enable": "true",
        },
    )
    with LocalCluster(options) as running:
        yield running


@pytest.fixture
def admin(local: LocalCluster) -> Iterator[Admin]:
    with Admin.connect(local.bootstrap) as connected:
        yield connected


@pytest.fixture
def topic(admin: Admin, request: pytest.FixtureRequest) -> Iterator[str]:
    """A topic named after the test, to be created by it, gone when it ends."""
    name = request.node.name.translate({ord("["): "-", ord("]"): None})[-200:]
    yield name
    moving = [found for found in admin.list_partition_reassignments().result() if found[0] == name]
    admin.alter_partition_reassignments(dict.fromkeys(moving)).result()
    if name in admin.list_topics().result():
        admin.delete_topics([name]).result()
