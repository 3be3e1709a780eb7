"""Authorized operations as Metadata and DescribeCluster report them: bits by operation code."""

from klamm.controller.handlers.api import Context
from klamm.controller.security.acls import CLUSTER_NAME, Operation, ResourceType
from klamm.controller.security.authorizer import operations_bits

#: The answer to a client that did not ask.
NOT_ASKED = -(2**31)


def on_topic(context: Context, name: str) -> int:
    """Return what who asks may do with a topic."""
    return operations_bits(context.authorizer, context.client, ResourceType.TOPIC, name)


def on_cluster(context: Context) -> int:
    """Return what who asks may do with the cluster: nothing, if it may not describe it.

    Source: Kafka 3.9, KafkaApis.handleTopicMetadataRequest, AuthHelper.computeDescribeCluster-
    Response.
    """
    if not context.allows_cluster(Operation.DESCRIBE):
        return 0
    return operations_bits(context.authorizer, context.client, ResourceType.CLUSTER, CLUSTER_NAME)
