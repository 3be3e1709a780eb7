"""klamm's tool and Java's side by side on Kafka: 3.9.1 with ZooKeeper and 4.1.1 without."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from kafka import KafkaAdminClient
from peers.java_tools.side_by_side import FILE, SideBySide, tidied
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import KAFKA_4, PROJECT, REASSIGN_PARTITIONS
from peers.real_brokers.records import Records
from peers.stock_cluster import StockCluster
from processes import wait_until
from reassign.tool import plan
from reassign.tool import run as run_alone

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

MOVE_SECONDS = 60.0
TOPICS = ("java", "klam")
EXECUTE = ("--execute", "--additional", "--throttle")


class Stage(NamedTuple):
    """A cluster, and both tools of its release."""

    cluster: StockCluster
    tools: JavaTools
    tool: SideBySide


@pytest.fixture(params=["zookeeper", "kraft"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    project, connect = KAFKA_4, None
    if request.param == "zookeeper":
        zookeeper: EmbeddedZookeeper = request.getfixturevalue("zookeeper")
        project, connect = PROJECT, f"{zookeeper.connect_string}/both-tools"
    with ExitStack() as stack:
        cluster = stack.enter_context(StockCluster(tmp_path / "kafka", connect, project))
        tools = stack.enter_context(JavaTools(project))
        yield Stage(cluster, tools, SideBySide(tools, cluster.bootstrap))


@pytest.fixture
def admin(stage: Stage) -> Iterator[KafkaAdminClient]:
    """A client that made the topics, with records enough for a throttled move to take for ever."""
    servers = stage.cluster.bootstrap.split(",")
    client = KafkaAdminClient(bootstrap_servers=servers)
    try:
        for topic in TOPICS:
            client.create_topics({topic: {"assignments": {0: [1], 1: [1]}}})
            with Records(servers, topic, 2) as records:
                records.await_more(1000)
        yield client
    finally:
        client.close()


def test_the_life_of_a_plan(stage: Stage, admin: KafkaAdminClient, tmp_path: Path) -> None:
    """Started with next to no bandwidth, looked at, sped up, verified; then begun and cancelled."""
    tool = stage.tool
    tool.both("--list")
    files = [plan(tmp_path, {(topic, 0): [2], (topic, 1): [2]}) for topic in TOPICS]
    tool.alike(TOPICS, files, *EXECUTE, "1")
    assert len(tool.both("--list")) == 5
    tool.both("--execute", FILE, files[0])
    if stage.cluster.is_kraft:
        words = ("--bootstrap-controller", stage.cluster.controllers, "--list")
        theirs, mine = stage.tools.run(REASSIGN_PARTITIONS, *words), run_alone(*words)
        assert (mine.status, mine.lines) == (theirs.status, tidied(theirs.lines))
        assert len(mine.lines) == 5
    assert "still in progress" in tool.alike(TOPICS, files, "--verify")[1]
    tool.alike(TOPICS, files, *EXECUTE, "100000000")
    wait_until(lambda: not admin.list_partition_reassignments(), "the moves to end", MOVE_SECONDS)
    assert tool.alike(TOPICS, files, "--verify")[1:] == [
        "Reassignment of partition java-0 is completed.",
        "Reassignment of partition java-1 is completed.",
        "",
        "Clearing broker-level throttles on brokers 1,2",
        "Clearing topic-level throttles on topic java",
    ]

    back = [plan(tmp_path, {(topic, 0): [2, 1], (topic, 1): [1]}) for topic in TOPICS]
    if stage.cluster.is_kraft:
        refused = tool.alike(TOPICS, back, *EXECUTE, "1", "--disallow-replication-factor-change")
        assert refused[-1] == "java-0: The replication factor is changed from 1 to 2"
    else:  # 3.9's tool passes over moves that only add replicas
        back = [plan(tmp_path, {(topic, 0): [1], (topic, 1): [1]}) for topic in TOPICS]
    tool.alike(TOPICS, back, *EXECUTE, "1")
    said = tool.alike(TOPICS, back, "--cancel")
    assert said[0] == "Successfully cancelled partition reassignments for: java-0,java-1"
    tool.alike(TOPICS, back, "--verify", "--preserve-throttles")
