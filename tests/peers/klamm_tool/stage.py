"""A cluster of Kafka's own, klamm's tool and Java's, and what tests want of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from peers.java_tools.side_by_side import SideBySide
from peers.java_tools.tools import JavaTools
from peers.real_brokers.records import Records
from peers.stock_cluster import StockCluster
from processes import wait_until

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
)
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    NewTopic,
    OpType,
    PartitionDescription,
    ResourceType,
    TopicPartition,
)

BROKERS = (1, 2, 3)
PATIENCE = 90.0


class Stage:
    """`tool` runs klamm's tool and Java's, `tools` any of Java's; `admin` looks at what is so."""

    def __init__(self, cluster: StockCluster, tools: JavaTools, admin: Admin) -> None:
        self.cluster = cluster
        self.tools = tools
        self.admin = admin
        self.tool = SideBySide(tools, cluster.bootstrap)

    def topic(
        self, name: str, *partitions: Sequence[int], records: int = 0, held: bool = False
    ) -> str:
        """Create a topic with these replicas and, in all, about so many records of 4 kB.

        If it is `held`, throttles are there before the records: brokers take one in a while after
        it is set, and small partitions move in no time.
        """
        assignments = {number: [*replicas] for number, replicas in enumerate(partitions)}
        self.admin.create_topics([NewTopic(name, assignments=assignments)]).result(PATIENCE)
        self.cluster.await_topic(name, len(partitions))
        if held:
            self._hold(name, assignments)
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

    def await_placed(self, replicas: Mapping[int, Sequence[int]], *names: str) -> None:
        """Wait until nothing moves, and every broker knows where these topics have come to."""
        self.await_rest()
        for name in names:
            self.cluster.await_replicas(name, replicas)

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
        swept = self.tool.klamm("--sweep", "--yes")
        assert swept.status == 0, swept

    def _hold(self, name: str, assignments: Mapping[int, Sequence[int]]) -> None:
        """Let nobody copy who has no replica yet; those who have one must go on."""
        old: list[str] = []
        new: list[str] = []
        for number, replicas in assignments.items():
            for broker in BROKERS:
                (old if broker in replicas else new).append(f"{number}:{broker}")
        lists = {LEADER_LIST: old, FOLLOWER_LIST: new}
        held = [AlterConfigOp(key, OpType.SET, ",".join(of)) for key, of in lists.items()]
        rates = [AlterConfigOp(key, OpType.SET, "1") for key in (LEADER_RATE, FOLLOWER_RATE)]
        brokers = [ConfigResource(ResourceType.BROKER, str(node)) for node in BROKERS]
        topic = ConfigResource(ResourceType.TOPIC, name)
        ops = {topic: held, **dict.fromkeys(brokers, rates)}
        self.admin.incremental_alter_configs(ops).result(PATIENCE)
