"""Requests of a controller to its brokers (4, 5, 6): who may make them.

They need CLUSTER_ACTION on the cluster; without it the top level is CLUSTER_AUTHORIZATION_FAILED,
and nothing is done. What is done otherwise depends on who is asked, and is not of handlers.

Source: Kafka 3.9, KafkaApis.handleLeaderAndIsrRequest, handleStopReplicaRequest,
handleUpdateMetadataRequest.
"""

from klamm.controller.handlers.api import Context
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message

_DENIED: dict[type[Message], Message] = {
    LeaderAndIsrRequest: LeaderAndIsrResponse(ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    StopReplicaRequest: StopReplicaResponse(ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    UpdateMetadataRequest: UpdateMetadataResponse(ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
}


def denied(context: Context, body: Message) -> Message | None:
    """Return the answer to a controller that must not be obeyed; None to every other request."""
    answer = _DENIED.get(type(body))
    if answer is None or context.allows_cluster(Operation.CLUSTER_ACTION):
        return None
    return answer
