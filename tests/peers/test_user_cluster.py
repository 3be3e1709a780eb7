"""Clients of Java and Node against `klamm up`, as in anybody's first ten minutes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.user_cluster import klamm_up
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import REASSIGN_PARTITIONS, TOPICS
from peers.node.clients import NodeClient

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Six brokers in three racks, of which one never catches up."""
    folder = tmp_path_factory.mktemp("up")
    with klamm_up(folder, "--brokers", "6", "--racks", "3", "--frozen", "5") as found:
        yield found["bootstrap"]


def test_the_java_tools(bootstrap: str, tmp_path: Path) -> None:
    server = ("--bootstrap-server", bootstrap)
    with JavaTools() as tools:
        created = tools.run(
            TOPICS, *server, "--create", "--topic", "by-java", "--replica-assignment", "0:1:2"
        )
        assert created == (0, "Created topic by-java.\n", "")
        entry = {"topic": "by-java", "partition": 0, "replicas": [5, 1, 2]}
        plan = tmp_path / "plan.json"
        plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
        words = ("--reassignment-json-file", str(plan))

        def reassign(*options: str) -> list[str]:
            run = tools.run(REASSIGN_PARTITIONS, *server, *options)
            assert run.status == 0, run
            return run.lines

        assert reassign("--execute", "--throttle", "1000", *words)[-1] == (
            "Successfully started partition reassignment for by-java-0"
        )
        assert reassign("--list") == [
            "Current partition reassignments:",
            "by-java-0: replicas: 5,1,2,0. adding: 5. removing: 0.",
        ]
        assert reassign("--verify", *words)[1] == (
            "Reassignment of partition by-java-0 is still in progress."
        )
        assert reassign("--cancel", *words)[0] == (
            "Successfully cancelled partition reassignment for: by-java-0"
        )
        assert reassign("--list") == ["No partition reassignments found."]

        topics = tmp_path / "topics.json"
        topics.write_text(json.dumps({"version": 1, "topics": [{"topic": "by-java"}]}))
        proposal = reassign(
            "--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "0,1,2,3,4,5"
        )[-1]
    [proposed] = json.loads(proposal)["partitions"]
    assert {broker % 3 for broker in proposed["replicas"]} == {0, 1, 2}, "one in each rack"


def test_kafkajs(bootstrap: str) -> None:
    named = [{"partition": 0, "replicas": [0, 1]}]
    target = [{"partition": 0, "replicas": [5, 1]}]
    with NodeClient("kafkajs", bootstrap) as client:
        client.call("createTopics", {"topics": [{"topic": "by-js", "replicaAssignment": named}]})
        move = {"topics": [{"topic": "by-js", "partitionAssignment": target}]}
        client.call("alterPartitionReassignments", move)
        asked = {"topics": [{"topic": "by-js", "partitions": [0]}]}
        [topic] = client.call("listPartitionReassignments", asked)["topics"]
        # kafkajs has no way to cancel; the old replicas again are a target as good as any.
        back = {"topics": [{"topic": "by-js", "partitionAssignment": named}]}
        client.call("alterPartitionReassignments", back)
        assert client.call("listPartitionReassignments", asked)["topics"] == []
    assert topic["name"] == "by-js"
    [found] = topic["partitions"]
    assert (found["replicas"], found["addingReplicas"]) == ([5, 1, 0], [5])
