"""Every other call against klamm's own controller and brokers."""

from __future__ import annotations

import pytest
from thin_line.world import eventually

from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    ConfigSource,
    ElectionType,
    NewPartitions,
    NewTopic,
    OpType,
    ReassignmentDetails,
    ResourceType,
    TopicPartition,
    errors,
)
from klamm.tools.cli._cluster import LocalCluster

PATIENCE = 30.0
BROKER_RATE = "leader.replication.throttled.rate"


def test_the_cluster_has_its_brokers_and_its_controller(admin: Admin, local: LocalCluster) -> None:
    found = admin.describe_cluster().result(PATIENCE)
    assert {1, 2, 3, 4, 5} <= found.brokers.keys()
    assert found.controller_id == local.cluster.office.id
    ports = {id_: broker.port for id_, broker in local.cluster.brokers.brokers.items()}
    assert {id_: found.brokers[id_].port for id_ in ports} == ports
    assert found.cluster_id


def test_topics_come_grow_and_go(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [3, 1], 1: [1, 2]})]).result(PATIENCE)
    described = admin.describe_topics([topic]).result(PATIENCE)[topic]
    assert {n: p.replicas for n, p in described.partitions.items()} == {0: (3, 1), 1: (1, 2)}
    assert described.partitions[0].leader == 3
    assert described.partitions[0].isr == (3, 1)
    assert not described.internal

    admin.create_partitions({topic: NewPartitions(3, [[4, 2]])}).result(PATIENCE)
    described = admin.describe_topics().result(PATIENCE)[topic]
    assert described.partitions[2].replicas == (4, 2)

    admin.delete_topics([topic]).result(PATIENCE)
    assert topic not in admin.list_topics().result(PATIENCE)


def test_numbers_may_be_left_to_the_cluster(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, partitions=2, replication_factor=3)]).result(PATIENCE)
    described = admin.describe_topics([topic]).result(PATIENCE)[topic]
    assert [len(p.replicas) for p in described.partitions.values()] == [3, 3]


def test_a_check_creates_nothing(admin: Admin, topic: str) -> None:
    new = NewTopic(topic, assignments={0: [1]})
    admin.create_topics([new], validate_only=True).result(PATIENCE)
    assert topic not in admin.list_topics().result(PATIENCE)


def test_topics_fail_one_by_one(admin: Admin, topic: str) -> None:
    new = [NewTopic(topic, assignments={0: [1]}), NewTopic("no good", assignments={0: [1]})]
    created = admin.create_topics(new).futures
    assert created[topic].exception(PATIENCE) is None
    assert isinstance(created["no good"].exception(PATIENCE), errors.InvalidTopicError)
    with pytest.raises(errors.TopicAlreadyExistsError):
        admin.create_topics(new[:1]).result(PATIENCE)
    described = admin.describe_topics([topic, "none"]).futures
    assert described[topic].result(PATIENCE).name == topic
    for result in (
        described["none"],
        admin.delete_topics(["none"]).futures["none"],
        admin.create_partitions({"none": NewPartitions(2)}).futures["none"],
    ):
        assert isinstance(result.exception(PATIENCE), errors.UnknownTopicOrPartitionError)
    with pytest.raises(errors.InvalidPartitionsError):
        admin.create_partitions({topic: NewPartitions(1)}).result(PATIENCE)


def test_configs_of_topics_and_brokers_side_by_side(
    admin: Admin, topic: str, local: LocalCluster
) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1]})]).result(PATIENCE)
    of_topic = ConfigResource(ResourceType.TOPIC, topic)
    brokers = [ConfigResource(ResourceType.BROKER, str(id_)) for id_ in (1, 2)]
    asked: list[tuple[int | None, int]] = []
    with Admin.connect(
        local.bootstrap, record=lambda node, key, version, body: asked.append((node, key))
    ) as recorded:
        recorded.incremental_alter_configs(
            {
                of_topic: [AlterConfigOp("retention.ms", OpType.SET, "1000")],
                **{
                    broker: [AlterConfigOp(BROKER_RATE, OpType.SET, broker.name + "000")]
                    for broker in brokers
                },
            }
        ).result(PATIENCE)
    assert {(1, 44), (2, 44)} <= set(asked)
    assert len([key for _, key in asked if key == 44]) == 3

    found = admin.describe_configs([of_topic, *brokers]).result(PATIENCE)
    assert found[of_topic]["retention.ms"].value == "1000"
    assert found[of_topic]["retention.ms"].source is ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert found[of_topic]["cleanup.policy"].is_default
    assert [found[broker][BROKER_RATE].value for broker in brokers] == ["1000", "2000"]

    admin.incremental_alter_configs(
        {broker: [AlterConfigOp(BROKER_RATE, OpType.DELETE)] for broker in brokers}
    ).result(PATIENCE)
    found = admin.describe_configs(brokers).result(PATIENCE)
    assert BROKER_RATE not in found[brokers[0]]


def test_a_bad_config_and_a_check(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1]})]).result(PATIENCE)
    resource = ConfigResource(ResourceType.TOPIC, topic)
    wrong = {resource: [AlterConfigOp("retention.ms", OpType.SET, "soon")]}
    with pytest.raises(errors.InvalidConfigError, match="soon"):
        admin.incremental_alter_configs(wrong).result(PATIENCE)
    right = {resource: [AlterConfigOp("retention.ms", OpType.SET, "5")]}
    admin.incremental_alter_configs(right, validate_only=True).result(PATIENCE)
    found = admin.describe_configs([resource], synonyms=True).result(PATIENCE)[resource]
    assert found["retention.ms"].is_default
    assert found["retention.ms"].value != "5"


def test_elections_of_leaders(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1, 2]})]).result(PATIENCE)
    name, missing = TopicPartition(topic, 0), TopicPartition(topic, 8)
    admin.alter_partition_reassignments({name: (2, 1)}).result(PATIENCE)
    eventually(
        lambda: not admin.list_partition_reassignments([name]).result(PATIENCE), "the move to end"
    )
    found = admin.elect_leaders(ElectionType.PREFERRED, [name, missing]).result(PATIENCE)
    # The move has made it leader already, or the election does.
    assert found[name] is None or isinstance(found[name], errors.ElectionNotNeededError)
    assert isinstance(found[missing], errors.UnknownTopicOrPartitionError)
    assert admin.describe_topics([topic]).result(PATIENCE)[topic].partitions[0].leader == 2
    everything = admin.elect_leaders(ElectionType.PREFERRED).result(PATIENCE)
    assert missing not in everything


def test_klamms_controller_tells_more_of_moves(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1, 2], 1: [1, 2]})]).result(PATIENCE)
    moving, resting = TopicPartition(topic, 0), TopicPartition(topic, 1)
    admin.alter_partition_reassignments({moving: (1, 5)}).result(PATIENCE)
    details = ReassignmentDetails((1, 2), None, None, ())
    everything = admin.describe_reassignments().result(PATIENCE)
    assert everything[moving] == details
    assert resting not in everything
    named = admin.describe_reassignments([resting, moving, TopicPartition("none", 0)])
    nothing = ReassignmentDetails(None, None, None, ())
    assert named.result(PATIENCE) == {moving: details, resting: nothing}


def test_a_broker_that_is_not_there_is_waited_for(admin: Admin) -> None:
    gone = ConfigResource(ResourceType.BROKER, "77")
    with pytest.raises(
        errors.TimeoutError_, match=r"waiting for a node assignment\. Call: describeConfigs"
    ):
        admin.describe_configs([gone], timeout_ms=200).result(PATIENCE)
