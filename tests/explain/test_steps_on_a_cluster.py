"""klamm explain of moves in steps, by key 17904, by the batch of key 46, and without either."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from explain.test_on_a_cluster import Cluster
from thin_line.world import eventually

from klamm.controller.configs.cluster_wide import PARTITION_MOVEMENTS, REPLICA_MOVEMENTS
from klamm.tools.admin import Admin, TopicPartition
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign.exits import Exit

DESCRIBE = {"klamm.describe.reassignments.enable": "true"}
LIST_V1 = {"klamm.kip435.list.v1.enable": "true"}
ONE_AT_A_TIME = {PARTITION_MOVEMENTS: "1", REPLICA_MOVEMENTS: "1"}


@contextmanager
def cluster_with(switches: Mapping[str, str]) -> Iterator[Cluster]:
    options = ClusterOptions(
        range(6),
        zookeeper=MEMORY,
        partition_bytes=1000,
        bandwidth=1e7,
        properties={**ONE_AT_A_TIME, **switches},
    )
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        yield Cluster(local, admin)


def two_moves(cluster: Cluster) -> tuple[TopicPartition, TopicPartition]:
    """The first is held in a step that adds frozen broker 3, the second waits for its slot."""
    first, second = cluster.topic("a", 0, 1), cluster.topic("b", 0, 1)
    cluster.local.call(cluster.brokers.freeze, 3)
    cluster.move(first, 0, 3)
    eventually(
        lambda: first in cluster.admin.list_partition_reassignments().result(), "the move to begin"
    )
    cluster.move(second, 0, 2)
    return first, second


@pytest.mark.req("R435-22")
def test_klamms_own_key_tells_all() -> None:
    with cluster_with({**DESCRIBE, **LIST_V1}) as cluster:
        first, second = two_moves(cluster)
        step = cluster.admin.describe_reassignments().result()[first].step
        assert step is not None
        assert (step.number, step.adding, step.waits) == (1, (3,), None)
        found = cluster.explain("--watch", "0")
        assert "step: step 1 of 1 runs (swap): it adds broker 3" in found.out
        assert "not-copying" not in cluster.explain("b:0", "--watch", "0.3").out
        text = f"waits for a slot: 1 steps run, and {PARTITION_MOVEMENTS} is 1"
        assert f"deferred: step 1 of 1 {text}" in found.out
        assert f"--delete-config {PARTITION_MOVEMENTS}" in found.out
        eventually(
            lambda: cluster.causes("b-0")[str(second)] == ["slots-stuck"], "broker 3 to be noticed"
        )

        cluster.kill(3)
        waits = "broker 3, which is to get a replica, is not in the cluster"
        eventually(lambda: waits in cluster.explain("a:0", "--watch", "0").out, "it to be missed")
        assert cluster.explain("a:0", "--watch", "0").status == Exit.STUCK
        eventually(
            lambda: second not in cluster.admin.list_partition_reassignments().result(),
            "the slot to go to the other move",
        )


@pytest.mark.req("R435-22")
def test_the_batch_tells_which_step_runs() -> None:
    with cluster_with({**LIST_V1, "klamm.describe.reassignments.enable": "false"}) as cluster:
        two_moves(cluster)
        found = cluster.explain("--watch", "0")
        assert "step: a step runs: it adds broker 3" in found.out
        assert "deferred: its next step does not run; 1 steps of others do" in found.out
        held = "1 steps of others do; the slot is held by a-0, which is stuck"
        eventually(
            lambda: held in cluster.explain("b:0", "--watch", "0.3").out, "broker 3 to be noticed"
        )


def test_the_public_apis_tell_nothing_of_steps() -> None:
    with cluster_with({}) as cluster:
        _, second = two_moves(cluster)
        out = cluster.explain("--watch", "0").out
        assert "step:" not in out
        assert "deferred" not in out
        assert cluster.causes(str(second))[str(second)] == ["out-of-sync"]
