"""Topics that grow and go away on real brokers."""

import pytest
from peers.real_brokers.cluster import RealCluster
from peers.real_brokers.records import Records, read_back
from processes import wait_until
from wire import ask

from klamm.protocol.generated.find_coordinator_request import FindCoordinatorRequest
from klamm.protocol.generated.find_coordinator_response import FindCoordinatorResponse

pytestmark = pytest.mark.slow


def test_added_partitions_take_records(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1]}}})
    cluster.admin.create_partitions({topic: {"count": 3, "assignments": [[1, 2], [2, 0]]}})
    assert cluster.topic(topic)["partitions"] == {"0": [0, 1], "1": [1, 2], "2": [2, 0]}

    def knows_all(broker: int) -> bool:
        [found] = cluster.metadata(cluster.port(broker), topic).topics
        return {part.partition_index for part in found.partitions} == {0, 1, 2}

    wait_until(
        lambda: all(map(knows_all, cluster.brokers)), f"all brokers to know 3 partitions of {topic}"
    )
    with Records(cluster.addresses(), topic, 3) as records:
        records.await_more()
    assert records.refused == []
    assert records.acknowledged <= read_back(cluster.addresses(), topic, 3)
    assert [cluster.state(topic, number)["leader"] for number in range(3)] == [0, 1, 2]


def test_a_deleted_topic_leaves_nothing(cluster: RealCluster, topic: str) -> None:
    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1, 2], 1: [1, 2, 0]}}})
    with Records(cluster.addresses(), topic, 2) as records:
        records.await_more()
    cluster.admin.delete_topics([topic])
    wait_until(lambda: traces(cluster, topic) == [], f"{topic} to leave no trace", 60)

    # A topic of the same name is another one: it starts empty, on the same brokers.
    cluster.admin.create_topics({topic: {"assignments": {0: [2, 1, 0]}}})
    hosts = {f"{broker}: {topic}-0" for broker in cluster.brokers}
    wait_until(lambda: hosts <= set(traces(cluster, topic)), f"{topic} to be there again")
    assert read_back(cluster.addresses(), topic) == set()
    with Records(cluster.addresses(), topic) as again:
        again.await_more()
    assert again.refused == []
    assert again.acknowledged <= read_back(cluster.addresses(), topic)


def test_topics_that_brokers_create_are_placed_on_brokers_alone(cluster: RealCluster) -> None:
    """They place them on all that UpdateMetadata lists, the controller's node among them."""
    offsets, partitions = "__consumer_offsets", 8

    def has_coordinator() -> bool:
        answer = ask(cluster.port(0), FindCoordinatorRequest(key="group"), 2)
        assert isinstance(answer, FindCoordinatorResponse)
        return answer.error_code == 0

    wait_until(has_coordinator, "a coordinator for a group")
    wait_until(
        lambda: all(
            cluster.zookeeper.exists(f"/brokers/topics/{offsets}/partitions/{number}/state")
            for number in range(partitions)
        ),
        f"every partition of {offsets} to be led",
    )
    for number, replicas in cluster.topic(offsets)["partitions"].items():
        assert set(replicas) <= cluster.brokers.keys()
        assert cluster.state(offsets, int(number))["leader"] == replicas[0]


def traces(cluster: RealCluster, topic: str) -> list[str]:
    """Return what there is of a topic: znodes, and live log directories by broker."""
    places = (
        f"/brokers/topics/{topic}",
        f"/admin/delete_topics/{topic}",
        f"/config/topics/{topic}",
    )
    found = [place for place in places if cluster.zookeeper.exists(place)]
    for broker in cluster.brokers.values():
        found += [f"{broker.id}: {name}" for name in broker.replicas() if name[:-2] == topic]
    return found
