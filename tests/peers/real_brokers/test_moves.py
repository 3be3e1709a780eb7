"""Partitions with data move between real brokers while they are written to, and nothing is lost."""

import pytest
from kafka import TopicPartition
from modes import both_modes
from peers.real_brokers.cluster import RealCluster
from peers.real_brokers.records import Records, read_back
from peers.real_brokers.throttles import throttle, unthrottle
from processes import wait_until

pytestmark = pytest.mark.slow

PARTITIONS = 3


def alter(cluster: RealCluster, topic: str, targets: list[list[int] | None]) -> None:
    """Start or cancel moves of a topic's first partitions; all must be accepted."""
    wanted = {TopicPartition(topic, number): target for number, target in enumerate(targets)}
    answers = cluster.admin.alter_partition_reassignments(wanted)
    assert answers == dict.fromkeys(wanted)


def await_end(cluster: RealCluster, topic: str) -> None:
    """Wait until no partition of the topic moves."""
    wait_until(lambda: not listed(cluster, topic), f"the moves of {topic} to end", 60)


def listed(cluster: RealCluster, topic: str) -> dict[int, tuple[list[int], list[int], list[int]]]:
    """Return replicas, adding and removing of the topic's moving partitions."""
    return {
        name.partition: (found["replicas"], found["adding_replicas"], found["removing_replicas"])
        for name, found in cluster.admin.list_partition_reassignments().items()
        if name.topic == topic
    }


def await_metadata(cluster: RealCluster, topic: str, replicas: list[int]) -> None:
    """Wait until every broker shows these replicas, in this order, all of them in sync."""

    def told(broker: int) -> bool:
        [found] = cluster.metadata(cluster.port(broker), topic).topics
        return all(
            list(part.replica_nodes) == replicas and sorted(part.isr_nodes) == sorted(replicas)
            for part in found.partitions
        )

    wait_until(
        lambda: all(map(told, cluster.brokers)),
        f"all brokers to show {topic} in sync on {replicas}",
        90,  # below 2.7-IV2 leaders tell of their ISR changes up to a minute later
    )


@pytest.mark.req("R435-62")
@both_modes
def test_a_topic_moves_with_its_data_while_it_is_written(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics(
        {topic: {"assignments": {number: [0, 1] for number in range(PARTITIONS)}}}
    )
    with Records(cluster.addresses(), topic, PARTITIONS) as records:
        records.await_more()
        alter(cluster, topic, [[1, 2]] * PARTITIONS)
        await_end(cluster, topic)
        znode = cluster.topic(topic)
        assert znode["partitions"] == {str(number): [1, 2] for number in range(PARTITIONS)}
        assert znode["adding_replicas"] == znode["removing_replicas"] == {}
        for number in range(PARTITIONS):
            state = cluster.state(topic, number)
            assert (state["leader"], sorted(state["isr"])) == (1, [1, 2])
        await_metadata(cluster, topic, [1, 2])
        records.await_more()
    names = {f"{topic}-{number}" for number in range(PARTITIONS)}
    wait_until(lambda: not names & cluster.brokers[0].replicas(), "broker 0 to delete its replicas")
    for broker in (1, 2):
        assert names <= cluster.brokers[broker].replicas()
    assert records.refused == []
    assert records.acknowledged <= read_back(cluster.addresses(), topic, PARTITIONS)


def test_a_throttled_move_is_listed_until_it_is_cancelled(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more(500)
        throttle(cluster, topic, sources="0:0,0:1", targets="0:2", rate=1)
        alter(cluster, topic, [[2, 1]])
        wait_until(
            lambda: f"{topic}-0" in cluster.brokers[2].replicas(), "broker 2 to have a replica"
        )
        records.await_more()
        assert listed(cluster, topic) == {0: ([2, 1, 0], [2], [0])}
        assert 2 not in cluster.state(topic)["isr"]
        alter(cluster, topic, [None])
        assert listed(cluster, topic) == {}
        wait_until(
            lambda: f"{topic}-0" not in cluster.brokers[2].replicas(), "broker 2 to delete it"
        )
        await_metadata(cluster, topic, [1, 0])
        unthrottle(cluster, topic)
        records.await_more()
    assert cluster.topic(topic)["partitions"] == {"0": [1, 0]}
    assert records.refused == []
    assert records.acknowledged <= read_back(cluster.addresses(), topic)
