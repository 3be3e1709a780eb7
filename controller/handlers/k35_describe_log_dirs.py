"""DescribeLogDirs (key 35, KIP-113).

Behaviour
    * Every node answers for its own log directories. Null topics ask for all that is in them; of
      others only the partitions named are shown, and topics without any are left out.
    * A directory that has failed is KAFKA_STORAGE_ERROR, without topics.
    * A log that is being copied to another directory is shown twice, the copy as a future one.
    * A klamm node has no data and shows one empty directory: Java's client takes an answer without
      any for CLUSTER_AUTHORIZATION_FAILED.
    * Without DESCRIBE on the cluster: no directories, CLUSTER_AUTHORIZATION_FAILED from version 3.
    Source: Kafka 3.9, KafkaApis.handleDescribeLogDirsRequest, ReplicaManager.describeLogDirs.

Versions 0-4
    3     an error code for the whole response
    4     total and usable bytes of the disk (KIP-827); -1 where they are not known
"""

from collections.abc import Collection

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.handlers.log_dirs import LogDirectory
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

API_KEY = 35
VERSIONS = range(5)


def handle(context: Context, request: DescribeLogDirsRequest, version: int) -> Outcome:
    """Show the directories as they are."""
    if not context.allows_cluster(Operation.DESCRIBE):
        refused = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Answer(DescribeLogDirsResponse(error_code=refused))
    wanted: Collection[TopicPartition] | None = None
    if request.topics is not None:
        wanted = {
            TopicPartition(topic.topic, number)
            for topic in request.topics
            for number in topic.partitions
        }
    found = tuple(_directory(each, wanted) for each in context.log_dirs.describe())
    return Answer(DescribeLogDirsResponse(results=found))


def _directory(
    directory: LogDirectory, wanted: Collection[TopicPartition] | None
) -> DescribeLogDirsResult:
    if not directory.online:
        return DescribeLogDirsResult(ErrorCode.KAFKA_STORAGE_ERROR, directory.path)
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    for name, log in sorted(directory.logs.items()):
        if wanted is None or name in wanted:
            topics.setdefault(name.topic, []).append(
                DescribeLogDirsPartition(name.partition, log.size, log.offset_lag, log.future)
            )
    return DescribeLogDirsResult(
        log_dir=directory.path,
        topics=tuple(
            DescribeLogDirsTopic(topic, tuple(partitions)) for topic, partitions in topics.items()
        ),
        total_bytes=directory.total_bytes,
        usable_bytes=directory.usable_bytes,
    )
