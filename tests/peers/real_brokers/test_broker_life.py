"""Brokers that lead die, leave and come back; klamm elects, and nothing is lost."""

import time

import pytest
from peers.real_brokers.cluster import SESSION_MS, RealCluster
from peers.real_brokers.records import Records, read_back
from processes import wait_until

pytestmark = pytest.mark.slow


def await_leader_but(cluster: RealCluster, topic: str, former: int) -> float:
    """Wait until another broker leads the topic's partition; return the seconds that took."""
    started = time.monotonic()
    wait_until(lambda: cluster.state(topic)["leader"] not in (-1, former), "a new leader", 60)
    return time.monotonic() - started


def await_in_sync(cluster: RealCluster, topic: str, replicas: set[int]) -> None:
    wait_until(
        lambda: set(cluster.state(topic)["isr"]) == replicas, f"{topic} in sync on {replicas}", 60
    )


def test_a_leader_that_is_killed_is_replaced_and_rejoins(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1, 2]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more()
        cluster.brokers[0].kill()
        seconds = await_leader_but(cluster, topic, 0)
        # ZooKeeper looks at sessions every tick (500 ms); the rest is for a busy machine.
        assert seconds < SESSION_MS / 1000 + 5
        state = cluster.state(topic)
        assert (state["leader"], state["isr"]) == (1, [1, 2])
        records.await_more()
        cluster.start(0)
        await_in_sync(cluster, topic, {0, 1, 2})
        records.await_more()
    assert cluster.state(topic)["leader"] == 1
    assert records.acknowledged <= read_back(cluster.addresses(), topic)


def test_a_leader_that_shuts_down_hands_over_first(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics({topic: {"assignments": {0: [1, 2, 0]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more()
        cluster.brokers[1].shut_down()
        state = cluster.state(topic)
        assert (state["leader"], sorted(state["isr"])) == (2, [0, 2])
        assert "shutdown request returned successfully" in cluster.brokers[1].log.read_text()
        records.await_more()
        cluster.start(1)
        await_in_sync(cluster, topic, {0, 1, 2})
        records.await_more()
    assert records.refused == []
    assert records.acknowledged <= read_back(cluster.addresses(), topic)
