"""A cluster in this process for what administrators ask beside moves."""

from collections.abc import Iterator
from contextlib import contextmanager

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import for_code as error_of
from thin_line.world import eventually
from wire import Wire

from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.brokers.control_client import Control
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY

NODE = 900
SIZE = 1000
PREFERRED, UNCLEAN = 0, 1


class World:
    """A cluster in this process with brokers 0 to 3, and kafka-python's client."""

    def __init__(self, local: LocalCluster) -> None:
        self.local = local
        self.admin = self._connected()
        self._topics = 0

    def reconnect(self) -> None:
        """Begin anew: a client asks no node by number that was away when it looked."""
        self.admin.close()
        self.admin = self._connected()

    def _connected(self) -> KafkaAdminClient:
        eventually(lambda: self.local.call(self._know_each_other), "nodes to know each other")
        return KafkaAdminClient(bootstrap_servers=self.local.bootstrap)

    def _know_each_other(self) -> bool:
        models = self.local.cluster.brokers.cluster.brokers
        return all({*models, NODE} <= each.metadata.brokers.keys() for each in models.values())

    def topic(self, *assignments: list[int]) -> str:
        """Create a topic that has leaders, and is known to every broker."""
        self._topics += 1
        name = f"t{self._topics}"
        self.admin.create_topics({name: {"assignments": dict(enumerate(assignments))}})
        for number in range(len(assignments)):
            for broker in self.local.cluster.brokers.brokers:
                self._knows(broker, name, number)
        return name

    def _knows(self, broker: int, topic: str, number: int) -> None:
        def look() -> bool:
            found = self.local.cluster.brokers.cluster.brokers[broker].metadata.topics.get(topic)
            return found is not None and number in found.partitions

        eventually(lambda: self.local.call(look), f"broker {broker} to know {topic}-{number}")

    def alter(self, topic: str, *target: int) -> None:
        name = TopicPartition(topic, 0)
        assert self.admin.alter_partition_reassignments({name: list(target)}) == {name: None}

    def leader(self, topic: str) -> int:
        """Return the leader that any node shows; brokers learn of it a moment after the answer."""
        [found] = self.admin.describe_topics([topic])
        leader: int = found["partitions"][0]["leader_id"]
        return leader

    def led_by(self, topic: str) -> int:
        """Return the leader that the controller shows at this moment."""
        with self.wire() as wire:
            answer = wire.ask(MetadataRequest((MetadataRequestTopic(name=topic),)), 8)
        assert isinstance(answer, MetadataResponse)
        return answer.topics[0].partitions[0].leader_id

    def order(self, action: str, **fields: object) -> None:
        with Control(self.local.cluster.control) as control:
            control.order(action, **fields)

    def elect(self, kind: int, *names: tuple[str, int]) -> dict[tuple[str, int], type]:
        """Elect with kafka-python; return the error of each partition answered."""
        wanted: dict[str, list[int]] = {}
        for topic, number in names:
            wanted.setdefault(topic, []).append(number)
        answer = self.admin.elect_leaders(kind, wanted or None, raise_errors=False)
        return {
            (item.topic, part.partition_id): error_of(part.error_code)
            for item in answer.replica_election_results
            for part in item.partition_result
        }

    def wire(self) -> Wire:
        return Wire(self.local.cluster.endpoint.port)


@contextmanager
def running(**properties: str) -> Iterator[World]:
    options = ClusterOptions(
        range(4),
        zookeeper=MEMORY,
        partition_bytes=SIZE,
        bandwidth=1e6,
        log_dirs=("/a", "/b"),
        properties={name.replace("_", "."): value for name, value in properties.items()},
    )
    with LocalCluster(options) as local:
        world = World(local)
        try:
            yield world
        finally:
            world.admin.close()


def astray(world: World) -> str:
    """Create a topic that is led by its second replica."""
    topic = world.topic([1, 2])
    world.alter(topic, 2, 1)
    eventually(
        lambda: world.admin.describe_topics([topic])[0]["partitions"][0]["replica_nodes"] == [2, 1],
        "another order",
    )
    assert world.led_by(topic) == 1
    return topic


def log_dirs(world: World, broker: int, topic: str) -> dict[str, tuple[int, bool]]:
    """Size, and whether it is a copy, of partition 0 by directory, as kafka-python shows it."""
    [found] = world.admin.describe_log_dirs([topic], [broker])
    return {
        each["log_dir"]: (part["partition_size"], part["is_future_key"])
        for each in found["log_dirs"]
        for item in each["topics"]
        if item["name"] == topic
        for part in item["partitions"]
        if part["partition_index"] == 0
    }
