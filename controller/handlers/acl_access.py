"""What 29, 30 and 31 begin with: whether there are lists, and whether the client may have them.

Source: Kafka 3.9, AclApis: rights are asked for first, then whether there is an authorizer.
"""

from dataclasses import dataclass

from klamm.controller.handlers.api import CLUSTER_DENIED_TEXT, Context
from klamm.controller.security.acls import Operation
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.protocol.error_codes import ErrorCode


@dataclass(frozen=True, slots=True)
class Barred:
    """Why nothing of a request can be done."""

    code: ErrorCode
    text: str


def lists_for(context: Context, operation: Operation) -> AclAuthorizer | Barred:
    """Return the lists of this moment, if the client may do this on the cluster."""
    if not context.allows_cluster(operation):
        return Barred(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT)
    if not isinstance(context.authorizer, AclAuthorizer):
        return Barred(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")
    return context.authorizer
