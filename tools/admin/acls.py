"""Keys 29, 30 and 31: access control lists."""

from __future__ import annotations

from collections.abc import Sequence

from klamm.controller.security.acls import (
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_acls_response import CreateAclsResponse
from klamm.protocol.generated.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
from klamm.protocol.generated.describe_acls_response import DescribeAclsResponse
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.routing import Session

# From 1 on there are patterns besides literal names.
_DESCRIBE = api("describeAcls", DescribeAclsRequest, DescribeAclsResponse, range(1, 4))
_CREATE = api("createAcls", CreateAclsRequest, CreateAclsResponse, range(1, 4))
_DELETE = api("deleteAcls", DeleteAclsRequest, DeleteAclsResponse, range(1, 4))


async def describe(session: Session, filter_: AclFilter) -> tuple[AclBinding, ...]:
    """Return the bindings that a filter means, sorted."""
    request = DescribeAclsRequest(*_parts(filter_))
    answer = await session.ask(
        _DESCRIBE, Place.ANY, lambda _: request, lambda response: [response.error_code]
    )
    raise_for(answer.error_code, answer.error_message)
    return tuple(
        sorted(
            AclBinding(
                ResourcePattern(
                    ResourceType(resource.resource_type),
                    resource.resource_name,
                    PatternType(resource.pattern_type),
                ),
                AccessRule(
                    acl.principal,
                    acl.host,
                    Operation(acl.operation),
                    Permission(acl.permission_type),
                ),
            )
            for resource in answer.resources
            for acl in resource.acls
        )
    )


async def create(
    session: Session, bindings: Sequence[AclBinding]
) -> dict[AclBinding, AdminError | None]:
    """Add bindings; the outcome of each."""
    request = CreateAclsRequest(
        tuple(
            AclCreation(
                binding.pattern.resource_type,
                binding.pattern.name,
                binding.pattern.pattern_type,
                binding.rule.principal,
                binding.rule.host,
                binding.rule.operation,
                binding.rule.permission,
            )
            for binding in bindings
        )
    )
    answer = await session.ask(
        _CREATE,
        Place.ANY,
        lambda _: request,
        lambda response: [result.error_code for result in response.results],
    )
    # Results come in the order of the question; a short answer leaves the rest without one.
    return {
        binding: error_of(result.error_code, result.error_message) if result.error_code else None
        for binding, result in zip(bindings, answer.results, strict=False)
    }


async def delete(
    session: Session, filters: Sequence[AclFilter]
) -> dict[AclFilter, tuple[AclBinding, ...] | AdminError]:
    """Delete bindings; what each filter has found."""
    request = DeleteAclsRequest(tuple(DeleteAclsFilter(*_parts(filter_)) for filter_ in filters))
    answer = await session.ask(
        _DELETE,
        Place.ANY,
        lambda _: request,
        lambda response: [result.error_code for result in response.filter_results],
    )
    return {
        filter_: _deleted(result)
        for filter_, result in zip(filters, answer.filter_results, strict=False)
    }


def _parts(
    filter_: AclFilter,
) -> tuple[ResourceType, str | None, PatternType, str | None, str | None, Operation, Permission]:
    """Return the fields of a filter in the order that both requests have them."""
    return (
        filter_.resource_type,
        filter_.name,
        filter_.pattern_type,
        filter_.principal,
        filter_.host,
        filter_.operation,
        filter_.permission,
    )


def _deleted(result: DeleteAclsFilterResult) -> tuple[AclBinding, ...] | AdminError:
    if result.error_code:
        return error_of(result.error_code, result.error_message)
    for acl in result.matching_acls:
        if acl.error_code:
            return error_of(acl.error_code, acl.error_message)
    return tuple(sorted(_matching(acl) for acl in result.matching_acls))


def _matching(acl: DeleteAclsMatchingAcl) -> AclBinding:
    return AclBinding(
        ResourcePattern(
            ResourceType(acl.resource_type), acl.resource_name, PatternType(acl.pattern_type)
        ),
        AccessRule(
            acl.principal, acl.host, Operation(acl.operation), Permission(acl.permission_type)
        ),
    )
