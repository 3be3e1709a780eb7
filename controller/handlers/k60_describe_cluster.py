"""DescribeCluster (key 60).

Behaviour
    * The brokers of Metadata, under the same rules: those with the request's listener, and a
      controller id that is one of them or -1.
    * The endpoint type of the request is echoed. Type 2 asks for controllers: a klamm node lists
      the klamm nodes, a broker refuses with MISMATCHED_ENDPOINT_TYPE; any other type is
      UNSUPPORTED_ENDPOINT_TYPE. Version 0 cannot ask.
    * Everybody is answered. The operations on the cluster are those that the client may do, none
      if it may not describe it.
    Source: Kafka 3.9, AuthHelper.computeDescribeClusterResponse.

Versions 0-2
    1     endpoint type (KIP-919)
    2     fenced brokers, if asked for (KIP-1073): there are none, for a broker without a session
          is not registered in ZooKeeper either
"""

from collections.abc import Mapping

from klamm.controller.brokers.metadata import NO_CONTROLLER, endpoint_of
from klamm.controller.core.model import Broker
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.handlers.operations import NOT_ASKED, on_cluster
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)

API_KEY = 60
VERSIONS = range(3)

BROKERS = 1
CONTROLLERS = 2


def handle(context: Context, request: DescribeClusterRequest, version: int) -> Outcome:
    """Answer from the snapshot."""
    asked = request.endpoint_type
    if asked == BROKERS:
        return Answer(_described(context, request, context.metadata.brokers))
    if asked == CONTROLLERS and context.controllers is not None:
        return Answer(_described(context, request, context.controllers))
    if asked == CONTROLLERS:
        text = (
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of"
            " type CONTROLLER"
        )
        return Answer(_refused(asked, ErrorCode.MISMATCHED_ENDPOINT_TYPE, text))
    text = f"Unsupported endpoint type {asked}"
    return Answer(_refused(asked, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, text))


def _described(
    context: Context, request: DescribeClusterRequest, nodes: Mapping[int, Broker]
) -> DescribeClusterResponse:
    listed = tuple(
        DescribeClusterBroker(node.id, endpoint.host, endpoint.port, node.rack)
        for node in nodes.values()
        if (endpoint := endpoint_of(node, context.listener))
    )
    controller = context.metadata.controller_id
    asked = request.include_cluster_authorized_operations
    return DescribeClusterResponse(
        endpoint_type=request.endpoint_type,
        cluster_id=context.metadata.cluster_id,
        controller_id=(
            controller if any(node.broker_id == controller for node in listed) else NO_CONTROLLER
        ),
        brokers=listed,
        cluster_authorized_operations=on_cluster(context) if asked else NOT_ASKED,
    )


def _refused(endpoint_type: int, code: ErrorCode, text: str) -> DescribeClusterResponse:
    return DescribeClusterResponse(error_code=code, error_message=text, endpoint_type=endpoint_type)
