"""AlterReplicaLogDirs (key 34, KIP-113).

Behaviour
    * Every node answers for its own log directories. A partition named twice goes where it is
      named last; each is answered once.
    * The answer comes when the move has begun. A log that is there already is a success, and what
      was moving elsewhere moves no more.
    * INVALID_TOPIC_EXCEPTION: a topic too long for the name of a log that is being copied.
      LOG_DIR_NOT_FOUND: a directory that the node does not have, as any is for a klamm node.
      KAFKA_STORAGE_ERROR: the directory, or the partition's own, has failed.
      REPLICA_NOT_AVAILABLE: the node has no such replica; if it gets one, it is made there.
    * Without ALTER on the cluster CLUSTER_AUTHORIZATION_FAILED for every partition.
    Source: Kafka 3.9, KafkaApis.handleAlterReplicaLogDirsRequest, ReplicaManager.
    alterReplicaLogDirs, UnifiedLog.logFutureDirName.

Versions 0-2
    2     flexible; no difference otherwise
"""

from collections import defaultdict
from collections.abc import Mapping

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from klamm.protocol.generated.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

API_KEY = 34
VERSIONS = range(3)

#: File systems take no longer names; that of a copy is TOPIC-PARTITION.<32 digits>-future.
LONGEST_NAME = 255
_SUFFIX = len(".") + 32 + len("-future")


def handle(context: Context, request: AlterReplicaLogDirsRequest, version: int) -> Outcome:
    """Begin what can be begun."""
    wanted = {
        TopicPartition(topic.name, number): directory.path
        for directory in request.dirs
        for topic in directory.topics
        for number in topic.partitions
    }
    if not context.allows_cluster(Operation.ALTER):
        return Answer(_response(dict.fromkeys(wanted, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)))
    return Answer(_response({name: _move(context, name, path) for name, path in wanted.items()}))


def _move(context: Context, name: TopicPartition, path: str) -> ErrorCode:
    if len(f"{name.topic}-{name.partition}") + _SUFFIX > LONGEST_NAME:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return context.log_dirs.move(name, path)


def _response(codes: Mapping[TopicPartition, ErrorCode]) -> AlterReplicaLogDirsResponse:
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = defaultdict(list)
    for name, code in codes.items():
        topics[name.topic].append(AlterReplicaLogDirPartitionResult(name.partition, code))
    return AlterReplicaLogDirsResponse(
        results=tuple(
            AlterReplicaLogDirTopicResult(topic, tuple(results))
            for topic, results in topics.items()
        )
    )
