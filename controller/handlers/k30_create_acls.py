"""CreateAcls (key 30).

Behaviour
    * One result per creation, in order; one that is refused does not stop the others. What is
      there already is created without a change.
    * All creations for one pattern are one conditional write of its znode, together with the
      notice by which the authorizers of others learn of it. Any node does it.
    * No ALTER on the cluster: CLUSTER_AUTHORIZATION_FAILED. No authorizer: SECURITY_DISABLED.
    * INVALID_REQUEST: a cluster of another name than kafka-cluster, an empty name or one that no
      znode can have, a code that is none of a rule (ANY and MATCH are for filters), a principal
      that is not TYPE:NAME. For the last three Kafka's codes are those of its exceptions.
    * A list that cannot be read is reported and left alone.
    Source: Kafka 3.9, AclApis.handleCreateAcls, AclAuthorizer.createAcls.

Versions 0-3
    1     pattern types

Left out: nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from klamm.controller.core.results import Refusal, shortened
from klamm.controller.handlers.acl_access import Barred, lists_for
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Outcome,
    Transact,
    error_code,
)
from klamm.controller.security.acls import (
    CLUSTER_NAME,
    AccessRule,
    AclBinding,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.stored import ChangeAcls
from klamm.controller.znodes import unstorable
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_acls_response import AclCreationResult, CreateAclsResponse

API_KEY = 30
VERSIONS = range(4)

CREATED = AclCreationResult(error_message=None)


def handle(context: Context, request: CreateAclsRequest, version: int) -> Outcome:
    """Refuse what is no binding, and add the rest to its lists."""
    creations = request.creations
    lists = lists_for(context, Operation.ALTER)
    if isinstance(lists, Barred):
        refused = _refused(lists.code, lists.text)
        return Answer(_response([refused] * len(creations)))
    bindings = [_binding(creation) for creation in creations]
    problems = [_problem(binding) for binding in bindings]
    wanted: dict[ResourcePattern, dict[AccessRule, None]] = {}
    for binding, problem in zip(bindings, problems, strict=True):
        if problem is None:
            wanted.setdefault(binding.pattern, {})[binding.rule] = None

    def respond(results: Sequence[Any]) -> CreateAclsResponse:
        done = dict(zip(wanted, map(_result, results), strict=True))
        return _response(
            done[binding.pattern]
            if problem is None
            else _refused(ErrorCode.INVALID_REQUEST, problem)
            for binding, problem in zip(bindings, problems, strict=True)
        )

    changes = tuple(ChangeAcls(pattern, tuple(rules)) for pattern, rules in wanted.items())
    return Transact(changes, respond) if changes else Answer(respond(()))


def _binding(creation: AclCreation) -> AclBinding:
    return AclBinding(
        ResourcePattern(
            ResourceType(creation.resource_type),
            creation.resource_name,
            PatternType(creation.resource_pattern_type),
        ),
        AccessRule(
            creation.principal,
            creation.host,
            Operation(creation.operation),
            Permission(creation.permission_type),
        ),
    )


def _problem(binding: AclBinding) -> str | None:
    """Say what is wrong with a binding, in Kafka's words where it has some."""
    name, principal = binding.pattern.name, binding.rule.principal
    if binding.pattern.resource_type is ResourceType.CLUSTER and name != CLUSTER_NAME:
        return f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    if not name:
        return "Invalid empty resource name"
    if binding.unknown:
        return "ACL binding contains unknown elements"
    if unstorable(name):
        return f"No list can be stored for the resource name {name!r}: no znode can be named so"
    kind, colon, user = principal.partition(":")
    if not (kind and colon and user):
        return (
            "expected a string in format principalType:principalName but got"
            f" {principal!r}; write User:NAME"
        )
    return None


def _result(result: object) -> AclCreationResult:
    if isinstance(result, Refusal):
        return _refused(error_code(result.fault), result.message)
    return CREATED


def _refused(code: ErrorCode, text: str) -> AclCreationResult:
    return AclCreationResult(code, shortened(text))


def _response(results: Iterable[AclCreationResult]) -> CreateAclsResponse:
    return CreateAclsResponse(results=tuple(results))
