"""A cluster of Kafka's own, klamm's tool and Java's, and what tests want of them."""

from __future__ import annotations

from collections.abc import Sequence

from peers.java_tools.side_by_side import SideBySide
from peers.java_tools.tools import JavaTools
from peers.real_brokers.records import Records
from peers.stock_cluster import StockCluster
from processes import wait_until

from klamm.tools.admin import Admin, NewTopic, PartitionDescription, TopicPartition
from klamm.tools.admin.errors import UnknownTopicOrPartitionError

BROKERS = (1, 2, 3)
PATIENCE = 90.0


class Stage:
    """`tool` runs klamm's tool and Java's, `tools` any of Java's; `admin` looks at what is so."""

    def __init__(self, cluster: StockCluster, tools: JavaTools, admin: Admin) -> None:
        self.cluster = cluster
        self.tools = tools
        self.admin = admin
        self.tool = SideBySide(tools, cluster.bootstrap)

    def topic(self, name: str, *partitions: Sequence[int], records: int = 0) -> str:
        """Create a topic with these replicas and, in all, about so many records of 4 kB."""
        assignments = {number: [*replicas] for number, replicas in enumerate(partitions)}
        self.admin.create_topics([NewTopic(name, assignments=assignments)]).result(PATIENCE)
        wait_until(lambda: self._is_led(name, len(partitions)), f"leaders of {name}", PATIENCE)
        if records:
            servers = self.cluster.bootstrap.split(",")
            with Records(servers, name, len(partitions)) as producer:
                producer.await_more(records)
        return name

    def partitions(self, name: str) -> dict[int, PartitionDescription]:
        """Return what a topic is like now."""
        return dict(self.admin.describe_topics([name]).result(PATIENCE)[name].partitions)

    def log_dirs(self, broker: int, name: str, number: int) -> list[str]:
        """Return the log directories in which a broker has this partition."""
        dirs = self.admin.describe_log_dirs([broker]).result(PATIENCE)[broker]
        return [one.path for one in dirs if TopicPartition(name, number) in one.replicas]

    def await_log_dir(self, broker: int, name: str, number: int, folder: str) -> None:
        """Wait until a broker has this partition in that log directory alone."""
        what = f"{name}-{number} to be in {folder}"
        wait_until(lambda: self.log_dirs(broker, name, number) == [folder], what, PATIENCE)

    def moving(self) -> set[TopicPartition]:
        """Return what moves."""
        return set(self.admin.list_partition_reassignments().result(PATIENCE))

    def await_rest(self) -> None:
        """Wait until nothing moves."""
        wait_until(lambda: not self.moving(), "the end of all moves", PATIENCE)

    def await_broker_lost(self, node: int) -> None:
        """Wait until the cluster has noticed that a broker is gone."""
        wait_until(
            lambda: node not in self.admin.describe_cluster().result(PATIENCE).brokers,
            f"broker {node} to be missed",
            PATIENCE,
        )

    def settle(self) -> None:
        """Cancel what a test that failed has left moving."""
        if moves := self.moving():
            self.admin.alter_partition_reassignments(dict.fromkeys(moves)).result(PATIENCE)
            self.await_rest()

    def _is_led(self, name: str, count: int) -> bool:
        try:
            found = self.partitions(name).values()
        except UnknownTopicOrPartitionError:
            return False
        return len(found) == count and all(one.leader is not None for one in found)
