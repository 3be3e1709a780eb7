"""ReportFetchProgress (key 17905): what followers have fetched, by the leader. klamm's own.

Behaviour
    * A simulated broker tells the controller, for partitions that it leads, how far followers have
      come that are being added or behind: one entry for each that it has served a fetch since it
      told the last time. Requests for which there is nothing new are not made.
    * Offsets count records: the follower's log end, the first and the end of the leader's log.
    * Who is not active controller: NOT_CONTROLLER; a broker that is not registered with this epoch:
      STALE_BROKER_EPOCH; offsets that no log has: INVALID_REQUEST; without CLUSTER_ACTION on the
      cluster CLUSTER_AUTHORIZATION_FAILED. Then nothing is taken.
    * Partitions that are not, or that others lead by now, are passed over.

Versions 0. Served if klamm.kip179.assign.enable is set, for PartitionAssignmentStatus lives by it.
Brokers of Kafka do not know it: the controller polls them.
"""

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.report_fetch_progress_request import ReportFetchProgressRequest
from klamm.protocol.generated.report_fetch_progress_response import ReportFetchProgressResponse

API_KEY = 17905
VERSIONS = range(1)


def handle(context: Context, request: ReportFetchProgressRequest, version: int) -> Outcome:
    """Hand over what the broker tells of partitions that it leads."""
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        return _answered(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    state = context.state
    if state is None:
        return _answered(ErrorCode.NOT_CONTROLLER)
    registered = state.brokers.get(request.broker_id)
    if registered is None or registered.epoch != request.broker_epoch:
        return _answered(ErrorCode.STALE_BROKER_EPOCH)
    reports = _reports(state, request)
    if not all(0 <= each.leader_start <= each.leader_end for each in reports):
        return _answered(ErrorCode.INVALID_REQUEST)
    if reports:
        context.copies.take(reports)
    return _answered(ErrorCode.NONE)


def _reports(
    state: ClusterState, request: ReportFetchProgressRequest
) -> tuple[ReplicaProgress, ...]:
    reports = []
    for topic in request.topics:
        for told in topic.partitions:
            name = TopicPartition(topic.name, told.partition_index)
            partition = state.partition(name)
            if partition is None or partition.leader != request.broker_id:
                continue
            reports += [
                ReplicaProgress(
                    name,
                    follower.broker_id,
                    follower.end_offset,
                    told.leader_start_offset,
                    told.leader_end_offset,
                )
                for follower in told.followers
            ]
    return tuple(reports)


def _answered(code: ErrorCode) -> Answer:
    return Answer(ReportFetchProgressResponse(error_code=code))
