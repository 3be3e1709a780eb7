"""ReplicaStatus (key 17903, KIP-179): how far replicas are behind their leaders.

Behaviour
    * One row for each of the request, in its order. A replica's code is the first that fits:
      INVALID_TOPIC_EXCEPTION for an unknown topic, INVALID_PARTITIONS for an unknown partition,
      UNKNOWN_MEMBER_ID for an unknown broker, UNKNOWN_TOPIC_OR_PARTITION if that broker is no
      replica of it, NOT_LEADER_OR_FOLLOWER if whoever is asked does not lead it.
    * A simulated broker answers for what it leads, of what it knows: nobody else is asked. The
      controller answers for every partition, since Kafka's brokers do not know the key: of what it
      has polled, or heard of simulated brokers, and of the ISR. Other klamm nodes answer
      NOT_CONTROLLER.
    * A broker that is down is known as long as it is a replica.
    * Times are milliseconds since the epoch, lags records; -1 is unknown. `StatusTime` is when the
      data was taken, `IsrTime` when the replica was in sync last, and the same while it is,
      `FollowerTime` when it has fetched last, `MaxLag` the largest lag since it was added. A leader
      has a lag of 0 and fetches nothing.
    * Without DESCRIBE on the cluster CLUSTER_AUTHORIZATION_FAILED, for the whole and each replica.
    The proposal names but does not define IsrTime, FollowerTime and MaxLag, and has no code for
    brokers that do not lead.

Versions 0. Served if klamm.kip179.alter.enable is set: the key is klamm's own.
"""

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    NOT_CONTROLLER_TEXT,
    Answer,
    Context,
    Outcome,
)
from klamm.controller.handlers.copies import ReplicaStatus
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import replica_status_response as answered
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest

API_KEY = 17903
VERSIONS = range(1)


def handle(context: Context, request: ReplicaStatusRequest, version: int) -> Outcome:
    """Answer from the metadata and from what the node knows of copies."""
    asked = request.replicas
    if not context.allows_cluster(Operation.DESCRIBE):
        return Answer(_refused(asked, ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT))
    if context.controllers is not None and context.state is None:
        return Answer(_refused(asked, ErrorCode.NOT_CONTROLLER, NOT_CONTROLLER_TEXT))
    rows = tuple(_row(replica, _status(context, replica)) for replica in asked)
    return Answer(answered.ReplicaStatusResponse(replicas=rows))


def _status(context: Context, asked: ReplicaStatusKey) -> ReplicaStatus | ErrorCode:
    topic = context.metadata.topics.get(asked.topic)
    if topic is None:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    partition = topic.partitions.get(asked.partition)
    if partition is None:
        return ErrorCode.INVALID_PARTITIONS
    if asked.broker not in partition.replicas:
        known = asked.broker in context.metadata.brokers
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if known else ErrorCode.UNKNOWN_MEMBER_ID
    name = TopicPartition(asked.topic, asked.partition)
    status = context.copies.status(name, asked.broker)
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if status is None else status


def _row(asked: ReplicaStatusKey, found: ReplicaStatus | ErrorCode) -> answered.ReplicaStatus:
    if isinstance(found, ErrorCode):
        return answered.ReplicaStatus(asked.topic, asked.partition, asked.broker, found)
    return answered.ReplicaStatus(
        asked.topic,
        asked.partition,
        asked.broker,
        status_time=found.taken_ms,
        isr_time=found.in_sync_ms,
        follower_time=found.fetched_ms,
        lag=found.lag,
        max_lag=found.max_lag,
    )


def _refused(
    asked: tuple[ReplicaStatusKey, ...], code: ErrorCode, text: str
) -> answered.ReplicaStatusResponse:
    return answered.ReplicaStatusResponse(
        error_code=code, error_message=text, replicas=tuple(_row(each, code) for each in asked)
    )
