"""Moves in steps on a real ZooKeeper, with brokers on TCP: the proposal's example."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from kazoo.client import KazooClient
from node.step_checks import StepChecks
from processes import wait_until

from klamm.controller.configs.cluster_wide import REPLICA_MOVEMENTS
from klamm.controller.node.forms import Line
from klamm.controller.node.lines import decode
from klamm.controller.znodes import paths
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    OpType,
    ResourceType,
    TopicPartition,
)
from klamm.tools.cli._cluster import LocalCluster
from klamm.tools.cli._options import ClusterOptions
from klamm.tools.cli._topics import NewTopic
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

T = TopicPartition("t", 0)
WHOLE_CLUSTER = ConfigResource(ResourceType.BROKER, "")


def lines(file: Path) -> list[Line]:
    return [decode(data) for data in file.read_bytes().splitlines()]


def topic_of(zookeeper: KazooClient) -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = json.loads(zookeeper.get(paths.topic("t"))[0])
    return found


@pytest.mark.req("R435-4", "R435-12", "R435-31", "R435-44", "R435-46")
@pytest.mark.parametrize("release", ["2.4-IV0", "3.9"])
def test_the_example_of_the_proposal(
    zookeeper: EmbeddedZookeeper, tmp_path: Path, release: str
) -> None:
    connect = f"{zookeeper.connect_string}/steps-{release}"
    options = ClusterOptions(
        range(10),
        zookeeper=connect,
        partition_bytes=1000,
        bandwidth=1e6,
        topics={"t": NewTopic("t", assignments=((0, 1, 2, 3, 4),))},
        properties={"inter.broker.protocol.version": release},
        journals=tmp_path,
    )
    client = KazooClient(connect)
    with (
        LocalCluster(options) as local,
        closing(Admin.connect(local.bootstrap)) as admin,
    ):
        client.start()
        try:
            assert client.exists(paths.REASSIGNMENT_STEPS) is None
            limit = AlterConfigOp(REPLICA_MOVEMENTS, OpType.SET, "2")
            admin.incremental_alter_configs({WHOLE_CLUSTER: [limit]}).all().result()
            (file,) = options.journal_files
            wait_until(lambda: "configs-read" in file.read_text(), "the limit to be in force")
            admin.alter_partition_reassignments({T: (5, 6, 7, 8, 9)}).all().result()
            wait_until(lambda: not admin.list_partition_reassignments().result(), "the move to end")
            found = topic_of(client)
            assert found["partitions"] == {"0": [5, 6, 7, 8, 9]}
            assert (found["adding_replicas"], found["removing_replicas"]) == ({}, {})
            assert client.get_children(paths.REASSIGNMENT_STEPS) == []
            unlimited = AlterConfigOp(REPLICA_MOVEMENTS, OpType.DELETE)
            admin.incremental_alter_configs({WHOLE_CLUSTER: [unlimited]}).all().result()
            wait_until(
                lambda: client.exists(paths.REASSIGNMENT_STEPS) is None, "no hint to be left"
            )
        finally:
            client.stop()
            client.close()
    told = lines(file)
    StepChecks().take(told)
    steps = [
        (each.step.added, each.step.dropped)
        for each in told
        if each.kind == "step-end" and each.step
    ]
    assert steps == [((5,), ()), ((6,), (0, 1)), ((7, 8), (2, 3)), ((9,), (4,))]
