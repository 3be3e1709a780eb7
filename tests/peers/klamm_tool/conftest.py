"""One cluster of Kafka's own with ZooKeeper and one without, each with the tools of its release."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import pytest
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import KAFKA_4, PROJECT
from peers.klamm_tool.stage import BROKERS, Stage
from peers.stock_cluster import StockCluster

from klamm.tools.admin import Admin
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

_NAMES = count()


@pytest.fixture(scope="session", params=["3.9.1 with ZooKeeper", "4.1.1 with KRaft"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    project, connect = KAFKA_4, None
    if "ZooKeeper" in request.param:
        zookeeper: EmbeddedZookeeper = request.getfixturevalue("zookeeper")
        project, connect = PROJECT, f"{zookeeper.connect_string}/klamm-tool"
    folder = tmp_path_factory.mktemp("kafka")
    with ExitStack() as stack:
        cluster = stack.enter_context(StockCluster(folder, connect, project, BROKERS, BROKERS))
        tools = stack.enter_context(JavaTools(project))
        admin = stack.enter_context(Admin.connect(cluster.bootstrap))
        yield Stage(cluster, tools, admin)


@pytest.fixture
def stage(running: Stage) -> Iterator[Stage]:
    """The cluster; nothing moves in it or is throttled, before and after."""
    yield running
    running.settle()


@pytest.fixture
def name() -> str:
    """Return a name of a topic that no other test uses."""
    return f"topic{next(_NAMES)}"
