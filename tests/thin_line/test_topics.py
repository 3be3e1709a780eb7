"""kafka-python's library grows and deletes topics; ZooKeeper and the brokers' disks agree."""

import pytest
from kafka.errors import KafkaError
from kazoo.client import KazooClient
from thin_line.world import World, eventually
from wire import Wire

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_topics_request import CreatableTopic, CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.primitives import ZERO_UUID
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY


def traces(zookeeper: KazooClient, topic: str) -> list[str]:
    """The places of the topic that still exist in ZooKeeper."""
    places = ("/brokers/topics", "/config/topics", "/admin/delete_topics")
    return [place for place in places if zookeeper.exists(f"{place}/{topic}")]


def await_gone(world: World, topic: str) -> None:
    eventually(lambda: not traces(world.zookeeper, topic), f"{topic} to leave ZooKeeper")
    for broker in world.local.cluster.brokers.brokers:
        assert not world.has_log(broker, topic)

        def forgotten(broker: int = broker) -> bool:
            return world.told(broker, topic) is None

        eventually(forgotten, f"broker {broker} to forget {topic}")


def test_a_topic_is_deleted_with_its_logs_and_can_be_made_again(world: World) -> None:
    topic = world.topic([1, 2, 3], [2, 3, 4])
    world.await_log(topic, 1, 2, 3)
    world.admin.delete_topics([topic])
    with world.connect() as wire:
        shown = wire.ask(MetadataRequest(topics=None), 12)
    assert isinstance(shown, MetadataResponse)
    assert topic not in {item.name for item in shown.topics}
    await_gone(world, topic)
    assert topic not in world.admin.list_topics()
    world.admin.create_topics({topic: {"assignments": {0: [5, 6]}}})
    world.await_told(topic, [5, 6])
    world.await_log(topic, 5, 6)
    assert not world.has_log(1, topic)
    assert world.state_znode(topic)["leader_epoch"] == 0


def test_a_topic_that_somebody_deletes_in_zookeeper(world: World) -> None:
    topic = world.topic([1, 2])
    world.zookeeper.create(f"/admin/delete_topics/{topic}")
    await_gone(world, topic)


@pytest.mark.req("R455-95")
def test_a_topic_that_moves_neither_grows_nor_goes_before_its_move_ends(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [4, 2, 3]) == 0
    with pytest.raises(KafkaError, match="A partition reassignment is in progress") as caught:
        world.admin.create_partitions({topic: 2})
    assert getattr(caught.value, "errno", None) == ErrorCode.REASSIGNMENT_IN_PROGRESS
    with world.connect() as wire:
        response = wire.ask(DeleteTopicsRequest(topic_names=(topic,), timeout_ms=300), 5)
    assert isinstance(response, DeleteTopicsResponse)
    [result] = response.responses
    assert result.error_code == ErrorCode.REQUEST_TIMED_OUT
    assert "waits for its reassignment to end" in (result.error_message or "")
    assert traces(world.zookeeper, topic) == [
        "/brokers/topics",
        "/config/topics",
        "/admin/delete_topics",
    ]
    assert world.listed(topic) == {0: ([4, 2, 3, 1], [4], [1])}
    with world.connect() as wire:
        waiting = DeleteTopicsRequest(topic_names=(topic,), timeout_ms=60_000)
        wire.send(waiting, 5)
        world.thaw(4)
        response = wire.receive()
    assert isinstance(response, DeleteTopicsResponse)
    assert [result.error_code for result in response.responses] == [0]
    await_gone(world, topic)


def test_a_topic_grows(world: World) -> None:
    topic = world.topic([3, 4])
    world.admin.create_partitions({topic: 3})
    # Kafka's start: the place of partition 0's first replica among brokers 1 to 6.
    world.await_told(topic, [4, 1], 1)
    world.await_told(topic, [5, 2], 2)
    world.admin.create_partitions({topic: {"count": 4, "assignments": [[6, 1]]}})
    world.await_told(topic, [6, 1], 3)
    assert world.state_znode(topic, 3)["isr"] == [6, 1]
    eventually(lambda: world.has_log(6, topic, 3), "the new partition's log")
    assert world.topic_znode(topic)[1] == 2


def test_where_topics_have_ids_they_are_shown_and_go_by_them() -> None:
    properties = {"inter.broker.protocol.version": "3.9"}
    options = ClusterOptions(
        (1, 2, 3), zookeeper=MEMORY, partition_bytes=1000, bandwidth=1e6, properties=properties
    )
    with LocalCluster(options) as local, Wire(local.cluster.endpoint.port) as wire:
        wanted = CreateTopicsRequest(topics=(CreatableTopic("t", 3, 2),), timeout_ms=1000)
        created = wire.ask(wanted, 7)
        assert isinstance(created, CreateTopicsResponse)
        [topic] = created.topics
        assert (topic.error_code, topic.num_partitions) == (0, 3)
        assert topic.topic_id != ZERO_UUID
        by_id = MetadataRequestTopic(topic_id=topic.topic_id, name=None)
        shown = wire.ask(MetadataRequest(topics=(by_id,)), 12)
        assert isinstance(shown, MetadataResponse)
        assert [(item.name, item.topic_id) for item in shown.topics] == [("t", topic.topic_id)]
        states = (DeleteTopicState(None, topic.topic_id),)
        deletion = DeleteTopicsRequest(topics=states, timeout_ms=20_000)
        deleted = wire.ask(deletion, 6)
        assert isinstance(deleted, DeleteTopicsResponse)
        assert [(item.name, item.error_code) for item in deleted.responses] == [("t", 0)]
        gone = wire.ask(MetadataRequest(topics=(by_id,)), 12)
        assert isinstance(gone, MetadataResponse)
        assert [item.error_code for item in gone.topics] == [ErrorCode.UNKNOWN_TOPIC_ID]

        def made_again() -> CreatableTopicResult | None:
            again = wire.ask(wanted, 7)
            assert isinstance(again, CreateTopicsResponse)
            return again.topics[0] if again.topics[0].error_code == 0 else None

        again = eventually(made_again, "the deletion to end")
        assert again.topic_id not in (topic.topic_id, ZERO_UUID)
