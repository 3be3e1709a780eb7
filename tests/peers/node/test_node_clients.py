"""kafkajs, kafka-ts and @platformatic/kafka, unmodified, against a whole cluster."""

from typing import Any

import pytest
from clients.cluster import CONTROLLER, config
from clients.fault_proxy import CutRequest, EditAnswer, FaultProxy
from clients.java_scripts import LISTS
from clients.not_controller import not_controller
from peers.node.clients import ClientError, NodeClient
from thin_line.world import World, eventually

pytestmark = pytest.mark.slow

METADATA, API_VERSIONS, ALTER, LIST = 3, 18, 45, 46


def told(client: NodeClient, method: str, *arguments: object) -> Any:  # noqa: ANN401 - JSON
    """Return what the error of a call tells about itself."""
    with pytest.raises(ClientError) as caught:
        client.call(method, *arguments)
    return caught.value.told


class TestKafkajs:
    """kafkajs 2.2.4: ApiVersions 2, Metadata 6, and it cannot send null replicas."""

    @staticmethod
    def alter(topic: str, *targets: list[int]) -> dict[str, Any]:
        assignment = [
            {"partition": number, "replicas": target} for number, target in enumerate(targets)
        ]
        return {"topics": [{"topic": topic, "partitionAssignment": assignment}]}

    def test_alter_and_list(self, world: World, proxy: FaultProxy) -> None:
        world.freeze(4)
        topic = world.topic([1, 2, 3], [1, 2, 3])
        with NodeClient("kafkajs", proxy.bootstrap(CONTROLLER)) as client:
            client.call("alterPartitionReassignments", self.alter(topic, [4, 3, 2], [2, 1, 3]))
            everything = client.call("listPartitionReassignments", {})
            named = [{"topic": topic, "partitions": [0, 1]}]
            listed = client.call("listPartitionReassignments", {"topics": named})
        moving = {
            "partition": 0,
            "replicas": [4, 3, 2, 1],
            "addingReplicas": [4],
            "removingReplicas": [1],
        }
        assert listed == {"topics": [{"name": topic, "partitions": [moving]}]}
        assert [item for item in everything["topics"] if item["name"] == topic] == listed["topics"]
        assert {(API_VERSIONS, 2), (METADATA, 6), (ALTER, 0), (LIST, 0)} == set(proxy.calls())

    def test_what_is_refused_is_an_aggregate_error(self, world: World) -> None:
        topic = world.topic([1, 2], [1, 2], [1, 2])
        request = self.alter(topic, [], [1, 77], [2, 1])
        request["topics"] += self.alter("nowhere", [1, 2])["topics"]
        with NodeClient("kafkajs", world.local.bootstrap) as client:
            error = told(client, "alterPartitionReassignments", request)
        assert error["name"] == "KafkaJSAggregateError"
        assert [(item["topic"], item["partition"], item["type"]) for item in error["errors"]] == [
            (topic, 0, "INVALID_REPLICA_ASSIGNMENT"),
            (topic, 1, "INVALID_REPLICA_ASSIGNMENT"),
            ("nowhere", 0, "UNKNOWN_TOPIC_OR_PARTITION"),
        ]
        world.await_replicas(topic, [2, 1], 2)
        world.await_replicas(topic, [1, 2], 0)

    @pytest.mark.parametrize("key", [ALTER, LIST])
    def test_a_former_controller_is_asked_again(
        self, world: World, proxy: FaultProxy, key: int
    ) -> None:
        world.freeze(4)
        topic = world.topic([1, 2])
        proxy.next(key, EditAnswer(not_controller), EditAnswer(not_controller))
        with NodeClient("kafkajs", proxy.bootstrap(CONTROLLER)) as client:
            client.call("alterPartitionReassignments", self.alter(topic, [4, 2]))
            listed = client.call("listPartitionReassignments", {})
        assert topic in [item["name"] for item in listed["topics"]]
        assert len(proxy.calls(key)) == 3

    def test_a_cut_connection_is_an_error_and_the_next_call_works(
        self, world: World, proxy: FaultProxy
    ) -> None:
        world.freeze(4)
        topic = world.topic([1, 2])
        proxy.next(ALTER, CutRequest(20))
        with NodeClient("kafkajs", proxy.bootstrap(CONTROLLER)) as client:
            error = told(client, "alterPartitionReassignments", self.alter(topic, [4, 2]))
            assert error["name"] == "KafkaJSConnectionClosedError"
            assert world.listed(topic) == {}
            client.call("alterPartitionReassignments", self.alter(topic, [4, 2]))
        assert world.listed(topic) == {0: ([4, 2, 1], [4], [1])}

    def test_it_finds_the_controller_from_any_broker(self, world: World, proxy: FaultProxy) -> None:
        """It never asks the controller itself for versions: the broker's table counts for it."""
        world.freeze(4)
        topic = world.topic([1, 2])
        with NodeClient("kafkajs", proxy.bootstrap(2)) as client:
            client.call("alterPartitionReassignments", self.alter(topic, [4, 2]))
            described = client.call("describeCluster")
        assert described["controller"] == CONTROLLER
        assert {item["nodeId"] for item in described["brokers"]} == {0, 1, 2, 3, 4, 5, CONTROLLER}
        assert [seen.node for seen in proxy.seen if seen.call == (ALTER, 0)] == [CONTROLLER]
        assert [seen.node for seen in proxy.seen if seen.call[0] == API_VERSIONS] == [2]

    def test_topics_are_created_grown_and_deleted(self, world: World, proxy: FaultProxy) -> None:
        """CreateTopics 3, CreatePartitions, DeleteTopics 1: versions that few others send."""
        named = [{"partition": 0, "replicas": [1, 2]}, {"partition": 1, "replicas": [2, 5]}]
        with NodeClient("kafkajs", proxy.bootstrap(CONTROLLER)) as client:
            topics = [{"topic": "by-kafkajs", "replicaAssignment": named}]
            assert client.call("createTopics", {"topics": topics, "waitForLeaders": True}) is True
            world.await_told("by-kafkajs", [2, 5], 1)
            more = [{"topic": "by-kafkajs", "count": 3}]
            client.call("createPartitions", {"topicPartitions": more})
            eventually(lambda: world.told(1, "by-kafkajs", 2), "a broker to know the third one")
            assert "by-kafkajs" in client.call("listTopics")
            client.call("deleteTopics", {"topics": ["by-kafkajs"]})
        path = "/brokers/topics/by-kafkajs"
        eventually(lambda: not world.zookeeper.exists(path), "its deletion")

    def test_configs_are_described(self, world: World) -> None:
        topic = world.topic([1, 2])
        resources = [{"type": 2, "name": topic, "configNames": ["retention.ms"]}]
        with NodeClient("kafkajs", world.local.bootstrap) as client:
            found = client.call("describeConfigs", {"resources": resources})
        [described] = found["resources"]
        assert (described["errorCode"], described["resourceName"]) == (0, topic)
        assert [item["configName"] for item in described["configEntries"]] == ["retention.ms"]

    def test_configs_are_altered(self, world: World) -> None:
        """By AlterConfigs (33), which replaces all that is set."""
        topic = world.topic([1, 2])
        with NodeClient("kafkajs", world.local.bootstrap) as client:
            for entries in ({"retention.ms": "5000"}, dict.fromkeys(LISTS, "0:1")):
                named = [{"name": name, "value": value} for name, value in entries.items()]
                resources = [{"type": 2, "name": topic, "configEntries": named}]
                client.call("alterConfigs", {"resources": resources, "validateOnly": False})
                assert config(world, f"topics/{topic}") == entries


class TestKafkaTs:
    """kafka-ts 1.5: ApiVersions 4, Metadata 12, 45 in version 1 where it can, null cancels."""

    @staticmethod
    def alter(topic: str, *targets: list[int] | None) -> dict[str, Any]:
        partitions = [
            {"partitionIndex": number, "replicas": target} for number, target in enumerate(targets)
        ]
        return {
            "timeoutMs": 30000,
            "allowReplicationFactorChange": True,
            "topics": [{"name": topic, "partitions": partitions}],
        }

    @pytest.mark.parametrize("versions", [range(1), range(2)], ids=["45 as 0-0", "45 as 0-1"])
    def test_alter_list_and_cancel(self, world: World, proxy: FaultProxy, versions: range) -> None:
        world.freeze(4)
        topic = world.topic([1, 2, 3])
        proxy.versions = {ALTER: versions}
        everything = {"timeoutMs": 30000, "topics": None}
        with NodeClient("kafka-ts", proxy.bootstrap(CONTROLLER)) as client:
            moved = client.call("ALTER_PARTITION_REASSIGNMENTS", self.alter(topic, [4, 3, 2]))
            listed = client.call("LIST_PARTITION_REASSIGNMENTS", everything)
            client.call("ALTER_PARTITION_REASSIGNMENTS", self.alter(topic, None))
            again = told(client, "ALTER_PARTITION_REASSIGNMENTS", self.alter(topic, None))
            empty = told(client, "ALTER_PARTITION_REASSIGNMENTS", self.alter(topic, []))
        [answer] = moved["responses"]
        assert [item["errorCode"] for item in answer["partitions"]] == [0]
        [[found]] = [item["partitions"] for item in listed["topics"] if item["name"] == topic]
        assert found["replicas"] == [4, 3, 2, 1]
        assert (found["addingReplicas"], found["removingReplicas"]) == ([4], [1])
        assert [error["code"] for error in (again, empty)] == [85, 39]
        assert world.listed(topic) == {}
        assert set(proxy.calls(ALTER)) == {(ALTER, versions[-1])}

    def test_a_broker_is_no_controller(self, world: World) -> None:
        topic = world.topic([1, 2])
        with NodeClient("kafka-ts", world.local.bootstrap) as client:
            error = told(client, "ALTER_PARTITION_REASSIGNMENTS@3", self.alter(topic, [2, 1]))
        assert (error["name"], error["code"]) == ("KafkaTSApiError", 41)


class TestPlatformatic:
    """@platformatic/kafka 2.12: raw functions on a connection, without any ApiVersions."""

    def test_alter_list_and_cancel(self, world: World) -> None:
        world.freeze(4)
        topic = world.topic([1, 2, 3])
        alter, everything = "alterPartitionReassignmentsV0", ("listPartitionReassignmentsV0", 5000)

        def target(replicas: list[int] | None) -> tuple[object, ...]:
            partition = {"partitionIndex": 0, "replicas": replicas}
            return (5000, True, [{"name": topic, "partitions": [partition]}])

        with NodeClient("platformatic", world.local.bootstrap) as client:
            moved = client.call(alter, *target([4, 3, 2]))
            listed = client.call(*everything, None)
            nothing = client.call(*everything, [])
            client.call(alter, *target(None))
            again = told(client, alter, *target(None))
            empty = told(client, alter, *target([]))
        fine = {"partitionIndex": 0, "errorCode": 0, "errorMessage": None}
        assert moved["responses"] == [{"name": topic, "partitions": [fine]}]
        [[found]] = [item["partitions"] for item in listed["topics"] if item["name"] == topic]
        assert found == {
            "partitionIndex": 0,
            "replicas": [4, 3, 2, 1],
            "addingReplicas": [4],
            "removingReplicas": [1],
        }
        assert nothing["topics"] == []
        assert [error["errors"][0]["name"] for error in (again, empty)] == [
            "ProtocolError",
            "ProtocolError",
        ]
        assert world.listed(topic) == {}

    def test_null_topics_cost_the_connection_and_nothing_else(self, world: World) -> None:
        topic = world.topic([1, 2])
        with NodeClient("platformatic", world.local.bootstrap) as client:
            error = told(client, "alterPartitionReassignmentsV0", 5000, True, None)
        assert "closed" in error["message"].lower()
        assert world.alter(topic, [2, 1]) == 0

    def test_its_admin_creates_and_lists_topics(self, world: World, proxy: FaultProxy) -> None:
        name = "made-by-platformatic"
        options = {"topics": [name], "partitions": 2, "replicas": 2}
        with NodeClient("platformatic", proxy.bootstrap(CONTROLLER)) as client:
            client.call("admin.createTopics", options)
            eventually(lambda: world.told(1, name, 1), "a broker to know the topic")
            assert name in client.call("admin.listTopics", {})

    def test_its_admin_alters_and_describes_configs(self, world: World) -> None:
        topic = world.topic([1, 2])
        entry = {"name": LISTS[0], "configOperation": 0, "value": "0:1"}
        resource = {"resourceType": 2, "resourceName": topic}
        with NodeClient("platformatic", world.local.bootstrap) as client:
            altered = {"resources": [{**resource, "configs": [entry]}], "validateOnly": False}
            client.call("admin.incrementalAlterConfigs", altered)
            asked = {"resources": [{**resource, "configurationKeys": [LISTS[0]]}]}
            [described] = client.call("admin.describeConfigs", asked)
        assert config(world, f"topics/{topic}") == {LISTS[0]: "0:1"}
        assert [(item["name"], item["value"]) for item in described["configs"]] == [
            (LISTS[0], "0:1")
        ]
