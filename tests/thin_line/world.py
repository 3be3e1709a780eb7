"""A running cluster and the ways to look at it: the wire, ZooKeeper, the brokers' disks."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from kafka import KafkaAdminClient, TopicPartition
from kazoo.client import KazooClient
from wire import Wire

from klamm.controller.core.model import TopicPartition as Name
from klamm.tools.cli._cluster import LocalCluster

T = TypeVar("T")

DEADLINE = 20.0
POLL = 0.01


def eventually(ask: Callable[[], T | None], what: str) -> T:
    """Ask until there is an answer; nothing else here waits for time to pass."""
    end = time.monotonic() + DEADLINE
    while not (found := ask()):
        assert time.monotonic() < end, f"waited {DEADLINE:g} s in vain for {what}"
        time.sleep(POLL)
    return found


class World:
    """One cluster with brokers 1 to 6, for as many tests as like to use it."""

    def __init__(self, local: LocalCluster, zookeeper: KazooClient) -> None:
        self.local = local
        self.zookeeper = zookeeper
        self.admin = KafkaAdminClient(bootstrap_servers=local.bootstrap)
        self._topics = 0

    def close(self) -> None:
        self.admin.close()

    def topic(self, *assignments: list[int]) -> str:
        """Create a topic by assignments, known to the controller and to every broker."""
        self._topics += 1
        name = f"t{self._topics}"
        self.admin.create_topics({name: {"assignments": dict(enumerate(assignments))}})
        for partition, replicas in enumerate(assignments):
            self.await_told(name, replicas, partition)
        return name

    def alter(self, topic: str, target: list[int] | None, partition: int = 0) -> int:
        """Start or cancel a move with the library; return the error code."""
        name = TopicPartition(topic, partition)
        error = self.admin.alter_partition_reassignments({name: target})[name]
        return 0 if error is None else int(error.errno)

    def listed(self, topic: str) -> dict[int, tuple[list[int], list[int], list[int]]]:
        """Return replicas, adding and removing of the topic's moving partitions."""
        return {
            name.partition: (
                found["replicas"],
                found["adding_replicas"],
                found["removing_replicas"],
            )
            for name, found in self.admin.list_partition_reassignments().items()
            if name.topic == topic
        }

    def metadata(self, topic: str, partition: int = 0) -> dict[str, Any]:
        """Return a partition as the library's Metadata shows it."""
        [found] = self.admin.describe_topics([topic])
        return next(
            dict(item) for item in found["partitions"] if item["partition_index"] == partition
        )

    def await_replicas(self, topic: str, replicas: list[int], partition: int = 0) -> dict[str, Any]:
        """Wait until Metadata shows these replicas, wherever the library asks."""

        def wanted() -> dict[str, Any] | None:
            found = self.metadata(topic, partition)
            return found if found["replica_nodes"] == replicas else None

        return eventually(wanted, f"replicas {replicas} of {topic}-{partition} in Metadata")

    def told(self, broker: int, topic: str, partition: int = 0) -> list[int] | None:
        """Return the replicas that a broker knows from UpdateMetadata."""

        def look() -> list[int] | None:
            brokers = self.local.cluster.brokers.cluster.brokers
            found = brokers[broker].metadata.topics.get(topic)
            known = found.partitions.get(partition) if found else None
            return list(known.replicas) if known else None

        return self.local.call(look)

    def await_told(self, topic: str, replicas: list[int], partition: int = 0) -> None:
        """Wait until every broker knows these replicas from UpdateMetadata."""
        for broker in self.local.cluster.brokers.brokers:

            def knows(broker: int = broker) -> bool:
                return self.told(broker, topic, partition) == replicas

            eventually(knows, f"broker {broker} to know {replicas} of {topic}-{partition}")

    def await_log(self, topic: str, *brokers: int) -> None:
        """Wait until these brokers have a replica of partition 0 on their disks."""
        eventually(
            lambda: all(self.has_log(broker, topic) for broker in brokers),
            f"brokers {brokers} to have a replica of {topic}-0",
        )

    def await_no_log(self, topic: str, *brokers: int) -> None:
        """Wait until none of these brokers has a replica of partition 0 left."""
        eventually(
            lambda: not any(self.has_log(broker, topic) for broker in brokers),
            f"brokers {brokers} to delete their replica of {topic}-0",
        )

    def has_log(self, broker: int, topic: str, partition: int = 0) -> bool:
        """Tell whether a replica is on a broker's disks."""
        brokers = self.local.cluster.brokers
        return self.local.call(lambda: Name(topic, partition) in brokers.logs(broker))

    def freeze(self, broker: int) -> None:
        self.local.call(self.local.cluster.brokers.freeze, broker)

    def thaw(self, broker: int) -> None:
        self.local.call(self.local.cluster.brokers.thaw, broker)

    def topic_znode(self, topic: str) -> tuple[dict[str, Any], int]:
        """Return the topic znode's JSON and how often it was written since it was made."""
        data, stat = self.zookeeper.get(f"/brokers/topics/{topic}")
        return json.loads(data), stat.version

    def state_znode(self, topic: str, partition: int = 0) -> dict[str, Any]:
        data, _ = self.zookeeper.get(f"/brokers/topics/{topic}/partitions/{partition}/state")
        found = json.loads(data)
        assert isinstance(found, dict)
        return found

    def cli(self, *arguments: str) -> Any:  # noqa: ANN401 - whatever JSON it prints
        """Run kafka-python's own command line tool and return what it prints."""
        command = [sys.executable, "-P", "-m", "kafka.admin", "-b", self.local.bootstrap]
        done = subprocess.run(
            [*command, "--format", "json", *arguments],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def connect(self, broker: int | None = None) -> Wire:
        """Open a bare connection to the controller, or to a broker."""
        cluster = self.local.cluster
        port = cluster.endpoint.port if broker is None else cluster.brokers.brokers[broker].port
        return Wire(port)
