"""Snapshots of klamm's own cluster, over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    NewTopic,
    OpType,
    ResourceType,
    ScramMechanism,
    ScramUpsertion,
    TopicPartition,
)
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.planner.snapshot import Partition, decode, encode
from klamm.tools.rehearsal.capture import CaptureError, captured, look_at, take

FOO = TopicPartition("foo", 0)
SIZE = 5000


class Leap:
    """A clock that leaps, and lets something happen meanwhile."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    options = ClusterOptions((1, 2, 3), zookeeper=MEMORY, racks=3, frozen=[3], partition_bytes=SIZE)
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        admin.create_topics([NewTopic("foo", assignments={0: [1, 2], 1: [2, 1]})]).result()
        admin.alter_partition_reassignments({FOO: (1, 3)}).result()
        topic = ConfigResource(ResourceType.TOPIC, "foo")
        need = AlterConfigOp("min.insync.replicas", OpType.SET, "2")
        admin.incremental_alter_configs({topic: [need]}).result()
        broker = ConfigResource(ResourceType.BROKER, "2")
        rate = AlterConfigOp("leader.replication.throttled.rate", OpType.SET, "77")
        admin.incremental_alter_configs({broker: [rate]}).result()
        yield local


def test_a_snapshot_has_what_the_cluster_has(cluster: LocalCluster) -> None:
    found = captured(cluster.bootstrap)
    snapshot = found.snapshot
    assert {each.id: each.rack for each in snapshot.brokers} == {1: "r0", 2: "r1", 3: "r2"}
    assert all(each.alive and each.capacity_bytes for each in snapshot.brokers)
    moving, still = snapshot.partitions
    assert (set(moving.replicas), moving.adding, moving.removing) == ({1, 2, 3}, (3,), (2,))
    assert moving.target == (1, 3)
    assert still == Partition("foo", 1, (2, 1), leader=2, isr=(2, 1), size_bytes=SIZE, min_isr=2)
    assert found.missing == ("a throttle is set on broker 2: leader.replication.throttled.rate=77",)
    assert decode(encode(snapshot)) == snapshot
    assert take(cluster.bootstrap).partitions == snapshot.partitions


def test_what_is_written_is_what_logs_grow_by() -> None:
    options = ClusterOptions((1, 2), zookeeper=MEMORY, partition_bytes=SIZE, produce_rate=4e6)
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        admin.create_topics([NewTopic("foo", assignments={0: [1, 2]})]).result()
        clock = Leap()
        (partition,) = look_at(admin, 0, watch_seconds=2.0, clock=clock).snapshot.partitions
        assert clock.now == 2.0
        # The clock of the brokers is the real one: there it was a moment.
        assert partition.bytes_in_per_s > 0


def test_what_may_not_be_seen_is_named(tmp_path: Path) -> None:
    wish = Wish(sasl="SCRAM-SHA-256", authorizer=True)
    options = ClusterOptions((1, 2), zookeeper=MEMORY, security=wish)
    with LocalCluster(options) as local:
        client = dict(local.cluster.security.client)
        with Admin.connect(local.bootstrap, client) as root:
            new = [ScramUpsertion("nobody", ScramMechanism.SCRAM_SHA_256, "nobody")]
            root.alter_user_scram_credentials(new).result()
            root.create_topics([NewTopic("foo", assignments={0: [1]})]).result()
        client["sasl.jaas.config"] = (
            "org.apache.kafka.common.security.scram.ScramLoginModule required"
            ' username="nobody" password="nobody";'
        )
        file = tmp_path / "client.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in client.items()))
        found = captured(local.bootstrap, file)
    assert found.snapshot.partitions == ()
    # Who may not see log directories cannot tell the controller's node from a broker.
    assert [each.id for each in found.snapshot.brokers] == [1, 2, 900]
    text = "\n".join(found.missing)
    assert "not known: reassignments under way; it takes Describe on the cluster" in text
    assert (
        "not known: sizes and disks of broker 1, 2, 900; it takes Describe on the cluster" in text
    )
    assert "not known: throttles of broker 1, 2, 900; it takes DescribeConfigs" in text


def test_what_cannot_be_reached_or_read(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    with pytest.raises(CaptureError, match=r"client\.properties cannot be read"):
        take("127.0.0.1:1", file)
    file.write_text("default.api.timeout.ms=200\nrequest.timeout.ms=100\n")
    with pytest.raises(CaptureError, match=r"127\.0\.0\.1:1: "):
        take("127.0.0.1:1", file)
    with pytest.raises(CaptureError, match="nowhere: "):
        take("nowhere")
