"""Topics altered over the wire at each of three nodes on a real ZooKeeper, and a failover."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import Command, running
from kafka import KafkaAdminClient, TopicPartition
from kazoo.client import KazooClient
from processes import wait_until
from wire import Wire

from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.alter_topics_response import AlterTopicsResponse
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.brokers.control_client import Control

TOPICS = {
    "partitions": [
        {"topic": name, "partition": number, "replicas": [number, number + 1]}
        for name in ("grow", "list", "plain")
        for number in range(2)
    ]
}
ALL = {0, 1, 2, 3, 4}
UP = ["--nodes", "3", "--brokers", "5", "--frozen", "4", "--partition-bytes", "20000"]
SWITCHED_ON = ["--override", "klamm.kip179.alter.enable=true"]
#: Of sessions that a test has to lose.
SHORT = ["--override", "zookeeper.session.timeout.ms=2000"]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Command]:
    """Three nodes, and five brokers of which 4 copies nothing before it is thawed."""
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps(TOPICS))
    options = [*UP, "--topics-file", str(topics), *SWITCHED_ON, *SHORT]
    with running(tmp_path, "up", *options) as command:
        yield command
        command.end(signal.SIGTERM)


def alter(port: int, *topics: AlteredTopic) -> dict[str, tuple[int, str | None]] | int:
    """What becomes of each topic, or the code of the top level."""
    with Wire(port) as wire:
        answer = wire.ask(AlterTopicsRequest(10_000, topics))
    assert isinstance(answer, AlterTopicsResponse)
    if answer.error_code:
        return answer.error_code
    return {each.name: (each.error_code, each.detail) for each in answer.topics}


def controller(port: int) -> int:
    with Wire(port) as wire:
        answer = wire.ask(MetadataRequest(topics=None), 7)
    assert isinstance(answer, MetadataResponse)
    return answer.controller_id


def thaw(command: Command) -> None:
    with Control(command.ready["control"]) as control:
        control.order("thaw", broker=4)


class Znodes:
    """The topics as ZooKeeper holds them."""

    def __init__(self, command: Command) -> None:
        self._client = KazooClient(command.ready["zookeeper"])

    def __enter__(self) -> "Znodes":
        self._client.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.stop()
        self._client.close()

    def topic(self, name: str) -> tuple[dict[str, list[int]], dict[str, list[int]], int]:
        """Replicas and adding replicas, and how often the znode was written."""
        data, stat = self._client.get(f"/brokers/topics/{name}")
        found = json.loads(data)
        return found["partitions"], found["adding_replicas"], stat.version


@pytest.mark.req("R179A-19", "R179A-22", "R179A-31", "R179A-33", "R179A-35")
def test_any_of_three_nodes_alters_topics(up: Command) -> None:
    ports = [node["port"] for node in up.ready["nodes"]]
    for port in ports:
        wait_until(lambda port=port: controller(port) in (900, 901, 902), "a controller")  # type: ignore[misc]
        with Wire(port) as wire:
            versions = wire.ask(ApiVersionsRequest("t", "1"), 3)
        assert isinstance(versions, ApiVersionsResponse)
        keys = {each.api_key: (each.min_version, each.max_version) for each in versions.api_keys}
        assert keys[17902] == (0, 0)
    with (
        Znodes(up) as znodes,
        KafkaAdminClient(bootstrap_servers=up.ready["bootstrap"]) as admin,
    ):
        # Growth, a larger factor and listed moves, each of its own kind and all at one time.
        listed = (PartitionBrokers(0, (0, 4)), PartitionBrokers(2, (3, 4)))
        answer = alter(
            ports[0],
            AlteredTopic("grow", 4, 3),
            AlteredTopic("nowhere", 4),
            AlteredTopic("list", 3, -1, listed),
        )
        text = "Topic nowhere does not exist."
        assert answer == {"grow": (0, None), "nowhere": (17, text), "list": (0, None)}
        assert znodes.topic("list") == (
            {"0": [0, 4, 1], "1": [1, 2], "2": [3, 4]},
            {"0": [4]},
            1,
        )
        assert set(znodes.topic("grow")[0]) == {"0", "1", "2", "3"}
        moving = admin.list_partition_reassignments()
        assert moving[TopicPartition("list", 0)]["replicas"] == [0, 4, 1]
        busy = (60, "A partition reassignment is in progress.")
        assert alter(ports[1], AlteredTopic("plain", -1, 3)) == {"plain": busy}
        assert alter(ports[2], AlteredTopic("plain", 3)) == {"plain": (0, None)}
        assert alter(ports[1], AlteredTopic("plain")) == {"plain": (0, None)}
        cancelled = admin.alter_partition_reassignments({TopicPartition("list", 0): None})
        assert cancelled == {TopicPartition("list", 0): None}
        thaw(up)
        wait_until(lambda: not admin.list_partition_reassignments(), "the moves to end")
        replicas, adding, _ = znodes.topic("grow")
        assert (replicas["0"], replicas["1"], adding) == ([0, 1, 2], [1, 2, 3], {})
        assert {len(set(each)) for each in replicas.values()} == {3}
        assert znodes.topic("list")[0] == {"0": [0, 1], "1": [1, 2], "2": [3, 4]}
        assert len(znodes.topic("plain")[0]) == 3
        described = admin.describe_topics(["grow", "list", "plain"])
        for topic in described:
            for partition in topic["partitions"]:
                wanted = {*partition["replica_nodes"]}
                assert {*partition["isr_nodes"]} == wanted <= ALL
        # And back: fewer replicas, by the third node.
        assert alter(ports[2], AlteredTopic("grow", -1, 1)) == {"grow": (0, None)}
        wait_until(lambda: not admin.list_partition_reassignments(), "the moves to end")
        assert {tuple(each) for each in znodes.topic("grow")[0].values()} == {
            (each[0],) for each in replicas.values()
        }


@pytest.mark.slow
@pytest.mark.req("R179A-22", "R179A-35")
def test_when_the_controller_is_killed_the_next_one_goes_on(up: Command) -> None:
    nodes = {node["id"]: node for node in up.ready["nodes"]}
    anybody = next(iter(nodes.values()))["port"]
    wait_until(lambda: controller(anybody) in nodes, "a controller")
    killed = nodes.pop(controller(anybody))
    asked = next(iter(nodes.values()))["port"]
    lists = (PartitionBrokers(0, (4, 1, 0)), PartitionBrokers(1, (4, 2, 1)))
    topics = (
        AlteredTopic("grow", 3, 3, (*lists, PartitionBrokers(2, (0, 1, 2)))),
        AlteredTopic("list", 5),
    )
    wait_until(lambda: controller(asked) == killed["id"], "the node to know the controller")
    assert alter(asked, *topics) == {"grow": (0, None), "list": (0, None)}
    os.kill(killed["pid"], signal.SIGKILL)
    answers: list[object] = []

    def answered() -> bool:
        """While there is an election it is 41; then it is what the next controller says."""
        answers.append(alter(asked, AlteredTopic("plain", -1, 3)))
        return answers[-1] != 41

    wait_until(answered, "another controller", 60)
    busy = (60, "A partition reassignment is in progress.")
    assert answers[-1] == {"plain": busy}
    bootstrap = ",".join(f"{node['host']}:{node['port']}" for node in nodes.values())
    with Znodes(up) as znodes, KafkaAdminClient(bootstrap_servers=bootstrap) as admin:
        assert znodes.topic("grow")[1] == {"0": [4], "1": [4]}
        assert len(admin.list_partition_reassignments()) == 2
        thaw(up)
        wait_until(lambda: not admin.list_partition_reassignments(), "the moves to end", 60)
        found = znodes.topic("grow")[0]
        assert found == {"0": [4, 1, 0], "1": [4, 2, 1], "2": [0, 1, 2]}
        assert len(znodes.topic("list")[0]) == 5
    assert alter(asked, AlteredTopic("plain", -1, 3)) == {"plain": (0, None)}
