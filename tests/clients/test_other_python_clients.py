"""confluent-kafka (librdkafka) and aiokafka, unmodified: they know little of moves, and go on."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource as AiokafkaResource
from aiokafka.admin.config_resource import ConfigResourceType as AiokafkaType
from aiokafka.admin.new_partitions import NewPartitions as AiokafkaPartitions
from aiokafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    ListPartitionReassignmentsRequest,
)
from clients.cluster import CONTROLLER, config
from clients.fault_proxy import FaultProxy
from clients.java_scripts import LISTS, RATES
from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry
from confluent_kafka.admin import ConfigResource as ConfluentResource
from confluent_kafka.cimpl import NewPartitions
from confluent_kafka.cimpl import NewTopic as ConfluentTopic
from thin_line.world import DEADLINE, World, eventually

T = TypeVar("T")

METADATA, API_VERSIONS, DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS = 3, 18, 32, 44

#: aiokafka takes a mapping for tagged fields, whatever its annotations say.
NO_TAGS: Any = {}


def finished(session: Coroutine[Any, Any, T]) -> T:
    """Run a session to its end, or fail when it takes too long."""
    return asyncio.run(asyncio.wait_for(session, DEADLINE))


class TestConfluentKafka:
    """librdkafka: ApiVersions 3, Metadata 12; it names keys 45 and 46 and never sends them."""

    @pytest.fixture
    def admin(self, proxy: FaultProxy) -> AdminClient:
        return AdminClient({"bootstrap.servers": proxy.bootstrap(CONTROLLER)})

    def test_it_sees_a_move_in_its_metadata(
        self, world: World, proxy: FaultProxy, admin: AdminClient
    ) -> None:
        world.freeze(4)
        topic = world.topic([1, 2, 3])
        assert world.alter(topic, [4, 3, 2]) == 0
        found = admin.list_topics(topic, timeout=DEADLINE)
        assert (found.controller_id, set(found.brokers)) == (CONTROLLER, {*range(6), CONTROLLER})
        partition = found.topics[topic].partitions[0]
        assert partition.replicas == [4, 3, 2, 1]
        assert (partition.leader, sorted(partition.isrs)) == (1, [1, 2, 3])
        assert {(API_VERSIONS, 3), (METADATA, 12)} == set(proxy.calls())

    def test_cluster_and_topics_are_described(self, world: World, admin: AdminClient) -> None:
        topic = world.topic([1, 2], [2, 3])
        cluster = admin.describe_cluster(request_timeout=DEADLINE).result()
        assert cluster.controller.id == CONTROLLER
        assert {node.id for node in cluster.nodes} == {*range(6), CONTROLLER}
        futures = admin.describe_topics(TopicCollection([topic, "nowhere"]))
        described = futures[topic].result()
        assert [[node.id for node in item.replicas] for item in described.partitions] == [
            [1, 2],
            [2, 3],
        ]
        assert [item.leader.id for item in described.partitions] == [1, 2]
        with pytest.raises(KafkaException) as caught:
            futures["nowhere"].result()
        assert caught.value.args[0].code() == 3

    def test_topics_are_created_by_count_and_by_assignment(
        self, world: World, admin: AdminClient
    ) -> None:
        named = ConfluentTopic("by-assignment", 2, replica_assignment=[[1, 2], [2, 5]])
        counted = ConfluentTopic("by-count", num_partitions=3, replication_factor=2)
        refused = ConfluentTopic("a b", num_partitions=1, replication_factor=1)
        futures = admin.create_topics([named, counted, refused], request_timeout=DEADLINE)
        futures["by-assignment"].result()
        futures["by-count"].result()
        with pytest.raises(KafkaException) as caught:
            futures["a b"].result()
        assert caught.value.args[0].code() == 17
        world.await_told("by-assignment", [2, 5], 1)
        eventually(lambda: world.told(1, "by-count", 2), "a broker to know the topic")

    def test_a_topic_grows_and_goes(self, world: World, admin: AdminClient) -> None:
        topic = world.topic([1, 2])
        admin.create_partitions([NewPartitions(topic, 3)], request_timeout=DEADLINE)[topic].result()
        eventually(lambda: world.told(1, topic, 2), "a broker to know the third partition")
        admin.delete_topics([topic], request_timeout=DEADLINE)[topic].result()
        eventually(lambda: not world.zookeeper.exists(f"/brokers/topics/{topic}"), "its deletion")

        def refusal() -> int:
            try:
                admin.delete_topics([topic], request_timeout=DEADLINE)[topic].result()
            except KafkaException as error:
                return int(error.args[0].code())
            return 0

        assert eventually(refusal, "a second deletion to be refused") == 3

    @pytest.mark.parametrize(
        ("kind", "given"),
        [
            ("topic", dict.fromkeys(LISTS, "0:1,0:2")),
            ("broker", dict.fromkeys(RATES[:2], "5000000")),
        ],
    )
    def test_throttles_are_set_shown_and_removed(
        self,
        world: World,
        proxy: FaultProxy,
        admin: AdminClient,
        kind: str,
        given: dict[str, str],
    ) -> None:
        topic = kind == "topic"
        name = world.topic([1, 2]) if topic else "3"
        path = f"{kind}s/{name}"

        def altered(operation: AlterConfigOpType) -> None:
            entries = [
                ConfigEntry(key, value, incremental_operation=operation)
                for key, value in given.items()
            ]
            resource = ConfluentResource(kind, name, incremental_configs=entries)
            [done] = admin.incremental_alter_configs([resource]).values()
            done.result()

        def shown() -> dict[str, str]:
            [found] = admin.describe_configs([ConfluentResource(kind, name)]).values()
            entries = found.result()
            return {key: entries[key].value for key in given if key in entries}

        altered(AlterConfigOpType.SET)
        assert config(world, path) == shown() == given
        altered(AlterConfigOpType.DELETE)
        assert config(world, path) == {}
        assert shown() == (dict.fromkeys(given, "") if topic else {})
        assert {(DESCRIBE_CONFIGS, 1), (INCREMENTAL_ALTER_CONFIGS, 1)} <= set(proxy.calls())


class TestAiokafka:
    """aiokafka 0.14: ApiVersions 0, Metadata 5, and structs of 45 and 46 that it never sends."""

    @staticmethod
    @asynccontextmanager
    async def admin(proxy: FaultProxy) -> AsyncIterator[AIOKafkaAdminClient]:
        client = AIOKafkaAdminClient(bootstrap_servers=proxy.bootstrap(CONTROLLER))
        await client.start()
        try:
            yield client
        finally:
            await client.close()

    @staticmethod
    def alter(topic: str, target: list[int] | None) -> AlterPartitionReassignmentsRequest:
        topics: Any = [(topic, [(0, target, NO_TAGS)], NO_TAGS)]
        return AlterPartitionReassignmentsRequest(30000, topics, NO_TAGS)

    @staticmethod
    def list_moves(topics: Any) -> ListPartitionReassignmentsRequest:  # noqa: ANN401 - or null
        return ListPartitionReassignmentsRequest(30000, topics, NO_TAGS)

    def test_its_structs_start_list_and_cancel_a_move(
        self, world: World, proxy: FaultProxy
    ) -> None:
        world.freeze(4)
        topic = world.topic([1, 2, 3])

        async def session() -> list[Any]:
            async with self.admin(proxy) as admin:
                send = admin._send_to_controller  # the only way to send what it has no method for
                return [
                    await send(self.alter(topic, [4, 3, 2])),
                    await send(self.list_moves(None)),
                    await send(self.list_moves([])),
                    await send(self.alter(topic, None)),
                    await send(self.alter(topic, None)),
                    await send(self.alter(topic, [])),
                ]

        started, everything, nothing, *others = finished(session())
        assert (started.error_code, started.responses) == (0, [(topic, [(0, 0, None, {})], {})])
        moving = {name: found for name, found, _ in everything.topics}
        assert moving[topic] == [(0, [4, 3, 2, 1], [4], [1], {})]
        assert nothing.topics == []
        assert [answer.responses[0][1][0][1] for answer in others] == [0, 85, 39]
        assert world.listed(topic) == {}

    def test_it_creates_and_describes(self, world: World, proxy: FaultProxy) -> None:
        async def session() -> tuple[Any, Any, Any]:
            async with self.admin(proxy) as admin:
                topic = NewTopic("by-aiokafka", -1, -1, replica_assignments={0: [1, 2], 1: [3, 4]})
                created = await admin.create_topics([topic])
                await asyncio.to_thread(world.await_told, "by-aiokafka", [3, 4], 1)
                [described] = await admin.describe_topics(["by-aiokafka"])
                return created, described, await admin.describe_cluster()

        created, described, cluster = finished(session())
        assert [(name, code) for name, code, *_ in created.topic_errors] == [("by-aiokafka", 0)]
        replicas = {item["partition"]: item["replicas"] for item in described["partitions"]}
        assert replicas == {0: [1, 2], 1: [3, 4]}
        assert cluster["controller_id"] == CONTROLLER
        assert {node["node_id"] for node in cluster["brokers"]} == {*range(6), CONTROLLER}
        assert (API_VERSIONS, 0) in proxy.calls()
        assert max(version for key, version in proxy.calls() if key == METADATA) <= 5

    def test_a_topic_grows_is_configured_and_goes(self, world: World, proxy: FaultProxy) -> None:
        topic = world.topic([1, 2])

        async def session() -> tuple[Any, Any]:
            async with self.admin(proxy) as admin:
                await admin.create_partitions({topic: AiokafkaPartitions(3)})
                await asyncio.to_thread(
                    eventually, lambda: world.told(1, topic, 2), "a broker to know it"
                )
                given = AiokafkaResource(AiokafkaType.TOPIC, topic, {"retention.ms": "5000"})
                await admin.alter_configs([given])
                asked = AiokafkaResource(AiokafkaType.TOPIC, topic, {"retention.ms": None})
                [described] = await admin.describe_configs([asked])
                return described, await admin.delete_topics([topic])

        described, deleted = finished(session())
        [(code, _, _, name, entries)] = described.resources
        assert (code, name) == (0, topic)
        assert [entry[:2] for entry in entries] == [("retention.ms", "5000")]
        assert deleted.topic_error_codes == [(topic, 0)]
        eventually(lambda: not world.zookeeper.exists(f"/brokers/topics/{topic}"), "its deletion")
