"""What configs belong to, as requests 32 and 44 name it."""

import re
from enum import IntEnum

from klamm.controller.core.results import Fault, Refusal
from klamm.controller.handlers.api import CLUSTER_DENIED_TEXT, TOPIC_DENIED_TEXT, Context
from klamm.controller.security import acls

_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


class ResourceType(IntEnum):
    """Kafka's ConfigResource.Type in 3.9; it calls every other number UNKNOWN."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16


def integer(text: str) -> int | None:
    """Read a broker id as Java's parser does; None if it is none."""
    return int(text) if _INTEGER.fullmatch(text) else None


def other_node(context: Context, name: str, kind: str, choice: str = "") -> Refusal | None:
    """Refuse a name that is not this node's id.

    Kafka's texts differ in what they call it, `kind`, and in what else could have been, `choice`.
    """
    number = integer(name)
    if number == context.node_id:
        return None
    if number is None:
        text = f"{kind} id must be an integer, but it is: {name}"
    else:
        text = f"Unexpected broker id, expected {context.node_id}{choice} but received {name}"
    return Refusal(Fault.INVALID_REQUEST, text)


def denied_configs(
    context: Context, operation: acls.Operation, resource_type: int, name: str
) -> Refusal | None:
    """Refuse who may not do this with a resource's configs; those of no topic are the cluster's."""
    if resource_type == ResourceType.TOPIC:
        if context.allows(operation, acls.ResourceType.TOPIC, name):
            return None
        return Refusal(Fault.TOPIC_AUTHORIZATION_FAILED, TOPIC_DENIED_TEXT)
    if context.allows_cluster(operation):
        return None
    return Refusal(Fault.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT)
