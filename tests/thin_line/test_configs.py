"""Configs of topics, brokers and nodes by stock clients, on a real ZooKeeper."""

import json
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from kafka.admin import ConfigResource as PythonResource
from kafka.errors import InvalidConfigurationError
from thin_line.world import DEADLINE, World, eventually

from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
from klamm.protocol.generated.allocate_producer_ids_response import AllocateProducerIdsResponse

THROTTLED = "leader.replication.throttled.replicas"
RATE = "leader.replication.throttled.rate"
CHANGES = "/config/changes"
NODE = 900


def configs(world: World, path: str) -> dict[str, str]:
    data, _ = world.zookeeper.get(path)
    found = json.loads(data)
    assert found["version"] == 1
    return dict(found["config"])


def notices(world: World) -> list[str]:
    """Whose configs have changed, as the notices in ZooKeeper say, in their order."""
    return [
        json.loads(world.zookeeper.get(f"{CHANGES}/{name}")[0])["entity_path"]
        for name in sorted(world.zookeeper.get_children(CHANGES))
    ]


def described(world: World, kind: str, name: str) -> dict[str, Any]:
    """What kafka-python shows of a resource's configs, all of them."""
    found = world.admin.describe_configs([PythonResource(kind, name, None)], config_filter="all")
    return dict(found[kind.lower()][name])


def librdkafka(world: World) -> AdminClient:
    return AdminClient({"bootstrap.servers": world.local.bootstrap})


def alter(
    admin: AdminClient, kind: ResourceType, name: str, *changes: tuple[str, str | None, str]
) -> None:
    """Alter by librdkafka; raises its KafkaException."""
    entries = [
        ConfigEntry(key, value, incremental_operation=AlterConfigOpType[operation])
        for key, value, operation in changes
    ]
    resource = ConfigResource(kind, name, incremental_configs=entries)
    (future,) = admin.incremental_alter_configs([resource]).values()
    future.result(DEADLINE)


def test_kafka_python_alters_and_describes_a_topic(world: World) -> None:
    topic = world.topic([1, 2])
    assert described(world, "TOPIC", topic)[THROTTLED]["value"] == ""
    before = notices(world).count(f"topics/{topic}")
    resource = PythonResource("TOPIC", topic, {THROTTLED: "0:1,0:2", "retention.ms": "5000"})
    world.admin.alter_configs([resource])
    found = described(world, "TOPIC", topic)
    assert (found[THROTTLED]["value"], found[THROTTLED]["config_source"]) == (
        "0:1,0:2",
        "DYNAMIC_TOPIC_CONFIG",
    )
    assert found["retention.ms"]["config_type"] == "LONG"
    assert configs(world, f"/config/topics/{topic}") == {
        THROTTLED: "0:1,0:2",
        "retention.ms": "5000",
    }
    assert notices(world).count(f"topics/{topic}") == before + 1
    refused = world.admin.alter_configs([PythonResource("TOPIC", topic, {"retention.ms": "soon"})])
    assert "Not a number of type LONG" in str(refused["topic"][topic])
    assert configs(world, f"/config/topics/{topic}")["retention.ms"] == "5000"


@pytest.mark.parametrize("broker", [1, 6, NODE])
def test_librdkafka_sets_and_removes_rates_on_brokers_and_on_the_node(
    world: World, broker: int
) -> None:
    """As kafka-reassign-partitions does for --throttle and --verify, klamm's own id included."""
    admin, path = librdkafka(world), f"/config/brokers/{broker}"
    alter(admin, ResourceType.BROKER, str(broker), (RATE, "1000", "SET"))
    assert configs(world, path) == {RATE: "1000"}
    assert notices(world)[-1] == f"brokers/{broker}"
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    (future,) = admin.describe_configs([resource]).values()
    entry = future.result(DEADLINE)[RATE]
    assert (entry.value, entry.source) == ("1000", 2)
    alter(admin, ResourceType.BROKER, str(broker), (RATE, None, "DELETE"))
    assert configs(world, path) == {}


def test_librdkafka_appends_and_is_refused_in_kafkas_words(world: World) -> None:
    topic, admin = world.topic([1, 2]), librdkafka(world)
    for value in ("0:1", "0:2", "0:1"):
        alter(admin, ResourceType.TOPIC, topic, (THROTTLED, value, "APPEND"))
    assert configs(world, f"/config/topics/{topic}") == {THROTTLED: "0:1,0:2"}
    with pytest.raises(KafkaException, match="append is not allowed for config key: segment"):
        alter(admin, ResourceType.TOPIC, topic, ("segment.ms", "1", "APPEND"))


def test_a_topic_is_created_with_configs_or_refused_for_them(world: World) -> None:
    world.admin.create_topics(
        {"configured": {"num_partitions": 1, "configs": {"retention.ms": "7"}}}
    )
    found = eventually(lambda: described(world, "TOPIC", "configured"), "the topic's configs")
    assert found["retention.ms"]["value"] == "7"
    with pytest.raises(InvalidConfigurationError, match="Unknown topic config name: retention"):
        world.admin.create_topics({"not-made": {"configs": {"retention": "7"}}})


def test_blocks_of_producer_ids_follow_each_other_and_are_durable(world: World) -> None:
    _, stat = world.zookeeper.get("/brokers/ids/1")
    starts = []
    with world.connect() as wire:
        for _ in range(3):
            answer = wire.ask(AllocateProducerIdsRequest(1, stat.czxid))
            assert isinstance(answer, AllocateProducerIdsResponse)
            assert (answer.error_code, answer.producer_id_len) == (0, 1000)
            starts.append(answer.producer_id_start)
        stale = wire.ask(AllocateProducerIdsRequest(1, stat.czxid - 1))
        assert isinstance(stale, AllocateProducerIdsResponse)
        assert stale.error_code == 77
    assert starts == [starts[0] + 1000 * number for number in range(3)]
    data, _ = world.zookeeper.get("/latest_producer_id_block")
    assert json.loads(data)["block_end"] == str(starts[-1] + 999)
    with world.connect(1) as wire:
        elsewhere = wire.ask(AllocateProducerIdsRequest(1, stat.czxid))
        assert isinstance(elsewhere, AllocateProducerIdsResponse)
        assert elsewhere.error_code == 41
