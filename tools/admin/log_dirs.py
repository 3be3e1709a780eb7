"""Keys 34 and 35: where brokers keep replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from klamm.protocol.generated.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_log_dirs_response import (
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from klamm.tools.admin.apis import api
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.names import TopicPartition, TopicPartitionReplica, by_topic
from klamm.tools.admin.routing import Session

_DESCRIBE = api("describeLogDirs", DescribeLogDirsRequest, DescribeLogDirsResponse)
_ALTER = api("alterReplicaLogDirs", AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse)


@dataclass(frozen=True, slots=True)
class LogDirReplica:
    """A log: its size in bytes, and how far it is behind in offsets.

    One that `is_future` is on its way from another directory of the broker, and behind that one.
    """

    size: int
    offset_lag: int
    is_future: bool


@dataclass(frozen=True, slots=True)
class LogDir:
    """A log directory and what is in it, nothing if it has failed: `error` says how.

    The bytes are those of its volume, None where the broker does not tell them (before 3.3).
    """

    path: str
    error: AdminError | None
    total_bytes: int | None
    usable_bytes: int | None
    replicas: Mapping[TopicPartition, LogDirReplica]


async def describe(session: Session, broker: int) -> dict[int, tuple[LogDir, ...] | AdminError]:
    """Return the log directories of a broker."""
    answer = await session.ask(_DESCRIBE, broker, lambda _: DescribeLogDirsRequest(None))
    raise_for(answer.error_code)
    if not answer.results:
        # Before version 3 there is no other way to say so (DescribeLogDirsResult.java).
        raise_for(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return {broker: tuple(_log_dir(result) for result in answer.results)}


async def alter(
    session: Session, broker: int, wanted: Mapping[TopicPartitionReplica, str]
) -> dict[TopicPartitionReplica, AdminError | None]:
    """Move replicas of a broker to other directories; the outcome of each."""
    names: dict[str, list[TopicPartition]] = {}
    for replica, path in wanted.items():
        names.setdefault(path, []).append(TopicPartition(replica.topic, replica.partition))
    dirs = tuple(
        AlterReplicaLogDir(
            path,
            tuple(
                AlterReplicaLogDirTopic(topic, tuple(numbers))
                for topic, numbers in by_topic(partitions).items()
            ),
        )
        for path, partitions in names.items()
    )
    answer = await session.ask(_ALTER, broker, lambda _: AlterReplicaLogDirsRequest(dirs))
    return {
        TopicPartitionReplica(topic.topic_name, partition.partition_index, broker): error_of(
            partition.error_code, None
        )
        if partition.error_code
        else None
        for topic in answer.results
        for partition in topic.partitions
    }


def _log_dir(result: DescribeLogDirsResult) -> LogDir:
    return LogDir(
        result.log_dir,
        error_of(result.error_code, None) if result.error_code else None,
        None if result.total_bytes < 0 else result.total_bytes,
        None if result.usable_bytes < 0 else result.usable_bytes,
        {
            TopicPartition(topic.name, partition.partition_index): LogDirReplica(
                partition.partition_size, partition.offset_lag, partition.is_future_key
            )
            for topic in result.topics
            for partition in topic.partitions
        },
    )
