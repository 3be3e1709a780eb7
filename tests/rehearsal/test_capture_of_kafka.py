"""Snapshots of Kafka as it was released: 3.9.1 with ZooKeeper, and 4.1.1 with KRaft."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from peers.kafka_jars import KAFKA_4, PROJECT
from peers.stock_cluster import BROKERS, StockCluster

from klamm.tools.admin import Admin, NewTopic
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.planner.snapshot import Partition, decode, encode
from klamm.tools.rehearsal.capture import captured

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["3.9.1 with ZooKeeper", "4.1.1 with KRaft"])
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StockCluster]:
    project, connect = KAFKA_4, None
    if "ZooKeeper" in request.param:
        zookeeper: EmbeddedZookeeper = request.getfixturevalue("zookeeper")
        project, connect = PROJECT, f"{zookeeper.connect_string}/capture"
    with StockCluster(tmp_path_factory.mktemp("kafka"), connect, project) as running:
        yield running


def test_a_snapshot_has_what_the_cluster_has(cluster: StockCluster) -> None:
    configs = {"min.insync.replicas": "2"}
    with Admin.connect(cluster.bootstrap) as admin:
        admin.create_topics([NewTopic("foo", assignments={0: [1, 2]}, configs=configs)]).result()
    cluster.await_topic("foo", 1)
    found = captured(cluster.bootstrap, watch_seconds=0.5)
    assert found.missing == ()
    snapshot = found.snapshot
    assert snapshot.cluster_id
    assert [(each.id, each.alive) for each in snapshot.brokers] == [(id_, True) for id_ in BROKERS]
    assert all(each.capacity_bytes for each in snapshot.brokers)
    (foo,) = [each for each in snapshot.partitions if each.topic == "foo"]
    assert foo == Partition("foo", 0, (1, 2), leader=1, isr=(1, 2), min_isr=2)
    assert decode(encode(snapshot)) == snapshot
