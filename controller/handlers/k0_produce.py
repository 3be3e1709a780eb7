"""Produce (key 0).

Behaviour
    * A node without a data plane leads nothing: every partition is answered
      NOT_LEADER_OR_FOLLOWER, upon which producers look for the leader elsewhere.
    * Without WRITE on the topic: TOPIC_AUTHORIZATION_FAILED.
    * With acks=0 there is no response to put an error in: the connection is closed, as Kafka does.
    * The key is served because some clients (franz-go) take a table without it as "versions
      unknown" and then ignore the rest of the table.

Versions 0-11, Kafka 3.9's range.

Left out: the data plane.
"""

from klamm.controller.handlers.api import Answer, Context, Disconnect, Outcome
from klamm.controller.security.acls import Operation, ResourceType
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.produce_request import ProduceRequest, TopicProduceData
from klamm.protocol.generated.produce_response import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

API_KEY = 0
VERSIONS = range(12)


def handle(context: Context, request: ProduceRequest, version: int) -> Outcome:
    """Refuse every partition, or close if the client waits for no response."""
    if request.acks == 0:
        return Disconnect(f"node {context.node_id} leads no partition, and acks=0 takes no answer")
    responses = tuple(_refused(context, topic) for topic in request.topic_data)
    return Answer(ProduceResponse(responses=responses))


def _refused(context: Context, topic: TopicProduceData) -> TopicProduceResponse:
    code = ErrorCode.NOT_LEADER_OR_FOLLOWER
    if not context.allows(Operation.WRITE, ResourceType.TOPIC, topic.name):
        code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    partitions = tuple(
        PartitionProduceResponse(
            index=partition.index,
            error_code=code,
            base_offset=-1,
        )
        for partition in topic.partition_data
    )
    return TopicProduceResponse(name=topic.name, partition_responses=partitions)
