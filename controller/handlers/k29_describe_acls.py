"""DescribeAcls (key 29).

Behaviour
    * The bindings that the filter means, by resource, as this node knows them: what it was asked
      to create or delete shows at once, what others were asked as soon as ZooKeeper has told.
    * No DESCRIBE on the cluster: CLUSTER_AUTHORIZATION_FAILED. No authorizer: SECURITY_DISABLED.
    * A code in the filter that nobody knows: INVALID_REQUEST; Kafka closes the connection.
    Source: Kafka 3.9, AclApis.handleDescribeAcls, AclAuthorizer.acls.

Versions 0-3
    1     pattern types; before, literal patterns alone can be asked for

Left out: nothing.
"""

from itertools import groupby

from klamm.controller.handlers.acl_access import Barred, lists_for
from klamm.controller.handlers.acl_filters import filter_of, unknown_text
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
from klamm.protocol.generated.describe_acls_response import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)

API_KEY = 29
VERSIONS = range(4)


def handle(context: Context, request: DescribeAclsRequest, version: int) -> Outcome:
    """Answer from the authorizer of this moment."""
    lists = lists_for(context, Operation.DESCRIBE)
    if isinstance(lists, Barred):
        return _refused(lists.code, lists.text)
    meant = filter_of(request)
    if meant.unknown:
        return _refused(ErrorCode.INVALID_REQUEST, unknown_text(meant))
    resources = tuple(
        DescribeAclsResource(
            pattern.resource_type,
            pattern.name,
            pattern.pattern_type,
            tuple(
                AclDescription(
                    binding.rule.principal,
                    binding.rule.host,
                    binding.rule.operation,
                    binding.rule.permission,
                )
                for binding in bindings
            ),
        )
        for pattern, bindings in groupby(lists.bindings(meant), key=lambda binding: binding.pattern)
    )
    return Answer(DescribeAclsResponse(error_message=None, resources=resources))


def _refused(code: ErrorCode, text: str) -> Answer:
    return Answer(DescribeAclsResponse(error_code=code, error_message=text))
