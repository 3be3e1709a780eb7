"""How many bytes partitions and their copies have: what brokers tell of their disks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from klamm.tools.admin import Admin, TopicPartition, TopicPartitionReplica, errors
from klamm.tools.admin.partitions import LOOK_MS

Say = Callable[[str], None]


def replica_bytes(
    admin: Admin, brokers: Collection[int], names: Collection[TopicPartition], say: Say
) -> dict[TopicPartitionReplica, int]:
    """Return the bytes of those replicas of the partitions that these brokers have.

    A broker that cannot be asked is passed over with a word.
    """
    found = {}
    wanted = frozenset(names)
    for broker, future in admin.describe_log_dirs(sorted(brokers), LOOK_MS).futures.items():
        try:
            described = future.result()
        except errors.AdminError as error:
            say(f"Passing over the sizes on broker {broker}: {error}")
            continue
        for log_dir in described:
            for name, replica in log_dir.replicas.items():
                if name in wanted and not replica.is_future:
                    found[TopicPartitionReplica(*name, broker)] = replica.size
    return found


def partition_bytes(
    admin: Admin, names: Iterable[TopicPartition], say: Say
) -> Mapping[TopicPartition, int]:
    """Return the bytes of these partitions, by their largest replica; unknown ones are missing."""
    brokers = admin.describe_cluster().result().brokers
    found: dict[TopicPartition, int] = {}
    for (topic, number, _), size in replica_bytes(admin, [*brokers], [*names], say).items():
        name = TopicPartition(topic, number)
        found[name] = max(size, found.get(name, 0))
    return found
