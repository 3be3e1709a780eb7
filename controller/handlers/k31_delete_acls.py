"""DeleteAcls (key 31).

Behaviour
    * One result per filter, in order, with the bindings that it has deleted; what several filters
      mean is the first one's.
    * Each list with a binding that is meant is one conditional write of its znode, or its removal
      if nothing is left, together with the notice by which the authorizers of others learn of it.
      Any node does it. A filter that names one list finds it even if this node does not know it
      yet.
    * No ALTER on the cluster: CLUSTER_AUTHORIZATION_FAILED. No authorizer: SECURITY_DISABLED.
    * A code in a filter that nobody knows: INVALID_REQUEST; Kafka closes the connection.
    * What could not be deleted is named with its error; if nobody knows what that would have been,
      the filter has the error.
    Source: Kafka 3.9, AclApis.handleDeleteAcls, AclAuthorizer.deleteAcls.

Versions 0-3
    1     pattern types; before, literal patterns alone can be deleted

Left out: nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from klamm.controller.core.results import Refusal
from klamm.controller.handlers.acl_access import Barred, lists_for
from klamm.controller.handlers.acl_filters import filter_of, unknown_text
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Outcome,
    Transact,
    error_code,
)
from klamm.controller.security.acls import (
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.stored import AclsChanged, ChangeAcls
from klamm.controller.znodes import unstorable
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.delete_acls_request import DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)

API_KEY = 31
VERSIONS = range(4)


def handle(context: Context, request: DeleteAclsRequest, version: int) -> Outcome:
    """Find the lists that are meant, and remove what the filters mean from each."""
    lists = lists_for(context, Operation.ALTER)
    if isinstance(lists, Barred):
        refused = _refused(lists.code, lists.text)
        return Answer(_response([refused] * len(request.filters)))
    filters = [filter_of(asked) for asked in request.filters]
    known = {number: meant for number, meant in enumerate(filters) if not meant.unknown}
    changes = tuple(_changes(lists, known))

    def respond(results: Sequence[Any]) -> DeleteAclsResponse:
        deleted: list[list[DeleteAclsMatchingAcl]] = [[] for _ in filters]
        failed: dict[int, Refusal] = {}
        for change, result in zip(changes, results, strict=True):
            if isinstance(result, Refusal):
                for binding, number in _meant(lists, change).items():
                    deleted[number].append(_matching(binding, result))
                if change.pattern not in lists.lists:
                    failed.update((number, result) for number, _ in change.removals)
            else:
                changed: AclsChanged = result
                for binding, number in sorted(changed.removed.items()):
                    deleted[number].append(_matching(binding))
        return _response(
            _refused(ErrorCode.INVALID_REQUEST, unknown_text(meant))
            if meant.unknown
            else _result(deleted[number], failed.get(number))
            for number, meant in enumerate(filters)
        )

    return Transact(changes, respond) if changes else Answer(respond(()))


def _changes(authorizer: AclAuthorizer, filters: Mapping[int, AclFilter]) -> Iterator[ChangeAcls]:
    """Yield what is to be done with each list that can hold something that is meant."""
    named = {found for meant in filters.values() if (found := _named(meant)) is not None}
    for pattern in sorted(authorizer.patterns | named):
        removals = tuple(
            (number, meant) for number, meant in filters.items() if meant.matches_pattern(pattern)
        )
        if removals:
            yield ChangeAcls(pattern, removals=removals)


def _named(meant: AclFilter) -> ResourcePattern | None:
    """Return the only pattern that a filter can mean (ResourcePatternFilter.matchesAtMostOne)."""
    if (
        meant.name is None
        or unstorable(meant.name)
        or meant.resource_type <= ResourceType.ANY
        or meant.pattern_type <= PatternType.MATCH
    ):
        return None
    return ResourcePattern(meant.resource_type, meant.name, meant.pattern_type)


def _meant(authorizer: AclAuthorizer, change: ChangeAcls) -> Mapping[AclBinding, int]:
    """What a change would have removed, as far as this node knows."""
    found: dict[AclBinding, int] = {}
    for rule in sorted(authorizer.lists.get(change.pattern, ())):
        for number, meant in change.removals:
            if meant.matches_rule(rule):
                found.setdefault(AclBinding(change.pattern, rule), number)
    return found


def _matching(binding: AclBinding, refusal: Refusal | None = None) -> DeleteAclsMatchingAcl:
    pattern, rule = binding.pattern, binding.rule
    return DeleteAclsMatchingAcl(
        error_code=error_code(refusal.fault) if refusal else ErrorCode.NONE,
        error_message=refusal.message if refusal else None,
        resource_type=pattern.resource_type,
        resource_name=pattern.name,
        pattern_type=pattern.pattern_type,
        principal=rule.principal,
        host=rule.host,
        operation=rule.operation,
        permission_type=rule.permission,
    )


def _result(
    deleted: Iterable[DeleteAclsMatchingAcl], failed: Refusal | None
) -> DeleteAclsFilterResult:
    if failed is not None:
        code, text = error_code(failed.fault), failed.message
        return DeleteAclsFilterResult(code, text, tuple(deleted))
    return DeleteAclsFilterResult(error_message=None, matching_acls=tuple(deleted))


def _refused(code: ErrorCode, text: str) -> DeleteAclsFilterResult:
    return DeleteAclsFilterResult(code, text)


def _response(results: Iterable[DeleteAclsFilterResult]) -> DeleteAclsResponse:
    return DeleteAclsResponse(filter_results=tuple(results))
