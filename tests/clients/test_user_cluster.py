"""The Python clients against `klamm up`, as in anybody's first ten minutes."""

from contextlib import closing
from pathlib import Path

import pytest
from clients.user_cluster import klamm_up
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import NoReassignmentInProgressError
from thin_line.world import DEADLINE, eventually

OPTIONS = ["--brokers", "4", "--frozen", "3", "--topic", "orders:4:3"]


@pytest.mark.parametrize("options", [[], ["--memory"]], ids=["on ZooKeeper", "in memory"])
def test_a_move_to_a_frozen_broker(tmp_path: Path, options: list[str]) -> None:
    with (
        klamm_up(tmp_path, *OPTIONS, *options) as found,
        closing(KafkaAdminClient(bootstrap_servers=found["bootstrap"])) as admin,
    ):
        [topic] = admin.describe_topics(["orders"])
        before = {item["partition_index"]: item["replica_nodes"] for item in topic["partitions"]}
        # Four partitions of three replicas on four brokers: each broker is missing once.
        number = next(part for part, replicas in before.items() if 3 not in replicas)
        name, target = TopicPartition("orders", number), [3, *before[number][1:]]
        assert admin.alter_partition_reassignments({name: target}) == {name: None}
        moving = admin.list_partition_reassignments()
        assert moving == {
            name: {
                "replicas": [*target, before[number][0]],
                "adding_replicas": [3],
                "removing_replicas": [before[number][0]],
            }
        }
        librdkafka = AdminClient({"bootstrap.servers": found["bootstrap"]})

        def seen() -> bool:
            shown = librdkafka.list_topics("orders", timeout=DEADLINE).topics["orders"]
            return bool(shown.partitions[number].replicas == moving[name]["replicas"])

        eventually(seen, "librdkafka to see it")
        assert admin.alter_partition_reassignments({name: None}) == {name: None}
        again = admin.alter_partition_reassignments({name: None})
        assert again == {name: NoReassignmentInProgressError}
        assert admin.list_partition_reassignments() == {}
